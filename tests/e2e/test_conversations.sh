# Conversations that go otherwise than their author hoped, in pipes, over restarts, behind an agent
# and in real terminals: each ends with the exit status and the stdout that the README tells. Those
# of test_questions.sh (19), of the pipes in test_failures.sh (4), test_slow_model.sh (4) and
# test_chat.sh (4) are not repeated here.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
jq -nc '{tools: [
  {name: "mix", description: "Mixes three things", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["a", "b", "c"],
     properties: {a: {type: "string"}, b: {type: "string"}, c: {type: "integer"}}},
   replies: [{text: "mixed {args.a}, {args.b}, {args.c}"}]},
  {name: "say", description: "Says it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["text"], properties: {text: {type: "string"}}},
   replies: [{text: "said {args.text}"}]},
  {name: "paint", description: "Paints it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["colour"],
     properties: {colour: {enum: ([range(5000)] | map("shade\(.)"))}}},
   replies: [{text: "painted {args.colour}"}]},
  {name: "toggle", description: "Toggles it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["lit"], properties: {lit: {type: "boolean"}}},
   replies: [{text: "lit {args.lit}"}]},
  {name: "fetch", description: "Fetches a page", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["page"], properties: {page: {type: "string"}}},
   replies: [{fault: "hang"}]},
  {name: "odd", description: "Has odd keys", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["first name", "$(touch gone)\u0027;x"],
     properties: {"first name": {type: "string"}, "$(touch gone)\u0027;x": {type: "string"}}},
   replies: [{text: "odd {args}"}]}]}' >tools.yml
mock_config "$PWD/tools.yml" >mcp.json
# Only for the call that hangs: on a busy machine any other might take as long.
jq '.mcpServers.dev.timeout_ms = 2000' mcp.json >hasty.json
talk() { # lines of a conversation with the mock tools
  printf '%s\n' "$@" | "$MISTRO" chat --yes -m none --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err"
  status=$?
}
talk_files() { # with the built-in tools
  printf '%s\n' "$@" | "$MISTRO" chat -m none >"$scratch/out" 2>"$scratch/err"
  status=$?
}
begin_session() { # request; sets $session
  run ask --json --yes -m none --mcp-config mcp.json "$1"
  expect_status 5
  session=$(jq -r .session_id "$scratch/out")
}
go_on() { run ask --yes -m none --mcp-config mcp.json --session "$session" "$@"; }
expect_said() { expect_same "$(cat "$scratch/out")" "$1"; }

it "takes a path in quotes, one that begins with a slash behind its key, and one that begins with a word"
for said in '"README.md"' "'README.md'" "path=$PWD/README.md" 'path: README.md'; do
  talk_files "read the file" "$said"
  expect_status 0
  expect_out '*A small fruit trade*'
done
cp README.md stop.md
talk_files "read the file" stop.md
expect_status 0
expect_out '*A small fruit trade*'
talk_files "read the file" 'stop. '
expect_status 0
expect_no_out
expect_err '*question dropped*'

it "keeps nothing of another request that an answer could have been and is not"
talk_files "read the file" "README.md, sales.csv"
expect_status 1
expect_no_out
expect_err "*s1 files/read_file*'README.md, sales.csv'; did you mean*"

it "refuses two --answer for one question, and keeps the question"
begin_session mix
go_on --answer a=1 --answer a=2 --answer b=3 --answer c=4
expect_status 2
expect_no_out
expect_err '*--answer a was given twice*'
go_on --answer a=1 --answer b=3 --answer c=4
expect_status 0
expect_said "mixed 1, 3, 4"

it "refuses --answer beside words, of which one would have been lost"
begin_session mix
go_on --answer a=1 "b=2 c=3"
expect_status 2
expect_no_out
expect_err '*by --answer or in words, not both*'
go_on "a=1 b=2 c=3"
expect_said "mixed 1, 2, 3"

it "spends no answer on a tool that is gone after a restart"
jq '.tools |= map(select(.name != "mix"))' tools.yml >fewer.yml
mock_config "$PWD/fewer.yml" >fewer.json
begin_session mix
for said in "a=1 b=2 c=3" "--answer a=1"; do
  # shellcheck disable=SC2086
  if [ "${said#--}" = "$said" ]; then set -- "$said"; else set -- $said; fi
  run ask --yes -m none --mcp-config fewer.json --session "$session" "$@"
  expect_status 2
  expect_no_out
  expect_err '*dev/mix is not among the tools*the question waits*'
done
go_on "a=1 b=2 c=3"
expect_status 0
expect_said "mixed 1, 2, 3"

it "an answer whose turn fails before anything is called can be given again"
cat >away.jsonl <<'JSON'
{"purpose":"intent_and_plan","reply":{"reason":"which file?","primary_goal":"find and read a file","tools_needed":["files__search_files","files__read_file"],"parameters":{"query":"TODO"},"unclear_aspects":["path"],"needs_clarification":true,"confidence":0.3,"steps":[]}}
{"purpose":"plan","times":0,"error":"timeout"}
JSON
sed 1q away.jsonl >back.jsonl
cat >>back.jsonl <<'JSON'
{"purpose":"plan","times":0,"reply":{"steps":[{"id":"s1","tool":"files__search_files","args":{"query":"TODO"}},{"id":"s2","tool":"files__read_file","args":{"path":"README.md"}}]}}
{"purpose":"answer","times":0,"reply":"It is about a fruit trade."}
JSON
run ask --json -m script:away.jsonl "search TODO and read the file"
expect_status 5
session=$(jq -r .session_id "$scratch/out")
run ask --json -m script:away.jsonl --session "$session" --answer path=README.md
expect_status 3
expect_json '.status == "failed" and .error.code == "timeout" and (.dropped | contains("--answer path=…"))'
run ask -m script:away.jsonl --session "$session" --answer path=README.md
expect_status 3
expect_err "*answer it later with mistro ask --session $session --answer path=…*timeout*"
run ask -m mistral --base-url http://127.0.0.1:1 --session "$session" --answer path=README.md
expect_status 3
expect_no_out
run ask -m script:back.jsonl --session "$session" --answer path=README.md
expect_status 0
expect_said "It is about a fruit trade."

it "so can one whose call was not approved"
run ask --json -m none --mcp-config mcp.json toggle
session=$(jq -r .session_id "$scratch/out")
run ask -m none --mcp-config mcp.json --session "$session" "nein"
expect_status 6
expect_no_out
expect_err '*approve*--yes*'
go_on --answer lit=no
expect_status 0
expect_said "lit false"

it "but not one whose call was sent: it may have taken effect"
begin_session fetch
run ask --yes -m none --mcp-config hasty.json --session "$session" --answer page=x
expect_status 3
expect_err '*it may have taken effect*'
go_on --answer page=x
expect_status 2
expect_err '*no question waits*'

it "the next line of a pipe is no answer to a question whose turn failed"
printf '%s\n' toggle yes 'list the files' >lines
"$MISTRO" chat --json -m none --mcp-config mcp.json <lines >"$scratch/out" 2>"$scratch/err"
status=$?
expect_same "$(jq -sc 'map(.status)' "$scratch/out")" '["needs_answer","refused","failed"]'
expect_status 1

it "what it suggests for a shell is safe to paste, whatever a server calls its parameters"
run ask --yes -m none --mcp-config mcp.json odd
expect_status 5
expect_err "*--answer 'first name=…' --answer '\$(touch gone)'\\\\'';x=…'*"
suggested=$(sed -n 's/.*answer with: mistro //p' "$scratch/err" | sed 's/…/said/g')
eval "run ${suggested/--session/--yes -m none --mcp-config mcp.json --session}"
expect_status 0
expect_said "odd {\"first name\":\"said\",\"\$(touch gone)';x\":\"said\"}"
if [ -e gone ]; then fail "the suggestion ran something else"; else ok; fi
talk odd 'first name=Ann, "x y"' 'Bob'
expect_status 0

it "takes a path that begins with a slash as an answer, and /words as commands still"
talk say /etc/hosts
expect_status 0
expect_said "said /etc/hosts"
talk say //exit
expect_said "said //exit"
talk say /exit
expect_status 5
talk say /etc
expect_status 2
expect_err '*unknown command /etc*'

it "a command that fails ends a piped chat, also one that mistro has outside of it"
for command in '/tools nowhere' '/runs nowhere'; do
  talk "toggle lit=yes" "$command" "toggle lit=no"
  expect_status 2
  expect_said "lit true"
  expect_err '*the lines behind it were not read*'
done
talk "toggle lit=yes" /tools /servers /sessions /runs /history /help
expect_status 0

it "says that nothing waits where no session is kept"
run_with_input 'read the file' chat -m none --no-session
expect_status 5
expect_no_out
expect_err '*without a session nothing waits*'

it "takes lines that end as in files of Windows"
printf 'read the file\r\nREADME.md\r\n\r\n/exit\r\nread the file\r\n' | "$MISTRO" chat -m none >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out '*A small fruit trade*'

it "drops by words that people say beside the ones of a manual"
for said in nvm 'rather not' 'macht nichts' 'lieber nicht' 'ça ne fait rien' 'mejor no' 'non fa niente' 'CANCEL!!!'; do
  talk say "$said"
  expect_status 0
  expect_no_out
  expect_err '*question dropped*'
done

it "passes over lines that are blank, and asks what was asked"
talk mix "" "   " one "	" two 3
expect_status 0
expect_said "mixed one, two, 3"
expect_same "$(errors | grep -c 'What should "a"')" 1

it "an answer that looks like a command, a flag or a variable of a shell is text"
for said in 'rm -rf / ; touch gone' '$(touch gone)' '`touch gone`' '--say x' '-n' '{vars.r1}' '%s%n'; do
  talk say "$said"
  expect_status 0
  expect_said "said $(printf '%s' "$said" | sed 's/^`\(.*\)`$/\1/')"
done
if [ -e gone ]; then fail "something was run"; else ok; fi
talk say '--answer text=x' # copied from what mistro suggests
expect_said "said x"

it "escapes an answer's control characters where people look, not where programs read"
talk say "$(printf 'a\033[31mred\007b')"
expect_status 0
expect_said "$(printf 'said a\033[31mred\007b')"
if grep -q "$(printf '\033')" "$scratch/err"; then fail "an escape on stderr"; else ok; fi

it "an empty answer is asked again, by any way it comes"
begin_session say
for said in "text=" "--answer text="; do
  case $said in --*) go_on --answer "${said#* }" ;; *) go_on "$said" ;; esac
  expect_status 5
  expect_no_out
done
go_on ""
expect_status 2
go_on "plums"
expect_status 0
expect_said "said plums"

it "a word of --answer without its key is an error, and the question waits"
begin_session say
for word in text =x; do
  go_on --answer "$word"
  expect_status 2
  expect_err "*--answer $word: write KEY=VALUE*"
done
go_on --answer text=a=b
expect_said "said a=b"

it "a line of more than 64 KiB ends a pipe with the limit's status"
{ echo say; head -c 1000000 /dev/zero | tr '\0' x; echo; echo "toggle lit=yes"; } |
  "$MISTRO" chat --yes -m none --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 8
expect_no_out
expect_err '*a line longer than 65536 bytes*were not read*'

it "an answer of 100 KB goes through by --answer, and one of 1 MB from a pipe is refused by its limit"
begin_session say
go_on --answer "text=$(head -c 100000 /dev/zero | tr '\0' x)"
expect_status 0
expect_same "$(wc -c <"$scratch/out")" 100006
begin_session say
head -c 1000000 /dev/zero | tr '\0' x |
  "$MISTRO" ask --yes -m none --mcp-config mcp.json --session "$session" - >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 8
expect_no_out
go_on "plums"
expect_said "said plums"

it "60 KB of separators, keys and brackets are unclear in no time, and nothing is taken"
for noise in 'a and b, c;' '1) ' 'a=' '(' 'a is '; do
  { echo mix; yes "$noise" | head -c 60000 | tr -d '\n'; echo; } |
    timeout 20 "$MISTRO" chat --yes -m none --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 5
  expect_no_out
done

it "a choice of 5,000 is taken by its text in any case, not by a number, and none of them is asked again"
talk paint SHADE4999
expect_status 0
expect_said "painted shade4999"
talk paint shade5000
expect_status 5
begin_session paint
go_on --answer colour=shade5000
expect_status 2
expect_no_out
expect_err '*none of the choices*shade19 and 4,980 more*'
go_on --answer colour=shade17
expect_said "painted shade17"

it "takes no in five languages, a number, or its quotes, for a question of yes and no"
for said in no Nein. "non merci" "no gracias" "no, grazie" NON falso 2 '"no"' off; do
  talk toggle "$said"
  expect_status 0
  expect_said "lit false"
done
for said in 0 3 maybe "yes and no"; do
  talk toggle "$said"
  expect_status 5
  expect_no_out
done

it "two who answer one question: one is stored, and the others are told with exit 3"
begin_session mix
for number in 1 2 3; do
  { "$MISTRO" ask -q --yes -m none --mcp-config mcp.json --session "$session" "a=$number b=b c=3" \
    >"answered.$number" 2>"told.$number" </dev/null; echo $? >"status.$number"; } &
done
wait
expect_same "$(cat answered.? | wc -l)" "$(cat status.? | grep -c '[03]')"
expect_same "$(cat told.? | grep -c 'was not saved')" "$(cat status.? | grep -c 3)"
run sessions show "$session" --json
expect_json '[.messages[] | select(.content | startswith("mixed"))] | length == 1'
expect_json '.context | has("clarification") | not'

it "a question that was cleared or left behind is not answered by the next line"
for command in /clear /new; do
  talk "say" "$command" plums
  expect_status 1
  expect_no_out
done

it "a typo in --session begins nothing, whoever makes it"
for id in nope "" "../../etc/passwd" "$(printf 'a\033[31mb')" "$(head -c 5000 /dev/zero | tr '\0' a)"; do
  for command in "ask x" "plan x" chat; do
    # shellcheck disable=SC2086
    run $command -m none --session "$id"
    expect_status 2
    expect_no_out
    expect_err '*no session is named*'
  done
done
for id in new: new:../x new:new:x; do
  run ask -m none --session "$id" x
  expect_status 2
  expect_err "*a session id has letters*"
done

it "import keeps what export printed, and nothing that is none or exists"
run ask -m none -q --session new:moved "read the file README.md"
run ask -m none -q --session moved "list the files"
run sessions export moved -o moved.json
run sessions import moved.json
expect_status 2
expect_err '*moved.json: session moved exists already*mistro sessions delete moved*'
run sessions delete moved
run sessions import moved.json
expect_status 0
expect_no_out
expect_err '*kept as session moved*'
run sessions export moved
expect_same "$(cat "$scratch/out")" "$(cat moved.json)"
run ask -m none -q --session moved "read the file README.md"
expect_status 0
run sessions show moved --json
expect_json '.messages | length == 6'
run_with_input "$(jq '.conversation_id = "other" | del(.version, .updated_at)' moved.json)" sessions import -
expect_status 0
run sessions show other --json
expect_json '.messages | length == 4'
for damage in '.conversation_id = "../x"' '.messages = 1' '.conversation_id = "part" | .earlier = 2' '.version = 2'; do
  jq "$damage" moved.json >bad.json
  run sessions import bad.json
  expect_status 2
  expect_no_out
  expect_err '*bad.json: not a conversation: *'
done
run sessions import nowhere.json
expect_status 2
expect_err '*nowhere.json*'

it "a turn is a line behind the session's file, and a torn last one was never said"
folder=$XDG_DATA_HOME/mistro/conversations
run ask -m none -q --session new:lines "read the file README.md"
before=$(cat "$folder/lines.json")
for number in 1 2 3; do run ask -m none -q --session lines "list the files"; done
expect_same "$(cat "$folder/lines.json")" "$before"
expect_same "$(wc -l <"$folder/lines.jsonl")" 4
printf '{"version":1,"conv' >>"$folder/lines.jsonl"
run sessions show lines --json
expect_json '.messages | length == 8'
run ask -m none -q --session lines "read the file README.md"
expect_status 0
run sessions show lines --json
expect_json '.messages | length == 10'
echo 'no line of mistro' >>"$folder/lines.jsonl"
run ask -m none -q --session lines "list the files"
expect_status 2
expect_err '*lines is damaged: *'
run sessions list
expect_out '*lines*damaged*'
run sessions delete lines
expect_status 0
expect_same "$(ls "$folder" | grep -c lines)" 0

it "names the damage of a session, wherever it is, and leaves the file as it is"
run ask -m none -q --session new:hurt "read the file README.md"
file=$XDG_DATA_HOME/mistro/conversations/hurt.json
cp "$file" whole.json
for damage in '[]' '{"version": 99}' '.messages = "x"' '.messages[0].role = "boss"' '.context = []' \
  '.conversation_id = "other"' '.updated_at = "never"' '.messages[0].content = null'; do
  case $damage in .*) jq "$damage" whole.json >"$file" ;; *) echo "$damage" >"$file" ;; esac
  cp "$file" hurt.json
  run ask -m none --session hurt "read the file README.md"
  expect_status 2
  expect_no_out
  expect_err '*hurt is damaged: *'
  talk_files "read the file README.md" "/load hurt" "read the file README.md"
  expect_status 2
  expect_err '*hurt is damaged: *were not read*'
  run sessions list
  expect_status 0
  expect_out '*hurt*damaged*'
  expect_same "$(cmp "$file" hurt.json)" ""
done
for harmless in '.context.results = "x"' '.context.clarification = {version: 1, message: "m", questions: [{key: 5}]}'; do
  jq "$harmless" whole.json >"$file"
  run ask -m none -q --session hurt "read the file README.md"
  expect_status 0
done

it "chat --json has an object for each turn: what was asked, dropped and done"
printf '%s\n' mix one 'c=3' '?' two toggle cancel 'toggle lit=yes' |
  "$MISTRO" chat --json --yes -m none --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_same "$(jq -sc 'map([.status, (.questions // [] | length), has("dropped"), .answer == null])' "$scratch/out")" \
  '[["needs_answer",3,false,false],["needs_answer",2,false,false],["needs_answer",1,false,false],["needs_answer",1,false,false],["completed",0,false,false],["needs_answer",1,false,false],["completed",0,true,true],["completed",0,false,false]]'

it "a plan's question is answered over restarts, and what comes of it runs"
run plan --json --yes -m none --mcp-config mcp.json mix
expect_status 5
session=$(jq -r .session_id "$scratch/out")
run plan -m none --mcp-config mcp.json --session "$session" c=3
expect_status 5
expect_err '*mistro plan --session * --answer a=… --answer b=…*'
run plan -m none --mcp-config mcp.json --session "$session" "one, two" -o plan.yml
expect_status 0
run run --yes --mcp-config mcp.json plan.yml
expect_status 0
expect_said "mixed one, two, 3"

it "saves an image that an answered question brings, and fails where it cannot"
cat >pictures.yml <<'YML'
tools: [{name: tiny_image, description: shows a tiny image, annotations: {readOnlyHint: true}, inputSchema: {type: object, required: [size], properties: {size: {type: integer}}}, replies: [{result: {content: [{type: image, mimeType: image/png, data: aGVsbG8=}]}}]}]
YML
mock_config "$PWD/pictures.yml" >pictures.json
printf '%s\n' "show me the tiny image" 3 "/output tiny.png" "/output nowhere/x.png" "show me the tiny image" |
  "$MISTRO" chat --yes -m none --mcp-config pictures.json >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 2
expect_said "[image/png 5 bytes]"
expect_same "$(cat tiny.png)" hello
expect_err '*nowhere/x.png: No such file*were not read*'

it "says in a conversation that a search was cut, and by what"
mkdir many
for number in $(seq 150); do echo "plum $number" >"many/$number.txt"; done
talk_files "search for plum"
expect_status 0
expect_out '*plum*there is more: bounded by limit*'
run ask --json -m none "search for plum"
expect_json '.steps[0].result.structuredContent | .truncated and .bounded_by == "limit"'

it "a model that is gone ends the turn with 3 and its reason, and the chat goes on"
printf '%s\n' "read the file README.md" "/history" "read the file README.md" |
  "$MISTRO" chat -m mistral --base-url http://127.0.0.1:1 >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 3
expect_no_out
expect_same "$(errors | grep -c 'connection refused')" 2

it "answers through an agent, by words, by key and out of order, each call a process of its own"
cat >agent.json <<JSON
{"mcpServers":{"agent":{"command":"$MISTRO","args":["serve","agent","-m","none","--yes","--mcp-config","$PWD/mcp.json"],
  "env":{"XDG_DATA_HOME":"$XDG_DATA_HOME","XDG_CONFIG_HOME":"$XDG_CONFIG_HOME"}}}}
JSON
agent() { run call agent/ask "$@" --json --mcp-config agent.json; }
agent request=mix
session=$(jq -r .structuredContent.session_id "$scratch/out")
agent "session_id=$session" request=c=3
expect_json '.structuredContent | .status == "needs_answer" and [.questions[].key] == ["a", "b"]'
agent "session_id=$session" 'answers:={"aa":"x"}'
expect_status 1
expect_json '.isError and (.structuredContent.error.message | contains("no question has the key"))'
agent "session_id=$session" request=cancel
expect_status 0
expect_json '.structuredContent | .status == "completed" and (.dropped | contains("--answer a=… --answer b=…"))'
agent "session_id=$session" 'answers:={"b":"two","a":"one"}'
expect_status 0
expect_json '.content[0].text == "mixed one, two, 3"'

. "$SOURCE_DIR/tests/e2e/terminal.sh"
chat_here="chat --yes -m none --mcp-config mcp.json"
it "at 45 columns without colour a question is answered behind a half-typed line and /help"
MISTRO_REAL=$MISTRO
MISTRO="env NO_COLOR=1 $MISTRO_REAL" begin_terminal 45 40 "$chat_here"
t has-session || skip "tmux cannot open a terminal here"
see '*mistro>*'
type_line mix
see '*answer with a=… b=… c=…*mistro>*'
type_line /help
see '*Ctrl-D*leaves*mistro>*'
type_line 'one, two and 3'
see '*mixed one, two, 3*mistro>*'
type_line say
see '*What should "text"*mistro>*'
t send-keys -l -- 'half a li'
see '*mistro> half a li*' # Ctrl-C drops what the terminal has not handed over yet
t send-keys C-c
see '*half a li*C*question dropped*mistro>*'
if grep -qF $'\033[1;34m' "$scratch/raw"; then fail "there is a colour"; else ok; fi
t send-keys C-d
see '*left with 0*'

it "TERM=dumb: the same conversation, line by line"
MISTRO="env TERM=dumb $MISTRO_REAL" begin_terminal 100 40 "$chat_here"
see '*mistro>*'
type_line mix
see '*answer with a=… b=… c=…*'
type_line '/etc/x, two, 3'
see '*mixed /etc/x, two, 3*'
t send-keys C-d
see '*left with 0*'

it "a refusal at a terminal keeps the answer for later"
begin_terminal 100 40 "chat -m none --mcp-config mcp.json"
see '*mistro>*'
type_line toggle
see '*1) yes*2) no*mistro>*'
type_line 2
see '*dev/toggle wants to run*"lit":false*Allow?*'
press n
see '*not approved*answer it later with mistro ask --session * --answer lit=…*mistro>*'
t send-keys C-d
see '*left with 0*'

it "Ctrl-C while the model thinks ends the turn, in a chat and in ask, and leaves nothing on the screen"
peer=$BUILD_DIR/tests/peer_model
[ -x "$peer" ] || skip "no $peer"
cat >slow.yml <<YML
mistral_orchestrator: {model: {launch: [$peer, --waits, 60000, --pieces, 100]}}
YML
begin_terminal 45 30 "chat --config slow.yml"
see '*mistro>*'
type_line 'read the file README.md'
see '*… understanding*([1-9] s)*'
t send-keys C-c
see '*read the file README.md*cancelled*mistro>*'
case "$(screen)" in *understanding*) fail "the wait stayed" ;; *) ok ;; esac
t send-keys C-d
see '*left with 0*'
begin_terminal 100 30 "ask --config slow.yml 'read the file README.md'"
see '*… understanding*([1-9] s)*'
t send-keys C-c
see '*cancelled*left with 130*'
finish
