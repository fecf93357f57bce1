# What keys, pastes and signals do to a chat in a real terminal (tmux), and that nothing that is
# being written is lost by them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
columns=100
begin() { begin_terminal $columns 30 chat -m none "$@"; see '*mistro>*'; }
pause() { read -r -t 0.05 <> <(:) || true; }
press_until() { # a key that is pressed again as long as it is not taken, and what is seen then
  for _ in $(seq 100); do
    press "$1"
    for _ in 1 2 3 4; do
      if matches "$(screen)" "$2"; then ok; return 0; fi
      pause
    done
  done
  status=none; fail "after the key $1 the screen should match: $2"; return 1
}
paste() { # text; words of paste-buffer
  printf '%s' "$1" >"$scratch/paste"; shift
  t load-buffer "$scratch/paste"; t paste-buffer "$@"
}
cat >paint.yml <<'YML'
tools:
  - name: paint
    description: paint the fence in a colour
    inputSchema: {type: object, required: [colour], properties: {colour: {type: string, enum: [red, green, blue]}}}
    replies: [{text: "painted in {args.colour}"}]
YML
mock_config "$PWD/paint.yml" >paint.json
paint=(--no-builtin --mcp-config paint.json)

it "no key that sends several bytes answers a question, and no paste does"
begin "${paint[@]}"
t has-session || skip "tmux cannot open a terminal here"
asked() { t send-keys C-l; type_line 'paint the fence red'; see '*dev/paint wants to run*Allow?*'; }
for keys in Up F5 M-a '-H 1b 4f 41' '-H 1b 5b 31 3b 32 41' '-H c3 a1'; do
  asked
  # shellcheck disable=SC2086
  t send-keys $keys
  press_until n '*Allow? *[[]n[]]o: n*not approved*mistro>*'
done
for way in -p -r; do
  asked
  paste $'always\nyes, always\n' $way
  press_until n '*Allow? *[[]n[]]o: n*not approved*mistro>*'
done
asked
t send-keys -H 1b; pause; t send-keys -H 5b; pause; t send-keys -H 41; pause
press_until n '*Allow? *[[]n[]]o: n*not approved*mistro>*'
asked
press y
see '*Allow? *: y*painted in red*mistro>*'

it "a key that sends several bytes is no choice by its number, even byte by byte"
t send-keys C-l
type_line 'paint the fence'
see '*3) blue*mistro>*'
type_line '/model'
see '*lexical*mistro>*'
t send-keys -H 1b; pause; pause; t send-keys -H 5b; pause; pause; t send-keys -H 31; pause; pause; t send-keys -H 7e
t send-keys -l x
see '*mistro> x*'
t send-keys C-u
see '*mistro>  *'

it "an interrupted editor of a message costs nothing of it"
cat >"$scratch/editor" <<'SH2'
#!/bin/sh
trap 'echo interrupted >>"$1"; exit 0' INT
echo "the editor waits" >&2
while :; do sleep 0.1; done
SH2
chmod +x "$scratch/editor"
export VISUAL="$scratch/editor"
begin
t send-keys -l 'half a message'; t send-keys C-x C-e
see '*the editor waits*'
t send-keys C-c
see '*mistro> half a message*interrupted*'
t send-keys End '!'
see '*mistro> half a message*interrupted!*'

it "what an editor leaves that is no text is kept in its file, and the message stays"
printf '#!/bin/sh\nprintf "caf\\351" >"$1"\n' >"$scratch/editor"
begin
t send-keys -l 'as it was'; t send-keys C-x C-e
see '*not UTF-8*kept*message.md*mistro> as it was*'
expect_same "$(cat "$XDG_RUNTIME_DIR"/mistro-edit.*/message.md | od -An -tx1)" ' 63 61 66 e9'
rm -r "$XDG_RUNTIME_DIR"/mistro-edit.*
unset VISUAL

it "control characters of a paste are not keys"
begin
t send-keys -l 'first '
paste $'a\x01b\x04c\x15d\x0ce\x1b[Df\x18\x05g\x7fhi' -p
see '*mistro> first a*g*i*'
t send-keys -l '!'
see '*mistro> first abcde*fghi!*'
t send-keys C-u

it "a paste may have line ends of any kind"
paste $'one\r\ntwo\nthree' -p -r
see '*mistro> one*two*three*'
expect_same "$(screen | grep -A2 'mistro> one' | tr -d ' \n')" 'mistro>onetwothree'

it "goes on after Ctrl-Z, with what was being written"
cat >"$scratch/shell" <<SH2
PS1='shell\$ '; PS2=
SH2
t kill-server; n_terminals=$((n_terminals + 1))
t -f /dev/null new-session -d -x 100 -y 30 "bash --noprofile --rcfile $scratch/shell -i"
see '*shell$*'
type_line "$MISTRO chat -m none ${paint[*]}"
see '*mistro>*'
t send-keys -l 'paint the'
see '*mistro> paint the*'
t send-keys C-z
see '*Stopped*shell$*'
type_line fg
see '*fg*mistro> paint the*'
t send-keys Left Left Left X End ' fence'
see '*fg*mistro> paint Xthe fence*'
paste $'a\nb' -p
see '*mistro> paint Xthe fencea*b*'
t send-keys C-u
type_line 'paint the fence red'
see '*Allow?*'
t send-keys C-z
see '*Stopped*Stopped*shell$*'
type_line fg
press_until n '*not approved*mistro>*'

it "two chats of a folder keep what was said in both"
begin
type_line 'said before'
see '*no tool fits*mistro>*'
first=$n_terminals
n_terminals=$((n_terminals + 1))
t -f /dev/null new-session -d -x $columns -y 30 "$MISTRO chat -m none"
see '*mistro>*'
type_line 'said beyond'
see '*no tool fits*mistro>*'
second=$n_terminals n_terminals=$first
type_line 'said behind'
see '*said behind*no tool fits*mistro>*'
t send-keys Up Up
see '*mistro> said beyond*'
begin
t send-keys Up
see '*mistro> said behind*'
t send-keys Up
see '*mistro> said beyond*'
t send-keys Up
see '*mistro> said before*'
t kill-server; n_terminals=$second; t kill-server

it "names of files that Tab shows obey nothing"
mkdir -p odd; : >"odd/a"$'\xc2\x9b'"2Jx"; : >"odd/a"$'\a'"y"; : >odd/az
begin
t send-keys -l 'look at @odd/a'; t send-keys Tab
see '*@odd/az*mistro> look at @odd/a*'
expect_same "$(grep -c -e $'\xc2\x9b' -e $'a\ay' "$scratch/raw")" 0

it "a file that is there is not replaced"
echo precious >kept.txt
begin
type_line 'read the file README.md'
see '*A small fruit trade*mistro>*'
type_line '/export kept.txt'
see '*kept.txt is there already*mistro>*'
expect_same "$(cat kept.txt)" precious
type_line '/export new.json'
see '*written to new.json*'
type_line '/export /dev/null'
see '*written to /dev/null*'

it "/retry says the request, not the answer to a question about it"
begin --yes "${paint[@]}"
type_line 'paint the fence'
see '*3) blue*mistro>*'
press 2
see '*painted in green*mistro>*'
t send-keys C-l
type_line /retry
see '*3) blue*mistro>*'
t send-keys C-l
type_line /retry
see '*mistro> /retry*question dropped*3) blue*mistro>*'
press 3
see '*painted in blue*'

it "words behind a command that takes none are refused"
begin
for words in '/clear all' '/new day' '/history 5' '/help me' '/retry it'; do
  type_line "$words"
  see "*${words% *} takes no words*mistro>*"
  t send-keys C-l
done
type_line '/plan nothing'
see '*/plan make MESSAGE*mistro>*'

it "a message above the bound stays to be shortened"
printf '{"mistral_orchestrator":{"limits":{"request_bytes":64}}}' >small.json
begin --config small.json
t send-keys -l "read the file README.md and $(printf 'many more words %.0s' 1 2 3)"
t send-keys Enter
see '*the message has 76 bytes, at most 64*mistro> read the file README.md and many more words many more words*'
t send-keys -N 60 BSpace
t send-keys -l 'ADME.md'; t send-keys Enter
see '*A small fruit trade*'

it "Ctrl-C at the offer of chat -c leaves the work for later"
work() { printf 'tools: [{name: work, description: work hard, annotations: {readOnlyHint: true}, replies: [{delay_ms: 60000, text: done}]}]\n' >work.yml; mock_config "$PWD/work.yml"; }
work >work.json
"$MISTRO" ask -m none --yes --no-builtin --mcp-config work.json 'work hard' </dev/null >"$scratch/out" 2>&1 &
pid=$!
for _ in $(seq 400); do
  "$MISTRO" runs list -n 1 --json | jq -e '.runs[0].status == "running"' >/dev/null &&
    "$MISTRO" runs events latest | grep -q '"event":"tool_call"' && break
  pause
done
kill -9 $pid; wait $pid 2>/dev/null
begin_terminal $columns 30 chat -m none -c --no-builtin --mcp-config work.json
see '*Go on with it?*'
t send-keys C-c
see '*Go on with it?*later with: mistro runs resume *mistro>*'

it "a line that a terminal cuts off is not taken for a message, nor is one with NUL"
begin_terminal $columns 30 chat -m none --plain
see '*mistro>*'
type_line "read the file README.md $(printf 'x%.0s' $(seq 4072))"
see '*the end of the line did not arrive*say @FILE*mistro>*'
t send-keys -l 'a'; t send-keys -H 00; t send-keys Enter
see '*a line with a NUL byte is not text*mistro>*'
type_line "/call files/read_file path=README.md"
see '*A small fruit trade*mistro>*'

it "the cursor knows marks that take no column, and signs that take two"
begin
for text in 'שָׁלוֹם' 'ก้ำกี่' 'नमस्ते' 'done ✅ x' 'q̇⃗u'; do
  t send-keys -l -- "$text"; t send-keys -l '|'
  see "*mistro> $text|*"
  width=$(t display -p '#{cursor_x}')
  t send-keys Home
  for _ in $(seq 100); do [ "$(t display -p '#{cursor_x}')" != 8 ] || break; pause; done
  t send-keys End
  for _ in $(seq 100); do [ "$(t display -p '#{cursor_x}')" = 8 ] || break; pause; done
  expect_same "$(t display -p '#{cursor_x}')" "$width"
  t send-keys C-u
done
finish
