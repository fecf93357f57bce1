# What the run log tells about a model that does not keep its form.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp "$SOURCE_DIR/README.md" .

it "says so when no model was asked"
run runs stats
expect_status 0
expect_no_out
expect_err '*no model was asked in the 0 runs of the log*'

# Whether intent and plan are asked for in one request or in two: one model chatters, the other
# forgets a member and is reminded.
good='{"reason":"read_file reads it","primary_goal":"Read README.md","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":0.9,"steps":[{"id":"s1","tool":"files__read_file","args":{"path":"README.md"}}]}'
script() { # jq filter that makes the first reply of it, file
  for purpose in intent intent_and_plan; do
    jq -nc --arg purpose $purpose --argjson good "$good" "{\$purpose, reply: (\$good | $1)}"
    jq -nc --arg purpose $purpose --argjson good "$good" '{$purpose, times: 0, reply: $good}'
  done >"$2"
  echo '{"purpose":"answer","times":0,"reply":"It is about mistro."}' >>"$2"
}
script '"Sure, here it is:\n```json\n" + tojson + "\n```"' chatty.jsonl
script 'del(.tools_needed)' forgetful.jsonl

it "counts what saved an answer, and what asking again took"
run ask -m script:chatty.jsonl "read README.md"
expect_status 0
run ask -m script:forgetful.jsonl "read README.md"
expect_status 0
run runs stats --json
expect_status 0
expect_json '.runs == 2 and .status.completed == 2 and .tools["files/read_file"].calls == 2 and .attempts.missing_fields == 1'
expect_json '[.contracts[] | select((.contract | startswith("intent")) and .rungs.extract.answers == 1 and .rungs.generate.requests == 1)] | length == 1'
expect_json '[.contracts[] | select((.contract | startswith("intent")) and .asked == 1 and .answered == 1 and .rungs.reminder.answers == 1 and .rungs.reminder.requests == 1)] | length == 1'

it "prints a line for each rung, apart by tabs in a pipe"
run runs stats
expect_status 0
expect_out "*intent*	*	all	1 of 1 answered	2 requests	*"
expect_out "*	extract	1 answer	0 requests	*"

it "prune says how many runs went"
run runs prune --json
expect_status 0
expect_json '.removed == 0'

it "is understood only as it is documented"
run runs stats now
expect_status 2
run runs prune all
expect_status 2

command -v sqlite3 >/dev/null || finish
log() { sqlite3 "$XDG_DATA_HOME/mistro/runs.db" "$@"; }

it "counts a run without its events, once it ended"
log "DELETE FROM event_groups"
run runs stats --json
expect_json '.runs == 2 and .tools["files/read_file"].calls == 2 and .attempts.missing_fields == 1'

it "a run that ends removes some of the old ones, and prune the rest"
for number in $(seq 40); do
  echo "INSERT INTO runs(id, kind, title, started_at_ms, finished_at_ms, status, meta)
    VALUES('old-$number', 'ask', '', 1, 2, 'failed', '{}');"
done | log
run ask -m none "list the files"
expect_status 0
run runs list --json -n 0
expect_json '.runs | length == 23'
run runs prune
expect_status 0
expect_no_out
expect_err '*removed 20 runs*'
run runs list --json -n 0
expect_json '.runs | length == 3'
finish
