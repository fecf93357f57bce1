# Turns whose process is killed and which are resumed, as in test_resume.sh for plans: the server's
# record, the run log and the conversation are what counts. MISTRO_KILLS says how often at least.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/kills.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
RANDOM=7
record=$scratch/record
states=$XDG_STATE_HOME/mistro/runs
tools='tools/list={"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"charge","description":"Charges the card","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"string"}},"required":["n"]}}]}}
'
jq -n '{mcpServers: {shop: {command: "bash", args: ["shop.sh"]}}}' >mcp.json
server() { # rules
  printf '%q ' exec "$peer" --record "$record" "$tools" "$@" >shop.sh
}
request="charge 1, 2, 3 and 4"
jq -cn '{purpose: "intent_and_plan", reply: {reason: "four", primary_goal: "charge",
    tools_needed: ["shop__charge"], parameters: {n: 1}, unclear_aspects: [],
    needs_clarification: false, confidence: 1, steps: [range(4) | {id: "s\(. + 1)",
      tool: "shop__charge", args: ({n: (. + 1)} + if . > 0 then {x: "{s\(.).text}"} else {} end)}]}},
  {purpose: "plan", reply: {steps: []}}, {purpose: "answer", reply: "All is charged."}' >model.jsonl
words=(--mcp-config mcp.json -m script:model.jsonl --yes)
latest() { run runs list -n 1 --json; jq -r '.runs[0].id // ""' "$scratch/out"; }
# Each reply of the model came once, and the session has the request and the answer once.
told_once() { # run, session
  run runs events "$1"
  expect_same "$(jq -rs '[.[] | select(.event == "model_replied") | .purpose] | sort | join(" ")' \
    "$scratch/out")" "answer intent_and_plan"
  run sessions show "$2" --json
  expect_json '[.messages[].content] == ["'"$request"'", "All is charged."]'
}

it "does nothing twice and loses nothing under kill -9"
rounds=0
while [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ]; do
  rounds=$((rounds + 1)) round=$rounds
  : >"$record"
  id="" answers=() is_complete=""
  for life in $(seq 30); do
    fate "$life" 4
    server "${rule[@]}"
    job=(ask "$request" --session "new:r$round")
    [ -z "$id" ] || job=(runs resume "$id" "${answers[@]}")
    live "${job[@]}" "${words[@]}" --json
    cp "$scratch/out" result
    answers=()
    if [ "$status" = 0 ]; then
      is_complete=yes
      break
    elif [ "$status" = 5 ]; then
      settle
    elif [ "$status" = 2 ]; then # it was killed before it was kept, or behind its end
      [ "$(calls)" = 0 ] || [ "$(calls)" = 4 ] || fail "lost after $(calls) calls: $(cat result)"
      if [ "$(calls)" = 4 ]; then
        is_complete=yes
        break
      fi
      id="" # begun anew, with the session that is there or is not
      "$MISTRO" sessions delete "r$round" --yes >/dev/null 2>&1
      continue
    fi
    [ -n "$id" ] || id=$(latest)
    run runs show "${id:-none}" --json
    [ "$(jq -r .session_id "$scratch/out")" = "r$round" ] || id="" # of an earlier round
  done
  [ -n "$is_complete" ] || fail "round $round: not complete, status $status: $(cat result)"
  for n in $(seq 4); do
    [ "$(executed "$n")" = 1 ] || fail "round $round: call $n was made $(executed "$n") times"
  done
  told_once "$(latest)" "r$round"
  count_calls
done
expect_kills "$rounds"

it "keeps nothing of a turn that completed"
rm -rf "$states"
server
run ask "$request" "${words[@]}"
expect_status 0
expect_same "$(ls "$states")" ""

it "goes on with a turn whose server was lost, when it is said what became of the call"
: >"$record"
server 'tools/call#3=$EXIT3;'
run ask "$request" "${words[@]}" --session new:lost
expect_status 3
expect_err '*go on with: mistro runs resume [0-9]*'
id=$(latest)
server
run runs resume "$id" "${words[@]}" --json
expect_status 5
expect_json '.status == "needs_answer" and .resumable and .questions[0].key == "uncertain.s3"'
run runs resume "$id" "${words[@]}" --uncertain done
expect_status 5
expect_err '*refers to its result*--set s3=JSON*'
run runs resume "$id" "${words[@]}" --set 's3="ok"'
expect_status 0
expect_out 'All is charged.'
expect_same "$(calls)" 4
told_once "$id" lost
run runs resume "$id" "${words[@]}"
expect_status 2
expect_err '*is complete*'

it "goes on with a turn in a chat"
: >"$record"
server 'tools/call#2=$EXIT3;'
run_with_input "$request" chat "${words[@]}" --session new:chat
expect_status 3
id=$(latest)
server
run runs resume "$id" "${words[@]}" --uncertain repeat
expect_status 0
told_once "$id" chat

it "is resumed with the model that it began with, and never goes another way than before"
: >"$record"
server 'tools/call#2=$EXIT3;'
run ask "$request" "${words[@]}" --session new:way
expect_status 3
id=$(latest)
server
run runs resume "$id" --mcp-config mcp.json -m none --uncertain repeat
expect_status 9
expect_err '*began with the model script:model.jsonl*-m script:model.jsonl*'
run runs resume "$id" --mcp-config mcp.json -m none --uncertain repeat --accept-changes --yes
expect_status 1
run runs resume "$id" "${words[@]}" --dry-run
expect_status 2
expect_same "$(calls)" 2
run runs resume "$id" "${words[@]}"
expect_status 0
expect_same "$(calls)" 5
told_once "$id" way

it "leaves no state of a turn that would end in the same way again"
rm -rf "$states"
run ask "$request" --mcp-config mcp.json -m none --no-session
[ "$status" != 0 ] && ok || fail "it is understood"
expect_same "$(ls "$states")" ""

it "goes on with what a host asked for when the agent was killed"
: >"$record"
server 'tools/call#2=$PAUSE20;$KILL;'
jq -n --arg mistro "$MISTRO" --arg data "$XDG_DATA_HOME" --arg state "$XDG_STATE_HOME" \
  --arg config "$XDG_CONFIG_HOME" '{mcpServers: {agent: {command: $mistro, args: ["serve", "agent",
    "-m", "script:model.jsonl", "--mcp-config", "mcp.json", "--yes"], env: {XDG_DATA_HOME: $data,
    XDG_STATE_HOME: $state, XDG_CONFIG_HOME: $config}}}}' >agent.json
run call agent/ask "request=$request" --mcp-config agent.json
[ "$status" != 0 ] && ok || fail "the agent was not killed"
server_ended
run runs list --json
id=$(jq -r '[.runs[] | select(.kind == "ask")][0] | .id' "$scratch/out")
run runs show "$id" --json
expect_json '.status == "interrupted"'
session=$(jq -r .session_id "$scratch/out")
server
run runs resume "$id" "${words[@]}" --uncertain repeat
expect_status 0
told_once "$id" "$session"

it "resumes everything that was interrupted, as the service does after a reboot"
jq -n '{goal: "buy", steps: [range(3) | {id: "s\(. + 1)", tool: "shop/charge", args: {n: (. + 1)},
  needs: (if . > 0 then ["s\(.)"] else [] end)}]}' >plan.json
: >"$record"
server 'tools/call#2=$KILL;'
{ "$MISTRO" ask "$request" "${words[@]}" --session new:all >/dev/null 2>&1; } 2>/dev/null
turn=$(latest)
server_ended
{ "$MISTRO" run plan.json "${words[@]}" >/dev/null 2>&1; } 2>/dev/null
server_ended
server
read -ra service <<<"$(sed -n 's/^ExecStart=mistro //p' "$SOURCE_DIR/examples/systemd/mistro-resume.service")"
run "${service[@]}" "${words[@]}"
expect_status 5
expect_out "$turn  needs_answer
*  needs_answer"
expect_same "$(calls)" 4
run runs list -n 2 --json
expect_json '.runs | map(.status) == ["needs_answer", "needs_answer"]'
run runs resume --all "${words[@]}" --json
expect_status 0
expect_json '. == []'
run runs resume "$turn" --all
expect_status 2
run runs resume --all --set s2=1
expect_status 2

it "keeps no state of a turn where that is not wanted"
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {runs: {keep_state: never}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
server 'tools/call#2=$EXIT3;'
run ask "$request" "${words[@]}"
expect_status 3
run runs resume "$(latest)" "${words[@]}"
expect_status 2
expect_err '*runs.keep_state is never*'

finish
