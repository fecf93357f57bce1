# The words of `runs resume`, `fork` and `prune`: what is refused before anything is changed, and what a
# person reads who has to go on. What becomes of calls is in test_resume.sh.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
record=$scratch/record
states=$XDG_STATE_HOME/mistro/runs
tools='tools/list={"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"charge","description":"Charges the card","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"receipt":{"type":"integer"},"note":{"type":"string"}},"required":["receipt"]}}]}}
'
paid='tools/call={"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"paid"}],"structuredContent":{"receipt":7}}}
'
jq -n --arg script "$PWD/shop.sh" '{mcpServers: {shop: {command: "bash", args: [$script]}}}' >mcp.json
server() { # rules
  printf '%q ' exec "$peer" --record "$record" "$tools" "$@" "$paid" >shop.sh
}
calls() { grep -c '"tools/call"' "$record"; }
latest() { run runs list -n 1 --json; jq -r '.runs[0].id' "$scratch/out"; }
# A run whose call s2 was sent and not answered, and whose s3 refers to its result.
jq -n '{goal: "buy", steps: [range(3) | {id: "s\(. + 1)", tool: "shop/charge",
  args: {n: (. + 1), token: "abc-123-xyz", x: (if . > 0 then "{s\(.).receipt}" else "" end)}}]}' >plan.json
lost_run() {
  server 'tools/call#2=$EXIT3;'
  "$MISTRO" run plan.json --mcp-config mcp.json >/dev/null 2>&1
  id=$(latest)
  server
  : >"$record"
}
resume() { run runs resume "$id" --mcp-config mcp.json "$@"; }
log_of() { "$MISTRO" runs show "$id" --json; }
expect_refused() { # status, and nothing is changed
  expect_status "$1"
  expect_same "$(log_of)" "$log"
  expect_same "$(calls)" 0
}

it "refuses contradictory and unknown words before anything is changed"
lost_run
log=$(log_of)
resume --answer uncertain.s2=repeat --set 's2={"receipt": 7}'
expect_refused 2
expect_err '*s2*repeat*--set*'
resume --answer uncertain.s2=fail --set 's2={"receipt": 7}'
expect_refused 2
resume --answer uncertain.s2=repeat --answer uncertain.s2=done
expect_refused 2
expect_err '*uncertain.s2*twice*'
resume --set s2=1 --set s2=2
expect_refused 2
resume --answer uncertain.s9=done
expect_refused 2
expect_err '*s9*the keys there are: uncertain.s2*'
resume --set s9=1
expect_refused 2
resume --answer uncertain.s2=perhaps
expect_refused 2
expect_err '*repeat, done or fail*'
resume --answer s2=done
expect_refused 2
resume --set 's2={"receipt'
expect_refused 2

it "refuses a result that does not fit the tool's output schema, and stores nothing of it"
resume --set 's2={"receipt": "seven"}'
expect_status 2
expect_err '*--set s2*receipt*'
resume --set 's2="paid"'
expect_status 2
expect_same "$(calls)" 0
resume --json
expect_status 5
expect_json '.questions[0].key == "uncertain.s2"'
resume --answer uncertain.s2=done --set 's2={"receipt": 7}'
expect_status 0
expect_same "$(calls)" 1

it "goes on in the folder that the run began in, or in another one that is accepted"
lost_run
log=$(log_of)
mkdir -p "$scratch/elsewhere"
home=$PWD
resume_elsewhere() { cd "$scratch/elsewhere" && run runs resume "$id" --mcp-config "$home/mcp.json" --uncertain repeat "$@"; cd "$home" || exit 1; }
resume_elsewhere
expect_refused 9
expect_err "*$home*--accept-changes*"
resume_elsewhere --accept-changes
expect_status 0
expect_err "*began in $home*goes on in $scratch/elsewhere*"

it "shows the arguments of an uncertain call without the secrets in them"
lost_run
resume
expect_status 5
expect_err '*s2: shop/charge {*redacted*was sent at*'
if grep -q abc-123 "$scratch/err"; then fail "the secret is shown"; else ok; fi

it "attempts every interrupted run, whatever becomes of the others, and ends with the worst status"
killed_run() {
  server 'tools/call#2=$KILL;'
  { "$MISTRO" run plan.json --mcp-config mcp.json >/dev/null 2>&1; } 2>/dev/null
  latest
}
damaged=$(killed_run)
rm -f "$states/$damaged.db"-*; yes damage | head -c 20000 >"$states/$damaged.db"
sound=$(killed_run)
asked=$(killed_run)
server
: >"$record"
run runs resume --all --mcp-config mcp.json --answer uncertain.s2=repeat
expect_status 2
run runs resume --all --mcp-config mcp.json
expect_status 5
expect_out "$damaged  *damaged*$sound  needs_answer*$asked  needs_answer*"
expect_same "$(calls)" 0

it "leaves a forked run out of --all, says so, and goes on with it by its id"
forked=$(killed_run)
server
jq '.steps |= [.[0], (.[1] | .args.n = 9)]' plan.json >other.json
run runs fork "$forked" --plan other.json --mcp-config mcp.json
expect_status 0
: >"$record"
run runs resume --all --mcp-config mcp.json --uncertain repeat
expect_out "*$forked  interrupted: *was forked as *resume it by its id*"
expect_same "$(calls)" 0
run runs fork "$forked" --plan other.json --mcp-config mcp.json
expect_err "*$forked was forked as *already*"
run runs resume "$forked" --mcp-config mcp.json --uncertain repeat
expect_status 0

it "says that a run is complete whose answer cannot be written to the file of -o"
if [ -c /dev/full ]; then
  for form in "" --json; do
    lost_run
    resume --uncertain repeat -o /dev/full $form
    expect_status 1
    if [ "$form" ]; then said=out; else said=err; fi
    expect_same "$(grep -c "$id is complete, .*No space left.*" "$scratch/$said")" 1
    expect_same "$(grep -c "mistro runs show $id" "$scratch/$said")" 1
  done
fi

it "says where a fork's uncertain call is settled, with what was said here, and that the run goes on then"
lost_run
run runs fork "$id" --plan plan.json --mcp-config mcp.json
expect_err "*and its own plan goes on: mistro runs resume $id --answer uncertain.s2=… --mcp-config mcp.json*"

it "goes on with all that the log does not have, but not with what had ended"
log=$XDG_DATA_HOME/mistro/runs.db
rm -f "$states"/*
echo 'mistral_orchestrator: {runs: {keep_state: always}}' >always.yml
"$MISTRO" run plan.json --mcp-config mcp.json --config always.yml >/dev/null 2>&1
[ -f "$states/$(latest).db" ] && ok || fail "nothing of a complete run is kept"
lost_run
ended=$id
unlogged=$(killed_run)
rm -f "$log"*
server
: >"$record"
run runs resume --all --mcp-config mcp.json --uncertain repeat
expect_status 0
expect_same "$(cat "$scratch/out")" "$unlogged  completed"
expect_same "$(calls)" 2
[ -f "$states/$ended.db" ] && ok || fail "what had ended is gone"
run runs list --json
expect_json '[.runs[].id] == ["'"$unlogged"'"]'

it "says which steps a fork takes over, and nothing of a resumed run that has none"
lost_run
run runs fork "$id" --plan plan.json --mcp-config mcp.json
expect_err "*s1 shop/charge*taken over*1 step taken over from run $id*"
jq '.steps = [{id: "n", tool: "shop/charge", args: {n: 9}}]' plan.json >other.json
run runs fork "$id" --plan other.json --mcp-config mcp.json
expect_err "*- 0 steps taken over from run $id*"
server 'tools/call#1=$EXIT3;'
run run plan.json --mcp-config mcp.json
id=$(latest)
server
resume --uncertain repeat
expect_status 0
if grep -q "0 steps" "$scratch/err"; then fail "0 steps are told of"; else ok; fi
run runs show "$id"
expect_out '*resumed; the status was failed*'

it "checks the id of a run that is forked or resumed without a log"
echo 'mistral_orchestrator: {runs: {enabled: false}}' >nolog.yml
for what in "fork --plan plan.json" resume; do
  for other in nosuch ../x "a b"; do
    run runs ${what%% *} "$other" ${what#"${what%% *}"} --mcp-config mcp.json --config nolog.yml
    expect_status 2
    expect_err "*no run \"$other\"*"
  done
done

it "says each problem of a plan once, and how it is called"
jq '.steps = .steps[:1] | .steps[0].args.x = "{s9.text}"' plan.json >bad.json
run run bad.json --mcp-config mcp.json
expect_status 7
expect_same "$(grep -c s9 "$scratch/err")" 1
expect_err '*mistro: the plan may not run*'

it "says which states of runs were removed, and why a resumed run is not replayed"
echo 'mistral_orchestrator: {runs: {keep_state: always}}' >always.yml
lost_run
resume --uncertain repeat --config always.yml
expect_status 0
run runs replay "$id" --mcp-config mcp.json
expect_status 2
expect_err '*it was resumed*'
rm -rf "$states"
lost_run
touch -d '2 days ago' "$states/$id.db"
echo 'mistral_orchestrator: {runs: {keep_days: 1}}' >day.yml
run runs prune --config day.yml
expect_status 0
expect_err '*removed 0 runs and 1 kept state*'

it "prints hints that work as they stand"
cp mcp.json other-mcp.json
echo 'mistral_orchestrator: {}' >settings.yml
lost_run
run runs resume "$id" --mcp-config other-mcp.json --config settings.yml --servers shop
expect_err "*answer with: mistro runs resume $id --config settings.yml --mcp-config other-mcp.json --servers shop --answer uncertain.s2=*"
jq '.steps = .steps[:2] | .steps[1].args.x = "{s1.note}"' plan.json >bad.json
run run bad.json --mcp-config mcp.json
expect_status 1
expect_err "*mend the plan and go on with: mistro runs fork [0-9]* --plan FILE --mcp-config mcp.json*"
sed -i 's/Charges the card/Empties the card/' shop.sh
resume --uncertain repeat
expect_status 9
if grep -q 'go on with' "$scratch/err"; then fail "there are two hints"; else ok; fi
run call shop/charge --mcp-config mcp.json
expect_err '*mistro servers review shop --mcp-config mcp.json*'
run ask charge --mcp-config mcp.json -m none
expect_err '*mistro servers review --mcp-config mcp.json*'
server
run servers review --yes --mcp-config mcp.json
jq -cn '{purpose: "intent_and_plan", reply: {reason: "one", primary_goal: "charge",
    tools_needed: ["shop__charge"], parameters: {n: 1}, unclear_aspects: [],
    needs_clarification: false, confidence: 1, steps: [{id: "s1", tool: "shop__charge", args: {n: 1}}]}},
  {purpose: "answer", reply: "All is charged."}' >model.jsonl
server 'tools/call#1=$EXIT3;'
run ask "charge 1" --mcp-config mcp.json -m script:model.jsonl --yes --session new:words
id=$(latest)
server
resume --uncertain repeat -m none
expect_status 9
expect_err '*-m script:model.jsonl*'
if grep -q 'go on with' "$scratch/err"; then fail "there are two hints"; else ok; fi

it "says how a question is answered that a resumed turn asks"
jq -cn '{purpose: "intent_and_plan", reply: {reason: "what", primary_goal: "charge", tools_needed: [],
    parameters: {}, unclear_aspects: ["how much?"], needs_clarification: true, confidence: 0.3, steps: []}}' >model.jsonl
words=(--mcp-config mcp.json -m script:model.jsonl --yes)
# The server kills mistro at its first word, which on a busy machine may come before the request is
# on disk; there is nothing to resume then, and mistro says so.
for _ in $(seq 20); do
  printf '%q ' exec "$peer" --record "$record" 'tools/list=$KILL;' >shop.sh
  { "$MISTRO" ask "charge the card" "${words[@]}" --session new:asks >/dev/null 2>&1; } 2>/dev/null
  id=$(latest)
  server
  run runs resume "$id" "${words[@]}"
  grep -q 'before its request was kept' "$scratch/err" || break
  run sessions delete asks --yes
done
expect_status 5
expect_err '*answer with: mistro ask --session asks -m script:model.jsonl --mcp-config mcp.json --yes --answer goal=*'
eval "again=($(sed -n 's/.*answer with: mistro //p' "$scratch/err" | sed 's/…/7/'))"
run "${again[@]}"
expect_status 5
expect_err '*how much*'

it "ends with a message and says how to go on, whichever signal asks it to end"
for signal in INT:130 TERM:143 HUP:129; do
  server 'tools/call#2=$PAUSE60000;'
  : >"$record"
  "$MISTRO" run plan.json --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err" </dev/null &
  pid=$!
  for _ in $(seq 1000); do [ "$(calls)" = 2 ] && break; sleep 0.01; done
  kill -"${signal%:*}" $pid
  wait $pid 2>/dev/null
  status=$?
  expect_status "${signal#*:}"
  expect_err '*mistro: cancelled*go on with: mistro runs resume*'
  run runs list -n 1 --json
  expect_json '.runs[0].status == "cancelled"'
done

if command -v tmux >/dev/null; then
  . "$SOURCE_DIR/tests/e2e/terminal.sh"
  it "asks for the result of a call that is done, until it is JSON that fits"
  lost_run
  begin_terminal 100 30 runs resume "$id" --mcp-config mcp.json
  see '*what is to be done about it*3) fail*'
  type_line done
  see '*its result, as JSON*'
  type_line '{"receipt'
  see '*its result, as JSON*its result, as JSON*'
  type_line '{"receipt": "seven"}'
  see '*its result, as JSON*receipt*its result, as JSON*'
  type_line '{"receipt": 7}'
  see '*left with 0*'
  expect_same "$(calls)" 1
fi

finish
