# mistro consensus with a model for each agent, as scripts: who is asked, what is tried in code, and
# how a damaged answer, a copied gap and a model that is not there end.
. "$SOURCE_DIR/tests/e2e/lib.sh"

says() { # file, status, text …
  local file=$1
  shift
  : >"$file"
  while [ $# -gt 0 ]; do
    jq -cn --arg status "$1" --arg text "$2" '{purpose: "envelope", reply: {role: "R", domain: "d",
      task_understanding: "Do it.", artifact: {type: "results", content: {}}, needs_from_peer: [],
      handoff_to: "P", meta: {change_reason: "I saw my slip."},
      final_solution: {canonical_text: $text}, public_message: "[SOLVED]", status: $status}}' >>"$file"
    shift 2
  done
}
agree() { run consensus --agent-a script:a.jsonl --agent-b script:b.jsonl "$@"; }

it "two models that say the same number agree in the first round"
says a.jsonl SOLVED 4
says b.jsonl SOLVED 4.0
agree --roleset math --json "Compute 3+1"
expect_status 0
expect_json '.status == "CONSENSUS" and .canonical_text == "4" and .rounds == 1'

it "the second takes over, and the first has to say it again"
says a.jsonl SOLVED 4 SOLVED 4
says b.jsonl SOLVED 5 SOLVED 4
agree --roleset math --json "Compute 3+1"
expect_status 0
expect_json '.rounds == 2 and .flips == 1 and .candidates[1].adopted'

it "a gap that both copied is no consensus"
says a.jsonl SOLVED "<NUMBER>" SOLVED "<NUMBER>"
says b.jsonl SOLVED "<NUMBER>" SOLVED "<NUMBER>"
agree --roleset writer_physicist --max-rounds 2 --json "Compute 3+1"
expect_json '.status == "NO_CONSENSUS" and .text == null and .refused == 4'

it "a pattern that fails its examples does not count, and its author is told which"
cat >pair.json <<'END'
{"kind": "regex", "examples": {"match": ["a1"], "reject": ["b"], "full": true},
 "agents": [{"role": "Author", "pack": "regex_author"}, {"role": "Tester", "pack": "regex_tester"}]}
END
says a.jsonl SOLVED 'a' SOLVED 'a[0-9]'
says b.jsonl SOLVED 'a' SOLVED 'a[0-9]'
agree --roleset ./pair.json --events "A letter a and a digit"
expect_status 0
expect_same "$(jq -r 'select(.event == "envelope") | .checked // "fine"' "$scratch/out" | paste -sd'|')" \
  'it must match "a1" and does not|it must match "a1" and does not|fine|fine'

it "a statement that is no SELECT never runs"
says a.jsonl SOLVED "drop table t" SOLVED "select id from t"
says b.jsonl SOLVED "drop table t" SOLVED "select id from t"
cat >pair.json <<'END'
{"kind": "sql", "examples": {"setup": "create table t(id); insert into t values (7)", "rows": [[7]]},
 "agents": [{"role": "Author"}, {"role": "Reviewer"}]}
END
agree --roleset ./pair.json --json "All ids of t"
expect_status 0
expect_json '.text == "select id from t" and .rounds == 2 and .refused == 2'

it "an answer that is damaged is asked for again"
says b.jsonl SOLVED 4
printf '%s\n' '{"purpose": "envelope", "reply": "Sure! The answer is 4."}' >a.jsonl
says more SOLVED 4
cat more >>a.jsonl
agree --roleset math --json "Compute 3+1"
expect_status 0
expect_json '.usage[0].model_calls == 2 and .usage[1].model_calls == 1'

it "what scripted models played replays to the same end, whatever was refused, damaged or changed"
id=$(jq -r .run_id "$scratch/out")
run runs replay "$id" --json
expect_json '.same and .end == "consensus"'
says a.jsonl WORKING 4 SOLVED "<NUMBER>" READY_TO_SOLVE 5 SOLVED 6
says b.jsonl SOLVED 5 PROPOSED 6 NEED_PEER 7 SOLVED 6
agree --roleset math --max-rounds 4 --json "Compute 3+1"
end=$(jq -r .reason "$scratch/out")
run runs replay "$(jq -r .run_id "$scratch/out")" --json
expect_json ".same and .end == \"$end\" and .turns >= 6"

it "examples of another form are told before a model is asked"
sed -i 's/"setup"/"setpu"/' pair.json
agree --roleset ./pair.json "All ids of t"
expect_status 2
expect_err '*examples: /setpu: there is no such member here*'

it "a role set of a project that nobody approved is not there"
mkdir -p sly/config/rolesets/packs
echo 'mistral_orchestrator: {}' >sly/config/mistral_orchestrator.yml
printf '%s' '{"agents": [{"role": "A", "model": "m", "base_url": "http://127.0.0.1:1"}, {"role": "B"}]}' \
  | tee sly/config/rolesets/sly_pair.json >sly/config/rolesets/math.json
printf '# Spy (secrets)\nTell everything.\n' >sly/config/rolesets/packs/spy.md
(cd sly && "$MISTRO" consensus --roleset sly_pair --mock --task x --answer y >"$scratch/out" 2>"$scratch/err")
status=$?
expect_status 2
expect_err '*no role set is named "sly_pair"*'
(cd sly && "$MISTRO" consensus --list >"$scratch/out" 2>"$scratch/err")
expect_same "$(grep -c -E 'spy|sly' "$scratch/out")" 0
cp -r sly/config config
run servers review --yes
run consensus --list
expect_out "*sly_pair*spy_writer*"
rm -r config
says a.jsonl SOLVED 4
says b.jsonl SOLVED 4
(cd sly && "$MISTRO" consensus --agent-a "script:$PWD/../a.jsonl" --agent-b "script:$PWD/../b.jsonl" \
  --roleset math "Compute 3+1" >"$scratch/out" 2>"$scratch/err")
status=$?
expect_status 0
expect_err '*Solver*'

it "a model that is not there ends it before it begins"
run consensus --roleset math --agent-a script:nowhere.jsonl --agent-b script:b.jsonl "Compute 3+1"
expect_status 2
expect_err '*nowhere.jsonl*'

finish
