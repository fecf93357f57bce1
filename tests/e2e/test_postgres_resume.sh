# Plans on storage.backend: postgres whose process is killed, and which another process goes on with
# as soon as the lease of the first one is over. The server's record is what counts (kills.sh).
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/kills.sh"
url_of_database=${MISTRO_TEST_POSTGRES:?run it by tests/support/postgres}
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
RANDOM=11
record=$scratch/record
settings="$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
mkdir -p "${settings%/*}"
cat >"$settings" <<END
mistral_orchestrator:
  storage: {backend: postgres, postgres: "$url_of_database"}
  worker: {lease_seconds: 3}
END
tools='tools/list={"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"charge","description":"Charges the card","inputSchema":{"type":"object"}}]}}
'
jq -n '{mcpServers: {shop: {command: "bash", args: ["shop.sh"]}}}' >mcp.json
server() { printf '%q ' exec "$peer" --record "$record" "$tools" "$@" >shop.sh; } # rules
jq -n '{goal: "buy", steps: [range(6) | {id: "s\(. + 1)", tool: "shop/charge",
  args: {n: (. + 1), x: (if . > 0 then "{s\(.).text}" else "" end)}}]}' >plan.json
latest() { run runs list -n 1 --json; jq -r '.runs[0].id' "$scratch/out"; }
status_of() { "$MISTRO" runs list --json | jq -r --arg id "$1" '.runs[] | select(.id == $id).status'; }
postgres() { psql -X -A -t "$url_of_database" -c "$1"; } # one value
until_nobody_has() { # run
  for _ in $(seq 300); do
    [ "$(postgres "SELECT bool_or(mistro.is_alive(process)) FROM mistro.leases WHERE run_id = '$1'")" = t ] || return 0
    sleep 0.02
  done
  fail "run $1 is still somebody's"
}

it "does nothing twice and loses nothing under kill -9"
rounds=0
while [ "$kills" -lt "$((kills_wanted / 3))" ] && [ "$failed" = 0 ]; do
  rounds=$((rounds + 1)) round=$rounds
  : >"$record"
  id="" answers=()
  for life in $(seq 30); do
    fate "$life" 6
    server "${rule[@]}"
    words=(run plan.json)
    [ -z "$id" ] || words=(runs resume "$id" "${answers[@]}")
    live "${words[@]}" --json --mcp-config mcp.json
    cp "$scratch/out" result
    answers=()
    [ "$status" != 0 ] || break
    [ "$status" != 5 ] || settle
    if [ "$status" = 2 ] && [ -n "$id" ]; then # its state is gone, and the log does not know yet
      [ "$(calls)" = 6 ] && break || fail "round $round: lost after $(calls) calls: $(cat result)"
    fi
    [ -n "$id" ] || id=$(latest)
    [ "$id" != null ] || id=""
    [ "$status" != 137 ] || until_nobody_has "$id"
  done
  for n in $(seq 6); do
    [ "$(executed "$n")" = 1 ] || fail "round $round: step $n was executed $(executed "$n") times: $(cat result)"
  done
  count_calls
done
echo "$rounds rounds, $kills kills, $all_calls calls, $questions questions"
[ "$kills" -ge "$((kills_wanted / 3))" ] && ok

it "keeps a run for its process for longer than a lease lasts"
server 'tools/call#1=$PAUSE8000;{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}
'
: >"$record"
"$MISTRO" run plan.json --mcp-config mcp.json >"$scratch/first" 2>&1 &
pid=$!
for _ in $(seq 300); do [ "$(calls)" = 0 ] || break; sleep 0.02; done
id=$(latest)
over=$((SECONDS + 5)) # a lease lasts for three seconds
while [ "$SECONDS" -lt "$over" ]; do
  run runs resume "$id" --mcp-config mcp.json --uncertain repeat
  [ "$status" = 2 ] || fail "a second process went on with it: $status"
  sleep 0.1
done
expect_err "*is being run by process *:$pid*"
expect_same "$(status_of "$id")" running
wait $pid
expect_same "$?" 0

it "leaves nothing of a run that completed, and no process that ended"
expect_same "$(postgres "SELECT count(*) FROM mistro.leases JOIN mistro.processes p ON p.id = process WHERE p.label LIKE '%:$pid'")" 0
expect_same "$(postgres "SELECT count(*) FROM mistro.run_states WHERE run_id = '$id'")" 0
expect_same "$(postgres "SELECT count(*) FROM mistro.processes WHERE label LIKE '%:$pid'")" 0
finish
