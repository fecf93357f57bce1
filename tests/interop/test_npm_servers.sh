# mistro against real MCP servers from npm, and the npm SDK against the servers mistro serves.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >servers.json <<JSON
{"mcpServers":{
  "everything":{"command":"$node","args":["$(at server-everything)"]},
  "filesystem":{"command":"$node","args":["$(at server-filesystem)","$PWD"]},
  "memory":{"command":"$node","args":["$(at server-memory)"],"env":{"MEMORY_FILE_PATH":"$PWD/memory.json"}},
  "thinking":{"command":"$node","args":["$(at server-sequential-thinking)"]}}}
JSON

it "lists every tool each server has"
run tools --mcp-config servers.json
expect_status 0
expect_same "$(cut -f1 "$scratch/out" | grep -v '^mistro/' | sort)" "$("$node" "$scripts/list_tools.mjs" servers.json | sort)"

it "starts all four and says how each was reached"
run servers --mcp-config servers.json --json
expect_status 0
expect_json '.servers | map(select(.name != "mistro")) | length == 4 and all(.[]; .state == "ready" and .era == "legacy")'

it "prints a file through the filesystem server"
run call filesystem/read_text_file path=README.md --mcp-config servers.json
expect_status 0
expect_out '*A small fruit trade*'

it "lists resources and prompts, and reads them"
run resources everything --mcp-config servers.json
expect_status 0
expect_out "*demo://resource/static/document/*demo://resource/dynamic/text/{resourceId}*"
run read everything demo://resource/dynamic/text/3 --mcp-config servers.json
expect_status 0
expect_out "Resource 3: *"
run read everything demo://resource/nope --mcp-config servers.json
expect_status 2
run prompt everything/args-prompt city=Berlin --mcp-config servers.json
expect_status 0
expect_out "*Berlin*"
run prompt everything/args-prompt --mcp-config servers.json
expect_status 2
expect_err "*it needs city*"
run prompt everything/nope --mcp-config servers.json
expect_status 2
expect_err "*no prompt is named*"
run prompts filesystem --mcp-config servers.json
expect_status 2
expect_err "*offers no prompts*"

it "calls a tool that must be a task, and tells how far it is"
run call everything/simulate-research-query topic=tides --mcp-config servers.json --yes -v
expect_status 0
expect_out '*Research Report: tides*'
expect_err '*is a task, working: Gathering sources*is a task, completed*'

it "passes data from filesystem to memory by reference"
cat >chain.yml <<'YML'
steps:
  - {id: read, tool: filesystem/read_text_file, args: {path: README.md}}
  - id: keep
    tool: memory/create_entities
    args: {entities: [{name: readme, entityType: file, observations: ["{read.text}"]}]}
  - {id: look, tool: memory/open_nodes, args: {names: [readme]}, needs: [keep]}
YML
run run chain.yml --mcp-config servers.json --json
expect_status 0
expect_json '.steps[2].result.structuredContent.entities[0].observations[0] | test("A small fruit trade")'

it "reports progress of a long running operation"
run call everything/trigger-long-running-operation duration:=1 steps:=2 --mcp-config servers.json --events
expect_status 0
expect_out '*step_progress*step_progress*'

port=$((20000 + $$ % 20000))
PORT=$port "$node" "$(at server-everything)" streamableHttp >"$scratch/http.log" 2>&1 &
http=$!
trap 'kill $http 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do grep -q listening "$scratch/http.log" && break; sleep 0.1; done
echo '{"mcpServers":{"remote":{"url":"http://127.0.0.1:'$port'/mcp"}}}' >remote.json

it "reaches a server behind a URL, and remembers what it speaks"
run servers --mcp-config remote.json --json
expect_status 0
expect_json '.servers[0] | .transport == "http" and .era == "legacy" and .tools > 5'
run call remote/echo message=hello --mcp-config remote.json -vv
expect_status 0
expect_out 'Echo: hello'
expect_err '*"initialize"*'
if grep -q server/discover "$scratch/err"; then fail "it was probed again"; else ok; fi

it "hears progress over HTTP"
run call remote/trigger-long-running-operation duration:=1 steps:=2 --mcp-config remote.json --events
expect_status 0
expect_out '*step_progress*step_progress*'

it "ends its sessions"
sleep 0.2
expect_same "$(grep -c 'initialized\|Session initialized' "$scratch/http.log")" "$(grep -c 'Received session termination' "$scratch/http.log")"

port=$((port + 1))
PORT=$port "$node" "$(at server-everything)" sse >"$scratch/sse.log" 2>&1 &
sse=$!
trap 'kill $http $sse 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do grep -q running "$scratch/sse.log" && break; sleep 0.1; done
echo '{"mcpServers":{"old":{"url":"http://127.0.0.1:'$port'/sse"}}}' >old.json

it "reaches a server that only speaks HTTP+SSE, and remembers that"
run servers --mcp-config old.json --json
expect_status 0
expect_json '.servers[0] | .transport == "sse" and .era == "legacy" and .tools > 5'
run call old/echo message=hello --mcp-config old.json -vv
expect_status 0
expect_out 'Echo: hello'
if grep -q server/discover "$scratch/err"; then fail "it was probed again"; else ok; fi

it "hears progress over HTTP+SSE"
run call old/trigger-long-running-operation duration:=1 steps:=2 --mcp-config old.json --events
expect_status 0
expect_out '*step_progress*step_progress*'

it "serves the workspace to the npm SDK"
"$node" "$scripts/sdk_client_of_mistro.mjs" "$MISTRO" serve workspace --root "$PWD" read_file '{"path":"README.md"}' >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out '*query_table*A small fruit trade*'

it "serves the agent to the npm SDK, which checks the result against its output schema"
"$node" "$scripts/sdk_client_of_mistro.mjs" "$MISTRO" serve agent -m none ask '{"request":"search for TODO in the notes folder"}' >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out 'ask plan run_plan*TODO: ask the west*'

it "serves a mock to the npm SDK"
"$node" "$scripts/sdk_client_of_mistro.mjs" "$MISTRO" serve mock --fixture "$SOURCE_DIR/examples/formalize/fixture.yml" review_code '{"code":"def f(): pass"}' >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out '*review_code*No problems found*'
finish
