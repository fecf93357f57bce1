# Servers behind a URL that cannot be had; those that can are in tests/integration and tests/interop.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cat >remote.json <<'JSON'
{"mcpServers":{"gone":{"url":"http://me:secret@127.0.0.1:1/mcp?key=secret"},
               "other":{"url":"http://127.0.0.1:1/other"}}}
JSON

it "says that nobody listens at the address, and none of what is secret in it"
run call gone/anything --mcp-config remote.json --header 'Authorization: Bearer secret' --servers gone -vv
expect_status 3
expect_err '*server gone: server/discover: connection refused*is the server running*'
if grep -q secret "$scratch/err" "$scratch/out"; then fail "a secret shows"; else ok; fi

it "lists it as failed, beside the others"
run servers --mcp-config remote.json --json
expect_json '.servers | map(select(.builtin | not)) | length == 2 and all(.[]; .state == "failed" and .transport == "http")'
expect_json '.servers[0].command == "http://127.0.0.1:1/mcp?…"'

it "says why the built-in server is not there"
run call files/text_stats path=x --mcp-config remote.json
expect_status 2
expect_err '*no server is named "files"*--mcp-config leave the built-in one out*'

it "adds a server by its address"
run servers add web http://127.0.0.1:1/web
expect_status 0
expect_same "$(jq -c .mcpServers "$XDG_CONFIG_HOME/mistro/mcp.json")" '{"web":{"url":"http://127.0.0.1:1/web"}}'
run servers add web2 http://127.0.0.1:1/web more
expect_status 2
run servers add web2 example.org/web
expect_status 2
expect_err '*is not an http or https URL*mistro servers add web2 -- example.org/web*'
run servers remove web
expect_status 0

it "keeps the headers a server is added with"
run servers add web http://127.0.0.1:1/web -H 'Authorization: Bearer ${WEB_TOKEN:-none}'
expect_status 0
expect_same "$(jq -c .mcpServers.web.headers "$XDG_CONFIG_HOME/mistro/mcp.json")" '{"Authorization":"Bearer ${WEB_TOKEN:-none}"}'
run servers add local -H 'X: y' -- true
expect_status 2
run servers remove web
expect_status 0

it "says a header to one server only"
run tools --mcp-config remote.json -H 'Authorization: Bearer secret'
expect_status 2
expect_err '*2 servers have a url*--servers NAME*'
run tools -H 'Authorization: Bearer secret'
expect_status 2
expect_err '*no server has a url*'
run tools --mcp-config remote.json --servers gone -H secret
expect_status 2
expect_err "*must be 'Name: value'*"
finish
