# A figure that is there: page, figure.* and log show the same round however it ended; a person
# chooses another one, or has rounds added by feedback.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v dot >/dev/null || skip "no Graphviz here"
says() { jq -cn --arg purpose "figure_$1" --argjson reply "$2" '{purpose: $purpose, reply: ($reply | tojson)}'; }
plan() {
  says planner '{"initial_description": "\"Client\" sends \"SYN\" to \"Server\".", "assumption_block": "none"}'
  says stylist '{"optimized_description": "\"Client\" sends \"SYN\" to \"Server\".", "style_actions": ["plain"]}'
}
graph() { # labels of nodes behind "Client"
  says graph "$(jq -cn '{kind: "flow", nodes: ([{id: "n", label: "Client"}] + [$ARGS.positional[] | {id: ("i" + .), label: .}]),
    edges: [$ARGS.positional[] | {from: "n", to: ("i" + .), label: "SYN"}]}' --args "$@")"
}
plot() { says plot "{\"mark\": \"$1\", \"x\": \"city\", \"y\": \"rain\"}"; }
critic() { # revised description, stop, gates
  says critic "$(jq -cn --arg to "$1" --argjson stop "$2" --argjson ok "${3:-$2}" '{critic_suggestions: ("Say " + $to),
    revised_description: $to, stop_flag: $stop, quality_gate: {faithfulness_ok: $ok, readability_ok: $ok}}')"
}
echo "The client sends a SYN to the server. The server answers with a SYN-ACK." >text.txt
printf 'city,rain\nOslo,71\nRome,52.5\n' >rain.csv
printf 'mistral_orchestrator:\n  figure: {max_nodes: 2}\n' >small.yml
figure() { run figure -q -m script:model.jsonl --refs dns_resolution --context text.txt --caption "A client" --out runs "$@"; }

# The same round everywhere, and the log is well-formed.
shows() { # folder, round
  local file shown
  expect_same "$(jq .best "$1/05_round_log.json")" "$2"
  for file in "$1"/round_"$2".*; do
    shown=$1/figure.${file#"$1"/round_"$2".}
    cmp -s "$file" "$shown" && ok || fail "$shown is not $file"
  done
  expect_same "$(ls "$1" | grep -c '^figure[.]')" "$(ls "$1" | grep -c "^round_$2[.]")"
  matches "$(cat "$1/index.html")" "*<article class=\"best\">*<h2>Round $2</h2>*" && ok || fail "the page shows another round"
  expect_same "$(grep -c '<article class="best">' "$1/index.html")" 1
  matches "$(cat "$1/scorecard.md")" "*chosen*: round $2 (*" && ok || fail "the scorecard is of another round"
  run figure validate-log "$1/05_round_log.json" --json
  expect_json .well_formed
}
# Draws one that has two rounds or three, and chooses each of its rounds.
ends_as() { # end, round that is shown, name, flags
  local end=$1 best=$2 name=$3 round
  shift 3
  figure --name "$name" "$@" --json
  expect_json ".end == \"$end\" and .best == $best and .chosen_by == \"rules\""
  shows "runs/$name" "$best"
  for round in $(jq -r '.rounds[].round' "runs/$name/05_round_log.json") "$best"; do
    run figure choose "runs/$name" "$round" --json
    expect_status 0
    expect_json ".best == $round and .chosen_by == \"person\" and .folder == \"runs/$name\" and .run_id == null"
    shows "runs/$name" "$round"
    matches "$(cat "runs/$name/index.html")" "*A person chose round $round; the rounds ended as $end.*" && ok || fail "nobody chose it"
  done
}

it "shows one round everywhere when the figure was approved"
{ plan; graph Server; critic "with the SYN-ACK" false; graph Server SYN-ACK; critic "with the SYN-ACK" true; } >model.jsonl
ends_as approved 1 approved

it "shows one round everywhere when all rounds were used"
{ plan; graph Server; critic one false true; graph Blockchain; critic two false; graph Server; critic three false; } >model.jsonl
ends_as max_rounds 0 max_rounds
run figure choose runs/max_rounds 1
expect_err '*
critical: *"Blockchain"*'

it "shows one round everywhere when the description does not change any more"
{ plan; graph Server; critic one false; graph Server; critic one false; graph Server; critic one false; } >model.jsonl
ends_as no_progress 0 no_progress --max-rounds 4

it "shows one round everywhere when a later one cannot be drawn"
{ plan; graph Server; critic one false; graph Server SYN-ACK; } >model.jsonl
ends_as render_lost 0 render_lost --config small.yml
[ -e runs/render_lost/round_1.txt ] && ok || fail "round 1 is not told in words"

it "shows one round of a plot everywhere"
{ plan; plot bar; critic "as points" false; plot point; critic "as points" true; } >model.jsonl
ends_as approved 1 plot --mode plot_code --data rain.csv
[ -e runs/plot/figure.py ] && [ -e runs/plot/figure.vl.json ] && ok || fail "files are missing"

it "needs no renderer to choose, takes the folder with a slash behind it, and writes the picture of -o"
PATH=/nonexistent run figure choose runs/approved/ 0 -o chosen.svg
expect_status 0
expect_out 'runs/approved/figure.svg'
cmp -s chosen.svg runs/approved/round_0.svg && ok || fail "-o has another round"

it "names the rounds there are where one is not"
cp -r runs/approved was
for round in 2 -1 two 18446744073709551616; do
  run figure choose runs/approved -- "$round"
  expect_status 2
  expect_err '*runs/approved: no such round; there are: 0 (drawn, * 1 (drawn, approved, 0 findings)*'
done
run figure choose runs/approved
expect_status 2
run figure choose runs/approved 0 --style dark
expect_status 2
diff -r was runs/approved && ok || fail "it was changed"

it "says what the folder of a figure is where there is none"
for folder in . ./ .. runs/approved/. /; do
  run figure choose "$folder" 0
  expect_status 2
  expect_err '*has no name of its own*from the folder above: *runs/tcp*'
done
for folder in runs nowhere text.txt ""; do
  run figure choose "$folder" 0
  expect_status 2
  expect_err '*the folder of a figure*runs/tcp*'
done

it "leaves alone what mistro did not make, and what is damaged"
mkdir mine && echo mine >mine/note.txt
run figure choose mine 0
expect_status 2
expect_err '*mine: there is no 05_round_log.json in it*'
cp -r runs/approved runs/added && echo mine >runs/added/note.txt
run figure choose runs/added 1
expect_status 2
expect_err '*"note.txt" in it is not mistro*'
for name in round_1.html round_x.svg round_.svg 06_notes.json round_01.svg; do
  rm -rf runs/added && cp -r runs/approved runs/added && echo mine >"runs/added/$name"
  run figure choose runs/added 1
  expect_status 2
  expect_err "*\"$name\" in it is not mistro*"
done
run figure choose nowhere 0
expect_status 2
for flag in "--width column" "--max-rounds 2"; do
  # shellcheck disable=SC2086
  run figure choose runs/approved 1 $flag
  expect_status 2
  expect_err '*stays as it was*'
done
damage() { # file, content (none: it goes), what is said
  rm -rf runs/bad && cp -r runs/approved runs/bad
  if [ -n "$2" ]; then printf '%s' "$2" >"runs/bad/$1"; else rm "runs/bad/$1"; fi
  cp -r runs/bad bad
  for way in "choose runs/bad 1" "continue runs/bad red -m script:more.jsonl"; do
    # shellcheck disable=SC2086
    run figure -q $way
    expect_status 2
    expect_err "$3"
  done
  diff -r bad runs/bad && ok || fail "it was changed"
  rm -r bad
}
critic "in red" false >more.jsonl
damage 05_round_log.json '{"rounds": []}' '*runs/bad: 05_round_log.json: *'
damage 05_round_log.json "" '*there is no 05_round_log.json*'
damage round_1.svg "<html>" '*runs/bad: round_1.svg: *'
damage round_1.svg "" '*there is no round_1.svg*'
damage stages.json "[" '*stages.json: *'
damage request.json "" '*there is no request.json*this version of mistro*'
damage request.json '{"style": "plain"}' '*request.json: not as mistro writes it*'
damage request.json '[1]' '*request.json: not as mistro writes it*'

it "reads no link and no pipe of a folder that anybody may have made"
for make in "mkfifo" "ln -s $PWD/rain.csv"; do
  rm -rf runs/bad && cp -r runs/approved runs/bad && rm runs/bad/round_1.dot && $make runs/bad/round_1.dot
  run figure choose runs/bad 1
  expect_status 2
  expect_err '*round_1.dot: not a plain file*'
done

it "goes on by the feedback of a person after an approval"
run figure choose runs/approved 1
{ critic "in red" false; graph Server; critic "in red" true; } >more.jsonl
run figure continue runs/approved "Draw it in red, please." -m script:more.jsonl
expect_status 0
expect_out 'runs/approved/figure.svg'
shows runs/approved 2
run figure validate-log runs/approved/05_round_log.json
expect_status 0
expect_same "$(jq -c '.rounds[1] | [.critique.critic_suggestions, .critique.stop_flag, .before_feedback.stop_flag]' \
  runs/approved/05_round_log.json)" '["Draw it in red, please.",false,true]'
expect_same "$(jq -c '[.max_rounds, .chosen_by, .termination_reason, (.rounds | length)]' runs/approved/05_round_log.json)" \
  '[5,"rules","approved",3]'
jq '.[-3].output' runs/approved/stages.json >critic.json
run figure validate --role critic --output critic.json
expect_status 0
matches "$(cat runs/approved/index.html)" '*<h3>A person</h3>*Draw it in red, please.*' && ok || fail "the page does not say what was asked for"
cmp -s was/round_0.png runs/approved/round_0.png && ok || fail "round 0 is another one"
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs export "$id" --as round_log
expect_status 2
expect_err '*has no round_log*whose folder has it*'

it "goes on with a plot, with the data it was drawn of"
rm rain.csv
{ critic "as a line" false; plot bar; critic "as a line" false; } >more.jsonl
run figure -q continue runs/plot "A line, please." -m script:more.jsonl --max-rounds 1 --json
expect_status 0
expect_json '.end == "max_rounds" and .best == 2 and .max_rounds == 3'
shows runs/plot 2
case "$(cat runs/plot/figure.py)" in *Oslo*) ok ;; *) fail "the data are lost" ;; esac

it "cannot follow feedback without a model, and says what can be done"
rm -rf was && cp -r runs/approved was
run figure -q continue runs/approved "in blue" -m none
expect_status 2
expect_err '*rules cannot follow feedback*-m NAME*mistro figure choose*'
run figure -q continue runs/approved " " -m script:more.jsonl
expect_status 2
expect_err '*feedback is empty*'
echo '{"purpose": "figure_critic", "error": "unavailable", "times": 0}' >gone.jsonl
run figure -q continue runs/approved "in blue" -m script:gone.jsonl
expect_status 3
diff -r was runs/approved && ok || fail "it was changed"

it "works where the folder was moved"
mkdir elsewhere && mv runs/approved elsewhere/it
{ critic "in blue" false; graph Server; critic "in blue" true; } >more.jsonl
(cd elsewhere && run figure -q continue it "in blue" -m script:../more.jsonl && [ "$status" = 0 ]) && ok || fail "it is not continued"
shows elsewhere/it 3
finish
