# Plans whose process is killed and which are resumed: by `kill -9` at random moments, by their server
# in the middle of a call, and by a server that carries a call out and drops the connection. The
# server's record is what counts. MISTRO_SEEDS says how often, up to 300 times.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
rounds=${MISTRO_SEEDS:-12}
[ "$rounds" -le 300 ] || rounds=300
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
calls() { grep -c '"tools/call"' "$record"; }
executed() { grep '"tools/call"' "$record" | jq .params.arguments.n | grep -cx "$1"; }
server_ended() { # the kernel ends it with mistro, but not where it killed mistro itself
  for _ in $(seq 500); do
    pgrep -f -- "--record $record" >/dev/null || return
    sleep 0.02
  done
  fail "the server did not end"
}
latest() { run runs list -n 1 --json; jq -r '.[0].id' "$scratch/out"; }
jq -n '{goal: "buy", steps: [range(6) | {id: "s\(. + 1)", tool: "shop/charge",
  args: {n: (. + 1), x: (if . > 0 then "{s\(.).text}" else "" end)}}]}' >plan.json

it "does nothing twice and loses nothing under kill -9"
kills=0 questions=0 drops=0
for round in $(seq "$rounds"); do
  : >"$record"
  id="" answers=()
  for life in $(seq 12); do
    rule=() delay=""
    if [ "$life" -le 3 ]; then
      at=$((RANDOM % 6 + 1))
      case $((RANDOM % 4)) in
        0) rule=("tools/call#$at=\$PAUSE$((RANDOM % 4));\$KILL;") ;;
        1) rule=("tools/call#$at=\$EXIT3;") drops=$((drops + 1)) ;;
        *) delay=0.$(printf %03d $((RANDOM % 120 + 5))) ;;
      esac
    fi
    server "${rule[@]}"
    words=(run plan.json)
    [ -z "$id" ] || words=(runs resume "$id" "${answers[@]}")
    "$MISTRO" "${words[@]}" --json --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    if [ -n "$delay" ]; then
      sleep "$delay"
      kill -9 $pid 2>/dev/null
    fi
    { wait $pid; } 2>/dev/null
    status=$?
    [ "$status" != 137 ] || kills=$((kills + 1))
    server_ended
    [ "$status" != 0 ] || break
    cp "$scratch/out" result
    answers=()
    if [ "$status" = 5 ]; then
      for step in $(jq -r '.questions[].key | sub("^uncertain[.]"; "")' result); do
        questions=$((questions + 1))
        if [ "$(executed "${step#s}")" = 0 ]; then
          answers+=(--answer "uncertain.$step=repeat")
        else
          answers+=(--set "$step=\"ok\"")
        fi
      done
    elif [ "$status" = 2 ]; then # it was killed before it was kept, or behind its end
      [ "$(calls)" = 0 ] || [ "$(calls)" = 6 ] || fail "lost after $(calls) calls: $(cat result)"
      [ "$(calls)" = 0 ] || break
      id=""
      continue
    fi
    [ -n "$id" ] || id=$(latest)
    [ "$id" != null ] || id=""
  done
  for n in $(seq 6); do
    [ "$(executed "$n")" = 1 ] || fail "round $round: step $n was executed $(executed "$n") times"
  done
done
echo "$rounds runs, $kills kills, $drops dropped connections, $questions questions"
if [ "$kills" -ge "$rounds" ]; then ok; else fail "only $kills kills"; fi

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
expect_err '*go on with: mistro runs resume [0-9]*'

it "asks about a call whose outcome is uncertain, and goes on with what is said"
server
: >"$record"
run runs resume "$id" --mcp-config mcp.json --json
expect_status 5
expect_json '.status == "needs_answer" and .resumable and .questions[0].key == "uncertain.s3"'
expect_json '.questions[0].choices == ["repeat", "done", "fail"]'
run runs resume "$id" --mcp-config mcp.json
expect_err "*s3: shop/charge {*was sent at 2*answer with: mistro runs resume $id --answer uncertain.s3=*"
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
expect_json '.[0].status == "interrupted"'
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
expect_json '.[0].status == "running"'
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

it "calls what failed again only where that is wanted"
server 'tools/call#2={"jsonrpc":"2.0","id":$ID,"result":{"isError":true,"content":[{"type":"text","text":"no money"}]}}
'
run run plan.json --mcp-config mcp.json
expect_status 1
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

it "keeps no state where that is not wanted, and says so"
mkdir -p "$XDG_CONFIG_HOME/mistro"
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
