# Plan files: the three examples, and everything that can be wrong with a plan.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO EXAMPLES="$SOURCE_DIR/examples"

it "runs a plan on real files, each step with what the one before found"
run run "$SOURCE_DIR/examples/open-tasks.yml" --json
expect_status 0
expect_json '.status == "completed" and (.steps | length) == 3 and all(.steps[]; .status == "ok")'
expect_json '.steps[1].args.path == .steps[0].result.structuredContent.matches[0].path'

it "passes variables"
run run "$SOURCE_DIR/examples/open-tasks.yml" --var word=cellar --json
expect_status 0
expect_json '.steps[1].args.path == "notes/harvest.md"'

it "runs the chain formalize, generate, review on a mock server"
run run "$SOURCE_DIR/examples/formalize/plan.yml" --mcp-config "$SOURCE_DIR/examples/formalize/mcp.json"
expect_status 0
expect_out 'No problems found.*'
expect_err '*s1 dev/formalize_task*s2 dev/generate_code*s3 dev/review_code*'

it "prints the bound arguments and calls nothing with --dry-run"
run run "$SOURCE_DIR/examples/open-tasks.yml" --dry-run --json
expect_json '.steps[0].args.query == "TODO"'

it "lists what was only tried as that, and keeps nothing of it"
run call files/read_file path=README.md --dry-run
expect_status 0
run ask -m none --dry-run --no-session "read the file README.md"
expect_status 0
printf 'mistral_orchestrator: {runs: {keep_state: always}}\n' >always.yml
run run "$SOURCE_DIR/examples/open-tasks.yml" --dry-run --config always.yml
expect_status 0
run runs list -n 4 --json
expect_json '.runs | map(.kind + " " + .status) == ["run dry_run", "ask dry_run", "call dry_run", "run dry_run"]'
expect_same "$(find "$XDG_STATE_HOME" -type f)" ""
printf 'steps: [{tool: files/nothing, args: {}}]\n' >bad.yml
run run bad.yml --dry-run
expect_status 7
run runs list -n 1 --json
expect_json '.runs[0].status == "failed"'

it "refuses --dry-run where something would be done all the same"
"$MISTRO" ask -m none --session new:kept "read the file README.md" >/dev/null 2>&1
while read -r -a words; do
  run "${words[@]}" --dry-run
  [ "$status" = 2 ] && ok || fail "${words[*]} --dry-run: expected status 2"
  expect_err '*--dry-run*'
done <<'COMMANDS'
runs prune
runs list
runs resume --all
sessions delete kept
servers add web https://example.org/mcp
figure --caption x --context README.md
consensus --mock --answer 4 2+2
call files/read_file --batch
plan read the file README.md
serve workspace
config
COMMANDS
run sessions show kept
expect_status 0
if [ -e "$XDG_CONFIG_HOME/mistro/mcp.json" ]; then fail "the server was added"; else ok; fi

it "says with --dry-run how many calls there are, which may not be repeated, and which need approval"
cat >writes.yml <<'YML'
steps:
  - {id: a, tool: files/read_file, args: {path: README.md}}
  - {id: b, tool: files/read_file, args: {path: "{a.text}"}}
  - {id: c, tool: dev/save, args: {text: "{b.text}"}}
YML
printf 'tools:\n  - {name: save, inputSchema: {type: object, properties: {text: {type: string}}}}\n' >save.yml
printf '{"mcpServers":{"dev":{"command":"%s","args":["serve","mock","--fixture","save.yml"]},"files":{"command":"%s","args":["serve","workspace"]}}}' "$MISTRO" "$MISTRO" >writes.json
run run writes.yml --dry-run --mcp-config writes.json --json
expect_status 0
expect_json '.dry_run.calls == 3 and (.dry_run.not_repeatable | index("c")) != null and (.dry_run.approval | index("c")) != null'
run run "$SOURCE_DIR/examples/open-tasks.yml" --dry-run --json
expect_json '.dry_run == {calls: 3, not_repeatable: [], approval: []}'
run run writes.yml --dry-run --mcp-config writes.json
expect_err '*3 calls would be made*may not be repeated: *c*need approval*: *c*'
run run "$SOURCE_DIR/examples/open-tasks.yml" --json
expect_json 'has("dry_run") | not'

it "says line and column of broken YAML"
printf 'version: 1\nsteps:\n  - {tool: files/read_file, args: {path: "a}}\n' >broken.yml
run run broken.yml
expect_status 7
expect_err '*broken.yml: line *column*'

it "refuses a plan of 11 steps and says how many are allowed"
{ echo 'steps:'; for _ in $(seq 11); do echo '  - {tool: files/text_stats, args: {path: README.md}}'; done; } >long.yml
run run long.yml
expect_status 7
expect_err '*11*10*'

it "accepts a plan of 10 steps"
{ echo 'steps:'; for _ in $(seq 10); do echo '  - {tool: files/text_stats, args: {path: README.md}}'; done; } >long.yml
run run long.yml
expect_status 0

it "refuses a cycle"
printf 'steps:\n  - {id: a, tool: files/text_stats, args: {path: "{b.text}"}}\n  - {id: b, tool: files/text_stats, args: {path: "{a.text}"}}\n' >cycle.yml
run run cycle.yml
expect_status 7

it "refuses a reference to a step that does not exist"
printf 'steps:\n  - {tool: files/text_stats, args: {path: "{nowhere.path}"}}\n  - {tool: files/text_stats, args: {path: "{s9.path}"}}\n' >ref.yml
run run ref.yml
expect_status 7
expect_err '*s9*'

it "refuses an unknown tool and names the nearest"
printf 'steps:\n  - {tool: files/text_stat, args: {path: README.md}}\n' >tool.yml
run run tool.yml
expect_status 7
expect_err '*files/text_stats*'

it "refuses arguments that break the schema and lists every problem"
printf 'steps:\n  - {tool: files/text_stats, args: {path: 5}}\n  - {tool: files/read_file, args: {}}\n' >args.yml
run run args.yml
expect_status 7
expect_err '*s1*path*s2*path*'

it "stops what depends on a failing step, and ends with 1"
printf 'steps:\n  - {id: a, tool: files/read_file, args: {path: nothing.md}}\n  - {id: b, tool: files/text_stats, args: {path: "{a.text}"}}\n  - {id: c, tool: files/text_stats, args: {path: README.md}}\n' >stop.yml
run run stop.yml --json
expect_status 1
expect_json '.steps[0].status == "error" and .steps[1].status == "skipped"'

it "reports an unreadable plan file as a bad plan"
run run nothing.yml
expect_status 7
expect_err '*nothing.yml*'

it "names the file that may have been meant"
mkdir plans
echo 'steps: []' >plans/nightly.yml
run run nightly
expect_status 7
expect_err '*nightly: No such file*did you mean plans/nightly.yml?*'
run plans/nightly.yml
expect_status 2
expect_err '*did you mean: mistro run plans/nightly.yml?*'
rm -r plans

it "says where in the file each problem stands"
cat >places.yml <<'YML'
version: 1
steps:
  - tool: files/reed_file
    args: {path: x}
  - id: a
    tool: files/read_file
    args:
      path: [1]
  - {id: a, tool: files/read_file, args: {path: x}}
YML
run run places.yml
expect_status 7
expect_err '*/tool: *reed_file*(line 3, column 11)*'
expect_err '*a /path: *(line 8, column 13)*'
expect_err '*a /id: *(line 9, column 10)*'

it "says all that is wrong at once, shape and duplicate keys as well, in the order of the file"
cat >all.yml <<'YML'
version: 1
gaol: x
steps:
  - {tool: files/read_file, args: {path: 7, path: a}, later: 1}
  - tool: files/reed_file
YML
run run all.yml
expect_status 7
expect_err '*may not run*(line 2, column 1)*(line 4, column 42)*(line 4, column 45)*'
it "resumes the newest run of which something is left to do as the latest"
printf 'version: 2\nsteps: [{id: a, tool: files/text_stats, args: {path: soon.md}}]\n' >soon.yml
run run soon.yml
expect_status 1
echo words >soon.md
run call files/text_stats path=soon.md
run run soon.yml --dry-run
run runs show latest
expect_out '*dry*'
run runs resume latest --failed
expect_status 0
expect_err '*a files/text_stats*soon.md*'
run run soon.yml --dry-run
run runs resume "$("$MISTRO" runs --json | jq -r '.runs[0].id')"
expect_status 2
expect_err '*was a dry run, which called nothing*'

it "takes no word of plans for a request"
run plan check soon.yml
expect_status 2
expect_err '*mistro plans check soon.yml*'
finish
