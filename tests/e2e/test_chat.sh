# The chat in a real terminal (tmux): commands, live steps, consent, paste, Ctrl-C, resize.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO EXAMPLES="$SOURCE_DIR/examples"
begin() { begin_terminal 100 30 chat "$@"; }

it "greets, lists commands and tools"
begin -m none
t has-session || skip "tmux cannot open a terminal here"
see "*mistro*: /help says*tools: * of files,*folder: $PWD*model: none, *get one: ollama pull *mistro>*"
type_line /help
see '*/tools*/history*/sessions*/load ID*'
type_line /tools
see '*files/read_file*'

it "names the nearest slash command"
type_line /hlep
see '*did you mean /help*'

it "answers and shows the step with tool and time"
type_line 'read the file README.md'
see '*files/read_file*ms*A small fruit trade*'

it "remembers what was said"
type_line /history
see '*user*read the file README.md*assistant*'
type_line '/save fruit'
see '*saved as session*'
type_line /sessions
see '*fruit*'

it "begins a new session and loads the old one"
type_line /new
see '*new session*'
id=$("$MISTRO" sessions list --json | jq -r '.sessions[0].id')
type_line "/load $id"
see "*session $id: fruit (* ago, 2 messages)*user*read the file README.md*assistant*A small fruit trade*"

it "completes the id of a session behind /load, and exports it"
t send-keys -l -- "/load ${id%???}"
t send-keys Tab Enter
see "*session $id: fruit*"
type_line '/export out.json'
see '*written to out.json*'
expect_same "$(jq -r .conversation_id out.json)" "$id"

it "attaches a file, and says when there is none"
type_line 'look at @nothing.md'
see '*attach: nothing.md: No such file*'

it "takes a paste of several lines as one message"
printf 'read the file\nREADME.md' >paste.txt
t send-keys C-l
t load-buffer paste.txt
t paste-buffer -p
see '*read the file*README.md*'
t send-keys Enter
see '*A small fruit trade*'

it "survives a resize"
t resize-window -x 60 -y 20
type_line /model
see '*lexical*'

it "leaves with Ctrl-D"
t send-keys C-d
see '*left with 0*'

it "names the model, also one that does not answer"
begin "--mcp-config $SOURCE_DIR/examples/formalize/mcp.json -m script:$SOURCE_DIR/examples/formalize/model.jsonl"
see '*tools: * of dev,*model: *model.jsonl*mistro>*'
begin "-m mistral --base-url http://127.0.0.1:1"
see '*model: mistral; *127.0.0.1:1*start it with*mistro>*'

it "shows the question that waits with the greeting, and when its session is loaded"
run ask -q -m none --session new:waits 'read the file'
expect_status 5
begin -m none --session waits
see '*model: none*path*your next message is the answer*mistro>*'
type_line /new
type_line '/load waits'
see '*session waits: *path*your next message is the answer*mistro>*'
type_line README.md
see '*A small fruit trade*'
t send-keys C-d
see '*left with 0*'

it "tells of the model that is being loaded above what is typed meanwhile"
peer=$BUILD_DIR/tests/peer_model
printf 'mistral_orchestrator:\n  model:\n    launch: ["%s", "--loads", "1500"]\n' "$peer" >loads.yml
begin --config loads.yml
see '*mistro>*'
t send-keys -l 'half a line'
see '*is ready after*mistro> half a line*'
expect_same "$(grep -c 'mistro>' "$scratch/out")" 1
t send-keys C-u C-d
see '*left with 0*'

it "asks before a tool of somebody else runs, and takes one key"
begin "--mcp-config $SOURCE_DIR/examples/formalize/mcp.json -m script:$SOURCE_DIR/examples/formalize/model.jsonl"
see '*mistro>*'
type_line 'write me a function that adds up a list of numbers, and review it'
see '*dev/formalize_task wants to run*Allow?*'
press s
see '*dev/generate_code wants to run*Allow?*'
press s
see '*dev/review_code wants to run*Allow?*'
press s
see '*Here is the function*'

it "does not ask again in the same session"
t send-keys C-l
type_line 'write me a function that adds up a list of numbers, and review it'
see '*mistro> write*Here is the function*mistro>*'

it "a refused call ends the turn"
type_line /exit
see '*left with 0*'
begin "--mcp-config $SOURCE_DIR/examples/formalize/mcp.json -m script:$SOURCE_DIR/examples/formalize/model.jsonl"
see '*mistro>*'
type_line 'write me a function that adds up a list of numbers, and review it'
see '*Allow?*'
press n
see '*not approved*mistro>*'

it "asks once about tools that come while their server runs, and uses them then"
cat >grows.yml <<'YML'
tools:
  - {name: unlock, description: unlock the vault, annotations: {readOnlyHint: true}, replies: [{text: unlocked, reveals: [count_coins]}]}
  - {name: count_coins, description: count the coins, annotations: {readOnlyHint: true}, hidden: true, replies: [{text: 17 coins}]}
YML
mock_config "$PWD/grows.yml" >grows.json
type_line /exit
see '*left with 0*'
begin "--yes --mcp-config grows.json -m none"
see '*mistro>*'
type_line 'unlock the vault'
see '*unlocked*mistro>*'
type_line 'count the coins'
see '*The server dev has 1 tool that nobody approved yet*new: dev/count_coins*count the coins*May it be used as shown?*'
press y
see '*17 coins*mistro>*'

it "Ctrl-C ends the running turn and the chat goes on; twice leaves"
cat >slow.yml <<'YML'
tools: [{name: work, description: work slowly, annotations: {readOnlyHint: true}, replies: [{delay_ms: 60000, text: done}]}]
YML
mock_config "$PWD/slow.yml" >slow.json
begin "--yes --mcp-config slow.json -m none"
see '*mistro>*'
type_line 'work slowly'
see '*s1*dev/work*'
t send-keys C-c
see '*cancelled*mistro>*'
t send-keys C-c C-c # the first may already be the second within a second of the one above
see '*left with 130*'
finish
