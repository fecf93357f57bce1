# SQL of a model ends, whatever it does: within its time, with --timeout and with Ctrl-C.
. "$SOURCE_DIR/tests/e2e/lib.sh"
printf 'a,b\n1,2\n3,4\n' >a.csv
printf 'mistral_orchestrator:\n  workspace:\n    query_ms: 300\n  consensus:\n    check_ms: 100\n' >short.yml
# Each is one call of a function, in which SQLite looks at no progress handler.
long="printf('%.*c', 2000000, 'a')"
endless="SELECT instr($long, substr($long, 1, 1000000) || 'b') AS n"
seconds() { date +%s; }
query() { local sql=$1; shift; run call files/query_table path=a.csv sql="$sql" "$@"; }
children_of() { cat "/proc/$1/task/$1/children"; }

it "answers in a process of its own as in any other"
query "SELECT sum(a) AS n FROM t" --json
expect_status 0
expect_json '.structuredContent.rows == [{"n": 4}]'
query "SELECT missing FROM t"
expect_status 1
expect_err '*no such column: missing*'

it "ends a function that takes too long with the time of a query"
began=$(seconds)
query "$endless" --config short.yml
expect_status 1
expect_err '*the query ran longer than 300 ms*'

it "ends it with --timeout"
query "$endless" --timeout 1
expect_status 3
expect_err '*out of time*'

it "ends it with Ctrl-C, and leaves no process behind"
"$MISTRO" call files/query_table path=a.csv sql="$endless" >"$scratch/out" 2>"$scratch/err" </dev/null &
mistro=$!
child=
while kill -0 "$mistro" 2>/dev/null && [ -z "$child" ]; do child=$(children_of "$mistro"); done
kill -INT "$mistro"
wait "$mistro"; status=$?
expect_status 130
[ -z "$child" ] || kill -0 $child 2>/dev/null && fail "the query still runs" || ok

it "ends what checks a candidate of a consensus likewise"
columns=$(printf "instr(printf('%%.*c', 130000, 'a'), printf('%%.*c', 65000, 'a') || 'b'), %.0s" $(seq 50))
echo '{"setup": "create table t(id)", "rows": [[1]]}' >examples.json
run consensus --roleset sql --mock --answer "select $columns 1" --examples examples.json \
  --max-rounds 1 --config short.yml --task "one row" --events
expect_status 8
expect_out "*it runs longer than 100 ms*"
[ $(($(seconds) - began)) -lt 60 ] && ok || fail "that took too long"

it "names the bound of a value that is too long, and gives none that is empty"
query "SELECT printf('%.*c', 90000000, 'x') AS a, printf('%.*c', 90000001, 'x') AS b"
expect_status 1
expect_err '*longer than 2097152 bytes*tools.max_result_bytes*'
finish
