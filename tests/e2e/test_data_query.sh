# data/query: SQL over what the steps of a plan gave, in a process of its own, within bounds.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
sed -n '/^## SQL over lists/,$p' "$SOURCE_DIR/docs/workspace.md" |
  sed -n '/^```yaml$/,/^```$/p' | sed '/^```/d' >plan.yml
query() { local sql=$1; shift; run call data/query sql="$sql" "$@"; }

it "runs the plan of the documentation"
run run plan.yml --json
expect_status 0
expect_json '.steps[1].result.structuredContent | .columns == ["path", "n", "first"] and .count == (.rows | length) and .count > 0'
expect_json '.steps[1].result.structuredContent.rows | all(.n >= 1) and (map(-.n) | . == sort)'
run run plan.yml --var word=nobody-wrote-this --json
expect_status 0
expect_json '.steps[1].result.structuredContent == {"columns": ["path", "n", "first"], "rows": [], "count": 0}'

it "is in no plan that is written or lists what models see, but where it is asked for"
run tools
expect_status 0
if grep -q data/ "$scratch/out"; then fail "a model is shown it"; else ok; fi
run tools data
expect_out 'data/query*'
run tool data/query
expect_out 'data/query(sql: string*'
run tools --search "query data with sql" --json
if grep -q data/query "$scratch/out"; then fail "a search finds it"; else ok; fi
query "SELECT 1 AS n" --json
expect_json '.structuredContent == {"columns": ["n"], "rows": [{"n": 1}], "count": 1}'

it "is there where the built-in server files is, and gives its name to a configured server"
query "SELECT 1" --no-builtin
expect_status 2
expect_err '*no server is named "data"*--no-builtin*workspace: off*--mcp-config*'
echo 'tools: [{name: query, replies: [{text: mocked}]}]' >tools.yml
mock_config "$PWD/tools.yml" >mcp.json
query "SELECT 1" --mcp-config mcp.json
expect_status 2
query "SELECT 1 AS n" --servers data
expect_out 'n
1'
printf '{"mcpServers":{"data":{"command":"%s","args":["serve","mock","%s"]}}}' "$MISTRO" "$PWD/tools.yml" >data.json
run call data/query --mcp-config data.json
expect_out mocked

it "leaves a bare name to the server that has it"
echo 'steps: [{tool: query, args: {sql: SELECT 1}}]' >bare.yml
run run bare.yml
expect_status 7
expect_err '*there is no tool "query"; nearest: data/query*'
run servers add dev -- "$MISTRO" serve mock "$PWD/tools.yml"
run run bare.yml
expect_status 0
expect_out mocked

it "answers a repetition from the log of its run, and a replay from its recording"
run run plan.yml --record plan.cassette --json
expect_status 0
found=$(jq -c '.steps[1].result.structuredContent' "$scratch/out")
rm -r notes
run run plan.yml --replay plan.cassette --json
expect_status 0
expect_same "$(jq -c '.steps[1].result.structuredContent' "$scratch/out")" "$found"

it "ends within the time of a query, and within its memory"
printf 'mistral_orchestrator:\n  workspace:\n    query_ms: 300\n' >short.yml
query "SELECT instr(printf('%.*c', 2000000, 'a'), printf('%.*c', 1000000, 'a') || 'b') AS n" --config short.yml
expect_status 1
expect_err '*the query ran longer than 300 ms*'
query "WITH RECURSIVE n(t) AS (SELECT printf('%9000d', 1) UNION SELECT printf('%9000d', t + 1) FROM n) SELECT count(*) FROM n"
expect_status 1
expect_err '*the query needs more than 64 MiB of memory*'
# Each table is all rows of a step, 6.75 MB.
tables_of() { for i in $(seq "$1"); do printf 't%s: "{many.rows}", ' "$i"; done; }
plan_of() { # number of tables
  printf 'steps:
  - {id: many, tool: data/query, args: {sql: "%s"}}
  - {id: all, tool: data/query, args: {sql: SELECT count(*) AS n FROM t1, tables: {%s}}}\n' \
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5) SELECT printf('%1350000d', i) AS t FROM n" \
    "$(tables_of "$1")"
}
plan_of 2 >two.yml
run run two.yml --json
expect_status 0
expect_json '.steps[1].result.structuredContent.rows == [{"n": 5}]'
plan_of 9 >nine.yml
run run nine.yml
expect_status 1
expect_err '*table t*: the query needs more than 64 MiB of memory*'
plan_of 10 >ten.yml
run run ten.yml
expect_status 1
expect_err '*the arguments of the query are larger than 64 MiB*'

it "counts the name of a column for each row that has it"
long_name() { query "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT $1) SELECT i AS $(printf '%060000d' 0 | tr 0 x) FROM n" --json; }
long_name 138 # of 60,000 bytes each; 8 MiB are 139.8 of them
expect_status 0
expect_json '.structuredContent.count == 138'
long_name 100000 # 6 GB, had they been collected
expect_status 1
expect_json '.content[0].text | startswith("the result is larger than 8388608 bytes")'

it "takes and gives as many rows as its bounds"
jq -cn '{sql: "SELECT count(*) AS n, sum(a) AS s FROM t", tables: {t: [range(100000) | {a: .}]}}' >rows.json
run_with_input "$(cat rows.json)" call data/query - --json
expect_json '.structuredContent.rows == [{"n": 100000, "s": 4999950000}]'
finish
