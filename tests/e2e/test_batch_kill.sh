# A batch that is killed: the run log has every call that a server executed. The server kills mistro
# in the middle of a call and reads on until nothing more comes; its record has what arrived.
# MISTRO_KILLS says how often, up to 60 times.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no peer_mcp"
rounds=${MISTRO_KILLS:-20}
[ "$rounds" -le 60 ] || rounds=60
executed=0 missing=0 ended=0 unmarked=0
RANDOM=7
seq 1 3000 | sed 's/.*/{"n":&}/' >lines

until_server_ended() { # its record
  for _ in $(seq 500); do tail -n 1 "$1" | grep -q '^end$' && return 0; sleep 0.02; done
  fail "the server did not end"
  return 1
}

for round in $(seq "$rounds"); do
  record=$scratch/record.$round
  jq -n --arg peer "$peer" --arg record "$record" \
    --arg rule "tools/call#$((RANDOM % 400 + 1))=\$PAUSE$((RANDOM % 4));\$KILL;" \
    '{mcpServers:{dev:{command:$peer,args:["--record",$record,$rule,"eof=$NOTEend;"]}}}' >mcp.json
  { "$MISTRO" call dev/add --batch -j $((RANDOM % 16 + 1)) --mcp-config mcp.json \
    <lines >/dev/null 2>&1; } 2>/dev/null
  until_server_ended "$record" || break
  run runs list -n 1 --json
  id=$(jq -r '.runs[0].id' "$scratch/out")
  run runs events "$id"
  sed '/^end$/d' "$record" | jq -r 'select(.method == "tools/call").params.arguments.n' | sort >executed
  jq -r 'select(.event == "tool_call").args.n' "$scratch/out" | sort >logged
  jq -r 'select(.event == "tool_result").line' "$scratch/out" | sort >answered
  jq -r 'select(.event == "tool_call" and .outcome == "unknown").line' "$scratch/out" | sort >unknown
  executed=$((executed + $(wc -l <executed)))
  missing=$((missing + $(comm -23 executed logged | wc -l)))
  unmarked=$((unmarked + $(comm -23 logged answered | comm -3 - unknown | wc -l)))
  [ "$(jq -r 'select(.event == "run_finished").event' "$scratch/out")" = "" ] || ended=$((ended + 1))
done
echo "$rounds kills, $executed calls executed, $missing of them not in the log"

it "has every executed call in the run log"
expect_same "$missing" 0
if [ "$executed" -ge "$rounds" ]; then ok; else fail "only $executed calls were executed"; fi
expect_same "$ended" 0

it "says of each call without a result, and of no other, that its outcome is unknown"
expect_same "$unmarked" 0
run runs show "$id"
expect_status 0
expect_out '*tool_call*line * dev/add*may have been sent, no answer: it may have taken effect*'

finish
