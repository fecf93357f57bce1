# The outputs of a plan alone: `run --as text|json|table`, and the same of `runs resume` and `fork`.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
last_run() { "$MISTRO" runs list -n 1 --json | jq -r '.runs[0].id'; }

it "prints outputs alone: as text, JSON, or tables"
cat >forms.yml <<'YML'
version: 2
steps:
  - {id: find, tool: files/search_files, args: {query: TODO, name: "*.md"}}
  - {id: count, tool: files/text_stats, args: {path: "{find.matches[0].path}"}}
outputs: {found: "{find.matches}", words: "{count.words}", list: [one, 2, "t\nwo", null, true], mixed: [1, {a: 2}]}
YML
run run forms.yml
cp "$scratch/out" text
run run forms.yml --as text
expect_same "$(cat "$scratch/out")" "$(cat text)"
run run forms.yml --json
jq -c .outputs "$scratch/out" >outputs
run run forms.yml --as json
expect_status 0
expect_same "$(jq -c . "$scratch/out")" "$(cat outputs)"
run run forms.yml --as table
expect_status 0
expect_out 'found:
path *
notes/* *

words:
[0-9]*

list:
one
2
t\\nwo
null
true

mixed:
?1,{"a":2}?'
cp "$scratch/out" table
run run forms.yml --as table -o table.txt
expect_no_out
expect_same "$(cat table.txt)" "$(cat table)"
run run forms.yml --as json -o outputs.json
expect_same "$(jq -c . outputs.json)" "$(cat outputs)"
awk '/^found:/{getline; at = index($0, "line"); getline; if (at && substr($0, at - 1, 1) == " ") print "aligned"}' table >aligned
expect_same "$(cat aligned)" aligned
printf 'version: 2\nsteps: [{id: find, tool: files/search_files, args: {query: TODO}}]\noutputs: {found: "{find.matches}"}\n' >only.yml
run run only.yml --as table
expect_out 'path *'
run run only.yml --as json
expect_json '.found | length > 0'

it "prints what the last step gave where a plan has no outputs"
printf 'steps: [{tool: files/text_stats, args: {path: README.md}}]\n' >none.yml
run run none.yml --as json
expect_json '.words > 0'
run run none.yml
cp "$scratch/out" text
run run none.yml --as table
expect_same "$(cat "$scratch/out")" "$(cat text)"
printf 'tools: [{name: words, replies: [{text: plain}]}, {name: rows, replies: [{text: "[{\\"a\\": 1}, {\\"b\\": \\"x\\"}]"}]}]\n' >words.yml
mock_config words.yml >dev.json
printf 'steps: [{tool: dev/words}]\n' >words_plan.yml
run run words_plan.yml --mcp-config dev.json --yes --as json
expect_out '"plain"'
printf 'steps: [{tool: dev/rows}]\n' >rows_plan.yml
run run rows_plan.yml --mcp-config dev.json --yes --as table
expect_out 'a  b
1  
   x'

it "has tables of 64 columns, and what has more as text"
wide() { jq -n --argjson n "$1" '{tools: [{name: "wide", replies: [{text: ([[range($n) | {key: "c\(.)", value: .}] | from_entries] | tojson)}]}]}'; }
wide 64 >wide.json
mock_config wide.json >dev.json
printf 'steps: [{tool: dev/wide}]\n' >wide_plan.yml
run run wide_plan.yml --mcp-config dev.json --yes --as table
expect_out 'c0 *c63
0 *63'
wide 65 >wide.json
run run wide_plan.yml --mcp-config dev.json --yes --as table
expect_out '\[{"c0":0,*}\]'

it "names the forms where another one is asked for, before anything is called"
run run only.yml --as yaml
expect_status 2
expect_err '*--as takes text, json or table*'
run run only.yml --as json --json
expect_status 2
run runs resume nothing --as yaml
expect_status 2
expect_err '*--as takes text, json or table*'
run runs resume --all --as json
expect_status 2

it "does so for runs that are resumed and forked"
printf 'mistral_orchestrator:\n  runs: {keep_state: always}\n' >keep.yml
printf 'version: 2\ninputs: {path: {type: string, default: later.txt}}\nsteps: [{id: a, tool: files/text_stats, args: {path: "{inputs.path}"}}]\noutputs: {w: "{a.words}"}\n' >later.yml
run run later.yml
expect_status 1
echo one two >later.txt
run runs resume "$(last_run)" --failed --as json
expect_out '{"w":2}'
run run later.yml --config keep.yml
run runs fork "$(last_run)" --plan later.yml --as json --config keep.yml
expect_out '{"w":2}'
finish
