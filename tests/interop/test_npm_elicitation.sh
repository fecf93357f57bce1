# Servers of the npm SDKs 1.x and 2.x that ask in the middle of a call, in a real terminal (tmux).
. "$SOURCE_DIR/tests/interop/npm.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
begin_modern_http
trap 't kill-server; kill $modern_pid 2>/dev/null; rm -rf "$scratch"' EXIT
cat >mcp.json <<JSON
{"mcpServers":{
  "everything":{"command":"$node","args":["$(at server-everything)"]},
  "modern":{"command":"$node","args":["$scripts/modern_server.mjs"]},
  "strict":{"url":"$modern/strict"}}}
JSON
call() { begin_terminal 100 60 call "$1" --mcp-config mcp.json --timeout 60; see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'; }

for server in modern strict; do
  it "SDK 2.x, $server: the answer of a round with its state is taken"
  call $server/confirm
  press y
  see '*ok*\[true\] >*'
  type_line ''
  see '*why (may be left empty)*'
  type_line 'because'
  see '*Send this to '"$server"'?*'
  press y
  see '*got {"action":"accept","content":{"ok":true,"why":"because"}}*left with 0*'

  it "SDK 2.x, $server: a no is a no"
  call $server/confirm
  press n
  see '*got {"action":"decline"}*left with 0*'
done

it "SDK 2.x: is not asked for input where nobody is present"
run call modern/confirm --mcp-config mcp.json
expect_status 1
expect_err '*call it on a terminal*'

it "SDK 1.x: every kind of field of server-everything is asked, defaults are sent untouched"
call everything/trigger-elicitation-request
press y
see '*Your full, legal name*>*'
type_line Ada
for _ in $(seq 20); do
  read -r -t 0.3 <> <(:) || true
  if matches "$(screen)" '*Send this to everything?*'; then break; fi
  type_line ''
done
see '*Send this to everything?*'
press y
see '*left with 0*'
t capture-pane -p -J -S -200 >"$scratch/out"
expect_out '*User provided the requested information*Name: Ada*'

it "SDK 1.x: a no is a no"
call everything/trigger-elicitation-request
press n
see '*declined*left with 0*'

it "SDK 1.x: a task asks while it runs, and goes on with the answer"
begin_terminal 100 60 call everything/simulate-research-query topic=python ambiguous:=true --mcp-config mcp.json --timeout 60
see '*"python" could have multiple interpretations*Answer?*'
press y
see '*Clarification*2) Python snake species*>*'
type_line 2
see '*Send this to everything?*'
press y
see '*left with 0*'
t capture-pane -p -J -S -200 >"$scratch/out"
expect_out '*Research Report: python (snake)*`input_required` → `working` → `completed`*'

it "SDK 1.x: a page to open is shown in full, and opened by the person's browser only when they say so"
printf '#!/bin/sh\nprintf "%%s\\n" "$1" >"%s/opened"\n' "$scratch" >"$scratch/browser"
chmod +x "$scratch/browser"
export BROWSER="$scratch/browser"
page='https://example.com/x?a=1\&b=2'
begin_terminal 100 60 call everything/trigger-url-elicitation "url=$page" --mcp-config mcp.json
see '*https://example.com/x?a=1&b=2*Open it in your browser?*'
press n
see '*declined to open the URL*left with 0*'
if [ -e "$scratch/opened" ]; then fail "it was opened"; else ok; fi
begin_terminal 100 60 call everything/trigger-url-elicitation "url=$page" errorPath:=true --mcp-config mcp.json
see '*Open it in your browser?*'
press y
see '*Are you done there*'
press y
see '*Are you done there*Open it in your browser?*'
press y
see '*left with 0*'
expect_same "$(cat "$scratch/opened")" 'https://example.com/x?a=1&b=2'

it "SDK 1.x: the model answers for a server that is let near it, and for no other"
echo '{"purpose":"sampling","reply":"four","times":0}' >model.jsonl
cat >sampler.json <<JSON
{"mcpServers":{
  "sampler":{"command":"$node","args":["$(at server-everything)","stdio"],"sampling":"allow"}}}
JSON
run call sampler/trigger-sampling-request 'prompt=2 and 2?' --mcp-config sampler.json -m script:model.jsonl
expect_status 0
expect_out '*LLM sampling result*"text": "four"*'
run call everything/trigger-sampling-request 'prompt=2 and 2?' --mcp-config mcp.json -m script:model.jsonl
expect_status 2

mkdir -p notes
printf '{"purpose":"sampling","reply":"Plums are blue."}\n' >"$scratch/model"
jq --arg dir "$PWD/notes" '.mcpServers.everything += {sampling: "ask", roots: [$dir], pinning: "off"}' mcp.json >more.json
more() { begin_terminal 100 60 call "$@" --mcp-config more.json --timeout 60 -m "script:$scratch/model"; }

it "SDK 1.x: the model answers a request of the server, with a person's consent"
more everything/trigger-sampling-request "prompt=colour" maxTokens:=20
see '*| Resource trigger-sampling-request context: colour*Let the model answer this?*'
press y
see '*| Plums are blue.*Send this to everything?*'
press y
see '*Plums are blue.*left with 0*'

it "SDK 1.x: a refusal is an error that the server understands"
more everything/trigger-sampling-request "prompt=colour"
see '*Let the model answer this?*'
press n
see '*User rejected sampling request*left with *'

it "SDK 1.x: learns the folders that it is given"
run call everything/get-roots-list --mcp-config more.json
expect_status 0
expect_out "*file://$PWD/notes*"
finish
