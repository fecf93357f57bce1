# What tests of workers share beside lib.sh; they run by tests/support/postgres. Their server has a
# record outside of every worker, with a line for each call that took effect: shop/charge, which may
# not be repeated, and shop/look, which may.
#   shop [ACTION…]      what the server does from its next start on (tests/support/peers/mcp)
#   hire [flags…]       a worker more, with the servers of the file $servers: its process is $worker,
#                       what it says is in $scratch/said.$worker
#   database --stop     or --start, --pause, --resume (tests/support/postgres)
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no peer_mcp"
url_of_database=${MISTRO_TEST_POSTGRES:?run it by tests/support/postgres}
record=$scratch/record
workers=() worker="" n_hired=0 servers=mcp.json
: >"$record"

database() { "$SOURCE_DIR/tests/support/postgres" "$1"; }
sql() { psql -XAtq "$url_of_database" -c "$1"; }

# Whoever is left must not outlive the folder.
leave_workers() {
  database --resume 2>/dev/null
  [ ${#workers[@]} = 0 ] || { kill -9 "${workers[@]}"; wait "${workers[@]}"; } 2>/dev/null
  leave
}
trap leave_workers EXIT

settings() { # lines below mistral_orchestrator…
  mkdir -p "$XDG_CONFIG_HOME/mistro"
  {
    printf 'mistral_orchestrator:\n'
    printf '  %s\n' "storage: {backend: postgres, postgres: \"$url_of_database\"}" \
      'policy: [{effect: allow}, {server: shop, tool: look, repeat: true}]' "$@"
  } >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
}

shop_answer='{"jsonrpc":"2.0","id":$ID,"result":{"content":[],"structuredContent":$ARGS}}
'
shop() {
  local tools='{"name":"charge","inputSchema":{"type":"object"}},{"name":"look","inputSchema":{"type":"object"}}'
  printf '%q ' exec "$peer" --record "$record" "$@" \
    "tools/list={\"jsonrpc\":\"2.0\",\"id\":\$ID,\"result\":{\"tools\":[$tools]}}
" "tools/call=$shop_answer" >shop.sh.new
  mv shop.sh.new shop.sh
}
jq -n --arg shop "$PWD/shop.sh" '{mcpServers: {shop: {command: "bash", args: [$shop]}}}' >mcp.json
# Every call needs what the one before gave.
jq -n '{version: 2, inputs: {run: {type: "string"}},
  steps: [range(1; 6) | {id: "s\(.)", tool: (if . % 2 == 1 then "shop/charge" else "shop/look" end),
    args: {run: "{inputs.run}", n: ., before: (if . > 1 then "{s\(. - 1).n}" else 0 end)}}],
  outputs: {run: "{s5.run}", n: [range(1; 6) | "{s\(.).n}"]}}' >plan.json

hire() {
  n_hired=$((n_hired + 1))
  "$MISTRO" worker --mcp-config "$servers" "$@" >"$scratch/worker.$n_hired" 2>&1 </dev/null &
  worker=$!
  ln -s "worker.$n_hired" "$scratch/said.$worker"
  workers+=("$worker")
}
forget() { # a worker that ended
  local kept=() one
  for one in "${workers[@]}"; do [ "$one" = "$1" ] || kept+=("$one"); done
  workers=("${kept[@]}")
}
dismiss() { # signal, worker; sets status
  kill "-$1" "$2"
  { wait "$2"; } 2>/dev/null
  status=$?
  forget "$2"
}

submit() { # name of the run, flags…; its id is $id
  run submit plan.json --mcp-config mcp.json --var "run=$1" "${@:2}"
  id=$(head -n 1 "$scratch/out")
}

# The calls that took effect, a line each: run, step, tool, effect id.
effects() {
  jq -r 'select(.method == "tools/call").params
    | [.arguments.run, .arguments.n, .name, ._meta["local.mistro/effect-id"]] | @tsv' "$record"
}
executed() { effects | awk -v run="$1" -v n="$2" '$1 == run && $2 == n' | wc -l; } # run, step

# Asks again until it is so, for 30 s at most.
until_true() { # command…
  local end=$((SECONDS + 30))
  until "$@" 2>/dev/null; do
    [ $SECONDS -lt $end ] || { fail "waited in vain: $*"; return 1; }
    read -rt 0.05 <> <(:)
  done
}
is_in() { [ "$(status_of "$1")" = "$2" ]; } # id, status
status_of() { "$MISTRO" runs list -n 1000 --json | jq -r --arg id "$1" '.runs[] | select(.id == $id).status'; }
