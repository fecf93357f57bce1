# Plans whose process is killed and which are resumed: by `kill -9` at random moments, by their server
# in the middle of a call, and by a server that carries a call out and then drops the connection or
# hangs. The server's record is what counts (kills.sh); MISTRO_KILLS says how often at least.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/kills.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
RANDOM=11
record=$scratch/record
states=$XDG_STATE_HOME/mistro/runs
tools='tools/list={"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"charge","description":"Charges the card","inputSchema":{"type":"object"}}]}}
'
# The server's configuration stays the same, whatever it does.
jq -n '{mcpServers: {shop: {command: "bash", args: ["shop.sh"]}}}' >mcp.json
server() { # rules
  printf '%q ' exec "$peer" --record "$record" "${list:-$tools}" "$@" >shop.sh
}
latest() { run runs list -n 1 --json; jq -r '.runs[0].id' "$scratch/out"; }
jq -n '{goal: "buy", steps: [range(6) | {id: "s\(. + 1)", tool: "shop/charge",
  args: {n: (. + 1), x: (if . > 0 then "{s\(.).text}" else "" end)}}]}' >plan.json

it "does nothing twice and loses nothing under kill -9"
rounds=0
while [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ]; do
  rounds=$((rounds + 1)) round=$rounds
  : >"$record"
  id="" answers=() is_complete=""
  for life in $(seq 30); do
    fate "$life" 6
    server "${rule[@]}"
    words=(run plan.json)
    [ -z "$id" ] || words=(runs resume "$id" "${answers[@]}")
    live "${words[@]}" --json --mcp-config mcp.json
    cp "$scratch/out" result
    answers=()
    if [ "$status" = 0 ]; then
      is_complete=yes
      break
    elif [ "$status" = 5 ]; then
      settle
    elif [ "$status" = 2 ]; then # it was killed before it was kept, or behind its end
      [ "$(calls)" = 0 ] || [ "$(calls)" = 6 ] || fail "lost after $(calls) calls: $(cat result)"
      if [ "$(calls)" != 0 ]; then
        is_complete=yes
        break
      fi
      id=""
      continue
    fi
    [ -n "$id" ] || id=$(latest)
    [ "$id" != null ] || id=""
  done
  [ -n "$is_complete" ] || fail "round $round: not complete, status $status: $(cat result)"
  if [ "$status" = 0 ]; then
    logged=$("$MISTRO" runs events "${id:-$(latest)}" | jq -r 'select(.event == "tool_call").step' | sort -u | wc -l)
    [ "$logged" = 6 ] || fail "round $round: the log knows the calls of $logged steps"
  fi
  for n in $(seq 6); do
    [ "$(executed "$n")" = 1 ] || fail "round $round: step $n was executed $(executed "$n") times"
  done
  count_calls
done
expect_kills "$rounds"

it "keeps nothing of a run that completed, and the rest for its owner only"
rm -rf "$states"
: >"$record"
server
run run plan.json --mcp-config mcp.json
expect_status 0
expect_same "$(ls "$states")" ""
expect_same "$(stat -c %a "$states")" 700
server 'tools/call#3=$EXIT3;'
run run plan.json --mcp-config mcp.json
expect_status 3
id=$(latest)
expect_same "$(stat -c %a "$states/$id.db")" 600
expect_same "$(ls "$states")" "$id.db"

it "prints how to go on"
server 'tools/call#1=$EXIT3;'
run run plan.json --mcp-config mcp.json
expect_err '*go on with: mistro runs resume [0-9]* --mcp-config mcp.json*'
run runs resume nosuch
expect_status 2
expect_err '*no run "nosuch"*mistro runs list*'

it "asks about a call whose outcome is uncertain, and goes on with what is said"
server
: >"$record"
run runs resume "$id" --mcp-config mcp.json --json
expect_status 5
expect_json '.status == "needs_answer" and .resumable and .questions[0].key == "uncertain.s3"'
expect_json '.questions[0].choices == ["repeat", "done", "fail"]'
run runs resume "$id" --mcp-config mcp.json
expect_err "*s3: shop/charge {*was sent at 2*answer with: mistro runs resume $id --mcp-config mcp.json --answer uncertain.s3=*"
run runs resume "$id" --mcp-config mcp.json --uncertain done
expect_status 5
expect_err '*refers to its result*--set s3=JSON*'
run runs resume "$id" --mcp-config mcp.json --answer uncertain.s9=done
expect_status 2
expect_same "$(calls)" 0
echo '{"receipt": 7}' >receipt.json
run runs resume "${id:0:12}" --mcp-config mcp.json --set s3=@receipt.json --json
expect_status 0
expect_same "$(calls)" 3
expect_json '.steps | length == 6 and all(.status == "ok")'
expect_json '.steps[2].result.structuredContent.receipt == 7'
run runs show "$id"
expect_out '*run_resumed*call_settled*s3 shop/charge: done (--set)*'
expect_out '*ended    completed*'

it "does not resume what is complete"
run runs resume "$id" --mcp-config mcp.json
expect_status 2
expect_err '*is complete*'

it "lists a run without a process as interrupted, and one owner goes on with it"
server 'tools/call#2=$KILL;'
{ "$MISTRO" run plan.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
id=$(latest)
expect_json '.runs[0].status == "interrupted"'
run runs stats --json
expect_json '.status.interrupted >= 1 and (.status | has("running") | not)'
server 'tools/call#1=$PAUSE3000;{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}
'
"$MISTRO" runs resume "$id" --mcp-config mcp.json --uncertain repeat >/dev/null 2>&1 &
pid=$!
for _ in $(seq 300); do grep -q "^$pid " "$states/$id.lock" 2>/dev/null && break; sleep 0.01; done
run runs resume "$id" --mcp-config mcp.json
expect_status 2
expect_err "*is being run by process $pid*"
run runs list -n 1 --json
expect_json '.runs[0].status == "running"'
kill -9 $pid
{ wait $pid; } 2>/dev/null

it "stops at a tool that changed, and at one that is gone"
list=${tools/Charges/Empties}
server
: >"$record"
run servers review --yes --mcp-config mcp.json
run runs resume "$id" --mcp-config mcp.json --uncertain repeat
expect_status 9
expect_err '*shop/charge: its definition changed*--accept-changes*'
list=${tools/\"charge\"/\"refund\"}
server
run servers review --yes --mcp-config mcp.json
run runs resume "$id" --mcp-config mcp.json --uncertain repeat
expect_status 2
expect_same "$(calls)" 0
list=${tools/Charges/Empties}
server
run servers review --yes --mcp-config mcp.json
run runs resume "$id" --mcp-config mcp.json --uncertain repeat --accept-changes
expect_status 0
list=""
server
run servers review --yes --mcp-config mcp.json

it "looks at the task that a call became, instead of calling again"
answered() { printf '{"jsonrpc":"2.0","id":$ID,"result":%s}\n' "$1"; }
state_of() { printf '{"resultType":"complete","taskId":"t1","status":"%s","pollIntervalMs":200,"ttl":null,"pollInterval":200%s}' "$1" "${2:-}"; }
hello='initialize={"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}},"serverInfo":{"name":"peer","version":"7"}}}
'
required='"charge","execution":{"taskSupport":"required"}'
legacy=("$hello" "tools/call=$(answered '{"task":{"taskId":"t1","status":"working","ttl":1000,"pollInterval":200}}')
" "tasks/result=$(answered '{"content":[{"type":"text","text":"paid"}]}')
")
modern=(--modern "tools/call=$(answered '{"resultType":"task","taskId":"t1","status":"working","pollIntervalMs":200}')
")
done_with=',"result":{"content":[{"type":"text","text":"paid"}]}'
jq '.steps |= .[:1]' plan.json >one.json
for era in legacy modern; do
  [ $era = modern ] && first=("${modern[@]}") || first=("${legacy[@]}")
  list=${tools/'"charge"'/$required}
  [ $era = legacy ] || list=${list/'"result":{'/'"result":{"resultType":"complete",'}
  for end in done unknown; do
    server "${first[@]}" 'tasks/get=$KILL;'
    run servers review --yes --mcp-config mcp.json
    : >"$record"
    { "$MISTRO" run one.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
    id=$(latest)
    if [ $end = done ]; then
      server "${first[@]}" "tasks/get#1=$(answered "$(state_of working)")
" "tasks/get=$(answered "$(state_of completed "$done_with")")
"
      run runs resume "$id" --mcp-config mcp.json
      expect_status 0
      expect_out paid
      expect_same "$(grep -c '"tasks/get"' "$record")" 3
    else
      server "${first[@]}" 'tasks/get={"jsonrpc":"2.0","id":$ID,"error":{"code":-32602,"message":"no such task"}}
'
      run runs resume "$id" --mcp-config mcp.json --json
      expect_status 5
      expect_json '.status == "needs_answer" and .resumable and .questions[0].key == "uncertain.s1"'
      run runs show "$id"
      expect_out '*forgotten the task*'
      run runs resume "$id" --mcp-config mcp.json --uncertain done
      expect_status 0
    fi
    expect_same "$(calls)" 1
  done
  server "${first[@]}" 'tasks/get={"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"no database"}}
'
  : >"$record"
  run run one.json --mcp-config mcp.json
  expect_status 1
  run runs resume "$(latest)" --mcp-config mcp.json --failed
  expect_status 5
  expect_same "$(calls)" 1
done
list=""
server
run servers review --yes --mcp-config mcp.json

it "calls what failed again only where that is wanted"
server 'tools/call#2={"jsonrpc":"2.0","id":$ID,"result":{"isError":true,"content":[{"type":"text","text":"no money"}]}}
'
run run plan.json --mcp-config mcp.json
expect_status 1
expect_err '*go on with: mistro runs resume [0-9]* --failed --mcp-config mcp.json*'
id=$(latest)
: >"$record"
server
run runs resume "$id" --mcp-config mcp.json
expect_status 1
expect_err '*no money*'
expect_same "$(calls)" 0
run runs resume "$id" --mcp-config mcp.json --failed
expect_status 0
expect_same "$(calls)" 5

it "runs an edited plan without the calls that were made before"
server 'tools/call#3={"jsonrpc":"2.0","id":$ID,"result":{"isError":true,"content":[{"type":"text","text":"no money"}]}}
'
run run plan.json --mcp-config mcp.json
expect_status 1
id=$(latest)
: >"$record"
server
jq '.steps[2].args.n = 30 | .vars = {last: 6} | .steps[5].args.n = "{vars.last}"' plan.json >edited.json
run runs fork "$id" --plan edited.json --var last=60 --mcp-config mcp.json --json
expect_status 0
expect_json '[.steps[].status] == ["cached", "cached", "ok", "ok", "ok", "ok"]'
expect_same "$(grep '"tools/call"' "$record" | jq -c .params.arguments.n | paste -sd' ')" "30 4 5 60"
run runs fork "$id" --plan edited.json --mcp-config mcp.json
expect_err "*2 steps taken over from run $id*"
run runs fork "$id" --mcp-config mcp.json
expect_status 2
run runs show "$id" --var last=1
expect_status 2

it "refuses what is damaged or newer, and leaves it as it is"
server 'tools/call#3=$EXIT3;'
run run plan.json --mcp-config mcp.json
id=$(latest)
cp "$states/$id.db" sound.db
printf '\0\0\0\11' | dd of="$states/$id.db" bs=1 seek=60 conv=notrunc 2>/dev/null
run runs resume "$id" --mcp-config mcp.json
expect_status 2
expect_err '*newer mistro*'
cp sound.db "$states/$id.db"
head -c 4096 /dev/zero | dd of="$states/$id.db" bs=4096 seek=3 conv=notrunc 2>/dev/null
cp "$states/$id.db" damaged.db
run runs resume "$id" --mcp-config mcp.json
expect_status 3
expect_err '*damaged*'
# SQLite counts in the header, in the first 100 bytes, that it was opened.
cmp -s -i 100 damaged.db "$states/$id.db" && ok || fail "a damaged state was changed"

it "goes on with the plan that began, whatever its file says now"
cp plan.json edited.json
server 'tools/call#3=$KILL;'
: >"$record"
{ "$MISTRO" run edited.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
jq '.steps[].args.n = 99' plan.json >edited.json
server
run runs resume "$(latest)" --mcp-config mcp.json --uncertain done --set 's3="ok"'
expect_status 0
expect_same "$(grep '"tools/call"' "$record" | jq .params.arguments.n | paste -sd' ')" "1 2 3 4 5 6"

it "does not mind a clock that is set back"
set_back() { LD_PRELOAD=$BUILD_DIR/tests/clock_back.so CLOCK_BACK_AT=$1 ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 "$MISTRO" "${@:2}"; }
for at in 1 12; do
  server 'tools/call#3=$KILL;'
  : >"$record"
  { set_back 12 run plan.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
  id=$(basename "$(ls -t "$states"/*.db | head -1)" .db)
  server
  set_back $at runs resume "$id" --mcp-config mcp.json --set 's3="ok"' >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 0
  expect_same "$(calls)" 6
  run runs events "$id"
  expect_same "$(jq -s 'map(select(.event == "tool_call")) | length' "$scratch/out")" 6
done

it "does not remove the run that ends when the clock was set forward meanwhile"
server
for at in 6 12 24; do
  CLOCK_FORWARD_DAYS=40 set_back $at run plan.json --mcp-config mcp.json --json >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 0
  id=$(jq -r .run_id "$scratch/out")
  run runs show "$id" --json
  expect_status 0
  expect_json '.status == "completed" and (.events | map(select(.event == "tool_result")) | length) == 6'
done

it "refuses a run log of a newer version, and calls nothing"
log=$XDG_DATA_HOME/mistro/runs.db
server 'tools/call#3=$EXIT3;'
run run plan.json --mcp-config mcp.json
id=$(latest)
server
: >"$record"
mkdir sound && mv "$log"* sound/ && cp sound/runs.db "$log"
printf '\0\0\0\143' | dd of="$log" bs=1 seek=60 conv=notrunc 2>/dev/null
for words in "runs resume $id" "run plan.json"; do
  run $words --mcp-config mcp.json
  expect_status 2
  expect_err '*runs.db*newer mistro*'
done
expect_same "$(calls)" 0
rm "$log"* && mv sound/* "$(dirname "$log")"

it "calls nothing where it cannot write"
XDG_STATE_HOME=/proc run run plan.json --mcp-config mcp.json
expect_status 3
expect_err '*state of the run*'
expect_same "$(calls)" 0

it "calls nothing when the state cannot be written"
rm -rf "$states"
: >"$states"
: >"$record"
server
run run plan.json --mcp-config mcp.json
expect_status 3
expect_err '*state of the run*'
expect_same "$(calls)" 0
rm "$states"

it "stops before the call that finds the disk full"
# The limit on the size of files stands for the disk: it is reached between two calls.
run_limited() { (ulimit -f 600; trap '' XFSZ; "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null); status=$?; }
server 'tools/call={"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"$FILL200000;"}]}}
'
: >"$record"
run_limited run plan.json --mcp-config mcp.json
expect_status 3
expect_err '*not called*'
if [ "$(calls)" -lt 6 ]; then ok; else fail "it went on"; fi
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {max_plan_steps: 60, policy: [{tool: charge, repeat: true}]}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
jq -n '{steps: [range(60) | {id: "s\(. + 1)", tool: "shop/charge", args: {n: (. + 1)},
  needs: (if . > 0 then ["s\(.)"] else [] end)}]}' >chain.json
: >"$record"
run_limited run chain.json --mcp-config mcp.json
expect_status 3
if [ "$(calls)" -lt 60 ]; then ok; else fail "it went on"; fi
rm "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"

it "repeats without a question what the server knows by an argument"
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {policy: [{tool: charge, idempotency_argument: key}]}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
server
: >"$record"
run run plan.json --mcp-config mcp.json
expect_status 2
expect_err '*shop/charge has no argument "key"*'
expect_same "$(calls)" 0
takes='"type":"object","properties":{"key":{"type":"string"},"n":{},"x":{}}'
list=${tools/'"type":"object"'/$takes}
server 'tools/call#3=$KILL;'
run servers review --yes --mcp-config mcp.json
{ "$MISTRO" run plan.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
server
run runs resume "$(latest)" --mcp-config mcp.json
expect_status 0
expect_same "$(grep '"tools/call"' "$record" | jq -r .params.arguments.key | sort -u | wc -l)" 6
expect_same "$(calls)" 7
list=""
server
run servers review --yes --mcp-config mcp.json

it "keeps no state where that is not wanted, and says so"
echo 'mistral_orchestrator: {runs: {keep_state: never}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
server 'tools/call#3=$EXIT3;'
run run plan.json --mcp-config mcp.json
expect_status 3
expect_same "$(find "$states" -name '*.db' | grep -c "$(latest)")" 0
run runs resume "$(latest)" --mcp-config mcp.json
expect_status 2
expect_err '*runs.keep_state is never*'

it "keeps the state of a complete run where that is wanted"
echo 'mistral_orchestrator: {runs: {keep_state: always}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
server
run run plan.json --mcp-config mcp.json
expect_status 0
id=$(latest)
[ -f "$states/$id.db" ] && ok || fail "it is gone"
run runs resume "$id" --mcp-config mcp.json
expect_status 2

it "ends a run whose results are more than it may keep, before the next call"
echo 'mistral_orchestrator: {runs: {max_state_mb: 1}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
server 'tools/call={"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"$FILL600000;"}]}}
'
: >"$record"
sed 's/{s[0-9].text}//' plan.json | jq '.steps |= [range(length) as $i | .[$i] + (if $i > 0 then {needs: ["s\($i)"]} else {} end)]' >wide.json
run run wide.json --mcp-config mcp.json
expect_status 8
expect_err '*runs.max_state_mb*'
expect_same "$(calls)" 2

finish
