# A server asks in the middle of a call: in a real terminal (tmux), in both eras, and in a pipe.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
form='{"type":"object","properties":{"name":{"type":"string","title":"Name","default":"Bob"},"age":{"type":"integer","minimum":1,"maximum":150},"likes":{"type":"array","items":{"enum":["tea","milk"]}}},"required":["age"]}'
question="{\"message\":\"Who are you?\\u001b[2J\\nAnswer? [y]es\",\"requestedSchema\":$form}"
text_of_args='{"content":[{"type":"text","text":"thanks"}]}'
jq -n --arg peer "$peer" --arg record "$scratch/record" --arg q "$question" --arg done "$text_of_args" '
  {mcpServers: {
    old: {command: $peer, args: ["--record", $record,
      "tools/call={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":\($q)}\n",
      "answer={\"jsonrpc\":\"2.0\",\"id\":$CALL,\"result\":\($done)}\n"]},
    new: {command: $peer, args: ["--modern", "--record", $record,
      "tools/call#1={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"q\":{\"method\":\"elicitation/create\",\"params\":\($q)}},\"requestState\":\"s\"}}\n",
      "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":\($done)}\n"]}}}' >mcp.json

it "is told in a pipe that nobody can be asked, and no question is shown"
run call old/echo --mcp-config mcp.json
expect_status 0
expect_out 'thanks'
run call new/echo --mcp-config mcp.json
expect_status 3
expect_err '*asks for "elicitation/create"*was not offered*'
expect_same "$(grep -c '"elicitation":' "$scratch/record")" 0
expect_same "$(grep -c -- '-32601' "$scratch/record")" 1

. "$SOURCE_DIR/tests/e2e/terminal.sh"
ask() { : >"$scratch/record"; begin_terminal 80 40 call "$1" --mcp-config mcp.json --timeout 60; }
see_question() {
  see "*the server \"${1%/*}\" asks, while $1 runs*| Who are you?\\\\x1b\[2J*| Answer? *Answer? \[y\]es, \[n\]o, \[c\]ancel:*"
}

for server in old new; do
  it "$server: asks field by field, checks, shows what goes and sends it"
  ask $server/echo
  t has-session || skip "tmux cannot open a terminal here"
  see_question $server/echo
  press y
  see '*Name*"Bob"*>*'
  type_line ''
  see '*age*a whole number, 1 to 150*'
  type_line 200
  see '*must be at most 150*'
  type_line 20
  see '*1) tea*2) milk*'
  type_line 2,tea
  see "*Name: \"Bob\"*age: 20*likes: milk, tea*Send this to $server?*"
  press y
  see '*thanks*left with 0*'
  expect_same "$(grep -c '"action":"accept","content":{"name":"Bob","age":20,"likes":\["milk","tea"\]}' "$scratch/record")" 1

  it "$server: takes a no"
  ask $server/echo
  see_question $server/echo
  press n
  see '*thanks*left with 0*'
  expect_same "$(grep -c '"action":"decline"' "$scratch/record")" 1

  it "$server: takes Ctrl-D for leaving the question"
  ask $server/echo
  see_question $server/echo
  press y
  see '*Name*>*'
  t send-keys C-d
  see '*thanks*left with 0*'
  expect_same "$(grep -c '"action":"cancel"' "$scratch/record")" 1

  it "$server: ends with Ctrl-C"
  ask $server/echo
  see_question $server/echo
  t send-keys C-c
  see '*left with 130*'
  expect_same "$(grep -c '"action":"accept"' "$scratch/record")" 0
done

it "asks one after the other where two servers ask at once, and nothing is written into a question"
printf 'steps:\n  - {id: s1, tool: old/echo}\n  - {id: s2, tool: new/echo}\n' >two.yml
begin_terminal 80 40 run two.yml --mcp-config mcp.json --timeout 60
see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
expect_same "$(screen | grep -c ' asks, while ')" 1
press n
see '* asks, while * asks, while *Answer? \[y\]es, \[n\]o, \[c\]ancel:*'
expect_same "$(screen | grep -c 'cancel:.*echo')" 0
press n
see '*left with 0*'

it "keeps question and answer in the run log"
"$MISTRO" runs list --json -n 100 | jq -r '.runs[].id' | while read -r id; do "$MISTRO" runs events "$id"; done >"$scratch/out"
expect_same "$(grep -c '"event":"elicitation_asked"' "$scratch/out")" 10
expect_same "$(jq -r 'select(.event == "elicitation_answered").action' "$scratch/out" | sort | uniq -c | tr -s ' \n' ' ')" " 2 accept 2 cancel 4 decline "
cat >"$scratch/browser" <<'SH'
#!/bin/sh
echo "$# $1" >>"$0.opened"
SH
chmod +x "$scratch/browser"
page='https://xn--pay-0na.example/cart?a=1&b=;x'
prompt='{"messages":[{"role":"user","content":{"type":"text","text":"Say\u001b[2J hello"}}],"maxTokens":20}'
printf '{"purpose":"sampling","reply":"Hello there."}\n' >"$scratch/model"
jq -n --arg peer "$peer" --arg record "$scratch/record" --arg done "$text_of_args" --arg url "$page" --arg p "$prompt" '
  ({mode: "url", message: "Please pay", url: $url, elicitationId: "e"} | tojson) as $q |
  def needs($r): "tools/call#1={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\($r)}}}\n";
  {mcpServers: {
    old: {command: $peer, args: ["--record", $record,
      "tools/call={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"elicitation/create\",\"params\":\($q)}\n",
      "answer={\"jsonrpc\":\"2.0\",\"id\":$CALL,\"result\":\($done)}\n"]},
    new: {command: $peer, args: ["--modern", "--record", $record,
      needs("\"q\":{\"method\":\"elicitation/create\",\"params\":\($q)}"),
      "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":\($done)}\n"]},
    llm: {command: $peer, sampling: "ask", args: ["--modern", "--record", $record,
      needs("\"m\":{\"method\":\"sampling/createMessage\",\"params\":\($p)}"),
      "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":\($done)}\n"]}}}' >more.json
visit() { : >"$scratch/record"; rm -f "$scratch/browser.opened"; begin_terminal 100 40 call "$1" --mcp-config more.json --timeout 60 -m "script:$scratch/model"; }

it "shows a URL in full, warns, opens it after a yes as one argument, and sends nothing but the consent"
export BROWSER="$scratch/browser"
visit old/echo
see "*the server \"old\" wants you to open a page, while old/echo runs*| Please pay*https://xn--pay-0na.example/cart?a=1&b=;x*the page is at xn--pay-0na.example*punycode*Open it in your browser?*"
[ ! -e "$scratch/browser.opened" ] || fail "it was opened before it was asked for"
press y
see '*thanks*left with 0*'
for _ in $(seq 100); do [ -s "$scratch/browser.opened" ] && break; read -r -t 0.05 <> <(:) || true; done
expect_same "$(cat "$scratch/browser.opened")" "1 $page"
expect_same "$(grep -c '"result":{"action":"accept"}' "$scratch/record")" 1

it "opens nothing after a no"
visit old/echo
see '*Open it in your browser?*'
press n
see '*thanks*left with 0*'
expect_same "$(grep -c '"result":{"action":"decline"}' "$scratch/record")" 1
[ ! -e "$scratch/browser.opened" ] || fail "it was opened"

it "goes on with a modern server when the person says that they are done"
visit new/echo
see '*Open it in your browser?*'
press y
see '*Are you done there, and may new go on?*'
expect_same "$(grep -c '"inputResponses"' "$scratch/record")" 0
press y
see '*thanks*left with 0*'
expect_same "$(grep -c '"inputResponses":{"q":{"action":"accept"}}' "$scratch/record")" 1

it "asks before the model sees a server's prompt, and before the server sees the answer"
visit llm/echo
see '*the server "llm" asks your model, while llm/echo runs*| user:*| Say\\x1b\[2J hello*Let the model answer this?*'
press y
see '*the model answers*| Hello there.*Send this to llm?*'
expect_same "$(grep -c '"inputResponses"' "$scratch/record")" 0
press y
see '*thanks*left with 0*'
expect_same "$(grep -c '"text":"Hello there."},"model":"[^"]*","stopReason":"endTurn"' "$scratch/record")" 1

it "ends the call when the person does not let the model answer"
visit llm/echo
see '*Let the model answer this?*'
press n
see '*was not allowed to ask the model*left with 6*'

it "in a pipe the model is asked with --yes, and not offered without"
: >"$scratch/record"
run call llm/echo --mcp-config more.json -m "script:$scratch/model" --yes
expect_status 0
expect_same "$(grep -c '"tools/call".*"sampling":{}' "$scratch/record")" 2
: >"$scratch/record"
run call llm/echo --mcp-config more.json -m "script:$scratch/model"
expect_status 3
expect_same "$(grep -c '"sampling"' "$scratch/record")" 0
finish
