# The line of the chat in a real terminal (tmux): what stands there after a resize is what a chat that
# began at that width shows, wherever the cursor is and whatever the characters are.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
rows=30 widths=(100 61 60 45 40)
open() { # number of the terminal, columns, words of the chat
  local columns=$2
  n_terminals=$1; shift 2
  : >"$scratch/raw"
  t -f /dev/null new-session -d -x "$columns" -y $rows "trap : INT; $MISTRO chat -m none $*; echo left with \$?; while :; do cat; done"
}
close_all() { for n_terminals in 1 2 3 4 99 "${widths[@]}"; do t kill-server; done; }
trap 'close_all; rm -rf "$scratch"' EXIT
# The rows of the line and the place of the cursor in them, without what stands above.
line_shown() {
  t capture-pane -p -S - \; display -p '#{cursor_x} #{cursor_y} #{history_size}' | awk '
    /^mistro>/ { first = NR }
    { row[NR] = $0 }
    END {
      split(row[NR], at, " ")
      for (i = first; i < NR; i++) { sub(/ +$/, "", row[i]); text = text row[i] "\n" }
      sub(/\n+$/, "", text)
      print text; print "cursor " at[1] " " at[2] + at[3] + 1 - first
    }'
}
above() { t capture-pane -p -J -S - | awk '/^mistro>/ { exit } { sub(/ +$/, ""); print }'; }
await() { # what the line and the cursor should look like: at most 20 s
  local shown
  for _ in $(seq 1000); do
    shown=$(line_shown)
    [ "$shown" != "$1" ] || return 0
    read -r -t 0.02 <> <(:) || true
  done
  status=none; printf '%s\n' "$shown" >"$scratch/out"; printf '%s\n' "$1" >"$scratch/err"
  fail "stdout is what is shown, stderr what a chat shows that began at this width"; return 1
}

await_size() { # columns: the program learns of it a quarter of a second later than tmux draws it
  local tty; tty=$(t display -p '#{pane_tty}')
  for _ in $(seq 1000); do
    [ "$(stty -F "$tty" size)" != "$rows $1" ] || return 0
    read -r -t 0.02 <> <(:) || true
  done
}

text='' # 200 characters, of which many are two columns wide
while [ ${#text} -lt 200 ]; do text+='日本語abc한글 xyz,'; done
text=${text:0:200}

it "opens a terminal"
open 99 80
t has-session || skip "tmux cannot open a terminal here"
see '*mistro>*'

# The rows that a chat draws which began at that width, and where the cursor is before a character.
declare -A drawn
redraw() { # width
  open "$1" "$1"
  see '*mistro>*'
  t send-keys -l -- "$text"
  see "*mistro>*$text*"
  drawn[$1]=$(line_shown | sed '$d')
  t kill-server
}
place() { # width, characters before the cursor
  local row=0 column=8 i wide
  for ((i = 0; i <= $2; i++)); do
    case ${text:i:1} in [日本語한글]) wide=2 ;; *) wide=1 ;; esac
    if ((column + wide > $1)); then ((row++, column = 0)); fi
    if ((i < $2)); then ((column += wide)); fi
  done
  echo "cursor $column $row"
}

it "draws the same at every place of the cursor, whatever width the line began with"
for width in "${widths[@]}"; do redraw "$width"; done
sweeps=4 each=51
for ((sweep = 0; sweep < sweeps; sweep++)); do
  open $((1 + sweep)) "${widths[sweep]}"
done
for ((sweep = 0; sweep < sweeps; sweep++)); do
  n_terminals=$((1 + sweep))
  see '*mistro>*'
  t send-keys -l -- "$text"
  [ $sweep = 0 ] || t send-keys -N $((sweep * (each - 1))) Left
done
for ((round = 1; round <= each; round++)); do
  for ((sweep = 0; sweep < sweeps; sweep++)); do
    n_terminals=$((1 + sweep))
    t resize-window -x "${widths[(sweep + round) % ${#widths[@]}]}" -y $rows
  done
  for ((sweep = 0; sweep < sweeps; sweep++)); do
    n_terminals=$((1 + sweep))
    width=${widths[(sweep + round) % ${#widths[@]}]} at=$((${#text} - sweep * (each - 1) - round + 1))
    await_size "$width"
    if await "${drawn[$width]}"$'\n'"$(place "$width" $at)"; then ok; else finish; exit 1; fi
    t send-keys X BSpace
    [ $at = 0 ] || t send-keys Left
  done
  for ((sweep = 0; sweep < sweeps; sweep++)); do
    n_terminals=$((1 + sweep))
    width=${widths[(sweep + round) % ${#widths[@]}]} at=$((${#text} - sweep * (each - 1) - round + 1))
    await "${drawn[$width]}"$'\n'"$(place "$width" $((at ? at - 1 : 0)))" || { finish; exit 1; }
  done
done
finish
