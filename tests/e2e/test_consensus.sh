# Two agents from the command line: what comes out, what is refused, and what the run left behind.
. "$SOURCE_DIR/tests/e2e/lib.sh"

it "agrees without a model and without a configuration"
run consensus --mock --task "2+2" --answer "4"
expect_status 0
expect_same "$(cat "$scratch/out")" "4"
expect_err '*round 1, a SOLVED: 4*round 1, b SOLVED: 4*'

it "takes the task from words, from --prompt and from a pipe"
run consensus --mock --answer 4 "2+2" -q
expect_status 0
expect_out "4"
run consensus --mock --answer 4 --prompt "2+2" -q
expect_status 0
run_with_input "2+2" consensus --mock --answer 4 -q
expect_status 0
expect_out "4"
run consensus --mock --answer 4 --prompt "2+2" --task "2+2"
expect_status 2
expect_err "*the task is said twice*"

it "does not wait for a pipe that nobody closes when --task says it all"
mkfifo endless
sleep 20 >endless &
held=$!
timeout 10 "$MISTRO" consensus --mock --task "2+2" --answer 4 <endless >"$scratch/out" 2>"$scratch/err"
status=$?
kill "$held" 2>/dev/null
expect_status 0

it "gives one object with --json"
run consensus --mock --task "2+2" --answer 4 --roleset math --json -q
expect_status 0
expect_json '.version == 1 and .status == "CONSENSUS" and .text == "4" and .canonical_text == "4" and .kind == "number" and .rounds == 1 and (.candidates | length) == 2'
expect_json '.sha256 == "4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a"'

it "lets an echo take over and waits for the one who said it first"
run consensus --agent-a mock_rule --agent-b mock_echo --answer 4 --json -q "2+2"
expect_status 0
expect_json '.status == "CONSENSUS" and .rounds > 1 and .candidates[1].adopted'

it "ends when no round is left, with both candidates and nothing on stdout"
run consensus --agent-a mock_echo --agent-b mock_echo --max-rounds 2 "2+2"
expect_no_out
expect_err "*(No consensus) after 2 rounds*agent a: no answer that counts*agent b: *"
expect_status 8

it "never agrees on a gap or on the task"
run consensus --mock --task "Compute 3+1" --answer "<NUMBER>" --max-rounds 2
expect_no_out
expect_status 8
run consensus --mock --task "Compute 3+1 for me" --answer "compute 3+1 for me" --max-rounds 2
expect_no_out

it "tries candidates on examples"
printf 'match: [a1, b22]\nreject: [a]\nfull: true\n' >ids.yml
run consensus --mock --roleset regex --examples ids.yml --task "ids" --answer '[a-z][0-9]+' -q
expect_status 0
expect_out '\[a-z\]\[0-9\]+'
run consensus --mock --roleset regex --examples ids.yml --task "ids" --answer '[a-z]+' --max-rounds 2
expect_no_out
expect_status 8

it "shows the role sets"
run consensus --list
expect_status 0
expect_out "*biologist_physicist*Biologist and Physicist*math*one number as its answer*writer_uiux_designer*"
run consensus --roleset list --json
expect_json 'map(.name) | index("sql") and index("programmer_writer") and (. == (unique))'
expect_json 'all(.description | length > 0)'

it "finds the role set of a folder without settings by its name, and no endpoint in it"
mkdir -p config/rolesets
dinner='"kind":"text","agents":[{"role":"Cook","domain":"food"},{"role":"Guest","domain":"food"'
echo "{$dinner}]}" | tee config/rolesets/dinner.json >config/rolesets/math.json
echo "{$dinner,\"base_url\":\"http://127.0.0.1:1\"}]}" >config/rolesets/far.json
run consensus --roleset dinner --mock --task "what is for dinner" --answer plums
expect_status 0
expect_err '*role set dinner: config/rolesets/dinner.json of this folder*Cook by mock_rule*'
run consensus --roleset math --mock --task "2+2" --answer 4
expect_err '*Solver by mock_rule*'
run consensus --roleset far --mock --task x --answer y
expect_status 2
expect_err '*names an endpoint*--roleset ./config/rolesets/far.json*'
rm -r config

it "reads a role set of a person, by name and as a file"
mkdir -p "$XDG_CONFIG_HOME/mistro/config/rolesets"
pair='{"agents":[{"role":"Cook","domain":"food"},{"role":"Guest","domain":"food"}]}'
printf '%s' "$pair" >"$XDG_CONFIG_HOME/mistro/config/rolesets/kitchen.json"
run consensus --roleset kitchen --mock --task "what is for dinner" --answer plums
expect_status 0
expect_err "*Cook by mock_rule and Guest by mock_rule*"
printf '%s' "$pair" >here.json
run consensus --roleset here.json --mock --task "what is for dinner" --answer plums -q
expect_status 0
run consensus --list
expect_out "*kitchen*"

it "names the nearest role sets when it knows none of that name"
run consensus --roleset writer_phsicist --mock --task x --answer y
expect_status 2
expect_no_out
expect_err '*no role set is named "writer_phsicist"*writer_physicist*'
run consensus --roleset ../secrets --mock --task x --answer y
expect_status 2
run consensus --roleset "$(printf 'a\033[2Jb')" --mock --task x --answer y
expect_status 2
expect_err '*\\x1b*'

it "refuses what is no role set"
printf '{"agents":[{"role":"A","domain":"d"},{"role":"B","domain":"d"},{"role":"C","domain":"d"}]}' >three.json
run consensus --roleset three.json --mock --task x --answer y
expect_status 2
expect_err "*/agents*"
printf '{"agents":[{"role":"A","domain":"d"}]}' >one.json
run consensus --roleset ./one.json --mock --task x --answer y
expect_status 2
echo '{"purpose":"envelope","reply":"none"}' >silent.jsonl
printf '{"agents":[{"role":"A","domain":"d","pack":"nobody"},{"role":"B","domain":"d"}]}' >packless.json
run consensus --roleset packless.json -m script:silent.jsonl --task x
expect_status 2
expect_err "*nobody*"
printf 'not json' >broken.json
run consensus --roleset broken.json --mock --task x --answer y
expect_status 2
run consensus --roleset missing.json --mock --task x --answer y
expect_status 2
expect_err "*missing.json*"

it "refuses tasks that are none"
run consensus --mock --task "" --answer y
expect_status 2
expect_err "*the task is empty*"
run consensus --mock --task "   " --answer y
expect_status 2
head -c 10485760 /dev/zero | tr '\0' a >big
"$MISTRO" consensus --mock --answer y <big >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 8
expect_no_out
printf 'a\0b' | "$MISTRO" consensus --mock --answer y >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 2
expect_err "*not text*"
printf 'a\0b' >binary.dat
run consensus --mock --answer y "what is in @binary.dat"
expect_status 2
expect_err "*binary.dat*"
printf 'caf\351' | "$MISTRO" consensus --mock --answer y >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 2
expect_err "*UTF-8*"

it "refuses numbers, examples and answers that are none"
for wrong in 0 101 x -1 1.5; do
  run consensus --mock --task x --answer y --max-rounds "$wrong"
  expect_status 2
done
run consensus --mock --task x --answer y --vote 26
expect_status 2
run consensus --mock --task x
expect_status 2
expect_err "*needs something to say*--answer TEXT*"
run consensus --task x --answer y
expect_status 2
expect_err "*add --mock*"
run consensus --mock --task x --answer y --answer z
expect_status 2
printf 'match: 5\n' >wrong.yml
run consensus --mock --roleset regex --task x --answer y --examples wrong.yml
expect_status 2
run consensus --mock --roleset regex --task x --answer y --examples nothing.yml
expect_status 2
expect_err "*nothing.yml*"

it "says so when there is no model"
run consensus -m none "2+2"
expect_status 3
expect_no_out
expect_err "*model*"

it "leaves a run whose views tell the same as its result"
run consensus --agent-a mock_rule --agent-b mock_echo --answer 4 --json -q --out here "2+2"
expect_status 0
cp "$scratch/out" result.json
id=$(jq -r .run_id result.json)
run runs export "$id" --as final
expect_status 0
expect_same "$(jq -S . "$scratch/out")" "$(jq -S . result.json)"
expect_same "$(jq -S . here/final.json)" "$(jq -S . result.json)"
run runs export "$id" --as transcript
expect_status 0
expect_same "$(jq -rc '[.round, .agent, .envelope.status] | join(" ")' "$scratch/out" | head -1)" "1 a SOLVED"
expect_same "$(jq -c 'del(.time)' "$scratch/out")" "$(jq -c 'del(.time)' here/transcript.jsonl)"
run runs show "$id"
expect_out "*what     consensus: 2+2*consensus_started*envelope*round 1, a SOLVED: 4*consensus_ended*"
run runs export "$id"
expect_json '.kind == "consensus" and (.events | length) > 4'
run runs export "$id" --as round_log
expect_status 2
expect_err "*has no round_log*transcript, final or otlp-json*"
run runs export "$id" --as poem
expect_status 2

it "replays to the same end"
run runs replay "$id"
expect_status 0
expect_out "the same end after * turns: consensus"
run runs replay "$id" --json
expect_json '.same and .difference == null'
run consensus --mock --task "Compute 3+1" --answer "<NUMBER>" --max-rounds 2 -q
run runs replay "$(run runs list; head -1 "$scratch/out" | cut -f1)"
expect_status 0

if command -v sqlite3 >/dev/null; then
  it "says where a record differs"
  sqlite3 "$XDG_DATA_HOME/mistro/runs.db" "update event_groups set lines = replace(lines, '\"end\":\"consensus\"', '\"end\":\"loop\"') where run_id = '$id'"
  run runs replay "$id"
  expect_status 1
  expect_err "*the replay differs: the run ended with loop and now with consensus*"
fi

it "needs the texts of the run for a replay, and keeps none where that is wished"
printf 'mistral_orchestrator:\n  runs: {store_text: false}\n' >quiet.yml
run consensus --config quiet.yml --mock --task "a secret task" --answer 4 --json -q
id=$(jq -r .run_id "$scratch/out")
run runs export "$id"
expect_status 0
expect_same "$(grep -c 'secret task' "$scratch/out")" 0
run runs replay "$id"
expect_status 3
expect_err "*kept no texts*"

it "does without a run log"
printf 'mistral_orchestrator:\n  runs: {enabled: false}\n' >off.yml
run consensus --config off.yml --mock --task "2+2" --answer 4 --json -q --out logless
expect_status 0
expect_json '.run_id == ""'
expect_same "$(ls logless | sort | tr '\n' ' ')" "final.json transcript.jsonl "

it "writes the whole folder or nothing"
mkdir -p taken && echo mine >taken/note
run consensus --mock --task "2+2" --answer 4 --out taken
expect_status 2
expect_no_out
expect_same "$(ls taken)" "note"
run consensus --mock --task "" --answer 4 --out never
expect_status 2
if [ -e never ]; then fail "a folder of a run that never was"; else ok; fi
if [ "$(id -u)" != 0 ]; then
  mkdir locked && chmod 500 locked
  run consensus --mock --task "2+2" --answer 4 --out locked/x
  expect_status 2
fi

it "tells scripts everything with --events"
run consensus --mock --task "2+2" --answer 4 --events
expect_status 0
expect_same "$(jq -r .event "$scratch/out" | grep -c -E '^(consensus_started|envelope|consensus_ended|result)$')" 5

it "is a tool of plans and of mistro call"
cat >plan.yml <<'YML'
steps:
  - {id: s1, tool: mistro/consensus, args: {task: "2+2", role_set: math}}
YML
run run plan.yml -m none
expect_status 1
expect_err "*model*"
run call mistro/consensus task=2+2 -m none
expect_status 1
echo "a secret of this machine" >secret.txt
for side in model_a model_b; do
  run call mistro/consensus task=2+2 "$side=script:$PWD/secret.txt"
  expect_status 1
  expect_err "*/$side: the name of a model is expected*"
done
run tools mistro
expect_status 0
expect_out "*mistro/consensus*"
printf 'mistral_orchestrator:\n  tools: {jobs: false}\n' >alone.yml
run tools --config alone.yml
expect_status 0
expect_same "$(grep -c '^mistro/' "$scratch/out")" 0
run tools --servers files
expect_same "$(grep -c '^mistro/' "$scratch/out")" 0

it "is chosen only where a request speaks of it"
run plan -m none --json --no-session "which two models are compared in notes.md"
expect_same "$(grep -c mistro/ "$scratch/out")" 0
run plan -m none --json --no-session "reach consensus: the capital of France"
expect_json '.steps[0].tool == "mistro/consensus"'

finish
