# One message of 64 MiB, the bound, costs at most four times its size, wherever it comes from and
# whatever it is made of.
. "$SOURCE_DIR/tests/e2e/lib.sh"
PEER=$BUILD_DIR/tests/peer_mcp
bytes=$((64 * 1024 * 1024))
max_kib=$((256 * 1024))
too_many='*more than 1000000 JSON values (mcp.max_values)*'

objects() { printf '[$TIMES%d;{},$END;{}]' $(((bytes - 400) / 3)); }
# As many values as there may be, of the kind that costs most, and text for the rest.
costliest='{"x":[$TIMES499960;{},$END;{}],"s":"$FILL65000000;"}'
reply='{"jsonrpc":"2.0","id":$ID,"result":'
ok_reply="$reply{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}
"
run_measured() {
  "$BUILD_DIR/tests/peak_memory" "$scratch/peak" "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err"
  status=$?
}
measured() { # rule of the peer, arguments …
  jq -n --arg peer "$PEER" --arg rule "$1" '{mcpServers: {s: {command: $peer, args: [$rule]}}}' >mcp.json
  shift
  run_measured "$@" --mcp-config mcp.json </dev/null
}
expect_little_memory() {
  local peak
  peak=$(cat "$scratch/peak")
  if [ "$peak" -le "$max_kib" ]; then ok; else fail "$peak KiB at the peak, more than $max_kib"; fi
}

it "refuses a list of too many values"
measured "tools/list=$reply{\"tools\":$(objects)}}
" tools
expect_status 8; expect_err "$too_many"; expect_little_memory

it "refuses _meta of too many values"
measured "tools/list=$reply{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{},\"_meta\":{\"x\":$(objects)}}]}}
" tools
expect_status 8; expect_err "$too_many"; expect_little_memory

it "refuses an error with data of too many values"
measured "tools/call={\"jsonrpc\":\"2.0\",\"id\":\$ID,\"error\":{\"code\":1,\"message\":\"m\",\"data\":$(objects)}}
" call s/echo
expect_status 3; expect_err "$too_many"; expect_little_memory

it "shows the beginning of a log message, of whatever it is made"
measured "tools/call={\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":$(objects)}}
$ok_reply" call s/echo -v
expect_status 0; expect_out ok; expect_err '*{},{},{}*'; expect_little_memory

it "shows the beginning of a log message in a batch"
measured "tools/call=[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":$costliest}}]
$ok_reply" call s/echo -v
expect_status 0; expect_out ok; expect_err '*[[]info[]]*{},{},{}*'; expect_little_memory

it "takes a result in a batch as it takes one by itself"
measured "tools/call=[$reply{\"content\":[],\"structuredContent\":$costliest}}]
" call s/echo --json
expect_little_memory

it "shows no more of a progress message than it keeps"
measured "tools/call={\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\$ID,\"progress\":1,\"message\":\"\$FILL67000000;\"}}
$ok_reply" call s/echo -v
expect_status 0; expect_out ok; expect_little_memory

it "leaves out a tool whose definition is too long"
measured "tools/list=$reply{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\",\"x\":$costliest}}]}}
" tools
expect_status 0; expect_err '*warning: server s: a tool is left out: tool "echo": *tools.max_definition_bytes*'; expect_little_memory

it "repairs what is at most 32 MiB long"
repairable() { # bytes of text
  printf '%s' "tools/list=$reply{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"_meta\":{\"x\":[\$TIMES499900;{},\$END;{}],\"s\":\"\\ud800\$FILL$1;\"}}]}}
"
}
measured "$(repairable 31000000)
" call s/echo
expect_status 0; expect_out ok; expect_little_memory
measured "$(repairable 63000000)
" call s/echo
expect_status 3; expect_err '*not sound JSON, and more than 32 MiB, too long to be repaired*'; expect_little_memory

it "refuses a question of too many values and goes on"
measured "tools/call={\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"x\":$(objects)}}
$ok_reply" call s/echo -v
expect_status 0; expect_out ok; expect_err "$too_many"; expect_little_memory

it "does not send back what stands for an id and cannot be one"
measured "tools/call={\"jsonrpc\":\"2.0\",\"id\":$costliest,\"method\":\"roots/list\"}
$ok_reply" call s/echo
expect_status 0; expect_out ok; expect_little_memory

it "leaves out a batch of too many values and goes on"
measured "tools/call=$(objects)
$ok_reply" call s/echo -v
expect_status 0; expect_out ok; expect_err "$too_many"; expect_little_memory

it "keeps the bytes of a result of too many values"
measured "tools/call=$reply{\"content\":[],\"structuredContent\":{\"x\":[\$TIMES2000000;{},\$END;7]}}}
" call s/echo --json
expect_status 0; expect_little_memory
expect_same "$(jq '.structuredContent.x | length, last' "$scratch/out" | xargs)" "2000001 7"

it "fails a reference into such a result"
cat >plan.json <<'JSON'
{"version": 1, "goal": "g", "steps": [
  {"id": "a", "tool": "s/echo", "args": {}},
  {"id": "b", "tool": "s/add", "args": {"v": "{a.x[0]}"}}]}
JSON
measured "tools/call=$reply{\"content\":[],\"structuredContent\":{\"x\":[\$TIMES2000000;{},\$END;7]}}}
" run plan.json --yes
expect_err '*the result of step a has more than 1000000 JSON values (mcp.max_values)*'; expect_little_memory

it "takes as many values as there may be, of the kind that costs most"
measured "tools/list=$reply{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"},\"_meta\":$costliest}]}}
" call s/echo
expect_status 0; expect_out ok; expect_little_memory
measured "tools/call={\"jsonrpc\":\"2.0\",\"id\":\$ID,\"error\":{\"code\":1,\"message\":\"m\",\"data\":$costliest}}
" call s/echo
expect_err '*error 1: "m"*'; expect_little_memory

{ printf '['; yes '{},' | head -n $(((bytes - 400) / 3)) | tr -d '\n'; printf '{}]\n'; } >batch
echo '{"tools": []}' >fixture.json
for server in "mock --fixture fixture.json" workspace agent; do
  it "serve $server: refuses a batch of too many values"
  # shellcheck disable=SC2086
  run_measured serve $server <batch
  expect_status 0; expect_out '*"code":-32600,"message":"more than 1000000 JSON values (mcp.max_values)"*'
  expect_little_memory
done

it "says without -v that a list was cut"
jq -n --arg peer "$PEER" --arg rule "tools/list=$reply{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}],\"nextCursor\":\"2\"}}
" '{mcpServers: {s: {command: $peer, args: [$rule]}}}' >mcp.json
echo 'mistral_orchestrator: {mcp: {max_pages: 1}}' >one_page.yml
run tools --config one_page.yml --mcp-config mcp.json
expect_status 0
expect_err '*warning: server s: tools/list: more than 1 pages (mcp.max_pages); the rest is left out*'
jq -n --arg peer "$PEER" --arg hello "initialize=$reply{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"resources\":{},\"prompts\":{}},\"serverInfo\":{\"name\":\"peer\",\"version\":\"7\"}}}
" --arg resources "resources/list=$reply{\"resources\":[{\"uri\":\"a:1\",\"name\":\"n\"}],\"nextCursor\":\"2\"}}
" --arg prompts "prompts/list=$reply{\"prompts\":[{\"name\":\"p\"}],\"nextCursor\":\"2\"}}
" '{mcpServers: {s: {command: $peer, args: [$hello, $resources, $prompts]}}}' >mcp.json
for kind in resources prompts; do
  run $kind --config one_page.yml --mcp-config mcp.json
  expect_status 0
  expect_err "*warning: server s: $kind/list: more than 1 pages (mcp.max_pages); the rest is left out*"
done

it "queries a table of a few times its size, whatever its rows are"
{ printf '['; yes '{},' | head -n 1398000 | tr -d '\n'; printf '{"a":1}]'; } >rows.json
{ yes '{}' | head -n 1398000; printf '{"a":1}\n'; } >rows.jsonl
max_kib=$((64 * 1024))
for file in rows.json rows.jsonl; do
  run_measured call files/query_table path=$file sql="SELECT count(*) AS n, sum(a) AS s FROM t" --json
  expect_status 0
  expect_json '.structuredContent.rows == [{"n": 1398001, "s": 1}]'
  expect_little_memory
done

finish
