# What a turn asks for, leaves to the model, and refuses, with models that do as small models do.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cat >tools.yml <<'YAML'
tools:
  - name: send_mail
    description: Sends a mail
    inputSchema:
      type: object
      properties: {to: {type: string}, subject: {type: string}, day: {type: string}, account: {type: string}, body: {type: string}}
      required: [to, subject, day, account, body]
    replies: [{text: "sent: {args.body}"}]
  - name: count_rows
    description: Counts the rows of a table
    inputSchema: {type: object, properties: {sql: {type: string}}, required: [sql]}
    annotations: {readOnlyHint: true}
    replies: [{text: "7"}]
  - name: delete_file
    description: Deletes a file
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    replies: [{text: deleted}]
  - name: read_note
    description: Reads a note
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    annotations: {readOnlyHint: true}
    replies: [{text: "the note {args.path}"}]
YAML
mock_config tools.yml >mcp.json
intent() { # tools, parameters, steps
  jq -nc --argjson t "$1" --argjson p "$2" --argjson s "$3" '("intent","intent_and_plan") | {purpose:.,times:0,reply:{reason:"r",
    primary_goal:"g",tools_needed:$t,parameters:$p,unclear_aspects:[],needs_clarification:false,confidence:0.9,steps:$s}}'
}
script() { printf '%s\n' "$@" >model.jsonl; }
answer='{"purpose":"answer","times":0,"reply":"Done as asked."}'
ask() { run ask --yes --json --mcp-config mcp.json -m script:model.jsonl "$@"; }

it "asks for one missing parameter of five, and the plan's invention is not called"
script "$(intent '["dev__send_mail"]' '{"to":"Ann","subject":"plums","account":"home","body":"ripe"}' \
  '[{"id":"s1","tool":"dev__send_mail","args":{"to":"Ann","subject":"plums","day":"2031-01-01","account":"home","body":"ripe"}}]')" "$answer"
ask "mail Ann from home about plums"
expect_status 5
expect_json '(.questions | map(.key)) == ["day"] and (.steps | length) == 0'

it "leaves what follows from the request to the model"
script "$(intent '["dev__count_rows"]' '{}' '[]')" \
  '{"purpose":"plan","times":0,"reply":{"steps":[{"id":"s1","tool":"dev__count_rows","args":{"sql":"SELECT count(*) FROM sales"}}]}}' "$answer"
ask "how many sales are there?"
expect_status 0
expect_json '.steps[0].args.sql == "SELECT count(*) FROM sales" and (has("grounded") | not)'

it "reads two values for one parameter as two steps"
script "$(intent '["dev__read_note"]' '{"path":["a.md","b.md"]}' '[]')" \
  '{"purpose":"plan","times":0,"reply":{"steps":[{"id":"s1","tool":"dev__read_note","args":{"path":"a.md"}},{"id":"s2","tool":"dev__read_note","args":{"path":"b.md"}}]}}' "$answer"
ask "compare a.md and b.md"
expect_status 0
expect_json '(.steps | map(.args.path)) == ["a.md","b.md"]'

it "fails when tools are named and the plan stays empty"
script "$(intent '["dev__read_note","dev__delete_file"]' '{"path":"a.md"}' '[]')" \
  '{"purpose":"plan","times":0,"reply":{"reason":"done","steps":[]}}' \
  '{"purpose":"answer","times":0,"reply":"I have deleted a.md."}'
ask "read a.md, then delete it"
expect_status 1
expect_json '.error.code == "failed" and (.error.message | contains("dev__delete_file")) and (has("answer") | not)'

it "names the limit of steps"
printf 'mistral_orchestrator:\n  max_plan_steps: 2\n' >short.yml
steps='[{"id":"s1","tool":"dev__read_note","args":{"path":"a"}},{"id":"s2","tool":"dev__read_note","args":{"path":"b"}},{"id":"s3","tool":"dev__read_note","args":{"path":"c"}}]'
script "$(intent '["dev__read_note","dev__read_note","dev__read_note"]' '{"path":["a","b","c"]}' "$steps")" \
  "{\"purpose\":\"plan\",\"times\":0,\"reply\":{\"steps\":$steps}}"
ask --config short.yml "read a, b and c"
expect_status 7
expect_json '.error.message | contains("3 steps, at most 2 are allowed (max_plan_steps)")'
script "$(intent '["dev__read_note"]' '{"path":"a"}' "$steps")" \
  "{\"purpose\":\"plan\",\"times\":0,\"reply\":{\"steps\":$steps}}"
ask --config short.yml "read a, b and c"
expect_status 7
expect_json '(.steps | length) == 0 and (.error.message | contains("3 steps"))'

it "names it as well where there are many more"
steps=$(jq -nc '[range(30) | {id: "s\(.)", tool: "dev__read_note", args: {path: "n\(.)"}}]')
script "$(intent '["dev__read_note"]' '{"path":"a"}' "$steps")" \
  "{\"purpose\":\"plan\",\"times\":0,\"reply\":{\"steps\":$steps}}"
ask "read n0 to n29"
expect_status 7
expect_json '.analyst == "model" and (.error.message | contains("at least 26 steps, at most 10 are allowed (max_plan_steps)"))'

it "says that an answer was made without a tool"
script "$(intent '["none"]' '{}' '[]')" '{"purpose":"answer","times":0,"reply":"Paris."}'
ask "what is the capital of France?"
expect_status 0
expect_json '.grounded == false and .answer == "Paris."'
expect_err '*no tool was used*'

it "refuses a claim that nothing stands behind"
for claim in "I have turned on the light in the hall." "Es ist 14:35 Uhr in Tokio." "J'ai supprimé le fichier." "He encendido la luz." "Ho acceso la luce." "Done!"; do
  script "$(intent '["none"]' '{}' '[]')" "$(jq -nc --arg r "$claim" '{purpose:"answer",times:0,reply:$r}')"
  ask "please do it"
  expect_status 1
  expect_json '.error.code == "ungrounded" and (has("answer") | not)'
done

it "notices gaps and deeds that no call stands behind"
for claim in "The note says [insert note here]." "It is a.md. I have mailed it to Ann."; do
  script "$(intent '["dev__read_note"]' '{"path":"a.md"}' '[]')" "$(jq -nc --arg r "$claim" '{purpose:"answer",times:0,reply:$r}')"
  ask "what does the note a.md say?"
  expect_status 0
  expect_json '.answer == "the note a.md" and .answer_source == "result"'
done

it "lets words alone read, and change nothing, after a refusal of the model"
script '{"times":0,"reply":"I cannot do that."}'
ask "delete file path=b.txt"
expect_status 1
expect_json '(.steps | length) == 0 and (.error.message | contains("dev/delete_file was not called"))'
script '{"purpose":"intent","times":0,"reply":"I cannot do that."}' \
  '{"purpose":"intent_and_plan","times":0,"reply":"I cannot do that."}' "$answer"
ask "read note path=b.txt"
expect_status 0
expect_json '.analyst == "lexical" and .steps[0].tool == "dev/read_note"'

it "does what a person asks of the words alone"
run ask --yes --json --mcp-config mcp.json -m none "delete file path=b.txt"
expect_status 0
expect_json '.steps[0].tool == "dev/delete_file"'
finish

unlink='{"id":"s1","tool":"dev__delete_file","args":{"path":"a.md"}}'
plans() { # of the model, for ever
  jq -nc --argjson s "$1" '{purpose:"plan",times:0,reply:{reason:"r",steps:$s}}'
}
for request in "read a.md" "don't delete a.md, read it" "how do I delete a.md?" "did you delete a.md?" \
  "Lies a.md" "Lösche a.md bitte nicht" "n'efface pas a.md" "no borres a.md" "non cancellare a.md"; do
  it "does not obey a plan that deletes where the request is: $request"
  script "$(intent '["dev__delete_file"]' '{"path":"a.md"}' "[$unlink]")" "$(plans "[$unlink]")" "$answer"
  ask "$request"
  expect_status 7
  expect_json '.error.message | contains("dev/delete_file: the request")'
  expect_json '(.steps | length) == 0 and (has("answer") | not)'
done

it "tells the model that the request does not ask for the deletion, and takes the plan that reads"
script "$(intent '["dev__delete_file"]' '{"path":"a.md"}' "[$unlink]")" \
  "$(plans '[{"id":"s1","tool":"dev__read_note","args":{"path":"a.md"}}]')" "$answer"
ask "read a.md"
expect_status 0
expect_json '(.steps | map(.tool)) == ["dev/read_note"]'

for request in "get rid of a.md" "a.md can go, I'm done with it" "yes, take care of a.md" "Wirf a.md weg" "débarrasse-toi de a.md"; do
  it "obeys a plan that deletes where the request is: $request"
  script "$(intent '["dev__delete_file"]' '{"path":"a.md"}' "[$unlink]")" "$answer"
  ask "$request"
  expect_status 0
  expect_json '(.steps | map(.tool)) == ["dev/delete_file"]'
done

it "does not go on to what the message before said not to do"
script "$(intent '["dev__read_note"]' '{"path":"a.md"}' '[]')" "$answer"
ask --session new:denied "read a.md, but don't delete it" || true
[ "$status" -eq 0 ] || ask --session denied "read a.md, but don't delete it"
script "$(intent '["dev__delete_file"]' '{"path":"a.md"}' "[$unlink]")" "$(plans "[$unlink]")" "$answer"
ask --session denied "go on"
expect_status 7
expect_json '.error.message | contains("the message before says not to do this")'
