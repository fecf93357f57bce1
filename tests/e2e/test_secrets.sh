# Secrets of people and of protocols, planted everywhere: nothing that mistro prints, logs or keeps
# has them, but the files that are for them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp raw_server=$BUILD_DIR/tests/raw_server
"$raw_server" answer >url & raw_pid=$!
trap 'kill $raw_pid 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do [ -s url ] && break; read -r -t 0.05 <> <(:) || true; done
authority=$(sed 's|http://||' url)
# Servers are scripts, so that what they answer is not in a command line.
server() { # name, words of peer_mcp
  local name=$1; shift
  printf '#!/usr/bin/env bash\nexec %s\n' "$(printf '%q ' "$peer" "${@//\\n/$'\n'}")" >"$name.sh"
  chmod +x "$name.sh"
}
server local --modern \
  'tools/call#1={"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required","requestState":"PLANTEDSTATE"}}\n' \
  'tools/call={"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}\n'
server slow --modern \
  'server/discover={"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}}\n' \
  'tools/call={"jsonrpc":"2.0","id":$ID,"result":{"resultType":"task","taskId":"PLANTEDTASK","status":"working","pollIntervalMs":10}}\n' \
  'tasks/get={"jsonrpc":"2.0","id":$ID,"result":{"resultType":"complete","taskId":"PLANTEDTASK","status":"completed","result":{"content":[{"type":"text","text":"slowly done"}]}}}\n'
jq -n --arg url "http://planted-user:PLANTEDPASSWORD@$authority?token=PLANTEDQUERY&api_key=PLANTEDKEY" --arg here "$PWD" '
  {mcpServers: {
    local: {command: ($here + "/local.sh"), env: {API_TOKEN: "PLANTEDVARIABLE", PASSWORD: "PLANTEDPASS"},
      args: ["postgres://me:PLANTEDDATABASE@db/x", "--api-key=PLANTEDWORD"]},
    slow: {command: ($here + "/slow.sh")},
    remote: {url: $url, headers: {Authorization: "Bearer PLANTEDBEARER", Cookie: "sid=PLANTEDCOOKIE", "X-Api-Key": "PLANTEDHEADER"}}}}' >mcp.json
raw() { # status line and heads, body
  printf 'HTTP/1.1 %b\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%s' "$1" "${#2}" "$2" >answer
}
: >"$scratch/said"
say() { # everything that is printed, on a pipe and on a terminal
  run "$@" --mcp-config mcp.json
  cat "$scratch/out" "$scratch/err" >>"$scratch/said"
  command -v script >/dev/null &&
    TERM=dumb script -qec "$(printf '%q ' "$MISTRO" "$@" --mcp-config mcp.json)" /dev/null </dev/null >>"$scratch/said" 2>&1
}
all_of() { # words of mistro, said with every flag that makes it talk
  say "$@"
  for flag in -v -vv --json --events; do say "$@" "$flag"; done
}
expect_unsaid() {
  for secret in "$@"; do
    if grep -aq "$secret" "$scratch/said"; then fail "$secret was shown: $(grep -am1 "$secret" "$scratch/said" | cut -c1-300)"; else ok; fi
  done
}
kept() { # files of mistro that have the words
  grep -rlaF "$1" "$scratch/data" "$scratch/state" "$scratch/home" 2>/dev/null
}
expect_unkept() {
  for secret in "$@"; do
    if [ -z "$(kept "$secret")" ]; then ok; else fail "$secret is in $(kept "$secret")"; fi
  done
}

it "shows and keeps no value of an environment, and no state of a request"
all_of call local/echo "api_key=PLANTEDARGUMENT" "note=Bearer PLANTEDINTEXT"
all_of servers
say servers review
all_of doctor
expect_unsaid PLANTEDVARIABLE PLANTEDPASS PLANTEDSTATE PLANTEDARGUMENT PLANTEDINTEXT PLANTEDDATABASE PLANTEDWORD
if grep -aq 'requestState' "$scratch/said"; then ok; else fail "-vv should have shown the message"; fi
expect_unkept PLANTEDVARIABLE PLANTEDPASS PLANTEDSTATE PLANTEDARGUMENT PLANTEDINTEXT PLANTEDDATABASE PLANTEDWORD

it "shows the id of a task on no screen; the run log has it"
for flag in "" -v -vv --json; do
  # shellcheck disable=SC2086
  say call slow/echo $flag
done
grep -aq 'slowly done' "$scratch/said" || fail "the task should have been done"
expect_unsaid PLANTEDTASK
id=$("$MISTRO" runs --json | jq -r '.runs[0].id')
"$MISTRO" runs show "$id" >>"$scratch/said" 2>&1
expect_unsaid PLANTEDTASK
if "$MISTRO" runs events "$id" | grep -q PLANTEDTASK; then ok; else fail "the log should have it"; fi
expect_same "$(stat -c %a "$scratch/data/mistro/runs.db")" 600

it "shows and keeps nothing of headers and addresses, whatever the server answers"
for head in '500 No' '401 No\r\nWWW-Authenticate: Bearer error="invalid_token"' '403 No' '404 No\r\nMcp-Session-Id: PLANTEDSESSION' \
  '302 Found\r\nLocation: http://127.0.0.1:1/?token=PLANTEDLOCATION' '200 OK\r\nContent-Type: text/html'; do
  raw "$head" '{"error":"access_token=PLANTEDBODY"}'
  all_of call remote/x
  say servers login remote
done
raw '200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: PLANTEDSESSION' '{"jsonrpc":"2.0","id":"era-2","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"r","version":"1"}}}'
all_of tools remote --timeout 2
all_of servers --servers remote --timeout 2
say call remote/x -H 'Authorization: Bearer PLANTEDFLAG' --servers remote -vv --timeout 2
expect_unsaid PLANTEDPASSWORD PLANTEDQUERY PLANTEDKEY PLANTEDBEARER PLANTEDCOOKIE PLANTEDHEADER PLANTEDSESSION PLANTEDLOCATION PLANTEDBODY PLANTEDFLAG
expect_unkept PLANTEDPASSWORD PLANTEDQUERY PLANTEDKEY PLANTEDBEARER PLANTEDCOOKIE PLANTEDHEADER PLANTEDSESSION PLANTEDLOCATION PLANTEDBODY PLANTEDFLAG

it "keeps none of them in a conversation or a plan either"
say ask 'echo "password=PLANTEDREQUEST"' -m none --yes --session new:s -v
for id in $("$MISTRO" runs --json -n 100 | jq -r '.runs[].id'); do "$MISTRO" runs events "$id" | grep -v '"event":"task"' >>"$scratch/said"; "$MISTRO" runs show "$id" >>"$scratch/said"; done
expect_unsaid PLANTEDVARIABLE PLANTEDSTATE PLANTEDARGUMENT PLANTEDTASK PLANTEDBEARER PLANTEDSESSION
if strings --version >/dev/null 2>&1; then
  strings -n 6 "$scratch/data/mistro/runs.db" >"$scratch/said"
  expect_unsaid PLANTEDVARIABLE PLANTEDSTATE PLANTEDARGUMENT PLANTEDINTEXT PLANTEDBEARER PLANTEDSESSION PLANTEDREQUEST
fi
finish
