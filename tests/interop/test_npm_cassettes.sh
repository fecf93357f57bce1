# Cassettes and programs of others: mcporter's own replay reads what mistro recorded, mistro reads what
# mcporter recorded, and the SDK's client and the MCP Inspector talk to `serve replay`.
. "$SOURCE_DIR/tests/interop/npm.sh"
cat >greet.yml <<'YML'
tools:
  - name: greet
    inputSchema: {type: object, properties: {name: {type: string}}}
    replies:
      - {text: "hello {args.name}", delay_ms: 5, progress: [{progress: 1}], times: 1}
      - {error: {code: -32603, message: enough}}
YML
mock_config "$PWD/greet.yml" >mcp.json
cat >plan.yml <<'YML'
steps:
  - {id: s1, tool: dev/greet, args: {name: ada}}
YML

it "mcporter's replay has an answer to every recorded request, and none is left over"
run run plan.yml --mcp-config mcp.json -y --record "$PWD/tape"
expect_status 0
"$node" "$scripts/cassette_peers.mjs" replay "$PWD/tape" dev >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out "2 requests"

it "the SDK's client finds the tools of a cassette and their answers"
"$node" "$scripts/sdk_client_of_mistro.mjs" "$MISTRO" serve replay "$PWD/tape" --server dev greet '{"name":"ada"}' \
  >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out "greet?hello ada"

it "the MCP Inspector lists the tools of a cassette, calls them, and says what was not recorded"
inspect() {
  "$node" "$npm/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli \
    "$MISTRO" serve replay "$PWD/tape" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}
inspect --method tools/list
expect_status 0
expect_json '.tools[0] | .name == "greet" and .inputSchema.properties.name.type == "string"'
inspect --method tools/call --tool-name greet --tool-arg name=ada
expect_status 0
expect_json '.content[0].text == "hello ada"'
inspect --method tools/call --tool-name greet --tool-arg name=bob
expect_status 1
expect_err '*greet was not recorded; the nearest, line *, differs at /params/arguments/name*'

it "what mcporter recorded is replayed and served"
mkdir recordings
"$node" "$scripts/cassette_peers.mjs" record "$PWD/recordings/dev.ndjson" "$MISTRO" serve mock "$PWD/greet.yml" \
  >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
run call dev/greet name=ada --replay recordings/dev.ndjson
expect_status 0
expect_out "hello ada"
"$node" "$scripts/sdk_client_of_mistro.mjs" "$MISTRO" serve replay "$PWD/recordings/dev.ndjson" greet '{"name":"ada"}' \
  >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_out "greet?hello ada"
finish
