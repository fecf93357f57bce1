# The plans of a folder as tools: of MCP hosts, and of mistro's own requests.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
mkdir plans
cat >plans/open_tasks.yml <<'YML'
version: 2
goal: measure the notes with open tasks
inputs:
  word: {type: string, default: TODO, description: the word that marks a task}
  least: {type: integer, default: 1}
steps:
  - id: find
    tool: files/search_files
    args: {query: "{inputs.word}", name: "*.md"}
    check:
      - {that: "length({find.matches}) >= {inputs.least}", else: too few notes}
  - id: sizes
    when: "{inputs.least} < 3"
    tool: files/text_stats
    args: {path: "{find.matches[0].path}"}
outputs: {first: "{find.matches[0].path}", words: "{sizes.words}"}
YML
cat >plans/look.json <<'JSON'
{"version": 2, "inputs": {"path": {"type": "string"}, "lines": {"type": "integer", "required": false}},
 "steps": [{"tool": "files/read_file", "args": {"path": "{inputs.path}"}}]}
JSON

# A host on two pipes: begin_host WORDS of mistro serve; send JSON; heard FILTER waits for the message of
# which the filter is true, and puts it where expect_json looks.
begin_host() {
  coproc HOST { exec "$MISTRO" serve "$@" 2>"$scratch/err"; }
  host_pid=$HOST_PID
  send '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}'
  heard '.id == 1'
  send '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}
send() { printf '%s\n' "$1" >&"${HOST[1]}"; }
heard() {
  local line
  while IFS= read -r -t 60 line <&"${HOST[0]}"; do
    printf '%s\n' "$line" >>"$scratch/all"
    printf '%s\n' "$line" >"$scratch/out"
    if jq -e "$1" "$scratch/out" >/dev/null 2>&1; then ok; return; fi
  done
  fail "not heard: $1"
}
call() { # id, tool, arguments, further members of params
  send '{"jsonrpc":"2.0","id":'"$1"',"method":"tools/call","params":{"name":"'"$2"'","arguments":'"$3${4:-}"'}}'
}
end_host() { # its input is closed; it leaves with its own status
  local input=${HOST[1]}
  exec {input}>&-
  wait "$host_pid"
  status=$?
  expect_status 0
}

it "lists each plan with what it takes and gives"
begin_host plans plans
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
expect_json '[.result.tools[].name] == ["plan.look", "plan.open_tasks"]'
expect_json '.result.tools[1] | .title == "measure the notes with open tasks" and (.description | test("word: the word that marks a task"))'
expect_json '.result.tools[1].inputSchema | .type == "object" and .additionalProperties == false and .required == [] and .properties.word.default == "TODO" and .properties.least == {"type": "integer", "default": 1}'
expect_json '.result.tools[1].outputSchema == {"type": "object", "properties": {"first": {}, "words": {}}, "required": ["first", "words"]}'
expect_json '.result.tools[0] | .inputSchema.required == ["path"] and .inputSchema.properties.lines == {"type": "integer"} and (has("outputSchema") | not)'
expect_json '[.result.tools[] | .annotations.readOnlyHint] == [true, true]'

it "runs a plan: outputs, text, progress, and a run of its own"
call 3 plan.open_tasks '{"word":"TODO"}' ',"_meta":{"progressToken":"p"}'
heard '.id == 3'
expect_json '.result | .structuredContent.first == "notes/harvest.md" and (.structuredContent.words | type) == "number"'
expect_json '.result | .content[0].text == "first: \(.structuredContent.first)\nwords: \(.structuredContent.words)" and (has("isError") | not)'
run_id=$(jq -r '.result._meta["local.mistro/run-id"]' "$scratch/out")
expect_same "$(grep -c '"progressToken":"p".*find files/search_files: ok' "$scratch/all")" 1
call 4 plan.look '{"path":"README.md"}'
heard '.id == 4'
expect_json '.result | (.content[0].text | test("A small fruit trade")) and (has("structuredContent") | not)'

it "says what is wrong with arguments, and calls nothing"
call 5 plan.open_tasks '{"least":"many"}'
heard '.id == 5'
expect_json '.result | .isError and (.content[0].text | test("/least")) and (has("_meta") | not)'
call 6 plan.open_tasks '{"lest":1}'
heard '.id == 6'
expect_json '.result | .isError and (.content[0].text | test("lest"))'
call 7 plan.look '{}'
heard '.id == 7'
expect_json '.result | .isError and (.content[0].text | test("path"))'
call 8 plan.nothing '{}'
heard '.id == 8'
expect_json '.error.code == -32602'

it "fails as the plan does, with the run"
call 9 plan.open_tasks '{"least":2,"word":"cellar"}'
heard '.id == 9'
expect_json '.result | .isError and (has("structuredContent") | not) and ._meta["local.mistro/run-id"] as $id | .content[0].text | test("too few notes") and contains("mistro runs show \($id)")'

it "offers what comes into the folder, tells of it, and no longer what leaves it"
cp plans/look.json plans/new.json
heard '.method == "notifications/tools/list_changed"'
send '{"jsonrpc":"2.0","id":10,"method":"tools/list"}'
heard '.id == 10'
expect_json '[.result.tools[].name] == ["plan.look", "plan.new", "plan.open_tasks"]'
rm plans/new.json
call 11 plan.new '{"path":"README.md"}'
heard '.id == 11'
expect_json '.error.message | test("unknown tool")'
sed -i 's/measure the notes/weigh the notes/' plans/open_tasks.yml
send '{"jsonrpc":"2.0","id":12,"method":"tools/list"}'
heard '.id == 12'
expect_json '.result.tools[1].title == "weigh the notes with open tasks"'
end_host

it "keeps each call as a run of the log"
run runs show "$run_id" --json
expect_json '.status == "completed" and .events[0].title == "measure the notes with open tasks"'

it "leaves out what is no plan, broken, or named otherwise, and says why"
mkdir mixed
cp plans/look.json mixed/
cp plans/look.json "mixed/two words.json"
cp plans/look.json mixed/look.yaml
echo 'version: 2
steps: [{tool: files/read_file, args: {path: "{nothing.path}"}}]' >mixed/dangling.yml
echo '{steps: [' >mixed/torn.yml
echo '{"fruit": "plums"}' >mixed/data.json
echo 'steps: [{tool: files/list_directory}]' >mixed/old.yml
printf 'version: 2\nsteps: [{tool: plan/look, args: {path: README.md}}]\n' >mixed/again.yml
printf 'version: 2\ngoal: "\033[2J"\nsteps: [{tool: ""}]\n' >mixed/empty.yml
echo 'no plan' >mixed/README.md
echo 'no plan' >mixed/.hidden.yml
mkdir mixed/folder.yml
mkfifo mixed/pipe.yml
for size in 4194304 4194305; do
  { cat plans/look.json; head -c "$size" /dev/zero | tr '\0' ' '; } | head -c "$size" >"mixed/of_$size.json"
done
begin_host plans mixed
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
expect_json '[.result.tools[].name] == ["plan.look", "plan.of_4194304"]'
send '{"jsonrpc":"2.0","id":3,"method":"tools/list"}'
heard '.id == 3'
end_host
expect_err '*again.yml is not offered as a tool: it calls a tool of the server plan*'
expect_err '*dangling.yml is not*nothing*'
expect_err '*data.json is not*it is no plan*'
expect_err '*look.yaml is not*used twice*'
expect_err '*of_4194305.json is not*4194304*'
expect_err '*old.yml is not*version 2*'
expect_err '*torn.yml is not*line 2*'
expect_err '*two words.json is not*letters, digits, _ and -*'
expect_same "$(errors | grep -c warning)" 9
expect_same "$(errors | grep -c 'README\|hidden\|folder.yml\|pipe')" 0

it "offers at most plans.max"
echo '{mistral_orchestrator: {plans: {max: 1}}}' >one.yml
begin_host plans plans --config one.yml
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
expect_json '[.result.tools[].name] == ["plan.look"]'
end_host
expect_err '*open_tasks.yml is not*more than 1 (plans.max)*'

it "stops with its call"
cat >slow.yml <<'YML'
tools:
  - {name: wait, replies: [{delay_ms: 60000}]}
YML
mock_config "$PWD/slow.yml" >slow.json
mkdir slow
printf 'version: 2\ngoal: wait for it\nsteps: [{id: first, tool: dev/wait}]\n' >slow/wait.yml
begin_host plans slow --yes --mcp-config slow.json
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
expect_json '.result.tools[0].annotations.readOnlyHint == false'
call 3 plan.wait '{}' ',"_meta":{"progressToken":1}'
heard '.params.message == "first dev/wait: started"'
send '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}'
send '{"jsonrpc":"2.0","id":4,"method":"ping"}'
heard '.id == 4'
end_host
run runs list --json
expect_json '[.runs[] | select(.title == "wait for it")] | length == 1 and .[0].status == "cancelled"'

it "runs 16 at once, and no more"
begin_host plans slow --yes --mcp-config slow.json
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
for i in $(seq 16); do call "1$i" plan.wait '{}' ',"_meta":{"progressToken":'"$i"'}'; done
heard '.params.progressToken == 16 and .params.message == "first dev/wait: started"'
call 200 plan.wait '{}'
heard '.id == 200'
expect_json '.result | .isError and (.content[0].text | test("16 plans are running"))'
end_host

it "runs as a task where the host wants that"
begin_host plans plans
send '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"plan.look","arguments":{"path":"README.md"},"task":{"ttl":60000}}}'
heard '.id == 2'
task=$(jq -r .result.task.taskId "$scratch/out")
send '{"jsonrpc":"2.0","id":3,"method":"tasks/result","params":{"taskId":"'"$task"'"}}'
heard '.id == 3'
expect_json '.result.content[0].text | test("A small fruit trade")'
end_host

it "asks the host's person about each call that the policy asks about"
echo '{mistral_orchestrator: {workspace: {write: true}}}' >write.yml
mkdir writing
cat >writing/note.yml <<'YML'
version: 2
goal: write a note
inputs: {text: {type: string}}
steps: [{tool: files/write_file, args: {path: note.md, content: "{inputs.text}"}}]
outputs: {path: "{s1.path}"}
YML
begin_host agent --plans writing -m none --config write.yml
send '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
heard '.id == 2'
expect_json '[.result.tools[].name] == ["ask", "plan", "run_plan", "consensus", "figure", "plan.note"]'
expect_json '.result.tools[5].annotations | .readOnlyHint == false and .destructiveHint'
call 3 plan.note '{"text":"plums"}'
heard '.method == "elicitation/create"'
expect_json '.params.message | test("files/write_file") and test("plums")'
send '{"jsonrpc":"2.0","id":'"$(jq .id "$scratch/out")"',"result":{"action":"accept","content":{"approve":"no"}}}'
heard '.id == 3'
expect_json '.result | .isError and (.content[0].text | test("not called: files/write_file"))'
if [ -e note.md ]; then fail "it was written"; else ok; fi
call 4 plan.note '{"text":"plums"}'
heard '.method == "elicitation/create"'
send '{"jsonrpc":"2.0","id":'"$(jq .id "$scratch/out")"',"result":{"action":"accept","content":{"approve":"once"}}}'
heard '.id == 4'
expect_json '.result.structuredContent == {"path": "note.md"}'
expect_same "$(cat note.md)" plums
call 5 ask '{"request":"search for TODO in the notes folder"}'
heard '.id == 5'
expect_json '.result.content[0].text | test("notes/harvest.md")'
rm -r writing
call 6 ask '{"request":"search for TODO in the notes folder"}'
heard '.id == 6'
expect_json '.result.structuredContent.status == "completed"'
end_host
expect_err '*the folder of plans is not offered as a tool: writing: *'

it "puts an approve of a plan to the host's person"
mkdir asking
printf 'version: 2\nsteps:\n  - {id: sure, approve: {text: "Count them?"}}\n  - {id: size, tool: files/text_stats, args: {text: plums}}\noutputs: {letters: "{size.characters}"}\n' >asking/sure.yml
begin_host plans asking
call 2 plan.sure '{}'
heard '.method == "elicitation/create"'
expect_json '.params.message | test("Count them") and test("files/text_stats") and test("plums")'
send '{"jsonrpc":"2.0","id":'"$(jq .id "$scratch/out")"',"result":{"action":"accept","content":{"answer":"yes"}}}'
heard '.id == 2'
expect_json '.result.structuredContent == {"letters": 5}'
for answer in '{"action":"accept","content":{"answer":"no"}}' '{"action":"decline"}' '{"action":"cancel"}'; do
  call 3 plan.sure '{}'
  heard '.method == "elicitation/create"'
  send '{"jsonrpc":"2.0","id":'"$(jq .id "$scratch/out")"',"result":'"$answer"'}'
  heard '.id == 3'
  expect_json '.result | .isError and (.content[0].text | test("not called: files/text_stats"))'
done
end_host

it "wants a folder that is there"
run serve plans nowhere
expect_status 2
expect_err '*nowhere: No such file or directory*'
run serve plans README.md
expect_status 2
expect_err '*README.md: Not a directory*'
run serve plans
expect_status 2
expect_err '*plans wants a folder*'
run serve workspace --plans plans
expect_status 2
expect_err '*--plans belongs to agent*'

it "is a server named plan of mistro itself, where plans.dir says so"
rm note.md
mkdir -p "$XDG_CONFIG_HOME/mistro" "$HOME/kept"
cp plans/*.* "$HOME/kept/"
echo '{mistral_orchestrator: {plans: {dir: "~/kept"}, workspace: {write: true}}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
run tools plan
expect_status 0
expect_same "$(cut -f1 "$scratch/out" | tr '\n' ' ')" "plan/look plan/open_tasks "
run tools --servers plan
expect_status 0
run ask -m none 'weigh the notes with open tasks for the word cellar' --json
expect_status 0
expect_json '.plan.steps[0].tool == "plan/open_tasks" and .steps[0].result.structuredContent.first == "notes/harvest.md"'
inner=$(jq -r '.steps[0].result._meta["local.mistro/run-id"]' "$scratch/out")
run runs show "$inner" --json
expect_json '.status == "completed" and .kind == "run"'
run ask -m none 'weigh the notes with open tasks for the word cellar' --events
expect_out '*"step_progress"*find files/search_files: ok*'

it "leaves consent to the calls within"
cat >"$HOME/kept/note.yml" <<'YML'
version: 2
goal: write down the harvest report
steps: [{tool: files/write_file, args: {path: note.md, content: plums}}]
YML
run ask -m none 'write down the harvest report' --json
expect_json '.status != "completed" and (.steps[0].result.content[0].text | test("files/write_file needs approval"))'
if [ -e note.md ]; then fail "it was written"; else ok; fi
run ask -m none 'write down the harvest report' --yes
expect_status 0
expect_same "$(cat note.md)" plums
echo '{mistral_orchestrator: {plans: {dir: "~/kept"}, policy: [{effect: deny, server: plan}]}}' >deny.yml
run call plan/look path=README.md --config deny.yml
expect_status 6
expect_err '*plan/look is denied*'

it "does not let plans call plans"
printf 'version: 2\nsteps: [{tool: look, args: {path: README.md}}]\n' >"$HOME/kept/bare.yml"
run call plan/bare
expect_status 1
expect_err '*look*'

it "counts in a project once a person approved it"
mkdir -p project/config && mv plans project/ && cp -r notes README.md project/ && cd project || exit 1
rm -r "$XDG_CONFIG_HOME/mistro"
echo '{mistral_orchestrator: {plans: {dir: plans}}}' >config/mistral_orchestrator.yml
run call plan/look path=README.md
expect_status 6
expect_no_out
expect_err '*server plan of this folder waits for approval*mistro servers review*'
run tools --yes
expect_same "$(grep -c '^plan/' "$scratch/out")" 0
hash=$(errors | grep -o 'sha256:[0-9a-f]*' | head -1)
mkdir below && cd below || exit 1
run call plan/look path=../README.md --approve-folder "$hash"
expect_status 1
cd .. || exit 1
run call plan/look path=README.md --approve-folder "$hash"
expect_status 0
expect_out '*A small fruit trade*'
finish
