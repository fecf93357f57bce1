# A server that puts what steers a terminal into every text it sends: no command passes it on to one.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v script >/dev/null || skip "script(1) is not installed"
# ESC ] 0 ; … BEL sets a title, ESC [ 2 J clears, C1 CSI does as well, U+202E turns text around, a
# carriage return overwrites, a line break begins a line that looks like one of ours.
evil='"EVIL\u0001EVIL\u001b]0;EVIL\u0007\u001b[2JEVIL\u009b2JEVIL\u202eEVIL\u2066EVIL\rEVIL\bEVIL\u007fEVIL\nmistro: EVIL"'
long=$(head -c 1048576 /dev/zero | tr '\0' 'x')
jq -n --argjson e "$evil" --rawfile long <(printf '%s' "$long") '{
  version: $e, instructions: $e,
  tools: [
    {name: "search", title: $e, description: $e,
     inputSchema: {type: "object", title: $e, properties: {($e): {type: "string", description: $e, enum: [$e]}, q: {type: "string", description: $e}}},
     outputSchema: {type: "object", description: $e},
     annotations: {title: $e, readOnlyHint: true},
     replies: [{result: {content: [{type: "text", text: $e}, {type: "image", data: "aGk=", mimeType: $e},
       {type: "resource_link", uri: ("x:///" + $e), name: $e, description: $e, mimeType: $e},
       {type: "resource", resource: {uri: ("x:///" + $e), text: $e, mimeType: $e}}], structuredContent: {($e): $e}},
       progress: [{progress: 1, total: 2, message: $e}], logs: [{level: "error", text: $e}, {level: "info", text: $e}]}]},
    {name: "fails", title: $e, replies: [{error: $e}]},
    {name: "breaks", replies: [{error: {code: -32000, message: $e}}]},
    {name: "long", title: $long, description: $long, replies: [{error: $long}]}],
  resources: [{uri: ("note:///" + $e), name: $e, title: $e, description: $e, mimeType: $e, text: $e},
    {uri: "note:///plain", name: $e, text: $e, mimeType: $e}],
  resource_templates: [{uriTemplate: "t:///{x}", name: $e, title: $e, description: $e, text: $e}],
  prompts: [{name: "ask", title: $e, description: $e, arguments: [{name: "topic", description: $e, required: true}],
    messages: [{text: $e}]}]}' >evil.json
mock_config evil.json >mcp.json

# What reaches a terminal: printable UTF-8, tabs and line breaks, and nothing that turns text around.
# mistro's own colours, where they are on, are taken off first; `script` puts \r before each \n.
control='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]'
max_seen_bytes=$((64 * 1024))
check_seen() { # what was run
  LC_ALL=C sed 's/\r*$//; s/\x1b\[\(0\|1\|2\|3[1-4]\|1;34\)m//g' "$scratch/seen" >"$scratch/plain"
  if LC_ALL=C grep -qaP "$control" "$scratch/plain" || ! iconv -f UTF-8 -t UTF-8 "$scratch/plain" >/dev/null 2>&1; then
    cp "$scratch/plain" "$scratch/out"
    fail "mistro $*: a control reached the terminal: $(LC_ALL=C grep -aoP ".{0,20}($control).{0,20}" "$scratch/plain" | head -3 | cat -v)"
  else
    ok
  fi
}
seen() {
  local command
  command=$(printf '%q ' "$MISTRO" "$@" --mcp-config "${mcp:-mcp.json}" --color "${color:-never}")
  TERM=dumb script -qec "$command" /dev/null </dev/null >"$scratch/seen" 2>&1
  status=$?
  check_seen "$*"
}
# … and no more of it than a person can scroll through.
seen_bounded() {
  seen "$@"
  local bytes
  bytes=$(wc -c <"$scratch/seen")
  if [ "$bytes" -le "$max_seen_bytes" ]; then ok; else cp "$scratch/seen" "$scratch/out"; fail "mistro $*: $bytes bytes"; fi
}
expect_seen() { if LC_ALL=C grep -qaF -- "$1" "$scratch/seen"; then ok; else cp "$scratch/seen" "$scratch/out"; fail "the terminal should show: $1"; fi; }

it "shows lists and definitions without obeying them"
seen servers
seen servers --json
seen tools
expect_seen 'EVIL\x1b]0;EVIL'
seen tools --json
seen tool dev/search
expect_seen '\u{202e}'
seen tool dev/search --json
seen tool dev/long
seen doctor

# Every line but mistro's own has a bar, and none is so long that the terminal folds it.
barred() { # what mistro says itself
  if LC_ALL=C sed "/ASan doesn.t fully support makecontext/d;s/\r*$//" "$scratch/seen" | LC_ALL=C grep -avE "^  \| .{0,72}$|$1" >"$scratch/out"; then
    fail "what a server says stands where mistro's words do"
  else
    ok
  fi
}
it "puts a bar in front of what a server says of its tools"
seen tool dev/long
barred '^$|^hints of the server: |^in ask and chat: |^when an answer is lost: |^definition: sha256 |^(in|out)put schema:$'

it "shows results, failures, progress and logs without obeying them"
for flags in "" "-v" "-vv" "--json" "--events"; do
  # shellcheck disable=SC2086
  seen call dev/search q=x $flags
  # shellcheck disable=SC2086
  seen call dev/fails $flags
  # shellcheck disable=SC2086
  seen call dev/breaks $flags
done
seen call dev/search nosuch=x q:=5
seen call dev/long
if [ "$(wc -c <"$scratch/seen")" -gt 0 ]; then ok; else fail "nothing was shown"; fi
printf '{"q":"x"}\n' >lines
TERM=dumb script -qec "$MISTRO call dev/search --batch --mcp-config mcp.json <lines" /dev/null >"$scratch/seen" </dev/null
check_seen call --batch
echo '[{"tool":"dev/search","args":{"q":"x"}},{"tool":"dev/fails"}]' >plan.json
seen run plan.json
seen run plan.json --json
seen plan "search x" -m none
seen ask "search x" -m none --yes -v

it "shows resources and prompts without obeying them"
seen resources
seen resources --json
seen read dev note:///plain
seen read dev note:///plain --json
seen prompts
seen prompts --json
seen prompt dev/ask topic=plums
seen prompt dev/ask
seen prompt dev/ask topic=plums --json
seen read dev note:///none

it "shows what was recorded without obeying it"
seen runs
seen runs show "$(ls "$scratch" >/dev/null; "$MISTRO" runs --json 2>/dev/null | jq -r '.runs[0].id')"
seen runs events "$("$MISTRO" runs --json 2>/dev/null | jq -r '.runs[0].id')"

it "shows what changed without obeying it"
jq '.tools[0].description += "more"' evil.json >evil2.json && mv evil2.json evil.json
seen tools
seen servers
seen servers review
expect_seen '\x1b]0;EVIL'
barred '^May the 1 tool of dev be used as shown\? \(y/n\)$|^> ?$'
seen call dev/search q=x

it "lets nothing but its own colours through where those are on"
color=always
for flags in "" "-v" "-vv" "--json" "--events"; do
  # shellcheck disable=SC2086
  seen call dev/search q=y $flags
  # shellcheck disable=SC2086
  seen call dev/fails $flags
done
seen tools
seen servers
seen resources
seen prompts
seen servers review
seen ask "search x" -m none --yes -v
unset color

it "shows a question, a page and a prompt for the model without obeying them"
big=$(head -c 524288 /dev/zero | tr '\0' 'x') # a fixture has its bounds as well
jq -n --argjson e "$evil" --rawfile long <(printf '%s' "$big") '{tools: [
  {name: "form", replies: [{elicit: {message: $e, schema: {type: "object", title: $e, description: $e,
    properties: {a: {type: "string", title: $e, description: $e, default: $e}, b: {enum: [$e, "x"], title: $e}, ($e): {type: "boolean"}}}}, text: "done"}]},
  {name: "page", replies: [{elicit: {message: $e, url: ("https://a.example/" + $e)}, text: "done"}]},
  {name: "model", replies: [{sample: {prompt: $e}, text: "{sampled}"}]},
  {name: "longform", replies: [{elicit: {message: $long, schema: {type: "object", properties: {a: {type: "string", title: $long, description: $long, default: $long}}}}, text: "done"}]},
  {name: "longpage", replies: [{elicit: {message: $long, url: ("https://a.example/" + $long)}, text: "done"}]},
  {name: "longmodel", replies: [{sample: {prompt: $long}, text: "{sampled}"}]}]}' >asks.json
jq '.mcpServers.dev.sampling = "ask"' <(mock_config asks.json) >asking.json
jq -cn --argjson e "$evil" '{reply: $e}' >model
asked() { # bytes at most, answers, words of mistro
  local bytes=$1 answers=$2 command; shift 2
  command=$(printf '%q ' "$MISTRO" "$@" --mcp-config asking.json --color never -m script:model)
  { read -r -t 0.7 <> <(:); for answer in $answers; do echo "$answer"; read -r -t 0.1 <> <(:); done; } |
    TERM=dumb BROWSER=/bin/true script -qec "$command" /dev/null >"$scratch/seen" 2>&1
  check_seen "$*"
  if [ "$(wc -c <"$scratch/seen")" -le "$bytes" ]; then ok; else cp "$scratch/seen" "$scratch/out"; fail "mistro $*: $(wc -c <"$scratch/seen") bytes"; fi
}
asked 65536 "y x 1 y y" call dev/form
asked 65536 "y" call dev/page
asked 65536 "y y" call dev/model
asked 65536 "n" call dev/longform
asked 65536 "y y y" call dev/longform
asked 65536 "y" call dev/longpage
asked 65536 "y y" call dev/longmodel -v

it "shows no more of a field than a person would read, wherever it is one of many"
jq -n --rawfile long <(printf '%s' "${big:0:131072}") '{version: $long, instructions: $long,
  tools: [{name: "t", title: $long, description: $long, annotations: {title: $long},
      inputSchema: {type: "object", properties: {($long): {type: "string", description: $long}, q: {enum: [$long]}}},
      replies: [{text: "ok", progress: [{progress: 1, message: $long}], logs: [{level: "error", text: $long}]}]},
    {name: "fails", replies: [{error: $long}]}, {name: "breaks", replies: [{error: {code: -32000, message: $long}}]}],
  resources: [{uri: ("note:///" + $long), name: $long, title: $long, description: $long, mimeType: $long, text: "x"}],
  resource_templates: [{uriTemplate: ("t:///{x}" + $long), name: $long, title: $long, description: $long, text: "x"}],
  prompts: [{name: "p", title: $long, description: $long, arguments: [{name: $long, description: $long, required: true}], messages: [{text: "x"}]}]}' >huge.json
mock_config huge.json >huge_config.json
mcp=huge_config.json
seen_bounded servers
seen_bounded tools
seen_bounded resources
seen_bounded prompts
seen_bounded prompt dev/p
seen_bounded read dev note:///none
seen_bounded call dev/t -vv
seen_bounded call dev/t nosuch=1
seen_bounded call dev/breaks
seen_bounded ask "call t" -m none --yes -v
seen_bounded runs
unset mcp

it "takes a NUL in any string for the control that it is"
peer=$BUILD_DIR/tests/peer_mcp
jq -n --arg peer "$peer" --arg n 'E\u0000\u001b[2JE' '{mcpServers: {nul: {command: $peer, args: [
  ("initialize={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"protocolVersion\":\"2025-11-25\",\"instructions\":\"" + $n + "\",\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{}},\"serverInfo\":{\"name\":\"" + $n + "\",\"version\":\"" + $n + "\"}}}\n"),
  ("tools/list={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"tools\":[{\"name\":\"echo\",\"title\":\"" + $n + "\",\"description\":\"" + $n + "\",\"inputSchema\":{\"type\":\"object\",\"description\":\"" + $n + "\"}}]}}\n"),
  ("tools/call={\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"error\",\"data\":\"" + $n + "\"}}\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" + $n + "\"}],\"structuredContent\":{\"a\":\"" + $n + "\"}}}\n"),
  ("resources/list={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"resources\":[{\"uri\":\"" + $n + "\",\"name\":\"" + $n + "\",\"mimeType\":\"" + $n + "\"}]}}\n"),
  ("resources/templates/list={\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":{\"code\":-32000,\"message\":\"" + $n + "\"}}\n"),
  ("prompts/list={\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"prompts\":[{\"name\":\"" + $n + "\",\"description\":\"" + $n + "\",\"arguments\":[{\"name\":\"" + $n + "\"}]}]}}\n")]}}}' >nul.json
mcp=nul.json
for command in servers tools "tool nul/echo" resources prompts "call nul/echo" "call nul/echo -vv" "call nul/echo --json" "call nul/echo --events"; do
  # shellcheck disable=SC2086
  seen $command
done
unset mcp

it "shows what a server behind a url answers without obeying it"
"$BUILD_DIR/tests/raw_server" answer >url & raw_pid=$!
trap 'kill $raw_pid 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do [ -s url ] && break; read -r -t 0.05 <> <(:) || true; done
jq -n --arg url "$(cat url)" '{mcpServers: {raw: {url: $url}}}' >raw.json
mcp=raw.json
raw() { # status line and heads, body
  printf 'HTTP/1.1 %b\r\nConnection: close\r\nContent-Length: %s\r\n\r\n%b' "$1" "$(printf %b "$2" | wc -c)" "$2" >answer
}
bytes='EVIL\033[2J\0302\0233EVIL\0342\0200\0256\007\0177EVIL'
for head in "500 $bytes" "401 No\r\nWWW-Authenticate: Bearer error=\"$bytes\", resource_metadata=\"http://$bytes/\"" \
  "200 OK\r\nContent-Type: text/$bytes" "302 Found\r\nLocation: http://127.0.0.1/$bytes" "404 Not\r\nMcp-Session-Id: $bytes" \
  "200 OK\r\nContent-Type: text/event-stream"; do
  raw "$head" "event: $bytes\ndata: $bytes $bytes\n\n<html>$bytes"
  seen_bounded tools
  seen_bounded call raw/x -vv
  seen_bounded servers login raw
done
raw "500 Broken\r\nContent-Type: application/json" '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"\\u001b[2J\\u0000EVIL"}}'
seen_bounded tools
raw "500 Broken" "$(head -c 200000 /dev/zero | tr '\0' 'y')"
seen_bounded tools -vv
kill $raw_pid
unset mcp

it "begins no line of its own with a server's words, in what is one line"
run tools --mcp-config mcp.json
if grep -q '^mistro: EVIL' "$scratch/out" "$scratch/err"; then fail "a forged line"; else ok; fi
run call dev/breaks --mcp-config mcp.json
if grep -q '^mistro: EVIL' "$scratch/err"; then fail "a forged line"; else ok; fi

it "passes the text of a result as it is into a pipe, which is no terminal"
run servers review dev --yes --mcp-config mcp.json
run call dev/search q=x --mcp-config mcp.json
if LC_ALL=C grep -qaF $'\e]0;EVIL' "$scratch/out"; then ok; else fail "the text was changed"; fi
finish
