# Whether a server is told that it may ask a model, and what is said where it cannot be.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
printf '{"reply":"Hello."}\n' >"$scratch/model"
server() { # sampling, enabled
  jq -n --arg peer "$peer" --arg record "$scratch/record" --arg sampling "$1" --argjson enabled "${2:-true}" \
    '{mcpServers: {llm: {command: $peer, sampling: $sampling, enabled: $enabled, args: ["--record", $record]}}}' >mcp.json
}
told() { if grep -q '"sampling":' "$scratch/record"; then echo told; else echo untold; fi; }
warned() { errors | grep -c 'servers that may ask a model (sampling) are not told of any: '; }

it "is told where there is a model"
server allow
run tools --mcp-config mcp.json -m "script:$scratch/model"
expect_status 0
expect_same "$(told) $(warned)" "told 0"

it "is not told where there is none, and that is said once where a server may come to ask"
: >"$scratch/record"
run tools --mcp-config mcp.json
expect_status 0
expect_same "$(told) $(warned)" "untold 0"
run call llm/echo --mcp-config mcp.json -m none
expect_status 0
expect_same "$(told) $(warned)" "untold 0"
run call llm/echo --mcp-config mcp.json
expect_status 0
expect_same "$(told) $(warned)" "untold 1"
expect_err '*are not told of any: none was found; mistro models*'

it "looks for no model where nobody may ask it anyway"
for sampling in ask off; do
  server $sampling
  run call llm/echo --mcp-config mcp.json
  expect_same "$status $(warned)" "0 0"
done
run call llm/echo --mcp-config mcp.json --yes
expect_same "$(warned)" 0
server ask
run call llm/echo --mcp-config mcp.json --yes
expect_same "$(warned)" 1
server allow false
run servers --mcp-config mcp.json
expect_same "$(warned)" 0

it "starts each server once where several ask for them at once, and looks for the model once"
server allow
for model in "script:$scratch/model" none; do
  : >"$scratch/record"
  {
    for id in 1 2 3; do
      printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"plan","arguments":{"request":"echo it"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}\n' $id
    done
    read -r -t 2 <> <(:)
  } | "$MISTRO" serve agent --mcp-config mcp.json -m "$model" >"$scratch/out" 2>"$scratch/err"
  expect_same "$(jq -s 'map(.id) | sort' "$scratch/out" -c)" "[1,2,3]"
  expect_same "$(grep -c '"method":"initialize"' "$scratch/record")" 1
done
expect_same "$(warned)" 0
finish
