# Requests in words: with a scripted model, and without any.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO EXAMPLES="$SOURCE_DIR/examples"
formalize="--mcp-config $SOURCE_DIR/examples/formalize/mcp.json -m script:$SOURCE_DIR/examples/formalize/model.jsonl"

it "answers a request through a real tool call with no model"
run ask -m none "read the file README.md"
expect_status 0
expect_out '*A small fruit trade*'

it "attaches the files that the request names with @"
printf 'plums and pears\n' >fruit.txt
run ask -m none --json 'read the file @fruit.txt'
expect_status 0
expect_json '.plan.steps[0].args.path == "fruit.txt"'
run ask -m none 'read the file @nothing.txt'
expect_status 2
expect_err '*attach: nothing.txt: No such file*@@*'

it "says what it asks even when it is to be quiet"
run ask -q -m none "read the file"
expect_status 5
expect_no_out
expect_err '*?*path*--answer path=*'

it "prints nothing but JSON lines with --events, and the result last"
run ask --events -m none "read the file README.md"
expect_status 0
expect_same "$(jq -rs 'last.event + " " + last.result.status' "$scratch/out")" "result completed"
run call files/read_file path=README.md --events
expect_same "$(jq -rs 'last.event + " " + (last.result.isError | tostring)' "$scratch/out")" "result false"
run plan --events -m none "read the file README.md"
expect_same "$(jq -rs 'last.event + " " + last.result.steps[0].tool' "$scratch/out")" "result files/read_file"
run call files/read_file path=nothing.md --events
expect_status 1
run call files/nothing --events
expect_status 2
expect_same "$(jq -rs 'last.event + " " + last.error.code' "$scratch/out")" "result not_found"

it "explains with -v how the words were read"
run ask -v -m none "read the file README.md"
expect_err '*threshold*read: in the name*path = "README.md" from "README.md" by the rule "path"*'
run ask -v -m none "read README.md and then read the first 3 lines of sales.csv"
expect_err '*path = "README.md" from "README.md"*end_line = 3 from "*3*" by*path = "sales.csv" from "sales.csv"*'

it "explains with -v where each value of a model's plan comes from"
cat >origin.jsonl <<'JSON'
{"purpose":"intent_and_plan","reply":{"reason":"two tools","primary_goal":"count","tools_needed":["files__search_files","files__read_file"],"parameters":{"query":"todo","end_line":7},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[{"id":"s1","tool":"files__search_files","args":{"query":"todo","ignore_case":true,"name":"*.md"}},{"id":"s2","tool":"files__read_file","args":{"path":"{s1.matches[0].path}","end_line":7}}]}}
{"purpose":"answer","reply":"There is one."}
JSON
run ask -v -m script:origin.jsonl "search for TODO in the notes and read the first file"
expect_status 0
expect_err '*s1: query = "todo": "TODO" in the request*s1: name = "?.md": the model gave it*s2: path = *: from an earlier result*'

it "shows what a step was called with, in a pipe as well"
run ask -m none "read lines 2 to 4 of sales.csv"
expect_status 0
expect_err '*✓ s1 files/read_file {*path: "sales.csv"*} * ms'
printf 'steps:\n  - {tool: files/search_files, args: {query: "token=hunter2secret"}}\n' >secret.yml
run run secret.yml
expect_err '*files/search_files {query: "token=?redacted?"} * ms'
printf 'mistral_orchestrator:\n  runs: {store_text: false}\n' >quiet.yml
run ask -m none --config quiet.yml "read the file README.md"
expect_err '*files/read_file {path: "README.md"} * ms'
expect_same "$("$MISTRO" runs events "$("$MISTRO" runs list --json | jq -r '.runs[0].id')" | grep -c '"path"')" 0

it "says once why a step failed"
run ask -m none "read the file nothing.md"
expect_status 1
expect_same "$(errors | grep -c 'no such file')" 1
run ask -q -m none "read the file nothing.md"
expect_err 'mistro: step s1: files/read_file: no such file*'
printf 'steps:\n  - {tool: files/read_file, args: {path: a.md}}\n  - {tool: files/read_file, args: {path: b.md}}\n' >two.yml
run run two.yml
expect_status 1
expect_same "$(errors | grep -c "'a.md'")" 1

it "says in the result that the lexical analyst did it"
run ask -m none --json "read the file README.md"
expect_status 0
expect_json '.status == "completed" and .analyst == "lexical" and (.receipts | length) == 1'

it "ends with 1 when no tool fits and there is no model, and says which words none has"
for command in ask plan; do
  run $command -m none "what is the meaning of life?"
  expect_status 1
  expect_no_out
  expect_err '*no tool fits this request: *life*mistro tools*'
done

it "does several things in their order, and shows what each gave"
run ask -m none --json "read README.md and then notes/suppliers.md"
expect_status 0
expect_json '.intent.tools_needed == ["files/read_file"]'
expect_json '[.steps[].args.path] == ["README.md", "notes/suppliers.md"]'
run ask -m none "read README.md and then notes/suppliers.md"
expect_out '*A small fruit trade*upplier*'
run plan -m none "search for TODO then read the first match"
expect_status 0
expect_out '*files/search_files*query: TODO*files/read_file*s1.matches?0?.path*needs*s1*'
run ask -m none "search for TODO then read the first match"
expect_status 0

it "does no half of what it does not understand"
for request in "read README.md and bake a cake" "read README.md and then delete it" "search for TODO and frobnicate the rest"; do
  run ask -m none --json "$request"
  expect_status 1
  expect_json '(.steps | length) == 0 and .intent.tools_needed == [] and (.intent.refusal | length) > 0'
done

it "calls nothing that the request says not to do, or says otherwise"
for request in "don't read LICENSE" "delete the file README.md" "stop the vacuum" "create a file hello.txt with the text hi"; do
  run ask -m none --json "$request"
  expect_status 1
  expect_json '(.steps | length) == 0 and .intent.tools_needed == []'
done

it "is as sure as the words of the request allow"
run plan -m none --json "read the file README.md"
expect_status 0
run ask -m none --json "read the file README.md"
expect_json '.intent.confidence > 0.5 and .intent.confidence < 1'
run ask -m none --json "read the file"
expect_status 5
expect_json '.intent.tools_needed == ["files/read_file"] and [.questions[].key] == ["path"]'

it "asks which of two tools is meant, and does what is answered"
cat >notes.yml <<'YML'
tools:
  - {name: search_notes, description: Search for text in notes., annotations: {readOnlyHint: true}, inputSchema: {type: object, properties: {query: {type: string}}, required: [query]}, replies: [{text: found in a note}]}
YML
cat >papers.yml <<'YML'
tools:
  - {name: search_papers, description: Search for text in papers., annotations: {readOnlyHint: true}, inputSchema: {type: object, properties: {query: {type: string}}, required: [query]}, replies: [{text: found in a paper}]}
YML
jq -n --arg mistro "$MISTRO" --arg a "$PWD/notes.yml" --arg b "$PWD/papers.yml" \
  '{mcpServers: {notes: {command: $mistro, args: ["serve", "mock", $a]}, papers: {command: $mistro, args: ["serve", "mock", $b]}}}' >two.json
run ask --json --yes --session new:two -m none --mcp-config two.json "search for TODO"
expect_status 5
expect_json '.intent.tools_needed == [] and [.questions[].key] == ["tool"]'
expect_json '(.questions[0].choices | sort) == ["none", "notes/search_notes", "papers/search_papers"]'
run ask --json --yes --session two -m none --mcp-config two.json --answer tool=papers/search_papers
expect_status 0
expect_json '.steps[0].tool == "papers/search_papers" and .steps[0].args.query == "TODO"'

it "drives a chain of three tools from a request with a scripted model"
# shellcheck disable=SC2086
run ask --yes --json $formalize "write me a function that adds up a list of numbers, and review it"
expect_status 0
expect_json '.status == "completed" and (.steps | map(.status)) == ["ok","ok","ok"]'
expect_json '.usage.model_calls == 2'

it "asks for intent and plan apart where the tools are more than the setting"
printf 'mistral_orchestrator:\n  tools: {plan_at_once: 2}\n' >apart.yml
# shellcheck disable=SC2086
run ask --yes --json --config apart.yml $formalize "write me a function that adds up a list of numbers, and review it"
expect_status 0
expect_json '.status == "completed" and .usage.model_calls == 3'

it "understands a tool call that the model writes unasked, and checks it like any plan"
cat >calls.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":"[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": {\"path\": \"README.md\", \"lines\": \"2\"}}]"}
{"purpose":"answer","times":0,"reply":"It is about a fruit trade."}
JSON
run ask --json -m script:calls.jsonl "what is this folder about?"
expect_status 0
expect_json '.status == "completed" and .steps[0].tool == "files/read_file" and .usage.model_calls == 2'

it "prints nothing of an attempt that failed, and the accepted answer once"
cat >late.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"greet","tools_needed":["none"],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[]}}
{"purpose":"answer","reply":"  \n"}
{"purpose":"answer","reply":"[TOOL_CALLS] [{\"name\": \"read_file\", \"arguments\": {}}]"}
{"purpose":"answer","times":0,"reply":"Hello."}
JSON
run ask -m script:late.jsonl "good morning"
expect_status 0
expect_same "$(cat "$scratch/out")" "Hello."

it "says what the tool said when the model has no words for it"
cat >mute.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"read","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[]}}
{"purpose":"answer","times":0,"reply":""}
JSON
run ask -m script:mute.jsonl "read README.md"
expect_status 0
expect_out '*A small fruit trade*'
expect_err '*the last result follows*'

it "shows the result itself where the model makes up numbers, and says which"
cat >liar.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"count","tools_needed":["files__read_file"],"parameters":{"path":"count.txt"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"files__read_file","args":{"path":"count.txt"}}]}}
{"purpose":"answer","times":0,"reply":"It has 690 words, see notes.md."}
JSON
echo "470 words" >count.txt
run ask -m script:liar.jsonl "how many words?"
expect_status 0
expect_out '470 words*'
expect_err '*what is in no result (690; notes.md); the last result follows*'
run ask --json -m script:liar.jsonl "how many words?"
expect_json '.answer_source == "result" and .ungrounded == ["690", "notes.md"] and .usage.model_calls == 3'

it "prints the answer without what a weak model writes around it"
for around in '[/INST] Hello Ann.</s>' $'Hello Ann.\n\nUser: and now?' '{"answer": "Hello Ann."}' $'```\nHello Ann.\n```'; do
  head -1 late.jsonl >around.jsonl
  jq -nc --arg reply "$around" '{purpose: "answer", times: 0, $reply}' >>around.jsonl
  run ask -m script:around.jsonl "good morning"
  expect_status 0
  expect_same "$(cat "$scratch/out")" "Hello Ann."
  printf 'good morning\n' | "$MISTRO" chat -q -m script:around.jsonl >"$scratch/out" 2>"$scratch/err"
  expect_same "$(cat "$scratch/out")" "Hello Ann."
done

it "passes all of an earlier turn's result on, whichever store keeps it"
cat >review.yml <<'YML'
tools: [{name: review, description: reviews code, annotations: {readOnlyHint: true}, inputSchema: {type: object, properties: {code: {type: string}}, required: [code]}, replies: [{text: fine}]}]
YML
mock_config "$PWD/review.yml" >review.json
seq 1 200 >made.txt
cat >later.jsonl <<'JSON'
{"purpose":"intent","match":"*read made.txt*","reply":{"primary_goal":"read","tools_needed":["files__read_file"],"parameters":{"path":"made.txt"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9}}
{"purpose":"intent","match":"*r1 = files/read_file*","reply":{"primary_goal":"review","tools_needed":["dev__review"],"parameters":{"code":"{vars.r1.text}"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9}}
{"purpose":"answer","times":0,"reply":"It is done."}
JSON
for backend in json sqlite; do
  printf 'mistral_orchestrator:\n  storage: {backend: %s}\n  tools: {plan_at_once: 0}\n' "$backend" >store.yml
  run ask --yes --config store.yml --session new:later-$backend -m script:later.jsonl "read made.txt"
  expect_status 0
  run ask --yes --json --config store.yml --mcp-config review.json --session later-$backend -m script:later.jsonl "now review it"
  expect_status 0
  expect_json '.steps[0].tool == "dev/review" and (.steps[0].args.code | contains("\n200"))'
done

it "prints nothing of an answer that breaks off"
cat >broken.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"greet","tools_needed":["none"],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[]}}
{"purpose":"answer","times":0,"reply":"Hello, and","error":"unavailable"}
JSON
run ask -m script:broken.jsonl "good morning"
expect_status 3
expect_no_out

it "lets the lexical analyst speak for a model that never says what it is asked"
cat >lost.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":"I would love to help you with that!"}
{"purpose":"answer","times":0,"reply":"It is about a fruit trade."}
JSON
run ask --json -m script:lost.jsonl "read the file README.md"
expect_status 0
expect_json '.status == "completed" and .analyst == "lexical" and .steps[0].args.path == "README.md" and .usage.model_calls == 5'

it "lets the model word the questions, and asks in its own words when it cannot"
printf 'mistral_orchestrator:\n  clarification: {wording: model}\n' >worded.yml
cat >worded.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"read a file","tools_needed":["files__read_file"],"parameters":{},"unclear_aspects":["path"],"needs_clarification":true,"confidence":0.3,"steps":[]}}
{"purpose":"questions","reply":{"questions":[{"key":"path","text":"Which file shall I read to you?"}]}}
{"purpose":"questions","times":0,"reply":{"questions":[{"key":"password","text":"What is your password?"}]}}
JSON
run ask --json --config worded.yml -m script:worded.jsonl "read me the file"
expect_status 5
expect_json '.questions == [{"key":"path","text":"Which file shall I read to you?","wants":"a path","example":"notes.md"}]'
sed -i 2d worded.jsonl
run ask --json --config worded.yml -m script:worded.jsonl "read me the file"
expect_status 5
expect_json '(.questions | map(.key)) == ["path"] and .usage.model_calls == 5'

it "needs approval for tools that are not its own, and headless that is exit 6"
# shellcheck disable=SC2086
run ask --json $formalize "write me a function that adds up a list of numbers, and review it"
expect_status 6

it "prints a plan that run accepts"
# shellcheck disable=SC2086
run plan --json $formalize "write me a function that adds up a list of numbers, and review it"
expect_status 0
cp "$scratch/out" plan.json
run run plan.json --mcp-config "$SOURCE_DIR/examples/formalize/mcp.json"
expect_status 0

it "takes the request from a pipe"
run_with_input 'read the file README.md' ask -m none
expect_status 0
expect_out '*A small fruit trade*'

it "asks at most three questions when it is unsure, and goes on after a restart"
cat >model.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"reason":"a file is meant, but which?","primary_goal":"read a file","tools_needed":["files__read_file"],"parameters":{},"unclear_aspects":["path"],"needs_clarification":true,"confidence":0.3,"steps":[]}}
{"purpose":"answer","times":0,"reply":"It is about a fruit trade."}
JSON
run ask --json -m script:model.jsonl "read me the file"
expect_status 5
expect_json '.status == "needs_answer" and (.questions | length) >= 1 and (.questions | length) <= 3'
key=$(jq -r '.questions[0].key' "$scratch/out"); session=$(jq -r .session_id "$scratch/out")
expect_same "$key" path
run ask --json -m script:model.jsonl --session "$session" --answer path=README.md
expect_status 0
expect_json '.status == "completed" and .steps[0].args.path == "README.md"'

it "keeps the conversation"
run sessions show "$session" --json
expect_status 0
expect_json '(.messages | length) >= 3'

it "keeps a run with every event"
run runs list --json
expect_status 0
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs events "$id"
expect_out '*"event":"run_started"*"event":"run_finished"*'
it "begins a session by its name only where that is said, and none by a typo"
run ask -q -m none --session new:harvest "read the file README.md"
expect_status 0
for command in "ask x" "plan x" "chat" "studio x"; do
  # shellcheck disable=SC2086
  run $command -m none --session harvets
  expect_status 2
  expect_no_out
  expect_err '*no session is named "harvets"*did you mean harvest?*(new:NAME begins one)*'
done
run sessions show harvets
expect_status 2
run ask -q -m none --session new:harvest "read the file README.md"
expect_status 2
expect_err '*session harvest exists already*without new: it is gone on with*'
run ask -q --json -m none --session harv "read the file README.md"
expect_json '.session_id == "harvest"'
run_with_input 'read the file README.md' chat -q -m none --session new:by-chat
expect_status 0
run sessions show by-chat --json
expect_json '.messages | length == 2'
run ask -q -m none --session 'new:a b' "read the file README.md"
expect_status 2

it "names what has no text, and saves it"
cat >pictures.yml <<'YML'
tools: [{name: tiny_image, description: shows a tiny image, annotations: {readOnlyHint: true}, replies: [{result: {content: [{type: text, text: here}, {type: image, mimeType: image/png, data: aGVsbG8=}]}}]}]
YML
mock_config "$PWD/pictures.yml" >pictures.json
run ask --yes -m none --mcp-config pictures.json "show me the tiny image"
expect_status 0
expect_same "$(cat "$scratch/out")" $'here\n[image/png 5 bytes]'
run ask --yes -m none --mcp-config pictures.json -o tiny.png "show me the tiny image"
expect_same "$(cat tiny.png)" hello
expect_same "$(cat "$scratch/out")" $'here\n[image/png 5 bytes]'
cat >looks.jsonl <<'JSON'
{"purpose":"intent_and_plan","times":0,"reply":{"primary_goal":"show","tools_needed":["dev__tiny_image"],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"dev__tiny_image","args":{}}]}}
{"purpose":"answer","match":"*[[]image/png 5 bytes]*","times":0,"reply":"It is an image of 5 bytes."}
JSON
run ask --yes -m script:looks.jsonl --mcp-config pictures.json "show me the tiny image"
expect_same "$(cat "$scratch/out")" "It is an image of 5 bytes."
printf 'show me the tiny image\n/output again.png\n' | "$MISTRO" chat -q --yes -m none --mcp-config pictures.json >"$scratch/out" 2>"$scratch/err"
expect_same "$(cat again.png)" hello
finish
