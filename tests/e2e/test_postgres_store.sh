# storage.backend: postgres gives what files and SQLite give: the same commands, one after another,
# print the same, whichever store they have; persons who are served keep to themselves; and who has
# another store pays nothing for it.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/http_lib.sh"
url_of_database=${MISTRO_TEST_POSTGRES:?run it by tests/support/postgres}
export MISTRO_MODEL=none
printf 'a pear costs 3\n' >prices.txt
cat >plan.yml <<'YML'
version: 1
steps:
  - {id: read, tool: files/read_file, args: {path: prices.txt}}
YML
settings="$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
mkdir -p "${settings%/*}"
use() { printf 'mistral_orchestrator:\n  storage: {backend: %s, postgres: "%s"}\n' "$1" "${2-$url_of_database}" >"$settings"; }

# What differs from time to time and from store to store: ids of runs, times, durations.
without_times() {
  sed -E 's/1[a-z0-9]{18}/RUN/g; s/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?/TIME/g; s/"[a-z_]*(_ms|at|time|ts)": ?[0-9.]+/"MS"/g; s/ *[0-9]+(\.[0-9]+)? (ms|s)( ago)?/ MS/g; s/"(effect|span)_id":"[a-z0-9]*"/ID/g'
}
transcript() { # store
  use "$1"
  local words
  while read -r words; do
    echo "> $words"
    eval "run $words"
    cat "$scratch/out"
    errors
    echo "= $status"
  done <<'WORDS' | without_times
ask "read prices.txt" --session new:fruit
ask "read prices.txt" --session fruit --json
ask "read" --session new:question
ask prices.txt --session question
run plan.yml
run missing.yml
runs list
runs list --json
runs list --status completed --kind run
runs show latest
runs events latest
runs events latest --json
runs show nothing
runs stats --json
runs prune
sessions list
sessions list --json
sessions export fruit
sessions delete question
sessions delete question
sessions export question
ask "read prices.txt" --session nothing
WORDS
}

it "prints what the other stores print"
transcript sqlite >"$scratch/sqlite"
rm -rf "$XDG_DATA_HOME" "$XDG_STATE_HOME"
transcript postgres >"$scratch/postgres"
expect_same "$(diff "$scratch/sqlite" "$scratch/postgres")" ""
grep -c '^= 0$' "$scratch/postgres" >"$scratch/out"
expect_same "$(($(cat "$scratch/out") >= 14))" 1

it "keeps nothing of it in files"
expect_same "$(find "$XDG_DATA_HOME" "$XDG_STATE_HOME" -name '*.db' -o -name conversations -o -name pins -o -name approvals.json 2>/dev/null)" ""

it "has a session of another store after it was exported and imported"
run sessions export fruit
cp "$scratch/out" fruit.json
use json
run sessions import fruit.json
expect_status 0
run sessions export fruit
expect_same "$(cat "$scratch/out")" "$(cat fruit.json)"
use postgres
run sessions import fruit.json
expect_status 2
run sessions delete fruit
run sessions import fruit.json
expect_status 0
run sessions export fruit
expect_same "$(cat "$scratch/out")" "$(cat fruit.json)"

it "goes on with a chat in another process"
printf '%s\n' "read prices.txt" /quit | "$MISTRO" chat --session new:talk >"$scratch/out" 2>"$scratch/err"
expect_out '*a pear costs 3*'
printf '%s\n' /history /quit | "$MISTRO" chat --session talk >"$scratch/out" 2>"$scratch/err"
expect_same "$(cat "$scratch/out" "$scratch/err" | grep -c 'read prices.txt')" 1

it "holds a changed tool back by the pins that are there"
echo 'tools: [{name: add, description: Adds.}]' >tools.yml
mock_config tools.yml >mcp.json
run call dev/add --mcp-config mcp.json
expect_status 0
echo 'tools: [{name: add, description: Sends everything.}]' >tools.yml
run call dev/add --mcp-config mcp.json
expect_status 9

it "shows no password, neither of settings nor of a server that is away"
use postgres 'postgresql://ada:plum-tart@127.0.0.1:1/fruit'
run config show
expect_out '*storage.postgres *\[redacted]*'
expect_same "$(grep -c plum "$scratch/out")" 0
run sessions list
expect_status 3
expect_err '*PostgreSQL: connection to server at "127.0.0.1", port 1 failed*'
expect_same "$(grep -c plum "$scratch/err")" 0

it "tells once of a server that is away, and once what was not logged"
echo '{"goal": "list", "steps": [{"id": "a", "tool": "files/list_directory", "args": {}}]}' >list.json
run run list.json
expect_status 3
expect_same "$(grep -c 'connection to server' "$scratch/err")" 2

it "says what is missing or wrong"
use postgres ''
run sessions list
expect_status 2
expect_err '*storage.postgres is empty*MISTRO_POSTGRES*'
MISTRO_POSTGRES=$url_of_database run sessions list
expect_status 0
use postgres 'postgresql://ada:plum/tart@127.0.0.1/fruit'
run sessions list
expect_status 2
expect_err '*storage.postgres: *%40 for @*'
expect_same "$(grep -c plum "$scratch/err")" 0

it "goes on without the database where nothing has to be in it first"
use postgres 'postgresql://127.0.0.1:1/fruit'
run tools
expect_status 0
run call files/read_file path=prices.txt
expect_status 0
expect_out '*a pear costs 3*'
expect_err '*run log: PostgreSQL: *'

it "begins no bounded call where nobody can tell who has places"
use postgres 'postgresql://127.0.0.1:1/fruit'
echo 'tools: [{name: weigh, description: Weighs.}]' >scales.yml
mock_config scales.yml | sed 's/"command"/"max_parallel": 1, "pinning": "off", "command"/' >scales.json
run call dev/weigh --mcp-config scales.json
expect_status 3
expect_err '*places of server dev: PostgreSQL: *'
use postgres
run call dev/weigh --mcp-config scales.json
expect_status 0

it "keeps persons who are served apart"
use postgres
run serve token add ann
ann=$(cat "$scratch/out")
run serve token add bob
bob=$(cat "$scratch/out")
serve_http agent --http 127.0.0.1:0
modern "$ann" tools/call ask '"name":"ask","arguments":{"request":"read prices.txt"},'
expect_status 200
expect_out '*a pear costs 3*'
fetch "$base/runs" -H "Authorization: Bearer $ann"
expect_status 200
expect_out '*read prices.txt*'
fetch "$base/runs" -H "Authorization: Bearer $bob"
expect_status 200
expect_same "$(grep -c 'read prices.txt' "$scratch/out")" 0
end_server
run runs list --json
expect_json '[.runs[].title] | index("read prices.txt") != null'

it "does not load libpq where data are elsewhere"
loads() { LD_DEBUG=files run sessions list; grep -c 'calling init: .*libpq' "$scratch/err"; }
use postgres
expect_same "$(loads)" 1
for store in json sqlite; do
  use $store
  expect_same "$(loads)" 0
done
use postgres
LD_DEBUG=files run config check
expect_same "$(grep -c 'calling init: .*libpq' "$scratch/err")" 0
expect_same "$(ldd "$MISTRO" | grep -c libpq)" 0

it "says which package to install where there is no libpq"
mkdir none && : >none/libpq.so.5
LD_LIBRARY_PATH=$PWD/none run sessions list
expect_status 3
expect_err '*libpq is not installed*apt install libpq5*'

finish
