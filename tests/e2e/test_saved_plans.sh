# What was done becomes a plan file: `plans save`, and `/plan save` in a chat.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
last_run() { "$MISTRO" runs list -n 1 --json | jq -r '.runs[0].id'; }

it "saves what a request did as a plan that passes the check and gives the same"
run ask -m none 'read the file README.md'
expect_status 0
cp "$scratch/out" first
id=$(last_run)
run plans save "${id:0:17}" read
expect_status 0
expect_out 'written to read.yml: 1 step, with the inputs*path?string?"README.md"*run it: mistro run read.yml'
expect_same "$(cat read.yml)" 'version: 2
goal: read the file README.md
inputs:
  path:
    type: string
    description: "file, relative to the workspace folder"
    default: README.md
steps:
  - id: s1
    tool: files/read_file
    args:
      path: "{inputs.path}"
outputs:
  answer: "{s1.text}"'
run plans check read.yml
expect_status 0
run run read.yml
expect_status 0
expect_same "$(cat "$scratch/out")" "$(cat first)"
run run read.yml --var path=notes/harvest.md -q
expect_same "$(cat "$scratch/out")" "$(cat notes/harvest.md)"

it "replaces no file unless -o names it"
cp read.yml before.yml
echo mine >taken.yml
run plans save "$id" taken
expect_status 2
expect_err "*taken.yml: File exists*another name*mistro plans save $id -o taken.yml*"
expect_same "$(cat taken.yml)" mine
ln -s nowhere.yml dangling.yml
run plans save "$id" dangling
expect_status 2
if [ -e nowhere.yml ]; then fail "it went where a link leads"; else ok; fi
run plans save "$id" -o taken.yml --json
expect_status 0
expect_json '.version == 1 and .file == "taken.yml" and .inputs.path.default == "README.md"'
expect_same "$(cat taken.yml)" "$(cat before.yml)"
run plans save "$id" -o -
expect_same "$(cat "$scratch/out")" "$(cat before.yml)"

it "takes a name, and no path"
for name in ../up a/b a.b 'a b' '' "$(printf 'a%.0s' {1..65})"; do
  run plans save "$id" "$name"
  expect_status 2
  expect_err '*is not a name for a plan*at most 64*'
done
name=$(printf 'a%.0s' {1..64})
run plans save "$id" "$name"
expect_status 0
run plans save "$id"
expect_status 2
run plans save nothing x
expect_status 2
expect_err '*no run "nothing"*'

it "keeps the steps that succeeded, variables as inputs, and braces as they were"
printf '{"mcpServers":{"w":{"command":"%s","args":["serve","workspace","--write","--root","."]}}}' "$MISTRO" >w.json
cat >first.yml <<'YML'
goal: count
vars: {file: README.md}
steps:
  - {id: a, tool: w/text_stats, args: {path: "{vars.file}"}}
  - {id: find, tool: w/search_files, args: {query: "TODO", name: "*.md", limit: 5, ignore_case: false}, retry: 2}
  - {tool: w/text_stats, args: {path: "{prev_result.matches[0].path}"}}
  - {id: gone, tool: w/text_stats, args: {path: nothere}, on_error: continue}
  - {id: b, tool: w/text_stats, args: {path: README.md}, needs: [gone, find]}
  - {id: c, tool: w/write_file, args: {path: out.txt, overwrite: true, content: "{steps[0].words} {x} {{a}} {user.name}"}}
  - {id: d, tool: w/write_file, args: {path: out2.txt, overwrite: true, content: "{y} {{a}}"}}
YML
run run first.yml --var file=notes/harvest.md --mcp-config w.json --yes
expect_status 0
cp "$scratch/out" first && cp out.txt first.txt && cp out2.txt first2.txt
run plans save "$(last_run)" second --mcp-config w.json --yes
expect_out '*run it: mistro run second.yml --mcp-config w.json'
rm out.txt out2.txt
run plans check second.yml --mcp-config w.json --yes
expect_status 0
run run second.yml --mcp-config w.json --yes
expect_status 0
expect_same "$(cat "$scratch/out")" "$(cat first)"
expect_same "$(cat out.txt)" "$(cat first.txt)"
expect_same "$(cat out2.txt)" '{y} {a}'
expect_same "$(cat first2.txt)" '{y} {a}'
run run second.yml --mcp-config w.json --yes --json --dry-run
expect_json '.plan.inputs | map_values(.default) == {file: "notes/harvest.md", query: "TODO", name: "*.md", limit: 5, path: "README.md", path_2: "out.txt", path_3: "out2.txt", content: "{y} {a}"}'
expect_json '.plan.inputs.limit.type == "integer" and ([.plan.steps[].id] == ["a", "find", "s3", "b", "c", "d"])'
expect_json '.plan.steps[1] == {id: "find", tool: "w/search_files", args: {query: "{inputs.query}", name: "{inputs.name}", limit: "{inputs.limit}", ignore_case: false}, retry: 2}'
expect_json '.plan.steps[3].needs == ["find"] and .plan.steps[4].args.content == "{a.words} {{x} {{a} {{user.name}"'

it "saves a plan of version 2 as it was written"
run run second.yml --mcp-config w.json --yes
run plans save "$(last_run)" third
expect_status 0
expect_same "$(cat third.yml)" "$(cat second.yml)"

it "writes no secret: it is an input without a value"
cat >safe.json <<'JSON'
{"tools":[{"name":"open","inputSchema":{"type":"object","properties":{"password":{"type":"string","description":"of the door"},"door":{"type":"string"},"url":{"type":"string"}}},"replies":[{"text":"open"}]}]}
JSON
mock_config safe.json >dev.json
key="sk-abcdefghijklmnop""qrstuvwx"
printf 'steps:\n  - {tool: dev/open, args: {password: swordfish, door: %s}}\n' "$key" >secret.yml
run run secret.yml --mcp-config dev.json --yes
expect_status 0
run plans save "$(last_run)" safe --mcp-config dev.json --yes
expect_status 0
expect_out '*password?string?secret: not in the file*door?string?secret*--var password@FILE --var door@FILE*'
expect_same "$(sed -n '/^inputs:/,/^steps:/p' safe.yml)" 'inputs:
  password:
    type: string
    description: of the door
    secret: true
  door:
    type: string
    secret: true
steps:'
expect_same "$(grep -c "swordfish\|sk-\|redacted" safe.yml)" 0

it "says where the log lacks a part of the plan"
printf 'steps:\n  - {tool: dev/open, args: {url: "https://u:pass@localhost/"}}\n' >partly.yml
run run partly.yml --mcp-config dev.json --yes
run plans save "$(last_run)" partly_saved
expect_status 2
expect_err '*the log has /inputs/url/default of the plan only without its secret*by hand*'
{ printf 'steps:\n  - {tool: dev/open, args: {door: "'; head -c 1048577 /dev/zero | tr '\0' x; printf '"}}\n'; } >long.yml
run run long.yml --mcp-config dev.json --yes
expect_status 0
run plans save "$(last_run)" long_saved
expect_status 2
expect_err '*the log has /inputs/door/default of the plan only cut*'
{ printf 'steps:\n  - {tool: dev/open, args: {door: "'; head -c 1048576 /dev/zero | tr '\0' x; printf '"}}\n'; } >most.yml
run run most.yml --mcp-config dev.json --yes
run plans save "$(last_run)" most -o "$scratch/most.yml"
expect_status 0
printf 'version: 2\ninputs: {password: {type: string, default: x}}\nsteps: [{tool: dev/open, args: {door: a}}]\n' >named.yml
run run named.yml --mcp-config dev.json --yes
run plans save "$(last_run)" named_saved
expect_status 2
expect_err '*the log has /inputs/password/*only without its secret*copy the file that was run*'
printf 'mistral_orchestrator:\n  runs: {store_text: false}\n' >silent.yml
run run before.yml --config silent.yml
run plans save "$(last_run)" silent_saved
expect_status 2
expect_err '*the log has no plan of it*mistro runs show*'
expect_same "$(ls ./*_saved.yml 2>/dev/null)" ""

it "refuses a run that did nothing"
run run before.yml --dry-run
run plans save "$(last_run)" dry
expect_err '*dry run*'
run run before.yml --var path=nothere
run call files/text_stats path=README.md
run plans save "$(last_run)" called
expect_status 2
printf 'steps: [{tool: files/text_stats, args: {path: nothere}}]\n' >fails.yml
run run fails.yml
run plans save "$(last_run)" fails_saved
expect_status 2
expect_err '*none of its steps succeeded*'

it "saves the last turn of a chat that made calls"
chat() { run_with_input "$1" chat -m none "${@:2}"; }
chat $'/plan save early\n'
expect_status 2
expect_err '*no turn of this session made calls yet*'
chat $'read the file README.md\nhow do you feel?\n/plan save\n'
expect_status 2
expect_err '*under which name? /plan save NAME*'
chat $'read the file README.md\n/plan save chatted\n'
expect_status 0
expect_out '*written to chatted.yml: 1 step*'
expect_same "$(cat chatted.yml)" "$(cat before.yml)"
chat $'/plan save again\n' -c
expect_status 0
expect_same "$(cat again.yml)" "$(cat before.yml)"
chat $'/plan save again\n' -c
expect_status 2
chat $'/new\n/plan save other\n' -c
expect_status 2
chat $'read the file README.md\n/plan save aside\n' --json
expect_status 0
expect_json '.status == "completed"'
expect_err '*written to aside.yml*'
chat $'read the file README.md\n/plan save beside\n' -o answer
expect_same "$(cat beside.yml)" "$(cat before.yml)"

it "refuses to save what took a result of an earlier turn, which a plan file may not mean"
cat >turns.jsonl <<'JSON'
{"purpose":"intent_and_plan","match":"*read README.md*","reply":{"primary_goal":"read","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"files__read_file","args":{"path":"README.md"}}]}}
{"purpose":"intent_and_plan","match":"*r1 = files/read_file*","reply":{"primary_goal":"count","tools_needed":["files__text_stats"],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"files__text_stats","args":{"text":"{vars.r1.text}"}},{"id":"s2","tool":"files__text_stats","args":{"text":"{s1.words}"}}]}}
{"purpose":"answer","times":0,"reply":"It is done."}
JSON
run_with_input $'read README.md\ncount the words of it\n/plan save turns\n' chat -m script:turns.jsonl
expect_status 2
expect_err '*step s1 takes {vars.r1.text}, a result of an earlier turn*in one request*'
if [ -e turns.yml ]; then fail "it was saved"; else ok; fi
printf 'vars: {r1: {text: hello}}\nsteps: [{tool: files/text_stats, args: {text: "{vars.r1.text}"}}]\n' >of_file.yml
run run of_file.yml
cp "$scratch/out" first
run plans save "$(last_run)" of_run
expect_status 0
run run of_run.yml
expect_status 0
expect_same "$(cat "$scratch/out")" "$(cat first)"

finish
