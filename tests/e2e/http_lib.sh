# What tests of `serve --http` share beside lib.sh: servers that end with the test, and MCP by curl.
#   serve_http agent …  starts one; then $url is its endpoint, $base what is before it, $server its process
command -v curl >/dev/null || skip "no curl here"
server=""
end_server() {
  [ -z "$server" ] || { kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }
  server=""
}
leave_http() { end_server; leave; }
trap leave_http EXIT

# Asks again until it is so, for 20 s at most.
until_true() { # command…
  local end=$((SECONDS + 20))
  until "$@" 2>/dev/null || [ $SECONDS -ge $end ]; do read -rt 0.05 <> <(:); done
}
is_served() { [ "$(wc -l <"$scratch/served")" = 2 ] || ! kill -0 "$server"; }

serve_http() {
  : >"$scratch/served"
  "$MISTRO" "${global[@]}" serve "$@" >"$scratch/served" 2>"$scratch/served.err" </dev/null &
  server=$!
  until_true is_served
  url=$(sed -n 1p "$scratch/served") base=${url%/mcp}
  token=$(sed -n '2s/.*login?token=//p' "$scratch/served")
}
global=(-m none)

# Status and body of a request: the body in out, the head in head, the status in $status.
fetch() { # curl's arguments…
  status=$(curl -sS -m 20 -D "$scratch/head" -o "$scratch/out" -w '%{http_code}' "$@" 2>"$scratch/err")
}
as_json=(-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream')
modern_meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
modern() { # token, method, name or nothing, members of params with a comma behind each, curl's arguments…
  local who=$1 method=$2 name=$3 members=$4
  shift 4
  fetch "$url" "${as_json[@]}" ${who:+-H "Authorization: Bearer $who"} -H 'MCP-Protocol-Version: 2026-07-28' \
    -H "Mcp-Method: $method" ${name:+-H "Mcp-Name: $name"} "$@" \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$method\",\"params\":{$members$modern_meta}}"
}
legacy() { # token, session or nothing, message, curl's arguments…
  local who=$1 session=$2 message=$3
  shift 3
  fetch "$url" "${as_json[@]}" ${who:+-H "Authorization: Bearer $who"} ${session:+-H "Mcp-Session-Id: $session"} \
    "$@" -d "$message"
}
begin_session() { # token; sets $session
  legacy "$1" "" '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
  session=$(tr -d '\r' <"$scratch/head" | sed -n 's/^[Mm]cp-[Ss]ession-[Ii]d: //p')
  legacy "$1" "$session" '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}
expect_head() { if matches "$(tr -d '\r' <"$scratch/head")" "$1"; then ok; else fail "head should match: $1"; fi; }
