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
  t -f /dev/null new-session -d -x "$columns" -y $rows "trap : INT; $MISTRO chat ${model:--m none} $*; echo left with \$?; while :; do cat; done"
}
close_all() { for n_terminals in $(seq 100); do t kill-server; done; }
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
n_terminals=1
begin() { n_terminals=$((n_terminals + 4)); open $((n_terminals + 1)) "$@"; see '*mistro>*'; }
# What stands on the screen from the last prompt on.
last_line() { line_shown | sed '$d'; }
expect_line() { # the rows
  for _ in $(seq 400); do
    if [ "$(last_line)" = "$1" ]; then ok; return 0; fi
    read -r -t 0.05 <> <(:) || true
  done
  status=none; last_line >"$scratch/out"; fail "the line should be: $1"
}

it "keeps a line that is typed after a resize, and Ctrl-U leaves nothing of it"
begin 100
t resize-window -x 45 -y $rows
await_size 45
t send-keys -l -- "$(printf 'abcdefghij%.0s' 1 2 3 4 5 6 7 8 9 10 11)vwxy"
t send-keys Home X End Y
expect_line "mistro> Xabcdefghijabcdefghijabcdefghijabcdef
ghijabcdefghijabcdefghijabcdefghijabcdefghija
bcdefghijabcdefghijabcdefghijvwxyY"
banner=$(above)
t resize-window -x 100 -y $rows
await_size 100
expect_line "mistro> Xabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghijabcdefghija
bcdefghijabcdefghijvwxyY"
expect_same "$(above)" "$banner"
t send-keys C-u
expect_line 'mistro>'
expect_same "$(above)" "$banner"

it "resizes while Ctrl-R searches, and goes on"
t send-keys -l 'first words'; t send-keys C-a C-k
type_line '/history'
see '*nothing was said yet*'
t send-keys C-r; t send-keys -l hist
see '*bck:hist*'
t resize-window -x 60 -y $rows
await_size 60
t send-keys Enter
see '*nothing was said yet*nothing was said yet*'

it "makes lines by Ctrl-J and Alt-Enter, and one message of them"
begin 40
t send-keys -l 'read the file'; t send-keys C-j; t send-keys -l 'README.md'; t send-keys M-Enter; t send-keys -l 'please'
expect_line 'mistro> read the file
README.md
please'
t send-keys BSpace BSpace BSpace BSpace BSpace BSpace BSpace
expect_line 'mistro> read the file
README.md'
t send-keys Left Left Left C-k; t send-keys -l '.md'
expect_line 'mistro> read the file
README.md'
t send-keys Enter
see '*A small fruit trade*mistro>*'
t send-keys Up
expect_line 'mistro> read the file
README.md'

it "opens the message in the editor of the person, and takes what they leave there"
cat >"$scratch/editor" <<'SH'
#!/bin/sh
stty -a </dev/tty | grep -q ' icanon' && echo "the terminal is as usual" >&2
sed -i 's/notes/README/' "$1"
SH
chmod +x "$scratch/editor"
export VISUAL="$scratch/editor"
begin 80
t send-keys -l 'read the file'; t send-keys C-j; t send-keys -l 'notes.md'
t send-keys C-x C-e
see '*the terminal is as usual*mistro> read the file*README.md*'
t send-keys Enter
see '*A small fruit trade*'
[ -z "$(ls "$XDG_RUNTIME_DIR")" ] && ok || fail "a file is left behind"
export VISUAL=false
begin 80
t send-keys -l 'as it was'
t send-keys C-x C-e
see '*false ended with status 1*mistro> as it was*'
unset VISUAL

it "takes a paste of 10,000 lines as one message"
seq -f 'line %.0f' 10000 >"$scratch/paste"
begin 80
t load-buffer "$scratch/paste"
t paste-buffer -p
see '*line 9999*line 10000*'
t send-keys -l 'to the end'
see '*line 10000*to the end*'
t send-keys Enter
see '*to the end*mistro>*'
run sessions list --json
expect_status 0
id=$(jq -r '.sessions[0].id' "$scratch/out")
expect_same "$("$MISTRO" sessions export "$id" | jq -r '.messages[0].content' | md5sum)" "$({ cat "$scratch/paste"; echo 'to the end'; } | md5sum)"

it "takes what is pasted while a turn runs as one message"
cat >slow.yml <<'YML'
tools: [{name: work, description: work slowly, annotations: {readOnlyHint: true}, replies: [{delay_ms: 1500, text: slow work is done}]}]
YML
mock_config "$PWD/slow.yml" >slow.json
begin 80 --yes --no-builtin --mcp-config slow.json
type_line 'work slowly'
see '*s1*dev/work*'
t load-buffer "$scratch/paste"
t paste-buffer -p
see '*line 9999*line 10000*'
t send-keys Enter
see '*line 10000*mistro: *mistro>*'
type_line '/sessions'
see '*3 messages*'

it "has a history for each folder"
begin 80
type_line 'said in this folder'
see '*no tool fits*mistro>*'
mkdir -p other
cd other || exit 1
begin 80
t send-keys Up
expect_line 'mistro>'
cd .. || exit 1
begin 80
t send-keys Up
expect_line 'mistro> said in this folder'

it "completes tools, files and resources"
begin 80
t send-keys -l '/tool files/read_f'; t send-keys Tab
expect_line 'mistro> /tool files/read_file'
t send-keys C-u
t send-keys -l 'look at @no'; t send-keys Tab
expect_line 'mistro> look at @notes/'
t send-keys Tab
see '*@notes/harvest.md*@notes/suppliers.md*mistro> look at @notes/*'
t send-keys -l 'h'; t send-keys Tab
expect_line 'mistro> look at @notes/harvest.md'

it "calls a tool, shows one, and says the last message again"
begin 80
type_line '/tool files/read_file'
see '*"content"*mistro>*'
t send-keys C-l
type_line '/call files/read_file path=README.md'
see '*A small fruit trade*mistro>*'
type_line '/retry'
see '*nothing was said yet*'
type_line 'read the file README.md'
see '*A small fruit trade*A small fruit trade*'
type_line '/retry'
see '*/retry*files/read_file*A small fruit trade*mistro>*'

it "a numbered choice is made by its key, and any other key begins a message"
cat >paint.yml <<'YML'
tools:
  - name: paint
    description: paint the fence in a colour
    annotations: {readOnlyHint: true}
    inputSchema: {type: object, required: [colour], properties: {colour: {type: string, enum: [red, green, blue]}}}
    replies: [{text: "painted in {args.colour}"}]
YML
mock_config "$PWD/paint.yml" >paint.json
begin 80 --yes --no-builtin --mcp-config paint.json
type_line 'paint the fence'
see '*1) red*2) green*3) blue*your next message is the answer, or one key from 1 to 3*mistro>*'
press 2
see '*mistro> 2*painted in green*mistro>*'
t send-keys C-l
type_line 'paint the fence'
see '*3) blue*mistro>*'
press 'r2'
expect_line 'mistro> r2'
t send-keys C-u
type_line red
see '*mistro> red*painted in red*mistro>*'

it "tells how a question is dropped, and Ctrl-C drops it"
t send-keys C-l
type_line 'paint the fence'
see '*? explains, cancel or Ctrl-C drops the question*mistro>*'
t send-keys C-c
see '*question dropped*mistro>*'

it "chat -c offers to go on with a turn whose process was killed"
work() { # how long the tool takes
  printf 'tools: [{name: work, description: work hard, annotations: {readOnlyHint: true, idempotentHint: true}, replies: [{delay_ms: %d, text: all is done}]}]\n' "$1" >work.yml
}
work 60000
mock_config "$PWD/work.yml" >work.json
"$MISTRO" ask -m none --yes --no-builtin --mcp-config work.json 'work hard' </dev/null >"$scratch/out" 2>&1 &
pid=$!
for _ in $(seq 400); do
  "$MISTRO" runs list -n 1 --json | jq -e '.runs[0].status == "running"' >/dev/null &&
    "$MISTRO" runs events latest | grep -q '"event":"tool_call"' && break
  read -r -t 0.05 <> <(:) || true
done
kill -9 $pid; wait $pid 2>/dev/null
work 0
"$MISTRO" sessions list --json | jq -r '.sessions[].id' | while read -r id; do "$MISTRO" sessions delete "$id" --yes >"$scratch/out" 2>&1; done
offered() { begin_asking 100 -c --yes --no-builtin --mcp-config work.json; see '*This was interrupted * ago, and can go on:*| work hard*Go on with it? \[y\]es, \[n\]o*'; }
begin_asking() { n_terminals=$((n_terminals + 4)); open $((n_terminals + 1)) "$@"; }
offered
press n
see '*later with: mistro runs resume *mistro>*'
t send-keys C-d
offered
press y
see '*no answer is kept: it may have taken effect*1) repeat*>*'
type_line 1
see '*all is done*mistro>*'
t send-keys C-d
begin 100 -c --yes --no-builtin --mcp-config work.json
expect_same "$(above | grep -c 'was interrupted')" 0

it "a plan can be edited before it runs"
editor() { printf '#!/bin/sh\nsed -i "%s" "$1"\n' "$1" >"$scratch/editor"; }
editor 's:README.md:notes/harvest.md:'
export VISUAL="$scratch/editor"
begin 100
type_line '/plan make read the file README.md'
see '*path: README.md*/plan edit opens it in your editor, /plan run does what it says*mistro>*'
type_line '/plan edit'
see '*mistro> /plan edit*path: notes/harvest.md*mistro>*'
type_line '/plan run'
see '*mistro> /plan run*files/read_file {path: "notes/harvest.md"}*The plums came early*mistro>*'
editor 's|tool:.*|tool: files/nothing|'
type_line '/plan edit'
see '*tool: files/nothing*mistro>*'
type_line '/plan run'
see '*the plan may not run*files/nothing*mistro>*'
unset VISUAL

it "what a plan of a model calls is asked about, though a person has edited it"
begin 100 --mcp-config paint.json --no-builtin
type_line '/plan make paint the fence red'
see '*tool: dev/paint*mistro>*'
type_line '/plan run'
see '*dev/paint wants to run*Allow?*'
press n
see '*not approved*mistro>*'

it "a line below an answer tells model, context and time, where it fits"
intent='{"reason":"none","primary_goal":"say hello","tools_needed":[],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[]}'
jq -n --arg peer "$BUILD_DIR/tests/peer_model" --arg intent "$intent" \
  '{mistral_orchestrator: {model: {launch: [$peer, "--says", "primary_goal=\($intent)"]}}}' >launched.json
model='--config launched.json'
begin 100
type_line 'hello'
see '*pong*small, 4,002 tokens of context, * s*mistro>*'
t resize-window -x 30 -y $rows
await_size 30
t send-keys C-l
type_line 'hello'
see '*mistro> hello*pong*mistro>*'
expect_same "$(screen | grep -c 'of context')" 0
model=''

for plain in 'TERM=dumb:' 'TERM=xterm-256color:--plain'; do
  it "${plain%%:*} ${plain#*:}: writes lines and nothing else"
  n_terminals=$((n_terminals + 1)); : >"$scratch/raw"
  t -f /dev/null new-session -d -x 40 -y $rows "trap : INT; sleep 0.1; env ${plain%%:*} $MISTRO chat -m none ${plain#*:}; echo left with \$?; while :; do cat; done"
  t pipe-pane "cat >>$scratch/raw"
  see '*mistro>*'
  type_line 'read the file README.md'
  see '*files/read_file*A small fruit trade*mistro>*'
  type_line 'read the file'
  see '*your next message is the answer*mistro>*'
  t send-keys -l 'half a message'; t send-keys C-c
  see '*question dropped*mistro>*'
  type_line '/nothing'
  see '*unknown command /nothing*mistro>*'
  t send-keys C-d
  see '*left with 0*'
  expect_same "$(grep -c $'\033' "$scratch/raw")" 0
done
finish
