# Resources that change while they are read, and what arguments could be, in both eras.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cat >count.yml <<'YML'
resources:
  - {uri: "count:///down", versions: ["three", "two", "one"]}
resource_templates:
  - {uriTemplate: "note:///{year}", text: "{args.year}", values: {year: ["2025", "2026", "20\e[2J"]}}
prompts:
  - name: summary
    arguments: [{name: topic, values: [plums, pears]}]
    messages: [{text: "Summarise {args.topic}"}]
YML
server() { printf '"%s":{"command":"%s","args":["serve","mock","--fixture","%s"],"era":"%s"}' "$1" "$MISTRO" "$2" "$3"; }
printf '{"mcpServers":{%s,%s}}' "$(server new count.yml modern)" "$(server old count.yml legacy)" >mcp.json

for era in new old; do
  it "prints a resource again whenever the $era server says that it changed, until the time is over"
  run read $era count:///down --watch --timeout 2 --mcp-config mcp.json
  expect_status 0
  expect_out 'three
two
one'
done

it "prints each reading on a line of JSON, and ends quietly with its reader"
run read new count:///down --watch --json --timeout 2 --mcp-config mcp.json
expect_same "$(jq -r '.contents[0].text' "$scratch/out" | tr '\n' ' ')" 'three two one '
expect_same "$("$MISTRO" read new count:///down --watch --timeout 20 --mcp-config mcp.json | head -2 | tr '\n' ' ')" 'three two '

it "says what cannot be watched"
run read new nothing:/// --watch --mcp-config mcp.json
expect_status 2
expect_err '*does not announce changes of nothing:///*'
run read new count:///down --watch -o file --mcp-config mcp.json
expect_status 2

it "lists what an argument could be"
run prompt new/summary --complete topic=pl --mcp-config mcp.json
expect_status 0
expect_out 'plums'
run prompt old/summary --complete topic --json --mcp-config mcp.json
expect_json '.values == ["plums","pears"] and .has_more == false'
run read old 'note:///{year}' --complete year=202 --mcp-config mcp.json
expect_out '2025
2026'
run prompt new/summary --complete =x --mcp-config mcp.json
expect_status 2
finish
