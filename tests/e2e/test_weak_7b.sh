# A scripted 7B with its typical mistakes (tests/data/weak7b) over 120 requests: no invention is shown
# as a result, no gap is executed, and nothing is changed that the request does not ask for. How many
# requests come out right is printed, not judged. To measure any binary, with all requests or some:
#   bash tests/e2e/test_weak_7b.sh BINARY [ID…]
SOURCE_DIR=$(realpath "$(dirname "$0")/../..") MISTRO=$(realpath "${1:-$MISTRO}")
[ $# -eq 0 ] || shift
. "$SOURCE_DIR/tests/e2e/lib.sh"
corpus=$SOURCE_DIR/tests/data/weak7b

for server in drive office weather home data; do
  jq --arg server "$server" '{tools: [.tools[] | select(.server == $server) | .replies = [{result}] | del(.server, .result)]}' \
    "$corpus/tools.json" >"$server.json"
  jq -n --arg server "$server" --arg mistro "$MISTRO" \
    '{($server): {command: $mistro, args: ["serve", "mock", "--fixture", ($server + ".json")]}}'
done | jq -s '{mcpServers: add}' >mcp.json
# The replies to the intent have no steps, so that the plan is always asked for by itself.
echo '{"mistral_orchestrator": {"tools": {"plan_at_once": 0}}}' >settings.json

jq -c --args '.cases[] | select(.id as $id | $ARGS.positional | length == 0 or index($id) != null)' "$@" \
  <"$corpus/cases.json" >cases.jsonl
while read -r case; do
  # Each reply serves once, the last one of a purpose for ever.
  jq -c '.replies as $replies | ["intent", "plan", "answer"][] as $purpose | $replies[$purpose] | length as $n
    | to_entries[] | {purpose: $purpose, reply: .value, times: (if .key == $n - 1 then 0 else 1 end)}' <<<"$case" >model.jsonl
  request=$(jq -r .request <<<"$case")
  run ask -y --events --config settings.json --mcp-config mcp.json -m script:model.jsonl "$request"
  cp "$scratch/out" events.jsonl; with_events=$status
  run ask -y --config settings.json --mcp-config mcp.json -m script:model.jsonl "$request"
  jq -cn --argjson case "$case" --slurpfile events events.jsonl --rawfile shown "$scratch/out" --argjson status "$with_events" \
    --argjson plain_status "$status" '{case: $case, $status, $plain_status, $shown, $events}' >>runs.jsonl
done <cases.jsonl

changing=$(jq -c '[.tools[] | select(.annotations.readOnlyHint | not) | .server + "/" + .name]' "$corpus/tools.json")
jq -nrf "$SOURCE_DIR/tests/e2e/weak_7b.jq" --argjson changing "$changing" runs.jsonl >judged.txt
grep -v '|' judged.txt
awk -F '|' '/[|]/ { printf "%-10s%7s%15s%18s%15s%17s\n", $1, $2, $3, $4, $5, $6 }' judged.txt
sums=$(awk -F '|' '$1 == "all" { print $2, $4, $5, $6 }' judged.txt)
[ "$sums" = "$(wc -l <cases.jsonl) 0 0 0" ] || { echo "FAILED: inventions were shown, gaps executed or things changed unasked"; exit 1; }
