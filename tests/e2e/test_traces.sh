# Traces: what servers are told in `_meta` (SEP-414), what `serve` takes over from its caller, and runs as
# OTLP/JSON. What went over the wire is what `tee` saw.
. "$SOURCE_DIR/tests/e2e/lib.sh"
export MISTRO_MODEL=none
cat >dev.yml <<'YML'
tools:
  - {name: add, description: Adds, inputSchema: {type: object}, replies: [{text: "3"}]}
  - {name: fail, description: Fails, inputSchema: {type: object}, replies: [{error: broken}]}
  - {name: slow, description: Is slow, inputSchema: {type: object}, replies: [{text: late, delay_ms: 60000}]}
  - name: flaky
    description: Fails once
    inputSchema: {type: object}
    replies: [{error: not yet, times: 1}, {text: now}]
YML
cat >mcp.json <<JSON
{"mcpServers":{"dev":{"command":"sh","args":["-c","tee -a $PWD/wire | '$MISTRO' serve mock --fixture $PWD/dev.yml"]}}}
JSON
told() { jq -r 'select(.method == "tools/call") | .params._meta.traceparent' wire; } # by each call
exported() { # ID … -> $scratch/out; every span is checked
  run runs export "$@" --as otlp-json
  expect_status 0
  expect_same "$(wc -l <"$scratch/out")" 1
  expect_json '[.resourceSpans[].scopeSpans[].spans[]] as $all | ($all | map({key: .spanId, value: .}) | from_entries) as $by
    | ($by | length) == ($all | length) and ($all | map(.traceId) | unique | length) == 1
    and all($all[]; (.traceId | test("^[0-9a-f]{32}$")) and (.spanId | test("^[0-9a-f]{16}$"))
      and (.startTimeUnixNano | test("^[0-9]{19}$")) and (.endTimeUnixNano | test("^[0-9]{19}$"))
      and .startTimeUnixNano <= .endTimeUnixNano and (.kind | type == "number"))
    and all($all[1:][]; . as $s | $by[.parentSpanId] | . != null
      and .startTimeUnixNano <= $s.startTimeUnixNano and .endTimeUnixNano >= $s.endTimeUnixNano)'
  jq -r 'def of(k): (.attributes[] | select(.key == k) | .value | .stringValue // .intValue);
    .resourceSpans[].scopeSpans[].spans[] | [.traceId, .spanId, .name, .status.code // 0, (of("error.type") // "-")] | @tsv' "$scratch/out" >spans
}
spans() { cut -f3- spans | tr '\t\n' ' ;'; }
latest() { "$MISTRO" runs list --json | jq -r '.runs[0].id'; }

it "tells a server the trace of the run, and a span that is in its export"
run call dev/add --mcp-config mcp.json --yes
expect_status 0
exported latest
expect_same "$(spans)" "invoke_workflow call 0 -;execute_tool dev/add 0 -;tools/call add 0 -;"
expect_same "$(told)" "00-$(sed -n '3s/\t/-/;3s/\t.*//p' spans)-01"

it "has a plan with steps, attempts of one call, and the error of another"
cat >plan.yml <<'YML'
version: 2
steps:
  - {id: a, tool: dev/add}
  - {id: b, tool: dev/flaky, retry: {max: 1, delay_ms: 1, on: [error]}, needs: [a], repeatable: true}
  - {id: c, tool: dev/fail, needs: [b]}
YML
rm wire
run run plan.yml --mcp-config mcp.json --yes
expect_status 1
exported latest
expect_same "$(spans)" "invoke_workflow run 2 failed;plan 0 -;execute_tool dev/add 0 -;tools/call add 0 -;execute_tool dev/flaky 0 -;tools/call flaky 2 _OTHER;tools/call flaky 0 -;execute_tool dev/fail 2 tool_error;tools/call fail 2 tool_error;"
expect_same "$(told)" "$(grep tools/call spans | sed 's/\t/-/;s/\t.*//;s/^/00-/;s/$/-01/')"

it "says how the server was reached, and keeps texts to itself unless they are asked for"
expect_json '[.. | .key? // empty] as $keys | ($keys | index("mcp.protocol.version")) and ($keys | index("network.transport")) and ($keys | index("gen_ai.tool.call.result") | not)'
expect_json '[.. | strings | select(test("broken|not yet"))] == []'
run runs export latest --as otlp-json --with-texts -o texts.json
expect_status 0
expect_same "$(jq -r '[.. | objects | select(.key? == "gen_ai.tool.call.result") | .value.stringValue | fromjson | .content[0].text] | unique | join(",")' texts.json)" "3,broken,now"
run runs export latest --as run --with-texts
expect_status 2
expect_err '*--with-texts belongs to export --as otlp-json*'
run runs show latest --with-texts
expect_status 2

it "of a run that was cancelled the call that nobody answered is one of unknown outcome"
run call dev/slow --mcp-config mcp.json --yes --timeout 1
exported latest
expect_same "$(cut -f3,4 spans | tr '\t\n' ' ;')" "invoke_workflow call 2;execute_tool dev/slow 2;tools/call slow 2;"
expect_same "$(tail -n 1 spans | cut -f5)" outcome_unknown

it "a run that was killed and resumed is one trace, whose second attempt is told another span"
rm wire
printf '{steps: [{id: a, tool: dev/slow}]}\n' >slow.yml
"$MISTRO" run slow.yml --mcp-config mcp.json --yes >/dev/null 2>&1 &
pid=$!
for _ in $(seq 200); do grep -qs tools/call wire && "$MISTRO" runs events latest | grep -q tool_call && break; sleep 0.05; done
kill -9 $pid; wait $pid 2>/dev/null
exported latest
expect_same "$(spans)" "invoke_workflow run 2 interrupted;plan 0 -;execute_tool dev/slow 2 outcome_unknown;tools/call slow 2 outcome_unknown;"
sed -i 's/, delay_ms: 60000//' dev.yml
run runs resume latest --uncertain repeat --mcp-config mcp.json --yes
expect_status 0
exported latest
expect_same "$(spans)" "invoke_workflow run 0 -;plan 0 -;execute_tool dev/slow 0 -;tools/call slow 2 outcome_unknown;tools/call slow 0 -;"
expect_same "$(told)" "$(grep tools/call spans | sed 's/\t/-/;s/\t.*//;s/^/00-/;s/$/-01/')"

served() { # traceparent: a plan as a call of serve agent
  rm -f wire
  cat >lines <<JSON
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_plan","arguments":{"plan":{"steps":[{"id":"a","tool":"dev/add"}]}},"_meta":{"traceparent":"$1","tracestate":"rojo=00f067aa0ba902b7"}}}
JSON
  "$MISTRO" serve agent --yes --mcp-config mcp.json <lines >"$scratch/out" 2>"$scratch/err"; status=$?
  exported latest
}

it "what serve is told is the parent of the run that the call begins, and of what that calls"
served 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
expect_same "$(cut -f1 spans | sort -u)" 4bf92f3577b34da6a3ce929d0e0e4736
expect_json '.resourceSpans[0].scopeSpans[0].spans[0] | .parentSpanId == "00f067aa0ba902b7" and .traceState == "rojo=00f067aa0ba902b7"'
expect_same "$(told)" "00-$(grep tools/call spans | sed 's/\t/-/;s/\t.*//')-01"
expect_same "$(jq -r 'select(.method == "tools/call") | .params._meta.tracestate' wire)" "rojo=00f067aa0ba902b7"

it "what is no traceparent is ignored"
served 00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01
expect_json '.resourceSpans[0].scopeSpans[0].spans[0] | (has("parentSpanId") or has("traceState") or .traceId == "4bf92f3577b34da6a3ce929d0e0e4736") | not'
expect_same "$(told)" "00-$(grep tools/call spans | sed 's/\t/-/;s/\t.*//')-01"

it "has the requests to a model, those that plan below the plan"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >model.jsonl <<'JSONL'
{"purpose":"intent_and_plan","reply":{"primary_goal":"count","tools_needed":["files__search_files"],"parameters":{"query":"todo"},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[{"id":"s1","tool":"files__search_files","args":{"query":"todo","ignore_case":true}}]}}
{"purpose":"answer","times":0,"reply":"There are some."}
JSONL
run ask -m script:model.jsonl "how many todo are there"
exported latest
expect_json '.resourceSpans[0].scopeSpans[0].spans | map(.name) as $names | map({key: .spanId, value: .name}) | from_entries as $name
  | $names[:5] == ["invoke_workflow ask", "plan", "chat script:model.jsonl", "execute_tool files/search_files", "tools/call search_files"] and ($names[5:] | unique) == ["chat script:model.jsonl"]'
expect_json '[.resourceSpans[0].scopeSpans[0].spans as $s | $s[] | select(.name | startswith("chat")) | .parentSpanId as $p | $s[] | select(.spanId == $p) | .name] | unique == ["invoke_workflow ask", "plan"]'

it "replays a run that was recorded, whatever its trace was"
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {runs: {keep_state: always}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
served 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
cp "$scratch/out" before
run runs replay latest --mcp-config mcp.json --yes
expect_status 0
run runs export latest --as otlp-json
expect_same "$(cat "$scratch/out")" "$(cat before)"
finish
