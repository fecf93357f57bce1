# Runs that are submitted, and the workers that do them: when and where one begins, how its end is
# waited for, and what becomes of it where a worker ends, dies, lacks its servers or is too old.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/workers.sh"
settings
shop

it "submits a run, which is kept and not begun"
submit first
expect_status 0
expect_same "$(wc -l <"$scratch/out")" 1
expect_same "$(status_of "$id")" queued
run runs list --queue default
expect_status 0
expect_out "*$id*queued*"
expect_same "$(effects)" ""
first=$id

it "gives the same key the same run, also once that is over"
submit keyed --key order-7
expect_status 0
keyed=$id
submit other --key order-7
expect_status 0
expect_same "$id" "$keyed"
run runs list --json
expect_json '.runs | length == 2'

it "does what waits, oldest first, and waits for the end with the run's own result"
hire --jobs 1
run runs wait "$first" --json
expect_status 0
expect_json '.status == "completed" and .outputs == {run: "first", n: [1, 2, 3, 4, 5]}'
run runs wait "$keyed"
expect_status 0
expect_out '*keyed*'
expect_same "$(effects | cut -f 1 | uniq | paste -sd ' ')" "first keyed"
expect_same "$(executed other 1)" 0
submit other --key order-7
expect_same "$id" "$keyed"
expect_err '*submitted before, with the same key*'
run submit plan.json --mcp-config mcp.json --var run=other --queue night --key order-7 --json
expect_json ".run_id == \"$keyed\" and .was_there and (has(\"queue\") or has(\"status\") | not)"
run runs wait "$keyed"
expect_status 0

it "wakes the worker by a notice, long before its next heartbeat"
dismiss TERM "$worker"
expect_same "$status" 143
settings 'worker: {lease_seconds: 300}'
hire
submit noticed
until_true is_in "$id" completed
SECONDS=0
submit noticed
run runs wait "$id"
expect_status 0
expect_same "$((SECONDS < 10))" 1

it "leaves a run of another queue, and one whose time has not come"
submit elsewhere --queue night-shift
elsewhere=$id
submit tomorrow --at "$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)"
expect_status 0
tomorrow=$id
soon=$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)
submit soon --at "$soon"
run runs wait "$id"
expect_status 0
expect_same "$(("$(date +%s)" >= "$(date -d "$soon" +%s)"))" 1
expect_same "$(status_of "$elsewhere") $(status_of "$tomorrow")" "queued queued"
run runs list --queue night-shift --json
expect_json "[.runs[] | {run_id, state}] == [{run_id: \"$elsewhere\", state: \"queued\"}]"

it "cancels a run that waits at once"
run runs cancel "$tomorrow"
expect_status 0
expect_same "$(status_of "$tomorrow")" cancelled
run runs wait "$tomorrow"
expect_status 130
expect_same "$(executed tomorrow 1)" 0
run runs cancel "$tomorrow"
expect_status 2
run runs cancel nosuch
expect_status 2
dismiss TERM "$worker"

it "cancels a run that a worker has with its next call at the latest"
settings
shop "tools/call=\$PAUSE300;$shop_answer"
hire
submit stopped
was_called() { [ "$(executed "$1" "$2")" -ge 1 ]; } # run, step
until_true was_called stopped 1
run runs cancel "$id"
expect_status 0
run runs wait "$id"
expect_status 130
expect_same "$(status_of "$id")" cancelled
expect_same "$(executed stopped 5)" 0
dismiss TERM "$worker"

it "leaves a run to others that have its servers"
submit far
echo '{"mcpServers": {}}' >none.json
servers=none.json
hire
other=$worker
servers=mcp.json
hire --queue night-shift
run runs wait "$elsewhere"
expect_status 0
expect_same "$(status_of "$id")" queued
hire
run runs wait "$id"
expect_status 0
dismiss TERM "$other"
expect_same "$status" 143
for one in "${workers[@]}"; do dismiss TERM "$one"; done

it "gives a run back when it is to end, before the next call"
shop "tools/call=\$PAUSE500;$shop_answer"
hire
submit handed
until_true was_called handed 1
dismiss TERM "$worker"
expect_same "$status" 143
expect_same "$(status_of "$id")" queued
expect_same "$(executed handed 3)" 0
run runs list --queue default --json
expect_json ".runs[] | select(.run_id == \"$id\") | .state == \"queued\" and .deaths == 0"
shop
hire
run runs wait "$id" --json
expect_status 0
expect_json '.outputs.n == [1, 2, 3, 4, 5]'
expect_same "$(effects | awk '$1 == "handed"' | wc -l)" 5
dismiss TERM "$worker"

it "asks about the call of a worker that died, in the list and as the result"
settings 'worker: {lease_seconds: 3}'
shop "tools/call=\$PAUSE60000;$shop_answer"
hire
submit uncertain
until_true was_called uncertain 1
shop
hire
dismiss 9 "${workers[0]}"
run runs wait "$id" --json
expect_status 5
expect_json '.status == "needs_answer" and .questions[0].key == "uncertain.s1"'
run runs list
expect_out "*$id*needs_answer*"
run runs resume "$id" --mcp-config mcp.json --set 's1={"run":"uncertain","n":1}' --json
expect_status 0
expect_json '.outputs.n == [1, 2, 3, 4, 5]'
expect_same "$(executed uncertain 1)" 1
expect_same "$(status_of "$id")" completed
dismiss TERM "$worker"

it "sets a run aside that three workers died of, and goes on with it when it is told to"
jq '.steps |= [.[1] | .args.before = 0] | .outputs = {}' plan.json >deadly.json
mv plan.json sound.json
mv deadly.json plan.json
shop "tools/call=\$KILL;"
submit deadly
deadly=$id
for death in 1 2 3; do
  hire
  { wait "$worker"; } 2>/dev/null
  expect_same "$?" 137
  forget "$worker"
done
shop
hire
submit harmless
run runs wait "$id"
expect_status 0
run runs wait "$deadly"
expect_status 1
expect_err '*3 workers died*runs resume*'
run runs list --queue default
expect_out "*$deadly*poisoned*3 workers died*"
expect_same "$(executed deadly 2)" 3
run runs resume "$deadly" --mcp-config mcp.json
expect_status 0
expect_same "$(status_of "$deadly")" completed
dismiss TERM "$worker"
mv sound.json plan.json

it "has no more runs of a queue at once than it may, over all workers, and the oldest first"
settings 'worker: {queue_jobs: 1}'
: >"$record"
for n in 1 2 3 4 5 6; do submit "in-turn-$n"; done
last=$id
hire; hire
run runs wait "$last"
expect_status 0
for n in 1 2 3 4 5 6; do for step in 1 2 3 4 5; do echo "in-turn-$n $step"; done; done >in-turn
expect_same "$(effects | awk '{ print $1, $2 }' | diff - in-turn)" ""
for one in "${workers[@]}"; do dismiss TERM "$one"; done

it "keeps what waits, whatever the bounds for old runs are"
settings 'runs: {max_mb: 1, max_state_mb: 1}'
large=$(head -c 20000 /dev/zero | tr '\0' x)
for n in $(seq 60); do
  submit "kept-$n-$large" --queue kept
  kept+=("$id")
done
run runs prune
expect_status 0
hire --queue kept
for id in "${kept[0]}" "${kept[59]}"; do
  run runs wait "$id" --json
  expect_status 0
  expect_json '.outputs.n == [1, 2, 3, 4, 5]'
done
dismiss TERM "$worker"

it "asks the database no more often than its heart beats while there is nothing to do"
settings 'worker: {lease_seconds: 3}'
hire
submit last
run runs wait "$id"
sql "ALTER SYSTEM SET log_statement = 'all'; " && sql "SELECT pg_reload_conf()" >/dev/null
queries() { grep -cE 'LOG: +(statement|execute)' "$MISTRO_TEST_POSTGRES_FOLDER/log"; }
read -rt 1 <> <(:)
before=$(queries)
read -rt 5 <> <(:)
after=$(queries)
sql "ALTER SYSTEM RESET log_statement" && sql "SELECT pg_reload_conf()" >/dev/null
echo "$((after - before)) queries in five seconds with a heartbeat each"
expect_same "$((after - before <= 6))" 1
expect_same "$((after - before >= 4))" 1

it "refuses a database of a newer mistro, and harms nothing"
shop "tools/call=\$PAUSE200;$shop_answer"
submit between
until_true was_called between 1
# As a newer mistro does it.
sql "INSERT INTO mistro.migrations(version) VALUES (999)"
sql "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1835627381" >/dev/null
{ wait "$worker"; } 2>/dev/null
expect_same "$?" 2
cp "$scratch/said.$worker" "$scratch/err"
expect_err '*newer mistro*'
forget "$worker"
for words in "runs list" "submit plan.json --var run=x" "worker" "runs wait $id" "ask hello"; do
  # shellcheck disable=SC2086
  run $words --mcp-config mcp.json
  expect_status 2
  expect_err '*newer mistro*'
done
sql "DELETE FROM mistro.migrations WHERE version = 999"
shop
hire
run runs wait "$id"
expect_same "$(effects | awk '$1 == "between" && $3 == "charge"' | sort | uniq -d)" ""

it "ends a run whose state the database refuses, and goes on with it once that is over"
sql "CREATE FUNCTION mistro.refuse() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN RAISE 'no room'; END\$\$"
sql "CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON mistro.calls FOR EACH ROW
  WHEN (NEW.tool LIKE '%look' AND NEW.result IS NOT NULL) EXECUTE FUNCTION mistro.refuse()"
submit refused
run runs wait "$id" --json
expect_status 1
expect_json '.status == "failed" and (.error.message | contains("no room"))'
expect_same "$(status_of "$id")" failed
sql "DROP FUNCTION mistro.refuse() CASCADE" 2>/dev/null
expect_same "$(for n in 1 2 3; do executed refused "$n"; done | paste -sd ' ')" "1 1 0"
run runs resume "$id" --mcp-config mcp.json
expect_status 0
expect_same "$(for n in 1 2 3 4 5; do executed refused "$n"; done | paste -sd ' ')" "1 2 1 1 1"

it "is made by many at once, and once"
sql "DROP SCHEMA mistro CASCADE" 2>/dev/null
for n in 1 2 3 4 5 6 7 8; do
  "$MISTRO" runs list >/dev/null 2>"made.$n" &
  makers+=($!)
done
for one in "${makers[@]}"; do
  wait "$one"
  expect_same "$?" 0
done

it "needs PostgreSQL, and says so"
printf 'mistral_orchestrator: {storage: {backend: sqlite}}\n' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
for words in "submit plan.json --var run=x" "worker" "runs list --queue default"; do
  # shellcheck disable=SC2086
  run $words
  expect_status 2
  expect_err '*storage.backend: postgres*'
done
finish
