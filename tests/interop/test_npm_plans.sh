# Plans as tools of other people's hosts: the npm SDK clients 1.x and 2.x (plan_clients.mjs says what must
# hold), and the MCP Inspector's command line.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO
echo '{mistral_orchestrator: {workspace: {write: true}}}' >write.yml
mkdir plans
cat >plans/count.yml <<'YML'
version: 2
goal: count the open tasks
inputs: {word: {type: string, default: TODO}}
steps:
  - id: find
    tool: files/search_files
    args: {query: "{inputs.word}", name: "*.md"}
    check:
      - {that: "length({find.matches}) > 0", else: there is none}
outputs: {first: "{find.matches[0].path}", tasks: "{find.matches}"}
YML
cat >plans/note.yml <<'YML'
version: 2
goal: write a note
inputs: {text: {type: string}}
steps: [{tool: files/write_file, args: {path: note.md, content: "{inputs.text}", overwrite: true}}]
YML
cat >plans/sure.yml <<'YML'
version: 2
goal: ask before it counts
steps:
  - {id: sure, approve: {text: "Count them?"}}
  - {id: size, tool: files/text_stats, args: {text: plums}}
outputs: {letters: "{size.characters}"}
YML
cat >plans/wait.yml <<'YML'
version: 2
goal: wait for a file that never comes
steps:
  - id: wait
    repeat: {until: "length({wait.matches}) > 0", max: 100, delay_ms: 1000}
    tool: files/search_files
    args: {name: never.csv}
YML

it "everything in plan_clients.mjs holds"
"$node" --test --test-reporter=spec "$scripts/plan_clients.mjs" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 0 ] || cat "$scratch/out" "$scratch/err"
expect_status 0

it "the MCP Inspector lists plans beside the agent's tools, and calls them"
inspect() { # words of mistro serve, --, words of the inspector
  local words=()
  while [ "$1" != -- ]; do words+=("$1"); shift; done
  shift
  "$node" "$npm/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli \
    "$MISTRO" serve "${words[@]}" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}
inspect agent --plans plans -- --method tools/list
expect_status 0
expect_json '[.tools[].name] == ["ask", "plan", "run_plan", "consensus", "figure", "plan.count", "plan.note", "plan.sure", "plan.wait"]'
expect_json '.tools[5] | .inputSchema.additionalProperties == false and .annotations.readOnlyHint'
inspect plans plans -- --method tools/call --tool-name plan.count --tool-arg word=TODO
expect_status 0
expect_json '.structuredContent.first == "notes/harvest.md" and (.content[0].text | startswith("first: notes/harvest.md"))'
inspect plans plans -- --method tools/call --tool-name plan.count --tool-arg word=nowhere
expect_out '*there is none*'
finish
