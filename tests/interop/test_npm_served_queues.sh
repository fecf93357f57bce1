# The pages of a mistro with queues in a real browser (Debian's chromium), on a PostgreSQL of its own:
# runs that wait, that a worker has, and that were set aside, and the workers (look_at_served.mjs).
[ -n "${MISTRO_TEST_POSTGRES:-}" ] || exec "$SOURCE_DIR/tests/support/postgres" bash "$0"
. "$SOURCE_DIR/tests/interop/npm.sh"
chromium=$(command -v chromium) || skip "no chromium"
mkdir -p "$XDG_CONFIG_HOME/mistro"
printf 'mistral_orchestrator:\n  storage: {backend: postgres, postgres: "%s"}\n  policy: [{effect: allow}]\n' \
  "$MISTRO_TEST_POSTGRES" >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
printf 'tools: [{name: charge, replies: [{text: charged, delay_ms: 600000}]}]\n' >shop.yml
jq -n --arg m "$MISTRO" '{mcpServers: {shop: {command: $m, args: ["serve", "mock", "--fixture", "shop.yml"]}}}' >"$XDG_CONFIG_HOME/mistro/mcp.json"
jq -n '{goal: "charge what is owed", steps: [{id: "a", tool: "shop/charge"}]}' >plan.json
sql() { psql -XAtq "$MISTRO_TEST_POSTGRES" -c "$1"; }

it "has runs in every state of a queue"
aside=$("$MISTRO" submit plan.json --queue night)
sql "UPDATE mistro.queue SET state = 'poisoned', n_deaths = 3, over_ms = mistro.now_ms(),
  reason = '3 workers died while they had it, last host:1' WHERE run_id = '$aside'"
"$MISTRO" submit plan.json --queue night --at 30d >/dev/null
for _ in 1 2 3; do "$MISTRO" submit plan.json >/dev/null; done
"$MISTRO" worker --jobs 2 -m none >"$scratch/worker" 2>&1 </dev/null &
worker=$!
mkfifo "$scratch/served"
"$MISTRO" serve agent -m none --http 127.0.0.1:0 >"$scratch/served" 2>"$scratch/served.err" </dev/null &
server=$!
trap 'kill -9 $worker $server; wait; leave' EXIT
{ read -r _ && read -r login; } <"$scratch/served"
for _ in $(seq 200); do [ "$(sql "SELECT count(*) FROM mistro.calls WHERE state = 'sent'")" = 2 ] && break; read -rt 0.1 <> <(:); done
expect_same "$(sql "SELECT string_agg(state, ' ' ORDER BY place) FROM mistro.queue")" "poisoned queued taken taken queued"

it "can be read from a telephone to a wide desk, light and dark, with script and without"
"$node" "$scripts/look_at_served.mjs" "$chromium" "$login" >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_out '0 faults*'
finish
