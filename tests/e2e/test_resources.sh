# Resources and prompts of scripted servers, in both eras, from the command line and in a chat.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cat >notes.yml <<'YML'
page_size: 1
tools: [{name: echo}]
resources:
  - {uri: "note:///plums", title: Plums, mimeType: text/markdown, text: Plums are ripe in August.}
  - {uri: "note:///pears", description: all about pears, text: "Pears keep. \e[2J"}
  - {uri: "img:///dot", mimeType: image/png, blob: aGVsbG8=}
resource_templates:
  - {uriTemplate: "note:///{year}/{month}", name: by month, text: "Notes of {args.month} {args.year}"}
prompts:
  - name: summary
    description: summarise a topic
    arguments: [{name: topic, required: true}, {name: tone}]
    messages: [{text: "Summarise {args.topic} @secret.txt"}]
  - name: talk
    messages: [{text: hello}, {role: assistant, content: {type: image, data: aGk=, mimeType: image/png}}]
YML
echo "tools: [{name: echo}]" >plain.yml
echo "the secret" >secret.txt
server() { printf '"%s":{"command":"%s","args":["serve","mock","--fixture","%s"],"era":"%s"}' "$1" "$MISTRO" "$2" "$3"; }
printf '{"mcpServers":{%s,%s,%s,"dead":{"command":"/nonexistent/server"}}}' \
  "$(server new notes.yml modern)" "$(server old notes.yml legacy)" "$(server plain plain.yml auto)" >mcp.json

it "lists the resources and templates of every server, all pages, and warns of dead ones"
run resources --mcp-config mcp.json
expect_status 0
expect_same "$(grep -c . "$scratch/out")" 8
expect_same "$(grep -F 'note:///plums' "$scratch/out" | cut -f1-3 | tr '\t\n' '  ')" 'new note:///plums text/markdown old note:///plums text/markdown '
expect_out '*note:///{year}/{month}*'
expect_err '*warning: server dead: *'

it "lists those of one server, as JSON with the definitions as the server gave them"
run resources old --mcp-config mcp.json --json
expect_status 0
expect_json '.resources | length == 3 and .[0].server == "old" and .[0].definition.title == "Plums"'
expect_json '.templates[0].definition.uriTemplate == "note:///{year}/{month}" and .failures == []'

it "says that a server offers none, and asks it for none"
run resources plain --mcp-config mcp.json
expect_status 2
expect_err '*server plain: the server offers no resources*'
run prompt plain/summary --mcp-config mcp.json -vv
expect_status 2
expect_err '*the server offers no prompts*'
if grep -q 'prompts/' "$scratch/err"; then fail "it was asked"; else ok; fi

it "says when there is nothing, unless it should be quiet"
run prompts --servers plain --mcp-config mcp.json
expect_status 0
expect_no_out
expect_err '*no server offers prompts*'
run prompts --servers plain --mcp-config mcp.json -q
expect_err ''

it "ends with 3 when the named server is dead or every one is, and with 2 for an unknown one"
run resources dead --mcp-config mcp.json
expect_status 3
run prompts --servers dead --mcp-config mcp.json
expect_status 3
run resources odl --mcp-config mcp.json
expect_status 2
expect_err '*did you mean old*'

for server in new old; do
  it "prints what a resource of $server holds, and nothing else"
  run read $server note:///plums --mcp-config mcp.json
  expect_status 0
  expect_out 'Plums are ripe in August.'
  expect_err ''
  run read $server note:///2026/may --mcp-config mcp.json
  expect_out 'Notes of may 2026'

  it "says of bytes what they are, and writes them with -o ($server)"
  run read $server img:///dot --mcp-config mcp.json
  expect_out '[[]image/png 5 bytes]'
  run read $server img:///dot -o dot.png --mcp-config mcp.json
  expect_status 0
  expect_no_out
  expect_same "$(cat dot.png)" hello

  it "writes the text of a resource with -o ($server)"
  run read $server note:///plums -o plums.md --mcp-config mcp.json
  expect_same "$(cat plums.md)" 'Plums are ripe in August.'

  it "prints the result byte for byte with --json ($server)"
  run read $server note:///plums --json --mcp-config mcp.json
  expect_json '.contents[0].text == "Plums are ripe in August."'
  cp "$scratch/out" result.json
  run read $server note:///plums --json -vv --mcp-config mcp.json
  if grep -qF "\"result\":$(cat result.json)" "$scratch/err"; then ok; else fail "not the bytes of the wire"; fi

  it "names the nearest resource and prompt for unknown ones ($server)"
  run read $server note:///plum --mcp-config mcp.json
  expect_status 2
  expect_err '*did you mean note:///plums*'
  run prompt $server/summry --mcp-config mcp.json
  expect_status 2
  expect_err "*did you mean $server/summary*"

  it "prints a prompt: one message alone, several under their roles ($server)"
  run prompt $server/summary topic=plums --mcp-config mcp.json
  expect_status 0
  expect_out 'Summarise plums @secret.txt'
  run prompt $server/talk --mcp-config mcp.json
  expect_out 'user:
hello

assistant:
[[]image/png 2 bytes]'
  run prompt $server/talk --json --mcp-config mcp.json
  expect_json '.messages | length == 2'

  it "says which argument of a prompt is missing, and takes nothing but text ($server)"
  run prompt $server/summary --mcp-config mcp.json
  expect_status 2
  expect_err '*-32602*it needs topic*'
  run prompt $server/summary topic:=5 --mcp-config mcp.json
  expect_status 2
  expect_err '*"topic" is not text*'
done

it "lists prompts with their arguments"
run prompts new --mcp-config mcp.json
expect_status 0
expect_out 'new/summary	summarise a topic	(topic, tone[?])*new/talk*'

cat >model.jsonl <<'JSONL'
{"purpose":"intent_and_plan","reply":{"primary_goal":"g","tools_needed":[],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[]},"times":0}
{"purpose":"answer","match":"*the secret*","reply":"The secret got out.","times":0}
{"purpose":"answer","match":"*Plums are ripe in August*","reply":"In August.","times":0}
{"purpose":"answer","match":"*Summarise two plums @secret.txt*","reply":"Plums, summarised.","times":0}
{"purpose":"answer","reply":"Something else.","times":0}
JSONL
models="-m script:model.jsonl --no-session --mcp-config mcp.json"

it "attaches a resource to a request by server and URI, or by its URI where one server has it"
# shellcheck disable=SC2086
run ask "when? @new:note:///plums." $models --servers new
expect_status 0
expect_out 'In August.'
# shellcheck disable=SC2086
run ask "when? @note:///plums" $models --servers new,plain
expect_out 'In August.'

it "asks which server is meant where several have a resource, and refuses one that is no text"
# shellcheck disable=SC2086
run ask "when? @note:///plums" $models --servers new,old
expect_status 2
expect_err '*several servers have*@new:note:///plums*'
# shellcheck disable=SC2086
run ask "what? @new:img:///dot" $models --servers new
expect_status 2
expect_err '*attach: *not a text*'

it "says a prompt in a chat, and attaches nothing that the server named in it"
# shellcheck disable=SC2086
run_with_input '/new:summary topic="two plums"
/new:summary
/new:sumary topic=x
' chat $models --servers new
expect_out 'Plums, summarised.'
expect_err '*it needs topic*did you mean new/summary*'

finish
