# mistro as an MCP server of its own tools, driven by mistro as the client.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
agent() { # further words of `mistro serve agent` -> agent.json; a server gets HOME and no XDG folder
  cat >agent.json <<JSON
{"mcpServers":{"agent":{"command":"$MISTRO","args":["serve","agent","-m","none"$1],
  "env":{"XDG_DATA_HOME":"$XDG_DATA_HOME","XDG_CONFIG_HOME":"$XDG_CONFIG_HOME"}}}}
JSON
}
call() { run call "$@" --mcp-config agent.json; }
agent ""

it "offers ask, plan, run_plan and the jobs"
run tools --mcp-config agent.json --servers agent
expect_status 0
expect_same "$(cut -f1 "$scratch/out" | tr '\n' ' ')" "agent/ask agent/consensus agent/figure agent/plan agent/run_plan "

it "answers a request with the tools of the folder it was started in"
call agent/ask 'request=search for TODO in the notes folder'
expect_status 0
expect_out 'notes/harvest.md:5:*TODO*'

it "asks back without failing, and goes on with the answer in another process"
call agent/ask 'request=read the file' --json
expect_status 0
expect_json '.structuredContent | .status == "needs_answer" and .questions[0].key == "path"'
session=$(jq -r .structuredContent.session_id "$scratch/out")
call agent/ask "session_id=$session" 'answers:={"path":"README.md"}' --json
expect_status 0
expect_json '.structuredContent.status == "completed"'
expect_json '.content[0].text | test("A small fruit trade")'

it "keeps the conversation where mistro sessions finds it"
run sessions show "$session"
expect_status 0
expect_out '*read the file*'

it "tells what it does as progress"
call agent/ask 'request=search for TODO in the notes folder' --events
expect_status 0
expect_out '*"message":"plan of 1 step"*"message":"s1 files/search_files: started"*"message":"s1 files/search_files: ok"*'

it "writes figures below its own folder, whatever links lead elsewhere"
mkdir outside own && cd own && ln -s ../outside ln && mkdir -p folder
figure() { run call "$@" source_context="The client sends SYN to the server." caption=c --yes; }
for tool in mistro/figure "agent/figure --mcp-config ../agent.json"; do
  for out_dir in ln ln/x; do
    figure $tool out_dir="$out_dir"
    expect_status 1
    expect_err '*a symbolic link on the way is not followed*'
  done
  expect_same "$(ls ../outside)" ""
  figure $tool out_dir=folder/new
  expect_status 0
  expect_same "$(ls folder/new/c/index.html)" folder/new/c/index.html
done
cd ..

it "plans without running, and runs the plan"
call agent/plan 'request=search for TODO in the notes folder'
expect_status 0
expect_out '*"tool":"files/search_files"*'
cp "$scratch/out" plan.json
call agent/run_plan plan@plan.json
expect_status 0
expect_out 'notes/harvest.md:5:*TODO*'

it "runs a plan that is YAML text, with other variables"
call agent/run_plan "plan@$SOURCE_DIR/examples/open-tasks.yml" 'vars:={"word":"plums"}' --json
expect_status 0
expect_json '.structuredContent.steps[0].args.query == "plums"'

it "names the path of an argument that is wrong in a plan"
call agent/run_plan 'plan:=[{"tool":"files/read_file","args":{"path":3}}]'
expect_status 1
expect_err '*s1 /path: *'

it "refuses what the policy would ask about, and lists the call"
echo '{mistral_orchestrator: {workspace: {write: true}}}' >write.yml
write='plan:=[{"tool":"files/write_file","args":{"path":"new.md","content":"x"}}]'
agent ",\"--config\",\"$PWD/write.yml\""
call agent/run_plan "$write"
expect_status 1
expect_err '*needs approval*not called: files/write_file*new.md*'
if [ -e new.md ]; then fail "it was written"; else ok; fi

it "does it when it was started with --yes"
agent ",\"--config\",\"$PWD/write.yml\",\"--yes\""
call agent/run_plan "$write"
expect_status 0
expect_same "$(cat new.md)" "x"

it "does not use itself as a tool where its own file lists it"
agent ",\"--mcp-config\",\"$PWD/agent.json\""
call agent/run_plan 'plan:=[{"tool":"agent/ask","args":{"request":"read the file"}}]'
expect_status 1
expect_err '*agent*'
call agent/plan 'request=ask mistro to read README.md' --json
expect_json '[.structuredContent.plan.steps[]?.tool] | all(startswith("agent/") | not)'

it "outlives limits.run_seconds, which bounds its runs"
echo '{mistral_orchestrator: {limits: {run_seconds: 1}}}' >short.yml
{
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
  sleep 1.3
  echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"request":"search for TODO in the notes folder"}}}'
} | "$MISTRO" serve agent -m none --config short.yml >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out '*"id":2,"result":*TODO*'

it "leaves at once when its client does in the middle of a turn"
cat >slow.yml <<'YML'
tools: [{name: wait, replies: [{delay_ms: 60000}]}]
YML
mock_config "$PWD/slow.yml" >slow.json
SECONDS=0
{
  echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
  echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_plan","arguments":{"plan":[{"tool":"dev/wait"}]}}}'
  sleep 0.7
} | "$MISTRO" serve agent --yes --mcp-config slow.json >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
if [ "$SECONDS" -lt 10 ]; then ok; else fail "it took $SECONDS s"; fi
run runs list --json
expect_json '[.runs[] | select(.status == "cancelled")] | length == 1'

it "leaves stdout to the protocol"
run serve agent --events
expect_status 2
expect_json '.error.message | test("stdout is the protocol")'

it "says what can be served"
run serve
expect_status 2
expect_err '*workspace, agent, plans, mock, replay or token?*'
finish
