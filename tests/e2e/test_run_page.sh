# Runs as pages: of every kind of job, with what a hostile server says, and where a page may go.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO EXAMPLES="$SOURCE_DIR/examples"
last_run() { "$MISTRO" runs list -n 1 --json | jq -r '.runs[0].id'; }
page() { run runs show "$(last_run)" --html; expect_status 0; }
# Nothing that acts or fetches: a tag or an attribute of ours has its quotes, a text has none.
expect_harmless() {
  if grep -qE '<(script|iframe|object|embed|link|a|form|base)\b|(src|href|srcset)="[^d]|style="|url\(|@import|[ "]on[a-z]+="' "$scratch/out"
  then fail "the page should hold nothing that acts: $(grep -oE '<(script|a|link)\b.{40}|(src|href)="[^d].{40}' "$scratch/out" | head -3)"
  else ok; fi
  if [ "$(wc -c <"$scratch/out")" -lt 500000 ]; then ok; else fail "the page should be below 500,000 bytes"; fi
}

it "shows a plan with its steps, its calls and when they were"
run run "$SOURCE_DIR/examples/open-tasks.yml" -q
page
expect_out '<!DOCTYPE html>*find the notes with open tasks and read the first one*completed*Timeline*step find*Steps of the plan*<td dir="auto">find</td>*Calls*notes/harvest.md*Receipt*Every event*</html>'
expect_harmless

it "draws the plan where Graphviz is, and lists its steps without"
if command -v dot >/dev/null; then
  expect_out '*<img alt=*src="data:image/svg+xml;base64,*'
fi
id=$(last_run)
PATH=/nonexistent run runs show "$id" --html
expect_status 0
expect_out '*Steps of the plan*'
if grep -q '<img' "$scratch/out"; then fail "there is nothing that draws"; else ok; fi

it "writes the file of -o and nothing else"
run runs show "$id" --html -o page.html
expect_status 0
expect_no_out
expect_same "$(tail -n 1 page.html)" "</html>"

it "shows a call, and a run that failed with its error and its exit status"
run call files/read_file path=README.md -q
page
expect_out '*files/read_file*Calls*</html>'
printf 'steps:\n  - {id: a, tool: files/read_file, args: {path: nothing.md}}\n  - {id: b, tool: files/text_stats, args: {path: "{a.text}"}}\n' >stop.yml
run run stop.yml -q
expect_status 1
page
expect_out '*failed*<dt>exit status</dt><dd dir="auto">1</dd>*Error: failed*no such file*What went wrong*skipped*'
expect_harmless

it "shows the rungs on which a model answered"
good='{"reason":"read_file reads it","primary_goal":"Read README.md","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"files__read_file","args":{"path":"README.md"}}]}'
for purpose in intent intent_and_plan; do
  jq -nc --arg purpose $purpose --argjson good "$good" '{$purpose, reply: ($good | del(.tools_needed))}'
  jq -nc --arg purpose $purpose --argjson good "$good" '{$purpose, times: 0, reply: ("Sure:\n" + ($good | tojson))}'
done >model.jsonl
echo '{"purpose":"answer","times":0,"reply":"It is about fruit."}' >>model.jsonl
run ask -m script:model.jsonl "read README.md"
expect_status 0
page
expect_out '*It is about fruit.*Answers of the model*missing_fields*reminder*ok, saved by extract*Prompts and replies*'
expect_harmless

it "shows the rounds of two agents with their roles and candidates"
run consensus --agent-a mock_rule --agent-b mock_echo --answer 4 -q "2+2"
expect_status 0
page
expect_out '*Rounds of the agents*Writer*SOLVED*Physicist*WORKING*What the agents said*candidates*canonical_text*'
expect_harmless

it "shows the passes of a figure and where its picture is"
run figure -q -m none --context "$SOURCE_DIR/examples/figures/tcp_connection.txt" --caption "A TCP connection" --out runs --name tcp
page
expect_out '*A TCP connection*Passes of the figure*retriever*visualizer*critic*figure_ended*'
if command -v dot >/dev/null; then expect_out '*into runs/tcp*round_0.svg*'; fi
expect_harmless

it "shows what a hostile server says as the text it is"
cat >hostile.yml <<'YML'
tools:
  - name: say
    replies:
      - text: "</pre><script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>x</a>]]>\u202Eevil\u0007 https://example.com/"
YML
mock_config hostile.yml >hostile.json
run call dev/say '{"x</pre><script>":"\"><svg onload=alert(1)>"}' --mcp-config hostile.json --yes -q
page
expect_out '*&lt;script&gt;alert(1)&lt;/script&gt;*\\u{202e}evil\\x07*'
if grep -q $'\u202e' "$scratch/out"; then fail "the override should not be passed on"; else ok; fi
expect_harmless

it "counts what is more than a page shows"
seq 301 | sed 's/.*/{"path":"README.md"}/' | "$MISTRO" call --batch files/text_stats -q >/dev/null 2>&1
page
expect_out '*more calls are not shown here; <code>mistro runs events *</code> has all of them.*'
expect_harmless

it "is a form of its own, of show only"
run runs show "$id" --html --json
expect_status 2
expect_json '.error.message | contains("--html")'
run runs show "$id" --html --events
expect_status 2
run runs export "$id" --html
expect_status 2
expect_err '*--html belongs to show*'
run call files/read_file path=README.md --html
expect_status 2
run runs show nowhere --html -o none.html
expect_status 2
if [ -e none.html ]; then fail "none.html was written"; else ok; fi

it "does not go to a terminal, and says where to"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
begin_terminal 100 20 runs show "$id" --html
see '*name its file: -o FILE.html*left with 2*'
finish
