# The pages of a mistro that is served, in a real browser (Debian's chromium): runs of all kinds are looked at
# (look_at_served.mjs), what waits is answered by the keyboard alone (use_served.mjs), and leaves in the log what
# the command line leaves there.
. "$SOURCE_DIR/tests/interop/npm.sh"
chromium=$(command -v chromium) || skip "no chromium"
cp -r "$SOURCE_DIR/examples/workspace/." .

cat >shop.yml <<'YML'
tools:
  - name: charge
    inputSchema: {type: object, properties: {n: {type: integer}}}
    replies:
      - {when: {n: 13}, fault: exit}
      - {when: {n: 4}, error: the card was refused}
      - text: charged
  - name: watch
    annotations: {readOnlyHint: true}
    replies:
      - {when: {for: hours}, text: nothing came, delay_ms: 3600000}
      - {text: nothing came, delay_ms: 1500}
YML
mkdir -p "$XDG_CONFIG_HOME/mistro"
jq -n --arg m "$MISTRO" '{mcpServers: {shop: {command: $m, args: ["serve", "mock", "--fixture", "shop.yml"]}}}' >"$XDG_CONFIG_HOME/mistro/mcp.json"
echo 'mistral_orchestrator: {timeout_seconds: 3600}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
plan() { # goal, tool, arguments of each call in turn
  local goal=$1 tool=$2; shift 2
  printf '%s\n' "$@" | jq -s --arg goal "$goal" --arg tool "$tool" '{goal: $goal, steps: [to_entries[] |
    {id: "s\(.key)", tool: $tool, args: .value, needs: [select(.key > 0) | "s\(.key - 1)"]}]}'
}
approval() { # goal
  jq -n --arg goal "$1" '{version: 2, goal: $goal, steps: [{id: "sure", approve: {text: "Charge both?"}},
    {id: "one", tool: "shop/charge", args: {n: 1}}, {id: "two", tool: "shop/charge", args: {n: 2}}]}'
}
plan "look at the mail" shop/watch '{}' '{}' '{}' >slow.json
plan "look for hours" shop/watch '{"for": "hours"}' >hours.json

run_plan() { run run "$1" --yes; }
latest() { "$MISTRO" runs list -n 1 --json | jq -r '.runs[0].id'; }
# One of each that waits, by what they are called; sets $approved, $settled, $again and $asked.
begin() { # name
  approval "$1: charge what is owed" >plan.json
  run run plan.json
  expect_status 6
  approved=$(latest)
  plan "$1: charge once" shop/charge '{"n": 13}' >plan.json
  run_plan plan.json
  settled=$(latest)
  run runs resume "$settled"
  expect_status 5
  plan "$1: charge a bad card" shop/charge '{"n": 4}' >plan.json
  run_plan plan.json
  expect_status 1
  again=$(latest)
  run ask -m none "read the file"
  expect_status 5
  asked=$(latest)
}
# What is in the log of a run, but for what differs from run to run. A server that is served is kept running.
record() {
  "$MISTRO" runs events "$1" | jq -c 'select(.event != "server_state") |
    [.event, .step, .tool, .path, .hash, .status, .state, .as, .by, .answer, .error, .questions[]?.key]'
}
serve() { # further words; sets $server, $login, $origin and $token
  mkfifo "$scratch/served"
  "$MISTRO" serve agent -m none --http 127.0.0.1:0 "$@" >"$scratch/served" 2>"$scratch/served.err" </dev/null &
  server=$!
  { read -r _ && read -r login; } <"$scratch/served"
  rm "$scratch/served"
  origin=${login%/login*} token=${login##*token=}
}
hours=
trap 'kill $server $hours 2>/dev/null; wait; leave' EXIT

it "makes runs of all kinds"
run ask -m none "search for TODO in the notes folder"
expect_status 0
begin without
"$MISTRO" run hours.json >/dev/null 2>&1 &
hours=$!
for _ in $(seq 200); do [ "$("$MISTRO" runs list -n 1 --json | jq -r '.runs[0].title')" = "look for hours" ] && break; sleep 0.05; done
serve

it "can be read from a telephone to a wide desk, light and dark, with script and without"
"$node" "$scripts/look_at_served.mjs" "$chromium" "$login" >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_out '0 faults*'
kill "$hours"
wait "$hours"

use() { # with|without
  "$node" "$scripts/use_served.mjs" "$chromium" "$login" "$1" "$MISTRO" >"$scratch/out" 2>"$scratch/err"; status=$?
  expect_status 0
  expect_out '0 faults*'
}
it "is used without a mouse and without script"
use without

it "is used without a mouse, and keeps itself up to date"
begin with
pages=("$approved" "$settled" "$again" "$asked")
use with

it "leaves the record that the command line leaves"
begin with
run runs show "$approved" --json
hash=$(jq -r '[.. | .hash? // empty] | last' "$scratch/out")
run runs resume "$approved" --answer "approve.sure=$hash"
expect_status 0
run runs resume "$settled" --answer uncertain.s0=done
expect_status 0
run runs resume "$again" --failed
expect_status 1
run runs show "$asked" --json
run ask -m none --session "$(jq -r '.. | .session_id? // empty' "$scratch/out" | head -1)" --answer path=README.md
expect_status 0
words=("$approved" "$settled" "$again" "$asked")
for i in "${!words[@]}"; do
  expect_same "$(record "${pages[$i]}")" "$(record "${words[$i]}")"
done
answers=$("$MISTRO" runs list --json | jq -r '.runs | map(select(.kind == "ask" and (.title // "") == ""))[0, 1].id')
expect_same "$(record "$(sed -n 1p <<<"$answers")")" "$(record "$(sed -n 2p <<<"$answers")")"

get() { curl -s -o "$scratch/page" -w '%{http_code}' -b "__Host-mistro=$token" "$origin$1"; }
field() { sed -n "s/.*name=\"$1\" value=\"\([^\"]*\)\".*/\1/p" "$scratch/page" | tail -1; }
post() { # run, fields
  curl -s -o "$scratch/out" -w '%{http_code}' -b "__Host-mistro=$token" --data "$2" "$origin/runs/$1/answer"
}
it "takes one answer of two"
begin with
expect_same "$(get "/runs/$approved")" 200
fields="csrf=$(field csrf)&event=$(field event)&path=$(field path)&hash=$(field hash)"
expect_same "$(post "$approved" "$fields")" 303
expect_same "$(post "$approved" "$fields")" 409
expect_out '*Nothing was done twice*'
kill "$server"
wait "$server"

it "says so where nothing is kept to go on from"
echo 'mistral_orchestrator: {runs: {keep_state: never}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
approval "never: charge what is owed" >plan.json
run run plan.json
expect_status 6
serve
expect_same "$(get "/runs/$(latest)")" 200
cp "$scratch/page" "$scratch/out"
expect_out '*Nothing is kept of this run*'
expect_same "$(grep -c '/answer"' "$scratch/page")" 0
finish
