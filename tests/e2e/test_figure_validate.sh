# Files of other pipelines against the contracts between the stages of a figure; no model.
. "$SOURCE_DIR/tests/e2e/lib.sh"

cat >retriever_in.json <<'JSON'
{"source_context": "A client opens a connection.", "communicative_intent": "show the order",
 "caption": "A handshake", "candidate_pool": [
  {"id": "ref_001", "summary": "s", "domain": "d", "diagram_type": "flow"},
  {"id": "ref_014", "summary": "s", "domain": "d", "diagram_type": "flow"}]}
JSON
cat >retriever_out.json <<'JSON'
{"top_refs": ["ref_001", "ref_014"], "selection_rationale": "close", "retrieval_confidence": "high"}
JSON
cat >sample_log.json <<'JSON'
{
  "max_rounds": 3,
  "mode": "diagram_image",
  "terminated_early": false,
  "termination_reason": "",
  "rounds": [
    {
      "round": 0,
      "description_t": "string",
      "artifact": {"type": "image_path", "value": "/tmp/r0.png"},
      "critique": {
        "critic_suggestions": "string",
        "revised_description": "string",
        "stop_flag": false
      }
    }
  ]
}
JSON

it "says that a payload is valid"
run figure validate --role retriever --input retriever_in.json --output retriever_out.json
expect_status 0
expect_out 'OK: retriever payload is valid.'
expect_err ''

it "takes either file alone, and one of them from a pipe"
run figure validate --role retriever --input retriever_in.json
expect_status 0
run_with_input "$(cat retriever_out.json)" figure validate --role retriever --output -
expect_status 0
expect_out 'OK: retriever payload is valid.'
run_with_input "$(cat retriever_out.json)" figure validate --role retriever --input retriever_in.json --output -
expect_status 0

it "lists every problem with its path and ends with 1"
echo '{"top_refs": ["ref_001", "ref_001", "ref_9", 4], "selection_rationale": "", "retrieval_confidence": "sure"}' >bad.json
run figure validate --role retriever --input retriever_in.json --output bad.json
expect_status 1
expect_out 'ERROR: validation failed*- output /top_refs/3: a number, not a string*'
expect_out '*- output /top_refs/1: repeats "ref_001"*'
expect_out '*- output /top_refs/2: there is no "ref_9" in the candidate_pool*'
expect_out '*- output /selection_rationale: empty*'
expect_out '*- output /retrieval_confidence: no confidence: "sure"*'
expect_err ''

it "gives the problems as JSON"
run figure validate --role retriever --output bad.json --json
expect_status 1
expect_json '.role == "retriever" and .valid == false and (.problems | length) == 4'
expect_json '.problems[0] | .step == "output" and .path == "/top_refs/3" and (.fix | length) > 0'
run figure validate --role retriever --output retriever_out.json --json
expect_status 0
expect_json '.valid and .problems == []'

it "refuses what the original let through"
echo '{"description_t": "d", "mode": "plot_code", "round": true}' >draw.json
echo '{"artifact": {"type": "image_path", "value": "/tmp/x.png"}}' >drawn.json
run figure validate --role visualizer --input draw.json --output drawn.json
expect_status 1
expect_out '*- input /round: true, not an integer*'
expect_out '*- output /artifact/type: image_path is not what mode plot_code gives*'
echo '{"critic_suggestions": "s", "revised_description": "d", "stop_flag": true, "quality_gate": {"faithfulness_ok": false, "readability_ok": true}}' >critique.json
run figure validate --role critic --output critique.json
expect_status 1
expect_out '*- output /stop_flag: stops although faithfulness_ok is false*'
echo '{"initial_description": "The Client sends SYN to the Server.", "style_guidelines": "g", "source_context": "s", "caption": "A handshake"}' >style.json
echo '{"optimized_description": "The Client and the Server.", "style_actions": [], "caption": "A  handshake"}' >styled.json
run figure validate --role stylist --input style.json --output styled.json
expect_status 1
expect_out '*- output /caption: not what the input has*'
expect_out '*- output /optimized_description: "SYN" was lost*'

it "calls the sample of the contract well-formed and incomplete"
run figure validate-log sample_log.json
expect_status 1
expect_out 'ERROR: round log validation failed*- /rounds/0/critique/stop_flag: 1 of 3 rounds*'
expect_out '*well-formed: yes, complete: no'
run figure validate-log sample_log.json --json
expect_status 1
expect_json '.well_formed and (.complete | not) and .problems[0].rule == "complete"'

it "takes a log that used all the rounds it may have"
run figure validate-log sample_log.json --max-rounds 1
expect_status 0
expect_out 'OK: round log is valid.*complete: yes'

it "lets a description drift only when it is told to"
jq '.max_rounds = 2 | .rounds += [.rounds[0] | .round = 1 | .description_t = "other"]' sample_log.json >drift.json
run figure validate-log drift.json
expect_status 1
expect_out '*- /rounds/1/description_t: not what round 0 asked for*well-formed: no, complete: no'
run_with_input "$(cat drift.json)" figure validate-log - --allow-description-drift
expect_status 0

it "ends with 2 where there is nothing to validate"
run figure validate --role retriever --input nothing.json
expect_status 2
expect_err 'mistro: nothing.json: *'
expect_no_out
printf '{"a": 1, "a": 2}' >twice.json
run figure validate-log twice.json
expect_status 2
expect_err 'mistro: twice.json: *'
printf '{"caption": "\377"}' >latin.json
run figure validate --role planner --input latin.json
expect_status 2
expect_err 'mistro: latin.json: not UTF-8*'
head -c 300000 /dev/zero | tr '\0' '[' >deep.json
run figure validate-log deep.json
expect_status 2

it "shows the way back from wrong words"
run figure validate --role ritriever --input retriever_in.json
expect_status 2
expect_err '*did you mean --role retriever?*'
run figure validate --input retriever_in.json
expect_status 2
run figure validate --role critic
expect_status 2
run figure validate --role critic --input - --output -
expect_status 2
run figure validate-log
expect_status 2
run figure validate-log sample_log.json --max-rounds 0
expect_status 2
expect_err '*--max-rounds 0*'

it "writes no escape sequence of a file to whoever reads"
printf '{"top_refs": ["\\u001b[31m"], "selection_rationale": "r", "retrieval_confidence": "\\u001b]0;x\\u0007"}' >hostile.json
run figure validate --role retriever --input retriever_in.json --output hostile.json
expect_status 1
if grep -q "$(printf '\033')" "$scratch/out"; then fail "an escape got through"; else ok; fi

finish
