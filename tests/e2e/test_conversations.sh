# Conversations that go otherwise than their author hoped, in pipes, over restarts, behind an agent
# and in real terminals: each ends with the exit status and the stdout that the README tells. Those
# of test_questions.sh (20), of the pipes in test_failures.sh (4), test_slow_model.sh (4) and
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
mock_config "$PWD/tools.yml" | jq '.mcpServers.dev.timeout_ms = 500' >mcp.json
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
go_on --answer page=x
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

finish
