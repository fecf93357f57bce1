# A consensus, a figure and a studio turn whose process is killed and which are resumed, as in
# test_resume_turns.sh for turns: the server's record, the run log and what is left behind are what
# counts. MISTRO_KILLS says how often each at least, up to 300 times.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
kills_wanted=${MISTRO_KILLS:-3}
[ "$kills_wanted" -le 300 ] || kills_wanted=300
RANDOM=7
record=$scratch/record
states=$XDG_STATE_HOME/mistro/runs
picture='<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" height=\"9\"></svg>'
tools='tools/list={"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"draw","description":"Draws","inputSchema":{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}}]}}
'
drawn='tools/call={"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"'$picture'"}]}}
'
jq -n '{mcpServers: {art: {command: "bash", args: ["art.sh"]}}}' >mcp.json
mkdir -p "$XDG_CONFIG_HOME/mistro"
settings() { # what else they say
  echo "mistral_orchestrator: {figure: {image_tool: art/draw}, studio: {image_tool: art/draw}$1}" \
    >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
}
settings ""
server() { # rules
  printf '%q ' exec "$peer" --record "$record" "$tools" "$@" "$drawn" >art.sh
}
# A model that says the same to the same request, and takes its time.
says() { jq -cn --arg purpose "$1" --arg match "$2" --argjson reply "$3" \
  '{purpose: $purpose, match: $match, reply: $reply, times: 0, delay_ms: 40}'; }
envelope() {
  says envelope "$1" '{"task_understanding": "Add.", "artifact": {"type": "results", "content": {}},
    "needs_from_peer": [], "meta": {"change_reason": "I saw my slip."},
    "final_solution": {"canonical_text": "'"$2"'"}, "public_message": "[SOLVED]", "status": "SOLVED"}'
}
critique() {
  says figure_critic "$1" '{"critic_suggestions": "See.", "revised_description": "A cat with a bow.",
    "stop_flag": '"$2"', "quality_gate": {"faithfulness_ok": true, "readability_ok": true}}'
}
{ envelope '*This is round 1.*' 4; envelope '*' 5; } >a.jsonl
envelope '*' 5 >b.jsonl
{
  says figure_planner '*' '{"initial_description": "A cat.", "assumption_block": "none"}'
  says figure_stylist '*' '{"optimized_description": "A cat.", "style_actions": ["direction"]}'
  critique '*with a bow*' true
  critique '*' false
  says image_chat '*' '"Here is a cat.\n---\n{\"prompt\":\"a cat\",\"generate_image\":true,\"steps\":20,\"cfg\":7,\"seed\":-1}"'
} >model.jsonl
echo "A cat sits in a hat." >text.txt
words=(--mcp-config mcp.json -m script:model.jsonl --yes)
consensus=(consensus --agent-a script:a.jsonl --agent-b script:b.jsonl --out left/it "2+2")
figure=(figure --refs scientific_method --context text.txt --caption "A cat" --out left --name it)
studio=(studio --session new:s "a cat")
calls() { grep -c '"tools/call"' "$record"; }
server_ended() {
  for _ in $(seq 500); do
    pgrep -f -- "--record $record" >/dev/null || return
    sleep 0.02
  done
  fail "the server did not end"
}
latest() { run runs list -n 1 --json; jq -r '.runs[0].id // ""' "$scratch/out"; }
# No reply came twice, and each call is in the log with what became of it.
told_once() { # kind, run
  run runs events "$2"
  expect_same "$(($(grep -c '"model_replied"' "$scratch/out") <= $(replies_of "$1")))" 1
  expect_same "$(jq -rs '([.[] | select(.event == "tool_call") | .step] | unique) -
    [.[] | select(.event == "tool_result" or .event == "call_settled") | .step] | length' "$scratch/out")" 0
}
replies_of() { case $1 in consensus) echo 3 ;; figure) echo 4 ;; studio) echo 1 ;; esac; }
pictures_of() { case $1 in consensus) echo 0 ;; figure) echo 2 ;; studio) echo 1 ;; esac; }
# What the job leaves behind, the same whether or not it was killed.
check_left() { # kind, run
  case $1 in
    consensus)
      expect_same "$(jq -c '[.status, .text, .rounds]' left/it/final.json)" '["CONSENSUS","5",2]'
      expect_same "$(jq -rc '[.round, .agent] | join(" ")' left/it/transcript.jsonl)" $'1 a\n1 b\n2 a'
      run runs replay "$2"
      expect_status 0
      run runs export "$2" --as transcript
      expect_same "$(wc -l <"$scratch/out")" 3
      ;;
    figure)
      expect_same "$(ls -A left)" it
      expect_same "$(cat left/it/figure.svg)" "${picture//\\/}"
      run runs export "$2" --as round_log
      expect_json '.rounds | length == 2'
      ;;
    studio)
      run sessions show s --json
      expect_json '[.messages[].content] == ["a cat", "Here is a cat."]'
      run sessions delete s --yes
      ;;
  esac
}

for kind in consensus figure studio; do
  it "makes nothing twice and loses nothing under kill -9: $kind"
  declare -n first=$kind
  kills=0 questions=0 round=0
  while [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ]; do
    round=$((round + 1))
    : >"$record"
    rm -rf left "$states"
    id="" answers=() is_complete="" newest=$(latest)
    for life in $(seq 12); do
      rule=() delay=""
      if [ "$life" -le 3 ]; then
        if [ $((RANDOM % 3)) = 0 ] && [ "$kind" != consensus ]; then
          rule=("tools/call#$((RANDOM % 2 + 1))=\$PAUSE$((RANDOM % 4));\$KILL;")
        else
          delay=0.$(printf %03d $((RANDOM % 160 + 15)))
        fi
      fi
      server "${rule[@]}"
      job=("${first[@]}")
      [ -z "$id" ] || job=(runs resume "$id" "${answers[@]}")
      "$MISTRO" "${job[@]}" "${words[@]}" --json >"$scratch/out" 2>"$scratch/err" </dev/null &
      pid=$!
      if [ -n "$delay" ]; then
        sleep "$delay"
        kill -9 $pid 2>/dev/null
      fi
      { wait $pid; } 2>/dev/null
      status=$?
      [ "$status" != 137 ] || kills=$((kills + 1))
      server_ended
      cp "$scratch/out" result
      answers=()
      if [ "$status" = 0 ]; then
        is_complete=yes
        break
      elif [ "$status" = 5 ]; then
        questions=$((questions + 1)) # the server carried every call out that is in its record
        for step in $(jq -r '.questions[].key | sub("^uncertain[.]"; "")' result); do
          if [ "$(calls)" -gt "${step#round}" ] 2>/dev/null || [ "$step:$(calls)" = image:1 ]; then
            answers+=(--set "$step=\"$picture\"")
          else
            answers+=(--answer "uncertain.$step=repeat")
          fi
        done
      elif [ "$status" = 2 ]; then # it was killed before it was kept, or behind its end
        grep -q "is complete" result && is_complete=unswept && break # what is not promised
        [ "$(calls)" = 0 ] || fail "lost after $(calls) calls: $(cat result)"
        id=""
        newest=$(latest)
        "$MISTRO" sessions delete s --yes >/dev/null 2>&1
        continue
      fi
      [ -n "$id" ] || id=$(latest)
      [ "$id" != "$newest" ] || id=""
    done
    [ -n "$is_complete" ] || fail "round $round: not complete, status $status: $(cat result)"
    expect_same "$(calls)" "$(pictures_of $kind)"
    told_once $kind "$(latest)"
    check_left $kind "$(latest)"
    [ $is_complete = unswept ] || expect_same "$(find "$states" -name "$(latest).*")" ""
  done
  echo "$kind: $round rounds, $kills kills, $questions questions"
  if [ "$kills" -ge "$kills_wanted" ]; then ok; else fail "only $kills kills"; fi
done

it "asks about a picture that may have been made, and shows a figure as its command does"
: >"$record"
server 'tools/call#1=$KILL;'
{ "$MISTRO" "${figure[@]}" "${words[@]}" >/dev/null 2>&1; } 2>/dev/null
server_ended
run runs list -n 1 --json
expect_json '.runs[0].status == "interrupted" and .runs[0].kind == "figure"'
id=$(latest)
server
run runs resume "$id" "${words[@]}" --json
expect_status 5
expect_json '.status == "needs_answer" and .questions[0].key == "uncertain.round0"'
run runs resume "$id" "${words[@]}" --answer uncertain.round0=repeat
expect_status 0
expect_out 'left/it/figure.svg'
expect_same "$(calls)" 3
told_once figure "$id"
run runs resume "$id" "${words[@]}"
expect_status 2
expect_err '*is complete*'

it "says how to go on with a consensus whose agent was lost"
cp b.jsonl kept.jsonl
echo '{"purpose": "envelope", "error": "unavailable", "times": 0}' >b.jsonl
rm -rf left
run "${consensus[@]}"
expect_status 3
expect_err '*go on with: mistro runs resume [0-9]*'
cp kept.jsonl b.jsonl
id=$(latest)
run runs resume "$id"
expect_status 0
expect_out '5'
told_once consensus "$id"
check_left consensus "$id"

it "resumes them with all that was interrupted"
: >"$record"
server 'tools/call#1=$KILL;'
{ "$MISTRO" "${studio[@]}" "${words[@]}" >/dev/null 2>&1; } 2>/dev/null
server_ended
server
id=$(latest)
run runs resume --all "${words[@]}" --uncertain repeat
expect_status 0
expect_out "$id  completed"
check_left studio "$id"

it "is resumed with the model and the tool that it began with, or not at all"
rm -rf left
: >"$record"
server 'tools/call#1=$KILL;'
{ "$MISTRO" "${figure[@]}" "${words[@]}" >/dev/null 2>&1; } 2>/dev/null
server_ended
server
id=$(latest)
run runs resume "$id" --mcp-config mcp.json -m none --yes --uncertain repeat
expect_status 9
expect_err '*began with the model script:model.jsonl*'
sed -i 's/Draws/Paints/' art.sh
run runs resume "$id" "${words[@]}" --uncertain repeat
expect_status 9
expect_err '*art/draw differs from what was approved*'
expect_same "$(calls)" 1
server
run runs resume "$id" "${words[@]}" --uncertain repeat
expect_status 0
expect_same "$(calls)" 3
told_once figure "$id"

it "keeps no state of them where that is not wanted"
rm -rf "$states"
settings ", runs: {keep_state: never}"
run "${consensus[@]}"
expect_status 0
expect_same "$(ls "$states" 2>/dev/null)" ""

finish
