# Questions and how they are answered, dropped and taken up again: in pipes, over restarts and in a
# real terminal.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
jq -nc '{tools: [
  {name: "mix", description: "Mixes three things", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["a", "b", "c"],
     properties: {a: {type: "string"}, b: {type: "string"}, c: {type: "integer"}}},
   replies: [{text: "mixed {args.a}, {args.b}, {args.c}"}]},
  {name: "create_entities", description: "Creates entities", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["entities"],
     properties: {entities: {type: "array", items: {type: "object", required: ["name"],
       properties: {name: {type: "string"}}}}}},
   replies: [{text: "created {args.entities}"}]},
  {name: "paint", description: "Paints it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["colour"],
     properties: {colour: {enum: ([range(5000)] | map("shade\(.)"))}}},
   replies: [{text: "painted {args.colour}"}]},
  {name: "toggle", description: "Toggles it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["lit"], properties: {lit: {type: "boolean"}}},
   replies: [{text: "lit {args.lit}"}]},
  {name: "tag", description: "Tags it", annotations: {readOnlyHint: true},
   inputSchema: {type: "object", required: ["labels"],
     properties: {labels: {type: "array", items: {type: "string"}}}},
   replies: [{text: "tagged {args.labels}"}]}]}' >tools.yml
mock_config "$PWD/tools.yml" >mcp.json
chat() { # lines of a conversation; -m none
  printf '%s\n' "$@" | "$MISTRO" chat --yes -m none --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err"
  status=$?
}
begin_session() { # request; sets $session
  run ask --json --yes -m none --mcp-config mcp.json "$1"
  expect_status 5
  session=$(jq -r .session_id "$scratch/out")
}
go_on() { run ask --yes -m none --mcp-config mcp.json --session "$session" "$@"; }

it "says what is wanted with an example of its shape"
run ask -m none --mcp-config mcp.json "create entities"
expect_status 5
expect_err '*"entities"*A list of objects, for instance \[{"name":"some words"}\]*'
run ask --json -m none --mcp-config mcp.json "mix"
expect_json '.questions[2] == {key: "c", text: "What should \"c\" of dev/mix be?", wants: "a whole number", example: "3"}'

it "asks for the value that one of several actions lacks, and then does all of them in order"
for answer in --answer=path=README.md README.md; do
  run ask --json -m none "search for TODO and read the file"
  expect_status 5
  expect_json '.questions | map(.key) == ["path"]'
  run ask --json -m none --session "$(jq -r .session_id "$scratch/out")" "$answer"
  expect_status 0
  expect_json '.steps | map([.tool, .status]) == [["files/search_files", "ok"], ["files/read_file", "ok"]]'
  expect_json '.steps[0].args.query == "TODO" and .steps[1].args.path == "README.md"'
done

it "gives the answer to the action that lacks it, whatever another one has under that name"
run ask --json -m none "list the folder notes and read the file"
expect_status 5
run ask --json -m none --session "$(jq -r .session_id "$scratch/out")" --answer path=README.md
expect_json '.steps | map(.args.path) == ["notes", "README.md"]'

it "asks once more where the answer for one of several actions does not fit, and then does them"
begin_session "paint shade7 and mix a=1 b=2"
go_on --answer c=many
expect_status 5
expect_no_out
go_on --answer c=3
expect_status 0
expect_out 'painted shade7*mixed 1, 2, 3*'

it "lists the first choices of many and counts the others"
run ask --json -m none --mcp-config mcp.json "paint"
expect_json '(.questions[0].choices | length) == 20 and .questions[0].more_choices == 4980'
run ask -m none --mcp-config mcp.json "paint"
expect_err '*shade19*and 4,980 more*'
chat paint shade4321
expect_same "$(cat "$scratch/out")" "painted shade4321"
chat paint shade9 # one of those that are shown
expect_same "$(cat "$scratch/out")" "painted shade9"

it "takes several answers by key, by number and in their order"
for said in 'a=one b=two c=3' 'c: 3, b: two, a: one' 'a is one, b is two and c is 3' \
  '1) one 2) two 3) 3' '1. one 3. 3 2. two' 'one, two and 3' 'a=one, b="two"; c=3'; do
  chat mix "$said"
  expect_same "$(cat "$scratch/out")" "mixed one, two, 3"
done

it "takes them one after the other, and out of order over restarts"
chat mix one two 3
expect_same "$(cat "$scratch/out")" "mixed one, two, 3"
begin_session mix
go_on "c=3"
expect_status 5
go_on --answer b=two
expect_status 5
go_on "one"
expect_status 0
expect_out 'mixed one, two, 3*'

it "asks again where it is not clear what is answered"
for said in 'one, two' 'one, two and many' 'a=one a=two'; do
  chat mix "$said" 'a=one b=two c=3'
  expect_same "$(cat "$scratch/out")" "mixed one, two, 3"
  expect_err '*is not clear*'
done

it "refuses what the schema does not take with the question again"
chat "create entities" plums
expect_no_out
expect_err '*does not fit "entities"*A list of objects*'
begin_session paint
go_on "crimson"
expect_status 5
expect_err '*"crimson" does not fit "colour"*'

it "takes a list that is told in words"
chat tag 'plums, pears and apples'
expect_same "$(cat "$scratch/out")" 'tagged ["plums","pears","apples"]'

it "drops a question by words of five languages"
for said in cancel 'Never mind.' 'no thanks' 'vergiss es' 'laisse tomber' olvídalo 'lascia perdere'; do
  begin_session "create entities"
  go_on "$said"
  expect_status 0
  expect_no_out
  expect_err "*question dropped; answer it later with mistro ask --session $session --answer entities=…*"
done

it "keeps what was dropped for --answer, and for nothing else"
begin_session mix
go_on --json "cancel"
expect_json '.status == "completed" and (.dropped | contains("--answer c=…")) and (has("answer") | not)'
go_on "toggle lit=true"
go_on --answer a=one --answer b=two --answer c=3
expect_status 0
expect_out 'mixed one, two, 3*'

it "does the request that follows the refusal"
chat "create entities" "forget that, please mix a=one b=two c=3"
expect_same "$(cat "$scratch/out")" "mixed one, two, 3"

it "sees a request of its own where the parameter cannot be that"
printf 'read the file\nlist the files in the notes folder\n' | "$MISTRO" chat -m none >"$scratch/out" 2>"$scratch/err"
expect_out '*harvest.md*'
expect_err '*question dropped*--answer path=*'

it "takes no as an answer to a question of yes and no"
for said in no nein "non merci" false; do
  chat toggle "$said"
  expect_same "$(cat "$scratch/out")" "lit false"
done
chat toggle oui
expect_same "$(cat "$scratch/out")" "lit true"
chat toggle cancel
expect_no_out
expect_err '*question dropped*'

it "asks whether to do without a word that no tool covers"
printf 'TODO: plums\n' >plums.md
for said in yes 2; do
  run ask --json -m none "search for plums, the latest"
  expect_status 5
  expect_json '.intent.tools_needed == ["files/search_files"] and .questions[0].key == "confirm"
    and .questions[0].choices == ["yes", "no"] and (.questions[0].text | contains("\"latest\""))'
  run ask -m none --session "$(jq -r .session_id "$scratch/out")" "$said"
  expect_status 0
  case $said in yes) expect_out '*plums.md:1:*' ;; *) expect_no_out; expect_err '*question dropped*confirm=…*' ;; esac
done

it "explains the question again"
for said in '?' 'what do you mean?' 'was meinst du?'; do
  chat "create entities" "$said" '[{"name":"x"}]'
  expect_same "$(cat "$scratch/out")" 'created [{"name":"x"}]'
  expect_same "$(grep -c 'A list of objects' "$scratch/err")" 2
done

it "checks the keys of --answer"
begin_session mix
go_on --answer aa=1
expect_status 2
expect_err '*no question has the key "aa"; asked is: a b c*'
begin_session "create entities"
go_on --answer entites=x
expect_err '*did you mean --answer entities=…*'
run ask -m none --mcp-config mcp.json --answer x=1 "mix"
expect_status 2
run tools --answer x=1
expect_status 2
expect_err '*tools does not understand --answer*'

it "names plan as the way to answer what plan asked"
run plan -m none --mcp-config mcp.json "mix"
expect_status 5
expect_err '*mistro plan --session * --answer a=… --answer b=… --answer c=…*'
session=$(sed -n 's/.*--session \([^ ]*\).*/\1/p' "$scratch/err")
run plan --json -m none --mcp-config mcp.json --session "$session" "one, two, 3"
expect_status 0
expect_json '.steps[0].args == {a: "one", b: "two", c: 3}'

it "chooses the tool by number, name or words, without a model"
doubt='{"version":1,"message":"mix a=one b=two c=3","goal":"mix","tools":[],"parameters":{},"analyst":"lexical",
  "questions":[{"key":"tool","text":"Which of these should do it?","choices":["dev/toggle","dev/mix","none"]}]}'
for said in 2 dev/mix "the mix one"; do
  begin_session mix
  file=$(grep -rl "$session" "$XDG_DATA_HOME" | grep -m1 'json$')
  jq --argjson doubt "$doubt" '.context.clarification = $doubt' "$file" >changed.json && cp changed.json "$file"
  go_on "$said"
  expect_status 0
  expect_out 'mixed one, two, 3*'
done

it "goes on without a question that is damaged in the store"
begin_session mix
file=$(grep -rl "$session" "$XDG_DATA_HOME" | grep -m1 'json$')
jq '.context.clarification.questions = "none"' "$file" >changed.json && cp changed.json "$file"
go_on "mix a=one b=two c=3"
expect_status 0
expect_out 'mixed one, two, 3*'

. "$SOURCE_DIR/tests/e2e/terminal.sh"
it "Ctrl-C at a question drops it, and the next line is a request"
begin_terminal 100 30 chat --yes -m none --mcp-config mcp.json
t has-session || skip "tmux cannot open a terminal here"
see '*mistro>*'
type_line mix
see '*answer with a=… b=… c=…*mistro>*'
t send-keys C-c
see '*question dropped; answer it later with mistro ask --session*mistro>*'
type_line 'toggle lit=true'
see '*lit true*'

it "answers in a terminal in any order, and after leaving it"
type_line mix
see '*c=…*? explains*mistro>*'
type_line 'c=3'
see '*c=3*What should "b"*mistro>*'
session=$("$MISTRO" sessions list --json | jq -r '.sessions[0].id')
t send-keys C-d
see '*left with*'
begin_terminal 100 30 chat --yes -m none --mcp-config mcp.json --session "$session"
see '*mistro>*'
type_line 'one, two'
see '*mixed one, two, 3*'
finish
