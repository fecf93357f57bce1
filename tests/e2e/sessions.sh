# Pages whose sessions are true: every ```console block of a page is played in a real terminal (tmux), in
# the order of the page and in one home, and has to print what the page shows. A page begins in
# ~/mistro, which looks like a clone after ./dev demo; a block ```yaml NAME is the file NAME, saved in the
# folder the terminal is in by then. Blocks ```console node need servers from npm, and are passed over
# where there is no npx.
#   $ begins a command. It goes on in the next line after \ or |, and in lines that begin with "> ".
#   A command with nothing below it may print anything. Where the screen waits in the middle of a line
#   that the page has to its end ("Allow? …: y"), the rest of that line is typed; one key behind a
#   colon without Enter.
# Times, durations and ids differ from run to run; an id of the page stands for the one that was printed
# in its place. With MISTRO_WRITE_PAGES set the page is written anew with what was printed.
. "$SOURCE_DIR/tests/e2e/terminal.sh"
command -v jq >/dev/null || skip "jq is not installed"
columns=100

begin_page() { # page, folder of programs that it finds beside those of the system
  page=$1
  home=$(mktemp -d /tmp/XXXX) # as long as /home/ada: what is cut to the width is cut there
  trap 't kill-server; rm -rf "$scratch" "$home"' EXIT
  mkdir -p "$home/mistro/build" "$home/.local/bin"
  cp -r "$SOURCE_DIR/examples" "$home/mistro"
  ln -s "$BUILD_DIR" "$home/mistro/build/release"
  grep -q 'cmake --install' "$page" || ln -s "$MISTRO" "$home/.local/bin/mistro"
  : >"$scratch/prompts"
  cat >"$scratch/rc" <<'RC'
# Each command begins on an empty screen, in its second line: what is erased from the first one on, tmux
# keeps as history.
PS1='$ ' PS2='> ' PS0='\e[2J\e[3J\e[2H'
echo
PROMPT_COMMAND='echo >>"$PROMPTS"'
unset HISTFILE
RC
  n_terminals=$((n_terminals + 1))
  t -f /dev/null new-session -d -x $columns -y 200 -c "$home/mistro" \
    "env -i HOME=$home PATH='$home/.local/bin:${2:-}$PATH' PROMPTS=$scratch/prompts LANG=C.UTF-8 \
      LSAN_OPTIONS='$LSAN_OPTIONS' \
      TERM=xterm-256color MISTRO_MODEL=none bash --noprofile --rcfile $scratch/rc"
  t has-session || skip "tmux cannot open a terminal here"
  await_prompt 1 /dev/null || fail "no shell"
}

pause() { read -r -t 0.03 <> <(:) || true; }
printed() { t capture-pane -p -J -S - | sed 1d | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' | sed 's/ *$//'; }
await_prompt() { # number of prompts, file with what the page shows: types what is answered there
  local last line i typed=""
  for ((i = 0; i < 600; i++)); do
    last=$(printed | tail -n 1)
    if [ "$(wc -l <"$scratch/prompts")" -ge "$1" ] && [ "$last" = '$' ]; then return 0; fi
    case "$last" in
    *: | *'>')
      while IFS= read -r line; do
        if [ "$line" != "$last" ] && [ "$last" != "$typed" ] && [[ $line == "$last "* ]]; then
          line=${line#"$last "}
          if [[ $last == *: && ${#line} = 1 ]]; then press "$line"; else type_line "$line"; fi
          typed=$last
        fi
      done <"$2" ;;
    esac
    pause
  done
  return 1
}

ids() { grep -oE '\b1m[0-9a-z]{17}\b' "$@"; }
alike() { # what differs from run to run, taken out
  sed -E -e '/ASan doesn.t fully support makecontext/d' -e "s|$home|/home/ada|g" -e 's/\b1m[0-9a-z]{17}\b/ID/g' -e 's/[0-9]+(\.[0-9]+)? m?s\b/N ms/g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9:.]+Z?)?/DATE/g' -e 's/"(duration_)?ms":[0-9]+/"ms":N/g' \
    -e 's/….*/…/' -e 's/ +/ /g; s/ $//' "$@"
}

# Where a line is cut depends on how long the durations in it are: up to there it has to be the same.
same_lines() { # file with what is shown, file with what was printed: says what differs
  LC_ALL=C awk '
    function uncut(line) { was_cut = sub(/\342\200\246$/, "", line); return line }
    FNR == NR { shown[FNR] = $0; n = FNR; next }
    {
      m = FNR; a = uncut(shown[FNR]); cut = was_cut; b = uncut($0)
      if (cut || was_cut) {
        most = length(a) < length(b) ? length(a) : length(b)
        a = substr(a, 1, most); b = substr(b, 1, most)
      }
      if (a != b || FNR > n) { print "< " shown[FNR]; print "> " $0; differs = 1 }
    }
    END { for (m = m + 1; m <= n; m++) { print "< " shown[m]; differs = 1 } exit differs }
  ' <(alike "$1"; echo .) <(alike "$2"; echo .)
}

declare -A really # id of the page -> id of this run
with_ids() { # text of the page
  local id text=$1
  for id in "${!really[@]}"; do text=${text//$id/${really[$id]}}; done
  printf '%s' "$text"
}
play_command() { # command, file with what the page shows
  local command=$1 n; n=$(wc -l <"$scratch/prompts")
  it "$page: $command"
  type_line "$(with_ids "$command")"
  if ! await_prompt $((n + 1)) "$2"; then status=none; printed >"$scratch/out"; fail "it does not end"; t send-keys C-c; return; fi
  printed | sed '$d' >"$scratch/out"
  status="-"; : >"$scratch/err"
  sed "s|$home|/home/ada|g" "$scratch/out" >"$scratch/said"
  [ -s "$2" ] || { ok; return; }
  local -a said real
  mapfile -t said < <(ids "$2"); mapfile -t real < <(ids "$scratch/out")
  for n in "${!said[@]}"; do really[${said[n]}]=${real[n]:-none}; done
  if same_lines "$2" "$scratch/out" >"$scratch/diff"; then ok
  else fail "the page shows <, this is >"; cat "$scratch/diff"; fi
}

# The lines of the page pass through here; what a session really printed replaces what stood there.
play_page() { # page, folder of programs
  begin_page "$1" "${2:-}"
  local line block="" command="" shown=$scratch/shown written=$scratch/written file
  : >"$written"
  flush() {
    [ -n "$command" ] || return 0
    play_command "$command" "$shown" </dev/null
    if [ -s "$shown" ]; then cat "$scratch/said" >>"$written"; fi
    command=""
  }
  while IFS= read -r line <&3; do
    case "$block|$line" in
    '|```'*)
      block=${line#'```'}; echo "$line" >>"$written"
      case "$block" in
      'console node') [ -n "${2:-}" ] || block="not here" ;;
      *' '*.*) file=$(t display -p '#{pane_current_path}')/${block#* }; : >"$file"; block=file ;;
      '') block=plain ;;
      esac
      continue ;;
    *'|```') [[ $block != console* ]] || flush; block="" ;;
    'file|'*) printf '%s\n' "$line" >>"$file" ;;
    'console|$ '* | 'console node|$ '*)
      flush
      command=${line#'$ '}; : >"$shown"
      with_ids "$line"$'\n' >>"$written"
      continue ;;
    console*)
      case "$command" in
      *'\' | *'|') command+=$'\n'$line ;;
      *) if [[ $line == '> '* && ! -s $shown ]]; then command+=$'\n'${line#'> '}
         else printf '%s\n' "$line" >>"$shown"; continue; fi ;;
      esac ;;
    esac
    printf '%s\n' "$line" >>"$written"
  done 3<"$1"
  t kill-server
  rm -rf "$home"
  [ -z "${MISTRO_WRITE_PAGES:-}" ] || cp "$written" "$1"
}
