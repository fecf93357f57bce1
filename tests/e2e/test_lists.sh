# Lists of runs and sessions: what a person reads of them, and what a program does.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
mkdir elsewhere && echo hello >elsewhere/README.md
export TZ=XYZ-3
here() { date -d "$1" +'%Y-%m-%d %H:%M:%S'; } # in the zone of this test

it "says when there is no run yet"
run runs show latest
expect_status 2
expect_err 'mistro: there is no run yet'

run call files/read_file path=README.md
(cd elsewhere && "$MISTRO" ask -m none -q "read the file README.md" >/dev/null 2>&1)
run consensus --mock --task "2+2" --answer "4"

it "a run without a model names none"
run runs list --json
expect_status 0
expect_json '.version == 1 and ([.runs[] | .kind] | sort == ["ask", "call", "consensus"])'
expect_json '.runs | all(.meta | has("model") | not)'
id=$(jq -r '.runs[] | select(.kind == "call").id' "$scratch/out")
run runs show "$id" --json
expect_json '.meta | has("model") | not'
expect_json '.events[0].meta | has("model") | not'
expect_json '.started_at | endswith("Z")'

it "nor does one whose model was found to be missing"
run ask -q "read the file README.md"
expect_status 0
run runs list -n 1 --json
expect_json '.runs[0] | .kind == "ask" and (.meta | has("model") | not)'

it "a run with a model names it"
echo '{"purpose":"answer","times":0,"reply":"Hello."}
{"times":0,"reply":{"reason":"chat","primary_goal":"greet","tools_needed":[],"parameters":{},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[]}}' >hello.jsonl
run ask -q -m script:hello.jsonl "hello"
run runs list -n 1 --json
expect_json '.runs[0].meta.model == "script:hello.jsonl"'

it "shows times as they are here, and in JSON in UTC"
run runs list --json
began=$(jq -r '.runs[] | select(.kind == "call").started_at' "$scratch/out")
local_time=$(here "$began")
run runs list
expect_out "*$id	$local_time	call	completed	*"
run runs show "$id"
expect_out "*started  $local_time*"
run sessions list --json
session=$(jq -r '.sessions[-1].id' "$scratch/out")
expect_json '.version == 1 and (.sessions | all(.created_at | endswith("Z")))'
said=$("$MISTRO" sessions show "$session" --json | jq -r '.messages[0].timestamp')
run sessions show "$session"
expect_out "user $(here "$said")*"

it "shows the folder of each run and session"
run runs list
expect_out "*	call	completed	*	$PWD	files/read_file*"
expect_out "*	ask	completed	*	$PWD/elsewhere	read the file README.md*"
run runs list --json
expect_json ".runs[] | select(.kind == \"call\").meta.folder == \"$PWD\""
run sessions list
expect_out "*$session	chat	*	2 messages	$PWD/elsewhere	read the file README.md*"
run sessions list --json
expect_json ".sessions[-1].folder == \"$PWD/elsewhere\""
it "takes a unique beginning of an id, and names the candidates of another"
jq -r '.sessions[].id' "$scratch/out" >ids
for ((i = 1; i < ${#session}; i++)); do
  if [ "$(grep -c "^${session:0:i}" ids)" = 1 ]; then break; fi
done
run sessions show "${session:0:i}"
expect_status 0
same=${session:0:i-1}
for words in "sessions show" "sessions export" "sessions delete" "ask -m none hello --session"; do
  # shellcheck disable=SC2086
  run $words "$same"
  expect_status 2
  expect_no_out
  expect_err "mistro: several sessions begin with \"$same\"*give more of it: *, *"
  expect_err "*$session*"
done
run runs list --json
echo 'steps: [{tool: files/read_file, args: {path: README.md}}]' >plan.yml
known=$(jq -r '.runs[0].id' "$scratch/out")
for what in show events export resume replay "fork --plan plan.yml"; do
  # shellcheck disable=SC2086
  run runs $what "${known:0:1}"
  expect_status 2
  expect_no_out
  expect_err "mistro: several runs begin with *: *$known*"
done
it "lists servers as an object, too"
run servers --json
expect_status 0
expect_json '.version == 1 and [.servers[].name] == ["files", "data", "mistro"]'

it "and whatever else it lists"
for words in tools "tools files" resources prompts; do
  # shellcheck disable=SC2086
  run $words --json
  expect_status 0
  expect_json ".version == 1 and (.${words%% *} | type) == \"array\" and .failures == []"
done
run tools --search "read a file" --json
expect_json '.version == 1 and .tools[0].name == "files/read_file"'
run servers review --json
expect_json '.version == 1 and .servers == []'
finish
