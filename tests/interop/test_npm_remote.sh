# server-everything behind a URL, as a session over Streamable HTTP and over HTTP+SSE of 2024-11-05: what one
# call after the other does not show. The rest of it is in test_npm_servers.sh.
. "$SOURCE_DIR/tests/interop/npm.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
begin_everything streamableHttp
streamable=$everything streamable_pid=$everything_pid
begin_everything sse
trap 't kill-server; kill $streamable_pid $everything_pid 2>/dev/null; rm -rf "$scratch"' EXIT
cat >mcp.json <<JSON
{"mcpServers":{"http":{"url":"$streamable/mcp"},"sse":{"url":"$everything/sse"}}}
JSON

for server in http sse; do
  it "$server: calls side by side, each with its own answer"
  for i in $(seq 60); do echo '{"a":'"$i"',"b":1000}'; done >sums.jsonl
  "$MISTRO" call $server/get-sum --batch -j 16 --mcp-config mcp.json <sums.jsonl >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 0
  expect_same "$(grep -o 'is [0-9]*' "$scratch/out" | tr -d 'is \n')" "$(seq 1001 1060 | tr -d '\n')"

  it "$server: a tool that must be called as a task"
  run call $server/simulate-research-query topic=tides --mcp-config mcp.json --timeout 60
  expect_status 0
  expect_out '*Research Report: tides*'
done

# In the terminal servers have more tools than in a pipe, which approves those it saw: other servers.
sed 's/"http"/"http2"/;s/"sse"/"sse2"/;s:/mcp":/mcp?terminal":;s:/sse":/sse?terminal":' mcp.json >terminal.json
for server in http2 sse2; do
  it "$server: a question in the middle of a call comes through, and the answer gets back"
  begin_terminal 100 60 call $server/trigger-elicitation-request --mcp-config terminal.json
  see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
  press n
  see '*declined*left with 0*'
done
finish
