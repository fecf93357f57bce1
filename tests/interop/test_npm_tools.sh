# Every tool of four MCP servers from npm, called once with arguments that are right and once with some
# that are wrong. A tool that the table below does not know, or that a server no longer has, fails the
# test: then the table is out of date.
. "$SOURCE_DIR/tests/interop/npm.sh"
mkdir files && cp -r "$SOURCE_DIR/examples/workspace/." files/
printf '\211PNG\r\n' >files/dot.png
# Some of what server-everything offers keeps it alive after its standard input has ended.
printf 'mistral_orchestrator: {mcp: {close_wait_ms: 300}}\n' >settings.yml
export MISTRO_CONFIG="$PWD/settings.yml"
cat >mcp.json <<JSON
{"mcpServers":{
  "everything":{"command":"$node","args":["$(at server-everything)"],"roots":["$PWD/files"]},
  "filesystem":{"command":"$node","args":["$(at server-filesystem)","$PWD/files"]},
  "memory":{"command":"$node","args":["$(at server-memory)"],"env":{"MEMORY_FILE_PATH":"$PWD/memory.json"}},
  "thinking":{"command":"$node","args":["$(at server-sequential-thinking)"]}}}
JSON

# tool | right arguments | in what it prints | wrong arguments | in what mistro says of them, unsent
# Rows are called in this order: some use what earlier ones left behind. Wrong for a tool without
# parameters is only what is no object.
table() {
  sed "s:@:$PWD/files:g" <<'ROWS'
everything/echo|{"message":"hello"}|Echo: hello|{"message":1}|/message
everything/get-annotated-message|{"messageType":"error","includeImage":true}|image/png|{"messageType":"fatal"}|/messageType
everything/get-env|{}|"PATH"|[1]|is not an argument
everything/get-resource-links|{"count":2}|demo://resource/dynamic/text/2|{"count":"two"}|/count
everything/get-resource-reference|{"resourceType":"Blob","resourceId":2}|demo://resource/dynamic/blob/2|{"resourceType":"Sound"}|/resourceType
everything/get-roots-list|{}|@|[1]|is not an argument
everything/get-structured-content|{"location":"Chicago"}|"temperature"|{}|"location"
everything/get-sum|{"a":2,"b":40}|42|{"a":"x","b":40}|/a
everything/get-tiny-image|{}|image/png|[1]|is not an argument
everything/gzip-file-as-resource|{"name":"a.gz","data":"data:text/plain,hello","outputType":"resource"}|application/gzip|{"outputType":"disk"}|/outputType
everything/simulate-research-query|{"topic":"tides"}|Research Report: tides|{"topic":"tides","ambiguous":"no"}|/ambiguous
everything/toggle-simulated-logging|{}|Started simulated|[1]|is not an argument
everything/toggle-subscriber-updates|{}|Started simulated|[1]|is not an argument
everything/trigger-long-running-operation|{"duration":0.2,"steps":2}|completed|{"steps":"many"}|/steps
filesystem/create_directory|{"path":"@/new"}|Successfully created|{"path":7}|/path
filesystem/directory_tree|{"path":"@"}|README.md|{}|"path"
filesystem/write_file|{"path":"@/new/a.txt","content":"one\ntwo\n"}|Successfully wrote|{"path":"@/b.txt"}|"content"
filesystem/edit_file|{"path":"@/new/a.txt","edits":[{"oldText":"two","newText":"three"}]}|+three|{"path":"@/new/a.txt","edits":[{"oldText":"two"}]}|/edits/0
filesystem/get_file_info|{"path":"@/new/a.txt"}|size: 10|{"path":null}|/path
filesystem/list_allowed_directories|{}|@|[1]|is not an argument
filesystem/list_directory|{"path":"@"}|[DIR] new|{"path":[]}|/path
filesystem/list_directory_with_sizes|{"path":"@","sortBy":"size"}|Total:|{"path":"@","sortBy":"age"}|/sortBy
filesystem/move_file|{"source":"@/new/a.txt","destination":"@/new/c.txt"}|Successfully moved|{"source":"@/new/a.txt"}|"destination"
filesystem/read_file|{"path":"@/new/c.txt","head":1}|one|{"path":"@/new/c.txt","head":"1x"}|/head
filesystem/read_media_file|{"path":"@/dot.png"}|image/png|{"path":true}|/path
filesystem/read_multiple_files|{"paths":["@/new/c.txt","@/README.md"]}|three|{"paths":[]}|/paths
filesystem/read_text_file|{"path":"@/new/c.txt","head":2}|three|{"tail":1}|"path"
filesystem/search_files|{"path":"@","pattern":"**/*.txt"}|c.txt|{"path":"@"}|"pattern"
memory/create_entities|{"entities":[{"name":"Ada","entityType":"person","observations":["counts"]},{"name":"Engine","entityType":"machine","observations":[]}]}|Ada|{"entities":[{"name":"Ada"}]}|/entities/0
memory/create_relations|{"relations":[{"from":"Ada","to":"Engine","relationType":"describes"}]}|describes|{"relations":[{"from":"Ada","to":"Engine"}]}|/relations/0
memory/add_observations|{"observations":[{"entityName":"Ada","contents":["writes"]}]}|writes|{"observations":[{"entityName":"Ada","contents":["x",1]}]}|/observations/0/contents/1
memory/search_nodes|{"query":"writes"}|Ada|{"query":["writes"]}|/query
memory/open_nodes|{"names":["Engine"]}|machine|{"names":"Engine"}|/names
memory/delete_observations|{"deletions":[{"entityName":"Ada","observations":["counts"]}]}|deleted|{"deletions":[{"entityName":"Ada"}]}|/deletions/0
memory/delete_relations|{"relations":[{"from":"Ada","to":"Engine","relationType":"describes"}]}|deleted|{"relations":{}}|/relations
memory/delete_entities|{"entityNames":["Engine"]}|deleted|{"entityNames":[1]}|/entityNames/0
memory/read_graph|{}|Ada|[1]|is not an argument
thinking/sequentialthinking|{"thought":"first","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}|"thoughtNumber": 1|{"thought":"first","nextThoughtNeeded":false,"thoughtNumber":0,"totalThoughts":1}|/thoughtNumber
ROWS
}

it "the table has every tool, and no other"
run tools --mcp-config mcp.json
expect_status 0
expect_same "$(cut -f1 "$scratch/out" | grep -v "^mistro/" | sort)" "$(table | cut -d'|' -f1 | sort)"

prints() { if grep -qF -- "$1" "$scratch/out"; then ok; else fail "stdout should have: $1"; fi; }
says() { if errors | grep -qF -- "$1"; then ok; else fail "stderr should have: $1"; fi; }
while IFS='|' read -r tool right printed wrong said; do
  it "$tool does what it is asked for"
  run call "$tool" "$right" --mcp-config mcp.json --timeout 60
  expect_status 0
  prints "$printed"
  it "$tool is not sent what it does not take"
  run call "$tool" "$wrong" --mcp-config mcp.json -vv
  expect_status 2
  says "$said"
  if grep -q '"tools/call"' "$scratch/err"; then fail "it was sent"; else ok; fi
done < <(table)

# conformance_client makes the calls it is told to and checks nothing itself.
it "the server of the first rows finds the same arguments wrong when they are sent all the same"
begin_everything streamableHttp
trap 'kill $everything_pid 2>/dev/null; rm -rf "$scratch"' EXIT
wrong_calls() { table | awk -F'|' '/^everything/ && $4 ~ /^{/ && !/simulate|roots/ { sub(/.*\//, "", $1); printf "{\"name\":\"%s\",\"arguments\":%s}\n", $1, $4 }'; }
MCP_CONFORMANCE_CONTEXT=$(wrong_calls | jq -cs '{toolCalls: .}') \
  "$BUILD_DIR/tests/conformance_client" "$everything/mcp" >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 0
expect_same "$(grep -c ': the tool failed$' "$scratch/out")" "$(wrong_calls | wc -l)"
finish
