# A real terminal (tmux) for end-to-end tests: begin COMMAND…, type_line, see 'glob'. What the
# program wrote, byte for byte, is in $scratch/raw; what stands on the screen, in $scratch/out.
command -v tmux >/dev/null || skip "tmux is not installed"
export LC_ALL=C.UTF-8 TERM=xterm-256color
n_terminals=0
t() { tmux -L "mistro-test-$$-$n_terminals" "$@" 2>/dev/null; }
trap 't kill-server; rm -rf "$scratch"' EXIT

begin_terminal() { # columns, rows, words of mistro
  local columns=$1 rows=$2; shift 2
  t kill-server; n_terminals=$((n_terminals + 1)); : >"$scratch/raw"
  t -f /dev/null new-session -d -x "$columns" -y "$rows" \
    "trap : INT; sleep 0.1; $MISTRO $*; echo left with \$?; while :; do cat; done"
  t pipe-pane "cat >>$scratch/raw"
}
screen() { t capture-pane -p -J >"$scratch/out"; cat "$scratch/out"; }
see() { # waits until the screen matches, at most 20 s
  for _ in $(seq 400); do
    if matches "$(screen)" "$1"; then ok; return 0; fi
    read -r -t 0.05 <> <(:) || true
  done
  status=none; fail "the screen should match: $1"; return 1
}
press() { t send-keys -l -- "$1"; } # one key, which a question takes without Enter
type_line() { t send-keys -l -- "$1"; t send-keys Enter; }
