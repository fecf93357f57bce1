# Small servers of 2026-07-28 on the npm SDK 2.x, on stdio and on HTTP: results, progress, logs, notices,
# parameters in headers, eras. What they ask a person is in test_npm_elicitation.sh.
. "$SOURCE_DIR/tests/interop/npm.sh"
begin_modern_http
trap 'kill $modern_pid 2>/dev/null; rm -rf "$scratch"' EXIT
cat >mcp.json <<JSON
{"mcpServers":{
  "pipe":{"command":"$node","args":["$scripts/modern_server.mjs"]},
  "both":{"url":"$modern/mcp"},
  "strict":{"url":"$modern/strict"},
  "old":{"url":"$modern/mcp","era":"legacy"}}}
JSON
call() { run call "$@" --mcp-config mcp.json --timeout 60; }
told() { grep -c -- "$1" "$scratch/http.log"; }

it "finds out what each speaks, and keeps to what it is told to speak"
run servers --mcp-config mcp.json --json
expect_status 0
expect_json '.servers | map(select(.name != "mistro") | {key: .name, value: .era}) | from_entries ==
  {"pipe": "modern", "both": "modern", "strict": "modern", "old": "legacy"}'
expect_json 'all(.servers[] | select(.name != "mistro"); .tools == 6)'

it "says so when a server refuses the era it was told to speak"
echo '{"mcpServers":{"wrong":{"url":"'"$modern"'/strict","era":"legacy"}}}' >wrong.json
run tools --mcp-config wrong.json
expect_status 3
expect_err '*it speaks MCP *2026-07-28*configured as legacy*'

for server in pipe both strict old; do
  it "$server: structured results, and failures of tools"
  call $server/add a:=2 b:=40 --json
  expect_status 0
  expect_json '.structuredContent.sum == 42'
  call $server/fail
  expect_status 1
  expect_err '*no luck*'

  it "$server: nobody is asked where nobody is present"
  call $server/confirm
  expect_status 1
done

for server in pipe both strict; do
  it "$server: progress and logs arrive while the tool runs"
  call $server/slow --events
  expect_status 0
  expect_same "$(jq -r 'select(.event == "step_progress") | "\(.progress | floor) of \(.total | floor): \(.message)"' "$scratch/out" | tr '\n' ' ')" \
    '1 of 3: part 1 2 of 3: part 2 3 of 3: part 3 '
  expect_same "$(jq -r 'select(.event == "server_log") | "\(.level) \(.text)"' "$scratch/out" | tr '\n' ' ')" \
    'info step 1 info step 2 info step 3 '
done

it "pipe: hears that there are other tools now"
call pipe/grow --events
expect_status 0
expect_out '*"event":"tools_changed"*'

it "both: hears that there are other tools now, while something else runs"
call both/slow -vv
expect_status 0
expect_err '*"subscriptions/listen"*notifications/subscriptions/acknowledged*'

it "sends what a tool wants in headers there, encoded where that needs it"
call both/region region=north urgent:=true
expect_status 0
expect_out '*in north*'
call strict/region region='Grüße, 世界'
expect_status 0
expect_out '*in Grüße, 世界*'
expect_same "$(told 'tools/call mcp-param-region=north mcp-param-urgent=true')" 1
expect_same "$(told "tools/call mcp-param-region==?base64?$(printf 'Grüße, 世界' | base64)?=")" 1

for server in pipe both strict; do
  it "$server: a resource that is watched is read again when it changed"
  run read $server count:///n --watch --timeout 3 --mcp-config mcp.json
  expect_status 0
  expect_out '*reading*reading*'
done
expect_same "$(told 'POST subscriptions/listen' | awk '{print ($1 > 1)}')" 1

it "gives up a call by closing its stream"
call strict/slow --timeout 1
expect_status 0
before=$(told 'gone tools/call')
"$MISTRO" call strict/slow --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err" &
pid=$!
for _ in $(seq 100); do grep -q 'tools/call' <(tail -n 1 "$scratch/http.log") && break; sleep 0.02; done
kill -INT $pid
wait $pid
status=$?
expect_status 130
for _ in $(seq 100); do [ "$(told 'gone tools/call')" -gt "$before" ] && break; sleep 0.05; done
expect_same "$(told 'gone tools/call')" $((before + 1))
finish
