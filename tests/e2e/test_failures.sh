# Every failure ends with the exit code and the hint of the table, never as text that looks like an
# answer.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .

server() { # name and fixture text -> mcp.json
  printf '%s\n' "$2" >"$1.yml"
  mock_config "$PWD/$1.yml" >"$1.json"
}

it "says how to start the endpoint that does not answer"
run ask --base-url http://127.0.0.1:9 "hello"
expect_status 3
expect_no_out
expect_err '*ollama serve*'

it "reports a command that does not exist"
echo '{"mcpServers":{"gone":{"command":"no-such-program-here"}}}' >gone.json
run tools --mcp-config gone.json
expect_status 3
expect_err '*no-such-program-here*'

it "shows the stderr of a server that dies during its start"
echo '{"mcpServers":{"dies":{"command":"sh","args":["-c","echo out of cheese >&2; exit 3"]}}}' >dies.json
run tools --mcp-config dies.json
expect_status 3
expect_err '*out of cheese*'

it "lists the tools of the living server and warns about the dead one"
server live 'tools: [{name: ping}]'
jq '.mcpServers.gone = {"command":"no-such-program-here"}' live.json >both.json
run tools --mcp-config both.json
expect_status 0
expect_out 'dev/ping*'
expect_err '*gone*'
run servers --mcp-config both.json
expect_status 3

it "a named dead server is exit 3"
run tools gone --mcp-config both.json
expect_status 3

it "reports a server that dies during a call"
server exits 'tools: [{name: work, replies: [{fault: exit}]}]'
run call dev/work --mcp-config exits.json
expect_status 3
expect_no_out

it "ignores junk on stdout"
server junk 'tools: [{name: work, replies: [{fault: junk, text: fine}]}]'
run call dev/work --mcp-config junk.json
expect_status 0
expect_out 'fine'

it "does not wait for ever for an answer"
server hangs 'tools: [{name: work, replies: [{fault: hang}]}]'
jq '.mcpServers.dev.timeout_ms = 300' hangs.json >hangs1.json
run call dev/work --mcp-config hangs1.json
expect_status 3
expect_err '*no answer*'

it "reports the error of a tool with exit 1"
server fails 'tools: [{name: work, replies: [{error: the roof is on fire}]}]'
run call dev/work --mcp-config fails.json
expect_status 1
expect_err '*the roof is on fire*'

it "bounds the whole run with --timeout"
run call dev/work --mcp-config hangs.json --timeout 1
expect_status 3

it "starts nothing from a cloned folder before consent"
mkdir clone && cd clone || exit 1
cat >.mcp.json <<JSON
{"mcpServers":{"evil":{"command":"touch","args":["$scratch/started"]}}}
JSON
run tools
if [ -e "$scratch/started" ]; then fail "the server was started"; else ok; fi
expect_err '*servers review*'
run servers review
expect_status 6
expect_err '*touch*'
run servers review --yes
expect_status 0
run tools
if [ -e "$scratch/started" ]; then ok; else fail "the approved server was not started"; fi
cd ..

it "shows what is to be approved in full, however long it is and however quiet it should be"
mkdir long && cd long || exit 1
jq ".mcpServers.evil.args += [(\"x\" * 100000)]" ../clone/.mcp.json >.mcp.json
run servers review -q
expect_status 6
if [ "$(wc -c <"$scratch/err")" -gt 100000 ]; then ok; else fail "it is not shown in full"; fi
cd ..

it "believes no approval that a cloned folder brings along"
mkdir -p forged/config forged/data && cd forged || exit 1
echo 'mistral_orchestrator: {}' >config/mistral_orchestrator.yml
sed "s|$scratch/started|$scratch/forged|" ../clone/.mcp.json >.mcp.json
rm "$XDG_DATA_HOME/mistro/approvals.json"
run servers review --yes
expect_status 0
mv "$XDG_DATA_HOME/mistro/approvals.json" data/
run tools
if [ -e "$scratch/forged" ]; then fail "the server was started"; else ok; fi
expect_err '*servers review*'
cd ..

# Only the names of folders: nothing is written into the home folder of the person who runs this.
folders_with() { env -u HOME -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_STATE_HOME "$@" "$MISTRO" config path; }

it "takes an empty or relative HOME, and relative XDG folders, for unset ones"
unset_home=$(folders_with)
status=$?
expect_status 0
for variable in HOME= HOME=relative HOME=../up XDG_CONFIG_HOME=relative XDG_DATA_HOME= XDG_STATE_HOME=../up; do
  expect_same "$(folders_with "$variable")" "$unset_home"
done
expect_same "$(ls -d relative ../up 2>/dev/null)" ""

it "names file, line and column of a wrong setting, and the nearest key"
mkdir -p config && printf 'mistral_orchestrator:\n  max_tokns: 5\n' >config/mistral_orchestrator.yml
run config show
expect_status 2
expect_err '*mistral_orchestrator.yml:2:*max_tokns*max_tokens*'
printf 'mistral_orchestrator:\n  max_plan_steps: 1001\n' >config/mistral_orchestrator.yml
run config show
expect_status 2
expect_err '*1001*1000*'
rm -r config

it "refuses unknown commands and flags with the nearest"
run aks hello
expect_status 2
expect_err '*mistro ask*'
run ask --jsno
expect_status 2
expect_err '*--json*'

it "escapes what a tool says before it reaches a terminal, and passes it as it is into a pipe"
server colour 'tools: [{name: work, replies: [{error: "\e[31mred"}]}]'
run call dev/work --mcp-config colour.json
expect_err '*\\x1b\[31mred*'

# ulimit -f counts kibibytes.
it "reports a file that would exceed the limit of sizes, and is not killed by it"
echo 'mistral_orchestrator: {storage: {backend: sqlite}}' >sqlite.yml
within() { local size=$1; shift; (ulimit -f "$size" && run "$@" && exit "$status"); status=$?; }
within 8 call files/text_stats text=hello
expect_status 0
expect_err '*not all events of this run were logged*'
within 8 ask --json -m none --config sqlite.yml --session new:limited "count the words"
expect_status 3
expect_out '{"error":{"code":"unavailable"*conversations.db*'
head -c 3000 /dev/zero | tr '\0' 'x' >large.txt
within 2 call files/read_file path=large.txt -o copy.txt
expect_status 2
expect_err '*copy.txt: *ile too large*'
within 0 tools
expect_status 1

it "leaves the limit's signal to servers as it is by default"
server signals 'tools: [{name: work}]'
jq --arg file "$PWD/signals" '.mcpServers.dev |= (.args = ["-c", "grep SigIgn /proc/self/status >\"$0\"; exec \"$@\"", $file, .command] + .args | .command = "/bin/sh")' \
  signals.json >reported.json
run tools --mcp-config reported.json
expect_out '*dev/work*'
expect_same "$(tr -d '\t' <signals)" "SigIgn:0000000000000000"

it "fails when standard output cannot be written, and survives that it is closed"
if [ -w /dev/full ]; then
  "$MISTRO" tools >/dev/full 2>"$scratch/err"; status=$?
  expect_status 1
  expect_err '*standard output: No space left on device*'
fi
"$MISTRO" tools >&- 2>"$scratch/err"; status=$?
expect_status 0

it "does not end well when a client did not take its answers"
mkfifo answers
exec 7<>answers 8>answers 7<&-
echo '{"tools": []}' >none.json
for server in "mock --fixture none.json" workspace agent; do
  # shellcheck disable=SC2086
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$MISTRO" serve $server >&8 2>"$scratch/err"; status=$?
  expect_status 1
  expect_err 'mistro: the client did not take all of its answers: Broken pipe*'
  [ -w /dev/full ] || continue
  # shellcheck disable=SC2086
  echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$MISTRO" serve $server >/dev/full 2>"$scratch/err"; status=$?
  expect_status 1
  expect_err '*No space left on device*'
done
exec 8>&-

it "refuses values that no flag has"
run tools --color sometimes
expect_status 2
expect_err '*--color sometimes: auto, always or never*'
run runs list -n many
expect_status 2
expect_err '*-n takes a number*'

it "warns of a variable that the plan has not"
echo '{"steps":[{"tool":"files/list_directory","args":{}}]}' >list.json
run run list.json --var pth=x
expect_status 0
expect_err '*--var pth: the plan has no such variable*'

it "tells a run in sentences"
run runs show "$("$MISTRO" runs list -n 1 --json | jq -r '.runs[0].id')"
expect_status 0
expect_out '*what*run*ended*completed*step_finished*s1 files/list_directory ok*'

it "finds, names and exports a conversation"
run ask -m none "read the file nothing-here.md"
id=$("$MISTRO" sessions list --json | jq -r '.sessions[0].id')
run sessions rename "$id" "about nothing"
expect_status 0
run sessions search "NOTHING-here"
expect_out "*$id*about nothing*"
run sessions export "$id" -o session.json
expect_status 0
expect_same "$(jq -r '.messages[0].content' session.json)" "read the file nothing-here.md"
run sessions rename "$id"
expect_status 2

it "tells what a session is and was about last"
run ask -m none --session "$id" "read the file README.md"
run sessions list
expect_out "$id*chat*s ago*3 messages*about nothing … read the file README.md*"
run sessions list --json
expect_json '.sessions[0] | .kind == "chat" and .last_request == "read the file README.md" and .label == "about nothing"'

it "names a damaged session wherever it is looked for, and where it stays"
broken="$XDG_DATA_HOME/mistro/conversations/broken.json"
echo '{"version": 1,' >"$broken"
run sessions list
expect_status 0
expect_out "*broken*damaged*$broken: not JSON*"
run sessions list --json
expect_json '[.sessions[] | select(.damage)] | length == 1 and .[0].id == "broken" and (.[0].damage | contains("not JSON"))'
for command in "sessions show" "sessions show --json" "sessions export" "ask x --session" "chat --session"; do
  # shellcheck disable=SC2086
  run_with_input 'hello' $command broken -m none
  expect_status 2
  case "$(cat "$scratch/out" "$scratch/err")" in
    *"broken is damaged"*"stays as it is in $XDG_DATA_HOME/mistro/conversations"*) ok ;;
    *) fail "it should say that it is damaged, and where it stays: $command" ;;
  esac
done
run doctor
expect_out "*warning*conversations*$broken*"
run ask -q -m none -c "read the file README.md"
expect_status 0
run sessions show "$id" --json
expect_json '.messages | length == 5'
run sessions delete broken
expect_status 0
run doctor --json
expect_json '.checks[] | select(.name == "conversations") | .verdict == "ok"'

it "says how long it waits before it starts a server again"
jq -n --arg peer "$BUILD_DIR/tests/peer_mcp" \
  '{mcpServers: {s: {command: $peer, args: ["tools/call=$EXIT1;"]}}}' >exits.json
run_with_input '{}
{}
{}
{}
' call s/echo --batch --mcp-config exits.json
expect_status 1
expect_err '*warning: server s: it exited with status 1; starting it again in 0.1 s (attempt 2 of 5)
*warning: server s: it exited with status 1; starting it again in 0.2 s (attempt 3 of 5)*'
run_with_input '{}
{}
{}
' -q call s/echo --batch --mcp-config exits.json
expect_err ''

it "closes a server that does not end within what is left of --timeout"
jq -n --arg peer "$BUILD_DIR/tests/peer_mcp" \
  '{mcpServers: {s: {command: "/bin/sh", args: ["-c", "trap \"\" TERM; \"$0\"; exec sleep 60", $peer]}}}' >stays.json
began=$(date +%s%N)
run call s/echo --mcp-config stays.json --timeout 1
expect_status 0
took_ms=$((($(date +%s%N) - began) / 1000000))
if [ "$took_ms" -lt 3500 ]; then ok; else fail "it took $took_ms ms"; fi

it "closes such a server at once when a person interrupts"
mkfifo input
exec 9<>input
: >"$scratch/out" # what the loop below waits for is of this call
"$MISTRO" call s/echo --batch --mcp-config stays.json <input >"$scratch/out" 2>"$scratch/err" &
mistro=$!
echo '{}' >&9
for _ in $(seq 500); do [ -s "$scratch/out" ] && break; sleep 0.01; done
began=$(date +%s%N)
kill -INT "$mistro"
wait "$mistro"; status=$?
exec 9>&-
expect_status 130
took_ms=$((($(date +%s%N) - began) / 1000000))
if [ "$took_ms" -lt 900 ]; then ok; else fail "it took $took_ms ms"; fi

it "closes it at once as well when a person interrupts its closing, and leaves nothing behind"
"$MISTRO" call s/echo --mcp-config stays.json --json >"$scratch/out" 2>"$scratch/err" </dev/null 9>&- &
mistro=$!
for _ in $(seq 500); do [ -s "$scratch/out" ] && break; sleep 0.01; done
began=$(date +%s%N)
kill -INT "$mistro"
wait "$mistro"; status=$?
expect_status 130
expect_json '.content'
took_ms=$((($(date +%s%N) - began) / 1000000))
if [ "$took_ms" -lt 900 ]; then ok; else fail "it took $took_ms ms"; fi
expect_same "$(pgrep -f "exec sleep 60.*$BUILD_DIR/tests/peer_mcp")" ''

it "shows and keeps what the steps gave when the answer fails"
mock_config "$SOURCE_DIR/examples/formalize/fixture.yml" >formalize.json
for why in timeout unavailable; do
  grep -v '"answer"' "$SOURCE_DIR/examples/formalize/model.jsonl" >mute.jsonl
  echo "{\"purpose\":\"answer\",\"times\":0,\"reply\":\"half an ans\",\"error\":\"$why\"}" >>mute.jsonl
  set -- --yes --mcp-config formalize.json -m script:mute.jsonl \
    "write me a function that adds up a list of numbers, and review it"
  run ask "$@"
  expect_status 3
  expect_out '*def *'
  expect_err '*mistro: answer: *'
  if grep -q "half an" "$scratch/out"; then fail "a part of the answer stands on stdout"; else ok; fi
  run ask --json "$@"
  expect_status 3
  expect_json ".status == \"failed\" and .error.code == \"$why\" and (.steps | length) == 3"
  expect_json '.answer_source == "result" and (.answer | contains("def "))'
  run sessions show "$(jq -r .session_id "$scratch/out")" --json
  expect_json '.messages[1].role == "assistant" and (.messages[1].content | contains("def "))'
  expect_json '.context.results | length > 0'
done

it "never calls a search that ran out of time one without a match"
printf 'mistral_orchestrator:\n  workspace: {query_ms: 10}\n' >hurry.yml
hurry=$PWD/hurry.yml
cd /usr || exit 1
run ask -q -m none --no-session --config "$hurry" "search for foobarbazq"
cd - >/dev/null || exit 1
expect_status 0
expect_out 'nothing found in what was looked at*workspace.query_ms, 10 ms: at least [0-9]* files were not looked at*'
if grep -q "no match" "$scratch/out"; then fail "it says no match"; else ok; fi
cd /usr || exit 1
run ask -q --json -m none --no-session --config "$hurry" "search for foobarbazq"
cd - >/dev/null || exit 1
expect_json '.steps[0].result.structuredContent | .truncated and .bounded_by == "workspace.query_ms" and .files_unseen > 0'

it "a piped chat ends with the status of its last turn"
chat() { run_with_input "$1" chat -q --no-session "${@:2}"; }
ask_silent='{"purpose":"intent_and_plan","times":0,"error":"unavailable"}'
echo "$ask_silent" >away.jsonl
chat $'read the file README.md\nread the file\n' -m none
expect_status 5
chat $'read the file\nread the file README.md\n' -m none
expect_status 0
chat 'read the file nowhere.md' -m none
expect_status 1
chat 'say something' -m script:away.jsonl
expect_status 3
chat $'look at @nothing.md\n' -m none
expect_status 2
chat 'write me a function that adds up a list of numbers, and review it' --mcp-config formalize.json -m "script:$SOURCE_DIR/examples/formalize/model.jsonl"
expect_status 6
expect_no_out
chat 'write me a function that adds up a list of numbers, and review it' --yes --mcp-config formalize.json -m script:mute.jsonl
expect_status 3
expect_out '*def *'

it "with --json a piped chat prints objects and nothing else"
chat $'write me a function that adds up a list of numbers, and review it\n/tools\nwrite me a function that adds up a list of numbers, and review it' --json --yes --mcp-config formalize.json -m "script:$SOURCE_DIR/examples/formalize/model.jsonl"
expect_status 0
expect_same "$(jq -s 'map(.status) | join(" ")' "$scratch/out")" '"completed completed"'

it "a command that fails ends a piped chat, says so, and leaves its status"
for command in '/load nowhere' '/lod x' '/load' '/output file' '/export nowhere/file'; do
  run_with_input $'read the file README.md\n'"$command"$'\nread the file\n' chat -m none
  expect_status 2
  expect_out '*A small fruit trade*'
  expect_err '*the lines behind it were not read*'
done

it "lists tools with their parameters"
run tools
expect_out '*files/read_file*Read a file*(path: string, *'
finish
