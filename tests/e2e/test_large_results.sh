# A result is printed whole up to tools.cli_result_bytes; what is over a bound says so and fails.
. "$SOURCE_DIR/tests/e2e/lib.sh"
PEER=$BUILD_DIR/tests/peer_mcp

gives() { # the members of a result, for the peer
  jq -n --arg peer "$PEER" --arg rule "tools/call={\"jsonrpc\":\"2.0\",\"id\":\$ID,\"result\":{$1}}
" '{mcpServers: {s: {command: $peer, args: [$rule]}}}' >mcp.json
}
echo 'steps: [{id: a, tool: s/echo, args: {}}]' >plan.yml
echo 'mistral_orchestrator: {tools: {cli_result_bytes: 9000000}}' >less.yml

it "call and run print a result that no model may see"
gives '"content":[{"type":"text","text":"$FILL9000000;"}]'
for words in "call s/echo" "run plan.yml"; do
  # shellcheck disable=SC2086
  run $words --mcp-config mcp.json
  expect_status 0
  expect_same "$(wc -c <"$scratch/out")" 9000001
done
run ask -m none --yes "echo" --mcp-config mcp.json
expect_status 1
expect_no_out
expect_err '*more than tools.max_result_bytes (8388608)*'

it "a result over their bound is an error, in every form"
for words in "call s/echo" "run plan.yml"; do
  # shellcheck disable=SC2086
  run $words --mcp-config mcp.json --config less.yml
  expect_status 1
  expect_no_out
  expect_err '*more than tools.cli_result_bytes (9000000)*'
done
run call s/echo --json --mcp-config mcp.json --config less.yml
expect_status 1
expect_json '.isError and (.content[0].text | test("tools.cli_result_bytes"))'
run_with_input '{}' call s/echo --batch --mcp-config mcp.json --config less.yml
expect_status 1
expect_json '.ok == false and .tool_error and (.result.content[0].text | test("tools.cli_result_bytes"))'

it "run prints what has too many values to be parsed, as call does"
gives '"content":[],"structuredContent":{"x":[$TIMES1200000;1,$END;1]}'
run call s/echo --mcp-config mcp.json
cp "$scratch/out" called
run run plan.yml --mcp-config mcp.json
expect_status 0
expect_same "$(cmp called "$scratch/out" && echo same)" same
run run plan.yml --json --mcp-config mcp.json
expect_status 0
expect_json '.steps[0].result | .cut and (.content[0].text | startswith("{\"x\":[1,1,") and endswith("[2400009 bytes of JSON in all]"))'
finish
