# What `tools --search` finds, why, and what a settings folder adds to it.
. "$SOURCE_DIR/tests/e2e/lib.sh"
jq '{tools: [.[] | select(.set == 40) | {name, title, description, inputSchema} | with_entries(select(.value != null))]}' \
  "$SOURCE_DIR/tests/data/shortlist/tools.json" >forty.json
mkdir -p "$XDG_CONFIG_HOME/mistro"
mock_config "$PWD/forty.json" >"$XDG_CONFIG_HOME/mistro/mcp.json"
echo 'mistral_orchestrator: {workspace: off}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"

it "ranks the tools that a request would find, with score, place in a prompt and reasons"
run tools --search "delete a file" -n 3
expect_status 0
expect_same "$(wc -l <"$scratch/out")" 3
expect_out 'dev/delete*[0-9].[0-9][0-9]*line*delete*'

it "tells which word of a tool an everyday word of another language stands for"
run tools --search "brauche ich einen Regenschirm?" --json
expect_status 0
expect_json '.language == "de" and .matched and .n_tools == 40'
expect_json '.tools[0].shown == "line" and .tools[0].matches[0].word == "regenschirm"'
expect_json '.tools[0].matches[0].as == "forecast" and .tools[0].matches[0].score > 0'

it "shows twenty unless told otherwise, and as many as there are"
run tools --search "mail" --json
expect_json '(.tools | length) == 20'
run tools --search "mail" --json -n 1000
expect_json '(.tools | length) == 40'
run tools --search "mail" -n 1001
expect_status 2
expect_err '*1 to 1000*'

it "says so where no tool has a word of the request, and lists tools by name"
run tools --search "xyzzy plugh" -n 2
expect_status 0
expect_err '*no tool has a word of the request*'
run tools --search "xyzzy plugh" --json
expect_json '(.matched | not) and .tools[0].score == 0 and ([.tools[].name] | . == sort)'

it "knows the words that a file of the settings folder adds, in every language"
mkdir "$XDG_CONFIG_HOME/mistro/data" "$XDG_CONFIG_HOME/mistro/data/words"
echo 'xyzzy plugh -> weather forecast' >"$XDG_CONFIG_HOME/mistro/data/words/mine.txt"
run tools --search "und der Xyzzy?" --json
expect_json '.language == "de" and .tools[0].matches[0].as == "forecast"'

it "names the file and the line that cannot be read, and says what to write"
echo 'plugh weather' >>"$XDG_CONFIG_HOME/mistro/data/words/mine.txt"
run tools --search "xyzzy"
expect_status 2
expect_err '*mine.txt, line 2: there is no "->"*write: what people say*'

finish
