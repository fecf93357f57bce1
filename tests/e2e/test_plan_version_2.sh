# Plans of version 2: inputs, conditions, checks and outputs, as docs/plans.md tells them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >plan.yml <<'YML'
version: 2
goal: measure the notes with open tasks
inputs:
  word: {type: string, default: TODO}
  least: {type: integer, default: 1}
steps:
  - id: find
    tool: files/search_files
    args: {query: "{inputs.word}", name: "*.md"}
    check:
      - {that: "length({find.matches}) >= {inputs.least}", else: too few notes}
  - id: second
    when: "length({find.matches}) > 1"
    tool: files/text_stats
    args: {path: "{find.matches[1].path}"}
outputs:
  first: "{find.matches[0].path}"
  words: "{second.words}"
YML

it "runs a plan and prints its outputs"
run run plan.yml
expect_status 0
expect_out 'first: notes/harvest.md
words: [0-9]*'
run run plan.yml --json
expect_json '.outputs.first == "notes/harvest.md" and (.outputs.words | type) == "number"'
expect_json '.plan.version == 2 and .answer == "first: \(.outputs.first)\nwords: \(.outputs.words)"'

it "skips a step whose condition does not hold, and its output is null"
run run plan.yml --var word=cellar --json
expect_status 0
expect_json '.steps[1].status == "skipped" and (.steps[1] | has("error") | not) and .outputs.words == null'
run run plan.yml --var word=cellar
expect_err '*- second files/text_stats skipped: its condition does not hold*'

it "fails where a check does not hold, with the values of both sides"
run run plan.yml --var least=9
expect_status 1
expect_err '*too few notes (? >= 9)*- second files/text_stats skipped: a step that it needs did not succeed*'
run run plan.yml --var least:=9 --json
expect_json '.error.code == "check_failed" and .steps[0].status == "error" and (.steps[0] | has("result"))'

it "takes what fits the inputs, and nothing else"
run run plan.yml --var lest=1
expect_status 2
expect_err '*no input "lest"*did you mean least?*'
run run plan.yml --var least=many
expect_status 2
expect_err '*input least*integer*'
run run plan.yml --var 'word:=[1'
expect_status 2
expect_err '*--var word*'
printf cellar >word
run run plan.yml --var word@word --json
expect_json '.steps[0].args.query == "cellar"'
run run plan.yml --var word@nowhere
expect_status 2
expect_err '*--var word*nowhere*'
run run plan.yml --var word
expect_status 2
expect_err '*NAME=VALUE, NAME:=JSON or NAME@FILE*'
printf 'version: 2\ninputs: {path: {type: string}}\nsteps: [{tool: files/text_stats, args: {path: "{inputs.path}"}}]\n' >needs.yml
run run needs.yml
expect_status 2
expect_err '*needs the input "path"*--var path=*'
run run needs.yml --var path=README.md
expect_status 0

it "finds every fault before anything is called"
cat >broken.yml <<'YML'
version: 2
steps:
  - id: find
    tool: files/search_files
    args: {query: "{x", name: "*.md{foo}"}
    when: "1 < 'a'"
  - tool: files/text_stats
    args: {path: "{find.matches[0].path}"}
    check: [{that: "length({s2.words}) > 1"}, {that: "{s2.words}"}]
outputs: {a: "{nope.x}", b: "{find.foo}"}
YML
run run broken.yml --json
expect_status 7
expect_json '[.problems[].path] == ["/query", "/name", "/when", "/path", "/check/0/that", "/check/1/that", "/outputs/a", "/outputs/b"]'
expect_json '.steps == []'

it "prints the only output as it is, and writes {{ as a brace"
cat >one.yml <<'YML'
version: 2
steps: [{id: a, tool: files/text_stats, args: {path: README.md}}]
outputs: {a: "{{{a.words}}"}
YML
run run one.yml -q
expect_out '{[0-9]*}'

it "says of an output that has nothing to refer to which one it is"
cat >gap.yml <<'YML'
version: 2
steps: [{id: a, tool: files/search_files, args: {query: TODO}}]
outputs: {a: "{a.matches[99].path}"}
YML
run run gap.yml
expect_status 1
expect_err '*output a: reference {a.matches?99?.path}*'

it "has up to 1,000 steps"
steps() { jq -n --argjson n "$1" '{version: 2, steps: [range($n) | {tool: "files/text_stats", args: {path: "README.md"}}]}' >long.json; }
steps 1001
run run long.json
expect_status 7
expect_err '*1001 steps, at most 1000 are allowed*'

it "goes on where it was killed, with its inputs"
jq -n '{version: 2, inputs: {n: {type: "integer"}}, outputs: {all: "{a.n} {b.n} {c.n}"}, steps: [
  {id: "a", tool: "dev/echo", args: {n: "{inputs.n}"}, check: [{that: "{a.n} == {inputs.n}"}]},
  {id: "b", tool: "dev/echo", args: {n: "{a.n}"}, when: "{a.n} > 1"},
  {id: "c", tool: "dev/dies", args: {n: "{b.n}"}, when: "{a.n} > 1"}]}' >kill.json
tool() { jq -n --arg name "$1" '{name: $name, description: "echo", inputSchema: {type: "object", properties: {n: {type: "integer"}}}, outputSchema: {type: "object", properties: {n: {type: "integer"}}, required: ["n"]}, replies: [{structured: {n: "{args.n}"}}]}'; }
jq -n --argjson echo "$(tool echo)" --argjson dies "$(tool dies)" '{tools: [$echo, ($dies | .replies = [{fault: "exit"}])]}' >dies.json
jq -n --argjson echo "$(tool echo)" --argjson dies "$(tool dies)" '{tools: [$echo, $dies]}' >lives.json
cp dies.json now.json
mock_config "$PWD/now.json" >mcp.json
run run kill.json --mcp-config mcp.json --var n=7
expect_status 3
cp lives.json now.json
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs resume "$id" --mcp-config mcp.json --answer uncertain.c=repeat
expect_status 0
expect_out '7 7 7'

finish
