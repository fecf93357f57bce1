# Runs that were kept (runs.keep_state: always) and are replayed: plans and turns, with failures,
# people who are asked, and steps side by side. The events of a replay are those of the log to the
# byte, times aside, and strace sees neither a socket nor a child. Each is replayed twice, ten times
# with MISTRO_LONG=1.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v strace >/dev/null || skip "strace is not installed"
cp -r "$SOURCE_DIR/examples/workspace/." .
rounds=2
[ "${MISTRO_LONG:-}" != 1 ] || rounds=10
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {runs: {keep_state: always}, policy: [{effect: deny, server: dev, tool: never}]}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
states=$XDG_STATE_HOME/mistro/runs

cat >dev.yml <<'YML'
tools:
  - name: next
    description: The next number
    inputSchema: {type: object, properties: {of: {type: string}}}
    replies:
      - {text: one, times: 1, delay_ms: 5, progress: [{progress: 1, total: 2, message: half}]}
      - {text: two}
  - {name: fail, description: Always fails, replies: [{error: broken}]}
  - {name: refuse, description: Refuses, replies: [{error: {code: -32603, message: no more}}]}
  - {name: never, description: Is denied, replies: [{text: no}]}
  - {name: login, description: Gives a key, replies: [{structured: {token: planted-secret-1, user: ada}}]}
  - name: say
    description: Says a text
    inputSchema: {type: object, properties: {with: {type: string}}, required: [with]}
    replies: [{text: "ada, by {args.with}"}]
  - name: who
    description: Asks who it is for
    replies: [{elicit: {message: Who is it for?, schema: {type: object, properties: {name: {type: string}}, required: [name]}}, text: "for {elicited.name}"}]
  - {name: page, description: Sends the person to a page, replies: [{elicit: {message: Please pay, url: "https://shop.example/cart"}, text: paid}]}
  - name: verse
    description: Asks the model
    replies: [{sample: {prompt: A verse, maxTokens: 30}, text: "it says {sampled}"}]
  - {name: grow, description: Shows more tools, replies: [{text: there, reveals: [late]}]}
  - {name: late, description: Comes late, hidden: true}
YML
mock_config "$PWD/dev.yml" | jq '.mcpServers.dev.sampling = "allow"' >mcp.json
configured=(--mcp-config mcp.json)
latest() { "$MISTRO" runs list -n "${1:-1}" --json 2>/dev/null | jq -r '.runs[].id'; }
# Events without times and ids, by step: steps that run side by side end in any order.
events() {
  jq -cS 'select(.event as $e | ["server_state", "tools_changed", "model_state", "warning", "result",
      "step_progress", "model_token", "answer_token", null] | index($e) | not) |
    del(.v, .run, .n, .time, .duration_ms, .ms, .effect_id, .span_id, .reply_id, .meta) | [.step // "", .]' |
    sort -s -t, -k1,1
}
alone() {
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o "$scratch/trace" -e trace=network,process \
    "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  local other
  other=$(grep -v "resumed>\|CLONE_THREAD\|+++\|---\|execve(\"$MISTRO\"\| exit\(_group\)\?(\| arch_prctl(" "$scratch/trace")
  [ -z "$other" ] && ok || fail "a replay did: $(head -3 <<<"$other")"
}
n_runs=0
replays() { # status of the run; words that its events must have, or none: the latest run
  local id round
  id=$(latest)
  n_runs=$((n_runs + 1))
  "$MISTRO" runs events "$id" >"$scratch/log" 2>/dev/null
  expect_same "$(jq -rs 'last.status' "$scratch/log")" "$1"
  grep -q -- "${2:-run_started}" "$scratch/log" && ok || fail "the log has no $2"
  for round in $(seq $rounds); do
    alone runs replay "$id" --events
    expect_status 0
    events <"$scratch/log" >"$scratch/then"
    events <"$scratch/out" >"$scratch/now"
    cmp -s "$scratch/then" "$scratch/now" && ok ||
      fail "$current: $(diff "$scratch/then" "$scratch/now" | head -4 | cut -c1-600)"
  done
}
plan() { # steps
  printf 'steps:\n' >plan.yml
  printf '  - %s\n' "$@" >>plan.yml
  run run plan.yml "${configured[@]}" -y
}
away() { mv mcp.json "$scratch/mcp.json"; replays "$@"; mv "$scratch/mcp.json" .; }

it "a plan of one call"
plan '{id: s1, tool: dev/next, args: {of: a}}'
away completed tool_result
it "a plan whose calls carry their effect id in an argument"
cp "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml" settings.yml
echo 'mistral_orchestrator: {runs: {keep_state: always}, policy: [{tool: next, idempotency_argument: of}]}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
plan '{id: s1, tool: dev/next}'
away completed tool_result
run run plan.yml "${configured[@]}" -y --record tape
expect_status 0
alone run plan.yml --replay tape
expect_status 0
mv settings.yml "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
it "a plan with references, secrets, and equal calls with other answers"
plan '{id: s1, tool: dev/login}' '{id: s2, tool: dev/say, args: {with: "{s1.token}"}}' \
  '{id: s3, tool: dev/next, args: {of: x}}' '{id: s4, tool: dev/next, args: {of: x}}'
away completed s4
it "a plan whose steps run side by side"
mapfile -t side < <(for i in $(seq 9); do echo "{id: p$i, tool: dev/say, args: {with: \"$i\"}}"; done)
plan "${side[@]}" '{id: all, tool: dev/say, args: {with: "{p1.text} {p9.text}"}}'
away completed all
it "a plan with a variable"
printf 'vars: {who: nobody}\nsteps:\n  - {id: s1, tool: dev/say, args: {with: "{vars.who}"}}\n' >plan.yml
run run plan.yml --var who=ada "${configured[@]}" -y
away completed 'by ada'
it "a plan that fails by its tool"
plan '{id: s1, tool: dev/fail}' '{id: s2, tool: dev/say, args: {with: "{s1.text}"}}'
away failed broken
it "a plan that fails by its server"
plan "${side[@]:0:3}" '{id: bad, tool: dev/refuse}'
away failed 'no more'
it "a plan whose server asks and nobody is there"
plan '{id: s1, tool: dev/who}'
away failed tool_result
it "a plan whose server asks the model"
printf '{"purpose":"sampling","reply":"a plum"}\n' >model.jsonl
run run plan.yml "${configured[@]}" -y -m script:model.jsonl
plan '{id: s1, tool: dev/verse}'
run run plan.yml "${configured[@]}" -y -m script:model.jsonl
away completed sampling_answered
it "a plan whose list of tools changes"
plan '{id: s1, tool: dev/grow}' '{id: s2, tool: dev/say, args: {with: "{s1.text}"}}'
away completed there
it "a plan that the settings deny"
plan '{id: s1, tool: dev/say, args: {with: a}}' '{id: s2, tool: dev/never, args: {x: "{s1.text}"}}'
away refused 'denied by the settings'

it "a turn without a model"
run ask -m none "read the file README.md"
replays completed answer
it "a turn that finds nothing to do it with"
run ask -m none "search for TODO in the notes folder"
replays completed tool_call
intent() { # steps as JSON
  jq -cn --argjson steps "$1" '{purpose: "intent_and_plan", reply: {reason: "r", primary_goal: "say",
    tools_needed: ($steps | map(.tool)), parameters: {}, unclear_aspects: [],
    needs_clarification: false, confidence: 1, steps: $steps}}'
}
say='[{"id":"s1","tool":"dev__say","args":{"with":"bob"}}]'
it "a turn with a model"
{ intent "$say"; echo '{"purpose":"answer","reply":"Said: ada, by bob."}'; } >model.jsonl
run ask -m script:model.jsonl "${configured[@]}" -y "say something with bob"
away completed model_replied
it "a turn of a session that has one already"
run ask -m script:model.jsonl "${configured[@]}" -y --session new:one "say something with bob"
run ask -m script:model.jsonl "${configured[@]}" -y --session one "say it with bob again"
away completed model_replied
it "a turn whose model has to be reminded of the form"
{ echo '{"purpose":"intent_and_plan","reply":"I am not JSON"}'; intent "$say"
  echo '{"purpose":"answer","reply":"Said: ada, by bob."}'; } >twice.jsonl
run ask -m script:twice.jsonl "${configured[@]}" -y "say something with bob"
away completed reminder
it "a turn whose tool fails"
{ intent '[{"id":"s1","tool":"dev__fail","args":{}}]'; echo '{"purpose":"plan","reply":{"steps":[]}}'
  echo '{"purpose":"answer","reply":"It is broken."}'; } >failing.jsonl
run ask -m script:failing.jsonl "${configured[@]}" -y "make it fail"
away "$("$MISTRO" runs list -n 1 --json | jq -r '.runs[0].status')" broken
it "a turn that nobody approves"
run ask -m script:model.jsonl "${configured[@]}" "say something with bob"
away "$("$MISTRO" runs list -n 1 --json | jq -r '.runs[0].status')" approval_asked
it "a turn of a chat"
run_with_input 'read the file README.md
' chat -m none
replays completed answer

# A host of `serve agent` that answers what it is asked: who, or what is in $approval.
host() { # words of serve agent --, lines of JSON-RPC
  local line answered=0 wanted
  wanted=$(($# + 1))
  coproc AGENT { "$MISTRO" serve agent "${serving[@]}" 2>"$scratch/err"; }
  local to=${AGENT[1]} from=${AGENT[0]} pid=$AGENT_PID
  printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"t","version":"1"}}}' \
    '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$@" >&"$to"
  : >"$scratch/host"
  while [ "$answered" -lt "$wanted" ] && read -r -t 20 line <&"$from"; do
    printf '%s\n' "$line" >>"$scratch/host"
    case $line in
      *'"method":"elicitation/create"'*)
        jq -c --arg a "${approval:-once}" '{jsonrpc, id, result: {action: "accept", content:
          (.params.requestedSchema.properties | with_entries(.value |=
            (if .enum then (.enum | if index($a) then $a else .[0] end)
             elif .oneOf then (.oneOf | map(.const) | if index($a) then $a else .[0] end)
             elif .type == "boolean" then true else "ada" end)))}}' <<<"$line" >&"$to" ;;
      *'"result":'* | *'"error":'*) answered=$((answered + 1)) ;;
    esac
  done
  eval "exec $to>&-"
  wait "$pid" 2>/dev/null
}
calls() { jq -cn --argjson id "$1" --arg name "$2" --argjson args "$3" '{jsonrpc: "2.0", id: $id, method: "tools/call", params: {name: $name, arguments: $args}}'; }
one() { calls "$1" run_plan "{\"plan\":{\"steps\":[{\"id\":\"s1\",\"tool\":\"$2\",\"args\":$3}]}}"; }
serving=("${configured[@]}" -m none)
it "a plan of serve agent that its host's person approves"
host "$(one 2 dev/say '{"with":"bob"}')"
away completed approval_given
it "a plan of serve agent whose server asks the host's person"
host "$(one 2 dev/who '{}')"
away completed elicitation_answered
it "a plan of serve agent whose server sends the person to a page"
printf '#!/bin/sh\necho "$1" >>"%s"\n' "$scratch/opened" >"$scratch/browser" && chmod +x "$scratch/browser"
BROWSER=$scratch/browser host "$(one 2 dev/page '{}')"
export BROWSER=$scratch/browser
away completed elicitation_answered
expect_same "$(cat "$scratch/opened")" https://shop.example/cart
it "a plan of serve agent that its host's person refuses"
approval=no host "$(one 2 dev/say '{"with":"bob"}')"
away refused approval_asked
it "a plan of serve agent whose tool is approved for good, and the next one, where nobody is asked"
approval=always host "$(one 2 dev/login '{}')"
away completed approval_given
host "$(one 2 dev/login '{}')"
grep -q elicitation/create "$scratch/host" && fail "it is asked again" || ok
away completed tool_result
serving=("${configured[@]}" -m script:model.jsonl)
turn=$(calls 4 ask '{"request":"say something with bob"}')
it "a turn of serve agent"
host "$turn"
away completed approval_given
it "two plans and a turn of serve agent at the same time, each with its own answers"
host "$(one 2 dev/next '{"of":"a"}')" "$(one 3 dev/next '{"of":"a"}')" "$turn"
latest 3 >ids
while read -r id; do
  n_runs=$((n_runs + 1))
  alone runs replay "$id"
  expect_status 0
  expect_out 'the same events*completed'
done <ids
expect_same "$([ $n_runs -ge 20 ] && echo enough)" enough

it "a replay of a turn leaves nothing in the log, the session and the states"
run ask -m script:model.jsonl "${configured[@]}" -y --session new:kept "say something with bob"
id=$(latest)
left() { "$MISTRO" sessions show kept --json; "$MISTRO" runs list --json -n 100; ls "$states"; }
before=$(left)
alone runs replay "$id"
expect_status 0
expect_same "$(left)" "$before"

it "one side may be real: then it is asked, and what it says otherwise is the difference"
run runs replay "$id" --live model -m script:model.jsonl
expect_status 0
mkdir other
{ intent "$say"; echo '{"purpose":"answer","reply":"ada said it, by bob."}'; } >other/model.jsonl
pushd other >/dev/null || exit 1
run runs replay "$id" --live model -m script:model.jsonl
popd >/dev/null || exit 1
expect_status 1
expect_err '*the replay differs: the run, model_replied/data/reply/*'
run runs replay "$id" --live tools "${configured[@]}" --yes
expect_status 0
sed -i 's/ada, by {args/eve, by {args/' dev.yml
run runs replay "$id" --live tools "${configured[@]}" --yes
expect_status 1
expect_err '*the replay differs: s1, tool_result/data/*ada, by bob*eve, by bob*'
run runs replay "$id" --live nobody
expect_status 2

it "the first answer that is missing is named with status 2, another one with its place and status 1"
sed -i '/"result":.*ada, by bob/d' "$states/$id.ndjson"
alone runs replay "$id"
expect_status 2
expect_err '*the replay lacks an answer: server dev: tools/call say *'
run ask -m script:model.jsonl "${configured[@]}" -y "say something with bob"
id=$(latest)
sed -i '/"result":.*by bob/s/by bob/by eve/g' "$states/$id.ndjson"
alone runs replay "$id" --json
expect_status 1
expect_json '(.same | not) and (.difference | startswith("s1, tool_result/data/"))'

it "a fork is not replayed, as what it took over is in the recording of another run"
plan '{id: s1, tool: dev/next, args: {of: f}}'
of=$(latest)
run runs fork "$of" --plan plan.yml "${configured[@]}" -y
expect_status 0
alone runs replay "$(latest)"
expect_status 2
expect_err "*cannot be replayed: it was forked from $of*"

it "prune removes a cassette whose state is gone, and no other"
rm "$states/$id.db"*
before=$(cd "$states" && ls | grep -v "^$id")
run runs prune
expect_status 0
expect_same "$(ls "$states")" "$before"

finish
