# Work that is recorded and replayed: what a cassette holds and does not hold, that a replay starts no
# process and opens no socket, and what is said when it does not fit.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v strace >/dev/null || skip "strace is not installed"
cp -r "$SOURCE_DIR/examples/workspace/." .

# Runs the words under strace, and holds against them that they started a program, made a process, or
# opened a socket: threads are no processes.
alone() {
  ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o "$scratch/trace" \
    -e trace=execve,execveat,fork,vfork,clone,clone3,socket,connect \
    "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  local other
  other=$(grep -v 'resumed>\|CLONE_THREAD\|+++\|---' "$scratch/trace" | grep -vc "execve(\"$MISTRO\"")
  [ "$other" = 0 ] && ok || fail "a replay did: $(grep -v CLONE_THREAD "$scratch/trace" | grep -v "execve(\"$MISTRO\"" | head -3)"
}
same_in_replay() { # words: they are recorded, and replayed in another folder with nothing around them
  run "$@" --record tape
  local recorded=$status
  cp "$scratch/out" recorded
  jq -e . tape >/dev/null || fail "a line is not JSON"
  mkdir -p "$scratch/elsewhere" && mv tape "$scratch/elsewhere/"
  pushd "$scratch/elsewhere" >/dev/null || exit 1
  alone "${without[@]:-$@}" --replay tape
  popd >/dev/null || exit 1
  expect_same "$status" "$recorded"
  expect_same "$(cat "$scratch/out")" "$(cat recorded)"
  mv "$scratch/elsewhere/tape" .
}
without=()

cat >dev.yml <<'YML'
tools:
  - name: next
    description: The next number
    inputSchema: {type: object, properties: {of: {type: string}}}
    replies:
      - {text: one, times: 1, delay_ms: 20, progress: [{progress: 1, total: 2, message: half}]}
      - {text: two, times: 1}
      - {error: {code: -32603, message: no more}}
  - name: login
    description: Gives a key
    replies: [{structured: {token: planted-secret-1, user: ada}}]
  - {name: fail, replies: [{error: broken}]}
  - name: whoami
    description: Says who has a key
    inputSchema: {type: object, properties: {with: {type: string}}}
    replies: [{text: "ada, by {args.with}"}]
YML
mock_config "$PWD/dev.yml" >mcp.json
configured=(--mcp-config mcp.json -y)

it "a call gives the same bytes again, and its file is this user's alone"
without=(call dev/next of=a --json)
same_in_replay call dev/next of=a --json "${configured[@]}"
expect_same "$(stat -c %a tape)" 600
expect_same "$(head -1 tape)" '{"cassette":"mistro","version":1,"redacted":true}'
expect_same "$(jq -c 'select(.method == "notifications/progress") | .params | [.progress == 1, .total == 2, .message]' tape)" '[true,true,"half"]'

it "the n-th equal request gets the n-th answer, and one more is a miss"
cat >three.yml <<'YML'
steps:
  - {id: s1, tool: dev/next, args: {of: a}}
  - {id: s2, tool: dev/next, args: {of: a}}
YML
without=(run "$PWD/three.yml" --json)
run run three.yml --json "${configured[@]}" --record tape
expect_status 0
alone run three.yml --json --replay tape
expect_status 0
expect_same "$(jq -r '[.. | objects | .content? // empty | .[0].text] | unique | join(" ")' "$scratch/out")" "one two"
cat >>three.yml <<'YML'
  - {id: s3, tool: dev/next, args: {of: a}}
YML
alone run three.yml --json --replay tape
expect_status 1
expect_err '*server dev: tools/call next is asked for more often than it was recorded (2)*'
alone run three.yml --replay tape
expect_status 1
expect_same "$(errors | grep -c "more often than it was recorded")" 1

it "a replay is no run: it is not in the log, and nothing is there to be resumed"
run runs list --json -n 1000
before=$(cat "$scratch/out")
alone run three.yml --replay tape
expect_status 1
errors | grep -q "runs resume" && fail "it is to be resumed" || ok
run runs list --json -n 1000
expect_same "$(jq -c '.runs | map(.id)' "$scratch/out")" "$(jq -c '.runs | map(.id)' <<<"$before")"

it "a miss names the nearest recording and where it differs, and calls nothing"
alone call dev/next of=b --replay tape
expect_status 1
expect_err '*tools/call next was not recorded; the nearest, line *, differs at /params/arguments/of*--record*'
expect_same "$(errors | grep -c "was not recorded")" 1
alone call dev/login --replay tape
expect_status 1

it "a failure is recorded to its end, and fails in the same way"
run call dev/next of=a "${configured[@]}" --record tape
cat >fail.yml <<'YML'
tools: [{name: next, replies: [{error: {code: -32603, message: no more}}]}]
YML
mock_config "$PWD/fail.yml" >fail.json
run call dev/next --mcp-config fail.json -y --record tape
recorded=$status
errors >said
alone call dev/next --replay tape
expect_same "$status" "$recorded"
expect_same "$(errors)" "$(cat said)"

it "a request in words is replayed with its model"
cat >model.jsonl <<'JSON'
{"purpose":"intent_and_plan","reply":{"reason":"it reads","primary_goal":"read","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[{"id":"s1","tool":"files__read_file","args":{"path":"README.md"}}]}}
{"purpose":"answer","reply":"It is about a small fruit trade."}
JSON
without=(ask --no-session "what does README.md say?")
same_in_replay ask -m script:model.jsonl --no-session "what does README.md say?"
expect_out '*fruit trade*'
alone ask --no-session "what does sales.csv say?" --replay tape
expect_status 1
expect_err '*model script:model.jsonl: chat was not recorded*differs at /params/messages/*'

it "a plan and a request without a model are replayed"
run plan -m none --no-session --json "read the file README.md" --record tape
cp "$scratch/out" recorded
alone plan --json --no-session "read the file README.md" --replay tape
expect_status 0
expect_same "$(jq -c '[.steps[] | [.tool, .args]]' "$scratch/out")" "$(jq -c '[.steps[] | [.tool, .args]]' recorded)"
without=(ask "read the file README.md")
same_in_replay ask -m none "read the file README.md"

it "a replay sees the session and leaves it as it is"
rm -r "$XDG_DATA_HOME/mistro/conversations"
run ask -m none --session new:kept "read the file README.md"
cp -r "$XDG_DATA_HOME/mistro/conversations" before
run ask -m none --session kept "read the file README.md" --record tape
rm -r "$XDG_DATA_HOME/mistro/conversations"
cp -r before "$XDG_DATA_HOME/mistro/conversations"
for words in ask plan; do
  alone $words --session kept "read the file README.md" --replay tape
  expect_status 0
  diff -r before "$XDG_DATA_HOME/mistro/conversations" && ok || fail "the replay of $words changed the session"
done
alone ask --session nowhere "read the file README.md" --replay tape
expect_status 2
alone ask "read the file README.md" --replay tape
run sessions list --json
expect_json '.sessions | map(.id) == ["kept"]'

it "a consensus is replayed with both models and without trying its candidates again"
for agent in a b; do
  jq -cn '{purpose: "envelope", reply: {role: "R", domain: "d", task_understanding: "Do it.",
    artifact: {type: "results", content: {}}, needs_from_peer: [], handoff_to: "P",
    final_solution: {canonical_text: "a[0-9]"}, public_message: "[SOLVED]", status: "SOLVED"}}' >$agent.jsonl
done
printf 'match: [a1]\nreject: [b]\nfull: true\n' >"$scratch/ids.yml"
without=()
same_in_replay consensus --agent-a script:a.jsonl --agent-b script:b.jsonl --roleset regex --examples "$scratch/ids.yml" -q "a letter a and a digit"
expect_status 0
grep -q '"process":"checker"' tape && ok || fail "the checks are not recorded"

it "a figure is replayed without Graphviz"
if command -v dot >/dev/null; then
  examples=$SOURCE_DIR/examples/figures
  same_in_replay figure -q -m none --context "$examples/tcp_connection.txt" --caption "A TCP connection"
  expect_status 0
  expect_out '*<svg*'
else
  skip "no Graphviz here"
fi

it "secrets are in no cassette, error or log"
run call dev/login --json "${configured[@]}" --record tape
expect_status 0
expect_out '*planted-secret-1*'
grep -q planted-secret tape && fail "the secret is in the cassette" || ok
alone call dev/login --json --replay tape
expect_status 0
expect_out '*"token":"?redacted?"*'
grep -rlaF planted-secret "$scratch/state" "$scratch/data" "$HOME" 2>/dev/null | grep -q . && fail "the log has it" || ok
run call dev/whoami "with=token=planted-secret-2" "${configured[@]}" --record tape
expect_status 0
grep -q planted-secret tape && fail "the secret is in the cassette" || ok
alone call dev/whoami "with=token=planted-secret-2" --replay tape
expect_status 0

it "a call that needs what was taken out ends the recording, with the place, and not the run"
cat >secret.yml <<'YML'
steps:
  - {id: s1, tool: dev/login, args: {}}
  - {id: s2, tool: dev/whoami, args: {with: "{s1.token}"}}
YML
run run secret.yml --json "${configured[@]}" --record tape
expect_status 1
expect_err '*--record tape: line * needs a secret that was taken out of line * at /result/*'
expect_json '.status == "completed"'
grep -q planted-secret tape && fail "the secret is in the cassette" || ok
grep "^mistro:" "$scratch/err" | grep -q planted-secret && fail "the secret is in the error" || ok
alone run secret.yml --replay tape
expect_status 2
expect_err '*cassette tape: line *: its recording ended early*'

it "damaged, newer and foreign files are refused with the line"
run call dev/next of=a "${configured[@]}" --record tape
head -c -20 tape >cut
alone call dev/next of=a --replay cut
expect_status 2
expect_err '*cassette cut: line *'
sed '1s/"version":1/"version":2/' tape >newer
alone call dev/next of=a --replay newer
expect_status 2
expect_err '*version 2 of the format*'
echo '{"a":1}' >foreign
alone call dev/next of=a --replay foreign
expect_status 2
expect_err '*line 1: *'
alone call dev/next of=a --replay nothing
expect_status 2
: >empty
alone call dev/next of=a --replay empty
expect_status 2
expect_err '*nothing is recorded*'

it "the bounds of the settings count when it is written and when it is read"
long=$(head -c 3000 /dev/zero | tr '\0' a)
run call dev/whoami "with=$long" "${configured[@]}" --record tape
bound() { # setting, value
  printf 'mistral_orchestrator: {cassettes: {%s: %s}}\n' "$1" "$2" >bound.yml
}
for setting in max_bytes max_line_bytes; do
  most=$(stat -c %s tape)
  [ $setting = max_bytes ] || most=$(awk '{ if (length($0) > n) n = length($0) } END { print n }' tape)
  bound $setting "$most"
  alone call dev/whoami "with=$long" --replay tape --config bound.yml
  expect_status 0
  bound $setting $((most - 1))
  alone call dev/whoami "with=$long" --replay tape --config bound.yml
  expect_status 8
  expect_err "*cassettes.$setting*"
done
bound max_bytes 1024
run call dev/whoami "with=$long" "${configured[@]}" --record tape --config bound.yml
expect_status 8
expect_out 'ada, by a*'
expect_err '*passes the bound of a cassette*cassettes.max_bytes*'

it "a cassette is served to any client, several servers with their names in front"
asked() { # lines of JSON-RPC; words of serve replay
  local lines=$1
  shift
  run_with_input '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
'"$lines" serve replay "$@"
}
calling() { printf '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"%s","arguments":{"of":"%s"}}}\n' "$1" "$2"; }
run call dev/next of=a "${configured[@]}" --record tape
asked "$(calling next a)" tape
expect_status 0
expect_same "$(jq -r 'select(.id == 3).result.content[0].text' "$scratch/out")" one
asked "$(calling next b)" tape
expect_same "$(jq -r 'select(.id == 3).error.message' "$scratch/out" | grep -c 'differs at /params/arguments/of')" 1
jq -n --arg m "$MISTRO" --arg f "$PWD/dev.yml" '{mcpServers: ([("a", "b") | {key: ., value: {command: $m, args: ["serve", "mock", $f]}}] | from_entries)}' >two.json
cat >two.yml <<'YML'
steps:
  - {id: s1, tool: a/next, args: {of: x}}
  - {id: s2, tool: b/next, args: {of: y}}
YML
run run two.yml --mcp-config two.json -y --record tape
asked "$(calling b__next y)" tape
expect_same "$(jq -r 'select(.id == 3).result.content[0].text' "$scratch/out")" one
asked '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' tape
expect_same "$(jq -r 'select(.id == 2).result.tools[].name' "$scratch/out" | grep next | sort | paste -sd' ')" "a__next b__next"
asked "$(calling next x)" tape --server a
expect_same "$(jq -r 'select(.id == 3).result.content[0].text' "$scratch/out")" one
run serve replay tape --server nobody
expect_status 2
run serve replay
expect_status 2

it "recordings of mcporter are read"
cat >mcporter.ndjson <<'JSON'
{"jsonrpc":"2.0","method":"$transport/start","_meta":{"dir":"lifecycle","server":"dev","ts":"2026-01-01T00:00:00Z"}}
{"method":"tools/call","params":{"name":"next","arguments":{"of":"a"}},"jsonrpc":"2.0","id":1,"_meta":{"dir":"send","server":"dev","ts":"2026-01-01T00:00:00Z"}}
{"result":{"content":[{"type":"text","text":"from mcporter"}]},"jsonrpc":"2.0","id":1,"_meta":{"dir":"recv","server":"dev","ts":"2026-01-01T00:00:01Z"}}
JSON
alone call dev/next of=a --replay mcporter.ndjson
expect_out "from mcporter"
asked "$(calling next a)" mcporter.ndjson
expect_same "$(jq -r 'select(.id == 3).result.content[0].text' "$scratch/out")" "from mcporter"

it "with keep_state: always a plan is replayed from what was kept, without its server"
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {runs: {keep_state: always, keep_days: 1}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
states=$XDG_STATE_HOME/mistro/runs
latest() { run runs list -n 1 --json; jq -r '.runs[0].id' "$scratch/out"; }
cat >kept.yml <<'YML'
vars: {who: nobody}
steps:
  - {id: s1, tool: dev/login, args: {}}
  - {id: s2, tool: dev/whoami, args: {with: "{s1.token}"}}
  - {id: s3, tool: dev/whoami, args: {with: "{vars.who}"}}
  - {id: s4, tool: dev/next, args: {}}
YML
run run kept.yml --var who=ada "${configured[@]}"
expect_status 0
id=$(latest)
expect_same "$(stat -c %a "$states/$id.ndjson")" 600
grep -q planted-secret-1 "$states/$id.ndjson" && ok || fail "it is redacted"
mv mcp.json moved.json
before=$(ls -l --time-style=full-iso "$states" | grep -v 'db-\|total')
alone runs replay "$id"
expect_status 0
expect_out 'the same events*completed'
expect_same "$(ls -l --time-style=full-iso "$states" | grep -v 'db-\|total')" "$before"
alone runs replay "$id" --json
expect_json '.same and .end == "completed"'
expect_same "$(latest)" "$id"

it "the first difference is named with its step, where nothing is kept it is status 2"
sed -i 's/ada, by ada/bob, by ada/' "$states/$id.ndjson"
alone runs replay "$id"
expect_status 1
expect_err '*s3, tool_result/data/result/content/0/text: the log has "ada, by ada", the replay "bob, by ada"*'
head -c -20 "$states/$id.ndjson" >cut && cp cut "$states/$id.ndjson"
alone runs replay "$id"
expect_status 2
mv "$states/$id.ndjson" kept
alone runs replay "$id"
expect_status 2
expect_err '*left no cassette*keep_state: always*'
mv kept "$states/$id.ndjson"
mv moved.json mcp.json
run call dev/login "${configured[@]}"
run runs replay "$(latest)"
expect_status 2
expect_err '*only plans, turns and consensus are*'

it "what was kept goes with the state"
touch -d '3 days ago' "$states/$id".*
run runs prune
expect_same "$(find "$states" -name "$id*" | wc -l)" 0

it "a plan that failed differs in nothing either, and steps that run side by side may end in any order"
{
  echo "steps:"
  for i in $(seq 9); do echo "  - {id: p$i, tool: dev/whoami, args: {with: \"$i\"}}"; done
  echo "  - {id: bad, tool: dev/fail, args: {x: \"{p1.text}\"}}"
} >wide.yml
for _ in 1 2 3 4 5; do
  run run wide.yml "${configured[@]}"
  expect_status 1
  alone runs replay "$(latest)"
  expect_status 0
  expect_out 'the same events*failed'
done
rm "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"

it "a recording takes the place of another one, and of nothing else"
for content in 'steps: []' '{"cassette":"other"}' ' {"cassette":"mistro","version":1}' '{'; do
  printf '%s\n' "$content" >mine
  chmod 644 mine
  run call dev/next of=a "${configured[@]}" --record mine
  expect_status 2
  expect_err '*--record mine: *no recording*'
  expect_same "$(cat mine) $(stat -c %a mine)" "$content 644"
done
: >empty
run call dev/next of=a "${configured[@]}" --record empty
expect_status 0
seq 1000 | sed 's/^/{"cassette":"mistro","version":1} /' >old
run call dev/next of=a "${configured[@]}" --record old
expect_status 0
expect_same "$(jq -s 'length' old)" "$(jq -s 'length' empty)"
"$MISTRO" call dev/next of=a "${configured[@]}" --record /dev/stdout </dev/null 2>/dev/null | cat >"$scratch/out"
expect_out '{"cassette":"mistro"*tools/call*'

it "--record and --replay exclude each other, and a file that cannot be written is said at once"
run call dev/next --record a --replay b "${configured[@]}"
expect_status 2
expect_err '*exclude each other*'
run call dev/next --record missing/tape "${configured[@]}"
expect_status 2
expect_err '*--record missing/tape: No such file*'
if [ -c /dev/full ]; then
  run call dev/next --record /dev/full "${configured[@]}"
  expect_status 1
  expect_err '*/dev/full: No space left*'
fi
finish
