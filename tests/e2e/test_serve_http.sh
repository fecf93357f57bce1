# mistro served over HTTP: both eras, tokens and persons, names and origins, bounds, the end.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/http_lib.sh"
mkdir ws && printf 'TODO: buy plums\n' >ws/list.txt

it "says where it is, and lets in who has the token it made"
serve_http workspace --root ws --http 127.0.0.1:0
expect_same "${url%:*}" http://127.0.0.1
modern "$token" tools/list "" ""
expect_status 200
expect_json '[.result.tools[].name] | index("list_directory")'
modern "" tools/list "" ""
expect_status 401
expect_head '*WWW-Authenticate: Bearer realm="mistro"*'
modern "${token}x" tools/list "" ""
expect_status 401
expect_head '*error="invalid_token"*'

it "signs a browser in by its link, but not by one of another page"
fetch "$base/login?token=$token"
expect_status 303
expect_head '*Set-Cookie: __Host-mistro=*'
fetch "$base/login?token=$token" -H 'Sec-Fetch-Site: cross-site'
expect_status 403
expect_same "$(grep -ci '^set-cookie' "$scratch/head")" 0

it "calls a tool for a modern client, without a session"
modern "$token" tools/call read_file '"name":"read_file","arguments":{"path":"list.txt"},'
expect_status 200
expect_json '.result.content[0].text | startswith("TODO: buy plums")'
expect_json '.result.resultType == "complete" and .id == 1'

it "says by the status what became of a modern request"
modern "$token" tools/nothing "" ""
expect_status 404
expect_json '.error.code == -32601'
modern "$token" tools/call list_directory '"name":"read_file","arguments":{"path":"list.txt"},'
expect_status 400
expect_json '.error.code == -32020'
legacy "$token" "" '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
expect_status 400
expect_json '.error.message | contains("Mcp-Session-Id")'
legacy "$token" "" '{"jsonrpc":"2.0","id":1,"method":"tools/li' # cut off
expect_status 400
expect_json '.error.code == -32700'

it "keeps the session of a legacy client until it is deleted"
begin_session "$token"
expect_status 202
legacy "$token" "$session" '{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"read_file","arguments":{"path":"list.txt"}}}'
expect_status 200
expect_json '.id == "a" and (.result.content[0].text | startswith("TODO"))'
fetch -X DELETE "$url" -H "Authorization: Bearer $token" -H "Mcp-Session-Id: $session"
expect_status 204
legacy "$token" "$session" '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
expect_status 404

it "goes by names of its own only"
modern "$token" tools/list "" "" -H 'Host: evil.example'
expect_status 403
modern "$token" tools/list "" "" -H 'Origin: http://evil.example'
expect_status 403
modern "$token" tools/list "" "" -H "Host: localhost:${base##*:}" -H "Origin: http://localhost:${base##*:}"
expect_status 200

it "does not let a request that cannot go on hold up others"
exec 5<>"/dev/tcp/127.0.0.1/${base##*:}"
{ printf 'POST /mcp HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n1;' "${base#http://}"; printf 'a%.0s' $(seq 60000); } >&5
modern "$token" tools/list "" ""
expect_status 200
exec 5>&-

it "ends when what runs is done, whatever was begun and given up"
fetch -m 1 "$base/runs?$(printf 'a=1&%.0s' $(seq 3000))" # more than libmicrohttpd has room for
kill "$server"
wait "$server"
expect_same "$?" 143
server=""
cat >slow.yml <<'YML'
tools:
  - name: slow
    replies: [{text: done, delay_ms: 1500, progress: [{progress: 1, total: 2}, {progress: 2, total: 2}]}]
YML
serve_http mock --fixture slow.yml --http 127.0.0.1:0 --open
(modern_meta="${modern_meta%?},\"progressToken\":1}"; modern "" tools/call slow '"name":"slow","arguments":{},' -N) &
call=$!
until_true grep -q notifications/progress "$scratch/out"
kill "$server"
wait "$call"
expect_out '*"text":"done"*'
wait "$server"
expect_same "$?" 143
server=""

it "cancels the call of a modern client that goes"
serve_http mock --fixture slow.yml --http 127.0.0.1:0 --open
modern "" tools/call slow '"name":"slow","arguments":{},' -m 0.3
expect_same "$status" 000
modern "" tools/list "" ""
expect_status 200
end_server

it "is for persons only where others than this machine reach it"
run serve workspace --http 0.0.0.0:0
expect_status 6
expect_err '*there is no person yet*mistro serve token add NAME*'
run serve workspace --http 0.0.0.0:0 --open
expect_status 6
run serve workspace --http example.org:80
expect_status 2
expect_err '*not an address to listen at*127.0.0.1:8080*'
run serve workspace --open
expect_status 2

it "keeps persons apart: runs, sessions, tokens"
run serve token add ann
ann=$(cat "$scratch/out")
run serve token add bob
bob=$(cat "$scratch/out")
serve_http agent --http 127.0.0.1:0
expect_same "$token" "" # only persons count
modern "$ann" tools/call ask '"name":"ask","arguments":{"request":"search for plums"},'
expect_status 200
run_id=$(jq -r .result.structuredContent.run_id "$scratch/out")
begin_session "$ann"
legacy "$bob" "$session" '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
expect_status 404
for who in "$ann:200" "$bob:404"; do
  fetch "$base/runs/$run_id" -H "Authorization: Bearer ${who%:*}"
  expect_status "${who#*:}"
done
fetch "$base/runs" -H "Authorization: Bearer $bob"
expect_same "$(grep -c plums "$scratch/out")" 0
fetch "$base/runs" -H "Authorization: Bearer $ann"
expect_same "$(grep -c plums "$scratch/out")" 1
run serve token revoke bob
is_refused() { fetch "$base/runs" -H "Authorization: Bearer $bob" && [ "$status" = 401 ]; }
until_true is_refused
expect_status 401
end_server

it "takes as many requests a minute as the settings say, and no more"
mkdir -p config
printf 'mistral_orchestrator:\n  http: {requests_per_minute: 5}\n' >limit.yml
global=(-m none --config limit.yml)
serve_http workspace --root ws --http 127.0.0.1:0
fetch "$base/runs" -H "Authorization: Bearer $ann"
for _ in 2 3 4 5; do modern "$ann" tools/list "" ""; done
expect_status 200
modern "$ann" tools/list "" ""
expect_status 429
expect_head '*Retry-After: *'
end_server
global=(-m none)

it "answers so many requests of a person at once, and others as if there were none"
run serve token add carl
carl=$(cat "$scratch/out")
printf 'mistral_orchestrator:\n  http: {requests_at_once: 3}\n' >share.yml
sed 's/delay_ms: 1500/delay_ms: 5000/' slow.yml >slower.yml
global=(-m none --config share.yml)
serve_http mock --fixture slower.yml --http 127.0.0.1:0
begin_session "$ann"
call_slow() { curl -sS -m 30 "$url" "${as_json[@]}" -H "Authorization: Bearer $ann" -H "Mcp-Session-Id: $session" \
  -d "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"tools/call\",\"params\":{\"name\":\"slow\",\"arguments\":{}}}"; }
calls=()
for i in 1 2 3; do call_slow "$i" >"$scratch/slow.$i" & calls+=($!); done
is_full() { modern "$ann" tools/list "" "" && [ "$status" = 429 ]; }
until_true is_full
expect_status 429
expect_head '*Retry-After: 1*'
expect_json '.id == 1 and .error.code == -32000 and (.error.data.hint | contains("answered"))'
fetch "$base/runs" -H "Authorization: Bearer $ann"
expect_status 429
for _ in $(seq 20); do modern "$carl" tools/list "" "" -m 1; [ "$status" = 200 ] || break; done
expect_status 200
legacy "$ann" "$session" '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}'
expect_status 202
wait "${calls[@]}"
expect_same "$(cat "$scratch"/slow.[12] | grep -c '"text":"done"')" 2
modern "$ann" tools/list "" ""
expect_status 200
end_server
global=(-m none)

it "lets in more persons than can have tools at once, and keeps those of whom something runs"
persons=("$ann")
for i in $(seq 65); do
  run serve token add "person$i"
  persons+=("$(cat "$scratch/out")")
done
cat >asks.yml <<'YML'
tools:
  - name: plums
    replies: [{elicit: {message: How many?, schema: {type: object, properties: {count: {type: string}}}}, text: "{elicited.count} plums"}]
YML
serve_http mock --fixture asks.yml --http 127.0.0.1:0
modern_meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}'
modern "$ann" tools/call plums '"name":"plums","arguments":{},'
expect_json '.result.resultType == "input_required"'
state=$(jq -r .result.requestState "$scratch/out") key=$(jq -r '.result.inputRequests | keys[0]' "$scratch/out")
refused=0
for who in "${persons[@]:1}"; do
  modern "$who" tools/list "" ""
  [ "$status" = 200 ] || refused=$((refused + 1))
done
expect_same "$refused" 0
modern "$ann" tools/call plums "\"name\":\"plums\",\"arguments\":{},\"requestState\":\"$state\",\"inputResponses\":{\"$key\":{\"action\":\"accept\",\"content\":{\"count\":\"6\"}}},"
expect_json '.result.content[0].text == "6 plums"'
modern "${persons[1]}" tools/list "" ""
expect_status 200
end_server

it "shows an admin the runs of more persons than can have services at once"
for i in $(seq 66 99); do run serve token add "person$i"; done
run serve token add boss --admin
boss=$(cat "$scratch/out")
serve_http agent --http 127.0.0.1:0
fetch "$base/runs" -H "Authorization: Bearer $boss"
expect_status 200
expect_out "*search for plums*"
expect_same "$(grep -c 'missing here' "$scratch/out")" 0
expect_same "$(grep -o '<option value="person[0-9]*">' "$scratch/out" | wc -l)" 99
fetch "$base/runs?person=person99" -H "Authorization: Bearer $boss"
expect_status 200
fetch "$base/runs/$run_id?person=ann" -H "Authorization: Bearer $boss"
expect_status 200
expect_out '*A run of ann*'
end_server

it "closes streams without an end when their token is revoked"
serve_http agent --http 127.0.0.1:0
run serve token add eve
eve=$(cat "$scratch/out")
begin_session "$eve"
curl -sN -m 60 "$url" -H "Authorization: Bearer $eve" -H "Mcp-Session-Id: $session" -H 'Accept: text/event-stream' -D "$scratch/stream" -o /dev/null &
stream=$!
until_true grep -q event-stream "$scratch/stream"
run serve token revoke eve
is_over() { ! kill -0 "$stream"; }
until_true is_over
if is_over 2>/dev/null; then ok; else fail "the stream goes on"; fi
end_server

post_raw() { # tool, body
  printf 'POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n' "${base#http://}"
  printf 'MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\nContent-Length: %s\r\n\r\n%s' "$1" "${#2}" "$2"
}

it "closes the connection of who takes no answers, and lets the next one in"
{
  printf 'tools:\n  - name: big\n    replies: [{text: "'
  head -c 1000000 /dev/zero | tr '\0' y
  printf '"}]\n'
} >big.yml
printf 'mistral_orchestrator:\n  http: {max_connections: 1, request_seconds: 1}\n' >one.yml
global=(-m none --config one.yml)
serve_http mock --fixture big.yml --http 127.0.0.1:0 --open
body="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"big\",\"arguments\":{},$modern_meta}}"
exec 5<>"/dev/tcp/127.0.0.1/${base##*:}"
for _ in $(seq 20); do post_raw big "$body"; done >&5
modern "" tools/list "" ""
expect_status 200
exec 5>&-
end_server

it "leaves files to requests when all connections are taken that it may have"
global=(-m none)
ulimit -n 64
serve_http workspace --root ws --http 127.0.0.1:0 --open
waiting=()
for _ in $(seq 45); do exec {fd}<>"/dev/tcp/127.0.0.1/${base##*:}" && waiting+=("$fd"); done
body="{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read_file\",\"arguments\":{\"path\":\"list.txt\"},$modern_meta}}"
post_raw read_file "$body" >&"${waiting[0]}"
while IFS= read -rt 20 line <&"${waiting[0]}" && ! matches "$line" '{*'; do :; done
if matches "$line" '*TODO: buy plums*'; then ok; else fail "no text of the file: $line"; fi
for fd in "${waiting[@]}"; do exec {fd}>&-; done
finish
