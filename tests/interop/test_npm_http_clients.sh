# The npm SDK clients 1.x and 2.x and the MCP Inspector against what mistro serves over HTTP:
# sdk_http_clients.mjs says what must hold.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .

serve() { # words of mistro serve; sets $url and $token
  mkfifo "$scratch/$1.out"
  "$MISTRO" serve "$@" --http 127.0.0.1:0 >"$scratch/$1.out" 2>"$scratch/$1.err" </dev/null &
  servers="$servers $!"
  { read -r url && read -r token; } <"$scratch/$1.out"
  token=${token##*token=}
}
servers=
serve mock --fixture "$SOURCE_DIR/tests/interop/clients_fixture.yml"
export MOCK_URL=$url MOCK_TOKEN=$token
serve workspace --root .
export WORKSPACE_URL=$url WORKSPACE_TOKEN=$token

it "everything in sdk_http_clients.mjs holds"
"$node" --test --test-reporter=spec "$scripts/sdk_http_clients.mjs" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 0 ] || cat "$scratch/out" "$scratch/err"
expect_status 0

inspect() { # url, token, words of the inspector
  local url=$1 token=$2
  shift 2
  "$node" "$npm/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" --cli \
    "$url" --transport http --header "Authorization: Bearer $token" "$@" \
    >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

it "the MCP Inspector lists and calls"
inspect "$MOCK_URL" "$MOCK_TOKEN" --method tools/list
expect_status 0
expect_json '[.tools[].name] | contains(["echo", "slow"])'
inspect "$MOCK_URL" "$MOCK_TOKEN" --method tools/call --tool-name echo --tool-arg message=plums
expect_status 0
expect_json '.structuredContent.said == "plums"'
inspect "$WORKSPACE_URL" "$WORKSPACE_TOKEN" --method tools/call --tool-name read_file --tool-arg path=README.md
expect_status 0
expect_json '.content[0].text | test("A small fruit trade")'

it "nobody gets in with another server's token"
inspect "$WORKSPACE_URL" "$MOCK_TOKEN" --method tools/list
if [ "$status" != 0 ]; then ok; else fail "expected a refusal"; fi

it "both servers end when they are told to"
for server in $servers; do
  kill "$server"
  wait "$server"
  status=$?
  expect_status 143
done
finish
