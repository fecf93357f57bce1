# A server that puts what steers a terminal into every text it sends: no command passes it on to one.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v script >/dev/null || skip "script(1) is not installed"
# ESC ] 0 ; … BEL sets a title, ESC [ 2 J clears, C1 CSI does as well, U+202E turns text around, a
# carriage return overwrites, a line break begins a line that looks like one of ours.
evil='"EVIL\u001b]0;EVIL\u0007\u001b[2JEVIL\u009b2JEVIL\u202eEVIL\u2066EVIL\rEVIL\bEVIL\u007fEVIL\nmistro: EVIL"'
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

# What reaches a terminal: none of the above as it is. mistro's own colours are off.
seen() {
  local command
  command=$(printf '%q ' "$MISTRO" "$@" --mcp-config mcp.json --color never)
  script -qec "$command" /dev/null </dev/null >"$scratch/seen" 2>&1
  status=$?
  for raw in $'\e]0;EVIL' $'\e[2JEVIL' $'\xc2\x9b2J' $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\rEVIL' $'\bEVIL' $'\x7fEVIL' $'\a'; do
    if LC_ALL=C grep -qaF -- "$raw" "$scratch/seen"; then
      cp "$scratch/seen" "$scratch/out"
      fail "mistro $*: $(printf '%q' "$raw") reached the terminal"
      return
    fi
  done
  ok
}
expect_seen() { if LC_ALL=C grep -qaF -- "$1" "$scratch/seen"; then ok; else cp "$scratch/seen" "$scratch/out"; fail "the terminal should show: $1"; fi; }

it "shows lists and definitions without obeying them"
seen servers
seen servers --json
seen tools
expect_seen 'EVIL\x1b]0;EVIL'
seen tools --json
seen tool dev/search
expect_seen '\u202e'
seen tool dev/search --json
seen tool dev/long
seen doctor

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
script -qec "$MISTRO call dev/search --batch --mcp-config mcp.json <lines" /dev/null >"$scratch/seen" </dev/null
if LC_ALL=C grep -qaF $'\xc2\x9b2J' "$scratch/seen"; then fail "a batch passed a C1 control"; else ok; fi
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
seen runs show "$(ls "$scratch" >/dev/null; "$MISTRO" runs --json 2>/dev/null | jq -r '(.runs? // .)[0].id')"
seen runs events "$("$MISTRO" runs --json 2>/dev/null | jq -r '(.runs? // .)[0].id')"

it "shows what changed without obeying it"
jq '.tools[0].description += "more"' evil.json >evil2.json && mv evil2.json evil.json
seen tools
seen servers
seen servers review
expect_seen '\x1b]0;EVIL'
seen call dev/search q=x

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
