# Exported runs beside what OpenTelemetry's own writer makes of the same spans (otlp_writer.mjs). The servers are
# npm's, which take a call with a traceparent as any other.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >mcp.json <<JSON
{"mcpServers":{"every":{"command":"$node","args":["$(at server-everything)","stdio"]},
  "files":{"command":"$node","args":["$(at server-filesystem)","$PWD"]}}}
JSON
export_both() {
  "$MISTRO" runs export latest --as otlp-json -o run.json 2>/dev/null
  "$MISTRO" runs export latest --as otlp-json --with-texts -o texts.json 2>/dev/null
}
alike() { # how many spans
  "$node" "$scripts/otlp_writer.mjs" run.json texts.json >"$scratch/out" 2>"$scratch/err"; status=$?
  expect_status 0
  expect_out "$1 spans alike"
}

it "exports a plan over two real servers as OpenTelemetry writes it"
cat >plan.yml <<'YML'
version: 2
steps:
  - {id: echo, tool: every/echo, args: {message: "ünï \"quoted\""}}
  - {id: read, tool: files/read_text_file, args: {path: README.md}, needs: [echo]}
  - {id: none, tool: files/read_text_file, args: {path: missing.md}, needs: [read]}
YML
run run plan.yml -m none --mcp-config mcp.json --yes
expect_status 1
export_both
alike 16
expect_same "$(jq -r '[.resourceSpans[0].scopeSpans[0].spans[].name] | join(";")' run.json)" "invoke_workflow run;plan;execute_tool every/echo;tools/call echo;execute_tool files/read_text_file;tools/call read_text_file;execute_tool files/read_text_file;tools/call read_text_file"

it "and a turn with a model"
cat >model.jsonl <<'JSONL'
{"purpose":"intent_and_plan","reply":{"primary_goal":"count","tools_needed":["files__search_files"],"parameters":{"query":"todo"},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[{"id":"s1","tool":"files__search_files","args":{"query":"todo","ignore_case":true}}]}}
{"purpose":"answer","times":0,"reply":"There are some."}
JSONL
run ask -m script:model.jsonl "how many todo are there"
export_both
alike "1[0-9]"
finish
