# The built-in server files stays beside configured ones, unless somebody says otherwise.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
mock='tools: [{name: look, replies: [{text: seen}]}]'
echo "$mock" >tools.yml
servers_of() { run tools "$@"; expect_status 0; cut -d/ -f1 "$scratch/out" | sort -u | tr '\n' ' '; }

it "stays beside a server that is added, which one line says"
run servers add dev -- "$MISTRO" serve mock "$PWD/tools.yml"
expect_status 0
expect_err '*added dev to *files*stays beside*--no-builtin*workspace: off*'
expect_same "$(servers_of)" "dev files mistro "
run call files/read_file path=README.md
expect_status 0
run call dev/look
expect_out seen

it "says so where servers are listed, once"
run servers
expect_status 0
expect_same "$(errors | grep -c 'stays beside')" 1
run servers -q
expect_err ''
run tools
expect_err ''

it "is left out by --no-builtin"
expect_same "$(servers_of --no-builtin)" "dev mistro "
run servers --no-builtin
expect_err ''
run call files/read_file path=README.md --no-builtin
expect_status 2
expect_err '*no server is named "files"*--no-builtin*workspace: off*--mcp-config*'

it "is left out by workspace: off"
for off in off false '{enabled: false}'; do
  echo "mistral_orchestrator: {workspace: $off}" >off.yml
  expect_same "$(servers_of --config off.yml)" "dev mistro "
done
echo "mistral_orchestrator: {workspace: maybe}" >off.yml
run tools --config off.yml
expect_status 2
expect_err '*workspace: must be off or a map of settings*'

it "is one of those that --servers may name"
expect_same "$(servers_of --servers files)" "files "
expect_same "$(servers_of --servers dev)" "dev "
expect_same "$(servers_of --servers dev,files)" "dev files "
run tools --servers files --no-builtin
expect_status 2

it "with --mcp-config there is what that file names and nothing else"
mock_config "$PWD/tools.yml" >mcp.json
expect_same "$(servers_of --mcp-config mcp.json)" "dev mistro "
run tools --mcp-config mcp.json --servers files
expect_status 2
echo '{"mcpServers":{}}' >empty.json
expect_same "$(servers_of --mcp-config empty.json)" "mistro "

it "gives its name to a configured server"
run servers add files -- "$MISTRO" serve mock "$PWD/tools.yml"
expect_status 0
run call files/look
expect_status 0
expect_out seen
run servers
expect_err ''
finish
