# The servers of other MCP clients: forty files of twelve clients, then what people do with them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
export HOME=$scratch/home
unset XDG_CONFIG_HOME CODEX_HOME
mkdir -p "$HOME/.cursor" "$HOME/.codex" folder && cd folder || exit 1
user=$HOME/.config/mistro/mcp.json

it "finds and copies every server of forty files, shows no secret, and says where a file is broken"
if command -v python3 >/dev/null; then
  python3 "$SOURCE_DIR/tests/support/client_corpus.py" "$MISTRO" "$SOURCE_DIR/tests/data/clients" >"$scratch/corpus" 2>&1
  expect_same "$(tail -1 "$scratch/corpus")" "40 of 40 cases are right" || cat "$scratch/corpus"
fi

it "says that there is nothing"
run servers find
expect_status 0
expect_no_out
expect_err '*no other client*'
run servers import
expect_status 0
expect_err '*nothing to import*'

cat >"$HOME/.cursor/mcp.json" <<'JSON'
{ // mine
  "mcpServers": {
    "echo": {"command": "echo", "args": ["--api-key", "abc123def456"], "env": {"ECHO_TOKEN": "t0psecret"}},
    "plain": {"command": "true", "args": []},
    "shell": {"command": "/bin/sh", "args": ["-c", "echo '${HOME} $HOME ${x' >$0", "said"]},
    "two words": {"url": "https://a.example/mcp", "disabled": true},
    "wrong": {"command": "a", "args": "b"},
  },
}
JSON
printf 'x = 1\n[mcp_servers.plain]\ncommand = "false"\n[mcp_servers.x\n' >"$HOME/.codex/config.toml"

it "lists them in a table and as JSON, values hidden, and a broken file stops nothing"
run servers find
expect_status 0
expect_out "*cursor	echo	stdio	new	echo --api-key …*cursor	two words	http	disabled	https://a.example/mcp*"
expect_out "*unusable	$HOME/.cursor/mcp.json:7:39: *codex*broken	$HOME/.codex/config.toml:4:15: *"
run servers find --from codex --json
expect_json '.version == 1 and (.clients[0] | .client == "codex" and .problem.line == 4 and .servers == [])'
run servers find --from crsor
expect_status 2
expect_err '*no client is called*did you mean cursor*'

it "copies what is switched on, with variables for secrets, off until those are set"
run servers import --dry-run
expect_status 0
expect_same "$(ls "$HOME/.config" 2>/dev/null)" ""
run servers import
expect_status 0
expect_err '*imported echo of cursor, switched off until*imported plain of cursor*export ECHO_API_KEY=…   # echo, *export ECHO_TOKEN=…*'
expect_err '*config.toml:4:15*'
expect_same "$(jq -c .mcpServers "$user" | sed "s|'|\\\\u0027|g")" '{"echo":{"command":"echo","args":["--api-key","${ECHO_API_KEY}"],"env":{"ECHO_TOKEN":"${ECHO_TOKEN}"},"enabled":false},"plain":{"command":"true","args":[]},"shell":{"command":"/bin/sh","args":["-c","echo \u0027${:-$}{HOME} $HOME ${:-$}{x\u0027 >$0","said"]}}'
expect_same "$(stat -c %a "$user")" 600

it "switches a server on once its variables are set, and is then done"
export ECHO_API_KEY=abc123def456 ECHO_TOKEN=other
run servers import echo
expect_status 0
expect_err '*ECHO_TOKEN is set, but not to what*'
expect_same "$(jq -c '.mcpServers.echo.enabled' "$user")" null
cp "$user" "$scratch/before"
run servers import echo plain
expect_status 0
expect_err '*echo of cursor is there already*plain of cursor is there already*'
cmp -s "$user" "$scratch/before" || fail "the file was changed"

it "leaves what its client would not expand as it is"
run servers find --from cursor
expect_out '*cursor	shell	stdio	configured	/bin/sh -c echo '"'\${HOME} \$HOME \${x' >\$0 said*"
run tools shell
expect_same "$(cat said)" '${HOME} $HOME ${x'

it "never takes one of two that have the same name, nor replaces what is there"
printf '[mcp_servers.plain]\ncommand = "false"\n' >"$HOME/.codex/config.toml"
run servers import plain
expect_status 2
expect_err '*not imported: plain of cursor: clients have different ones*not imported: plain of codex*plain=NEW*'
run servers import --from codex plain
expect_status 2
expect_err '*mistro has another one of that name*'
run servers import --from codex plain=no
expect_status 0
expect_same "$(jq -c '.mcpServers.no' "$user")" '{"command":"false","args":[]}'
cmp -s <(jq -c .mcpServers.plain "$scratch/before") <(jq -c .mcpServers.plain "$user") || fail "plain was changed"

it "gives a server a name that mcp.json may have, and keeps it switched off"
run servers import 'two words'
expect_status 0
expect_err '*two-words (two words there) of cursor, switched off as it is there*'
run servers import nothing
expect_status 2
expect_err '*no client has a server "nothing"*'

it "switches off what would end every command"
jq -n '{mcpServers: {bad: {command: "a", env: {"": "x"}}, worse: {url: "https://a.example", headers: {"A B": "c"}}}}' >"$scratch/bad.json"
mkdir -p "$HOME/.lmstudio" && mv "$scratch/bad.json" "$HOME/.lmstudio/mcp.json"
run servers import bad worse
expect_err '*imported bad of lm-studio, switched off: *env: a name is empty*imported worse of lm-studio, switched off: *headers: *'
run config check
expect_status 0

it "copies secrets only when told to"
rm "$user"
run servers import --with-secrets --from cursor echo
expect_status 0
expect_same "$(jq -r '.mcpServers.echo.env.ECHO_TOKEN' "$user")" t0psecret

it "does not make a server of the folder the user's own unless it is named"
mkdir -p .cursor && jq -n '{mcpServers: {ours: {command: "true"}}}' >.cursor/mcp.json
run servers import --from cursor
expect_err '*not imported: ours of cursor: a file of this folder brings it*'
run servers import ours
expect_same "$(jq -c '.mcpServers.ours.command' "$user")" '"true"'

it "uses servers of .vscode/mcp.json and .cursor/mcp.json once the folder is approved, as those of .mcp.json"
rm "$user"
mkdir -p .vscode
cat >.vscode/mcp.json <<JSON
{
  // of the team
  "servers": {
    "code": {"type": "stdio", "command": "/bin/sh", "args": ["-c", "touch $scratch/started; exec \"\$0\" serve workspace --root .", "$MISTRO"], "cwd": "sub"},
    "asks": {"type": "http", "url": "https://a.example/mcp", "headers": {"X-Key": "\${input:the-key}"}},
  },
}
JSON
mkdir -p sub
run tools --servers code
expect_status 6
expect_err '*server code of this folder waits for approval*'
if [ -e "$scratch/started" ]; then fail "the folder's server was started"; else ok; fi
run servers review
expect_err '*/.vscode/mcp.json: server code: *serve workspace*/.cursor/mcp.json: server ours: *'
run servers review --yes
expect_status 0
run tools code
expect_status 0
expect_out '*code/*'
if [ -e "$scratch/started" ]; then ok; else fail "the server was not started"; fi
run call code/list_directory path=.
expect_status 0

it "gives no variable to a server that means something else already"
folder=$PWD
mkdir -p "$scratch/other" && cd "$scratch/other" || exit 1
rm -rf "${scratch:?}/home"/.[a-z]* && mkdir -p "$HOME/.cursor" "$HOME/.lmstudio" "$HOME/.config/Code/User"
unset ECHO_API_KEY ECHO_TOKEN
server() { jq -n --arg url "https://$1.example/" --arg token "$2" '{mcpServers: {git: {url: $url, headers: {"X-Token": $token}, env: {}}}}'; }
of() { jq -r ".mcpServers[\"$1\"] | .headers // .env | .[]" "$user"; }
server one first-1 >"$HOME/.cursor/mcp.json"
server two second-2 >"$HOME/.lmstudio/mcp.json"
run servers import --from cursor git
run servers import --from lm-studio git=g_i_t
run servers import --from lm-studio git=g-i-t
expect_same "$(of git) $(of g_i_t) $(of g-i-t)" '${GIT_X_TOKEN} ${G_I_T_X_TOKEN} ${G_I_T_X_TOKEN_2}'
run servers import --from lm-studio git=g-i-t
expect_err '*g-i-t (git there) of lm-studio is there already*'
jq -n '{mcpServers: {
  a: {command: "a", env: {SET_TOKEN: "a-1", OPENAI_API_KEY: "a-2", OWN_TOKEN: "a-3", OTHER_TOKEN: "a-4"}},
  b: {command: "b", env: {X: "${env:OWN_TOKEN}"}},
  c: {command: "c", env: {OTHER_TOKEN: "c-4"}}}}' >"$HOME/.cursor/mcp.json"
SET_TOKEN=mine run servers import --from cursor a b
run servers import --from cursor c
expect_same "$(of a | paste -sd' ') $(of b) $(of c)" '${A_SET_TOKEN} ${A_OPENAI_API_KEY} ${A_OWN_TOKEN} ${OTHER_TOKEN} ${OWN_TOKEN} ${C_OTHER_TOKEN}'
run servers find --from cursor --json
expect_json '[.clients[0].servers[].state] == ["configured", "configured", "configured"]'

it "asks for what a client would ask for under a name of the server's own"
for place in "$HOME/.config/Code/User/mcp.json:servers" "$HOME/.cursor/mcp.json:mcpServers"; do
  jq -n --arg in "${place##*:}" '{($in): {p: {command: $in, env: {A: "${input:path}"}}}}' >"${place%:*}"
done
run servers import --from vscode p
run servers import --from cursor p=p2
run servers import --from cursor p=p.2
expect_same "$(of p) $(of p2) $(of p.2)" '${P_INPUT_PATH} ${P2_INPUT_PATH} ${P_2_INPUT_PATH}'
expect_same "$(jq -c '.mcpServers.p.enabled' "$user")" false

it "loses none of the servers that are imported at once, and keeps a link to the file"
jq -n '{mcpServers: [range(20) | {key: "n\(.)", value: {command: "x"}}] | from_entries}' >"$HOME/.cursor/mcp.json"
mkdir -p "$HOME/dots" && mv "$user" "$HOME/dots/mcp.json" && ln -s "$HOME/dots/mcp.json" "$user"
before=$(jq '.mcpServers | length' "$user")
for i in $(seq 0 19); do "$MISTRO" servers import --from cursor "n$i" 2>/dev/null & done
wait
expect_same "$(jq '.mcpServers | length' "$user")" $((before + 20))
if [ -L "$user" ]; then ok; else fail "the link is gone"; fi

it "lists thousands of broken servers at once, with their places"
jq -n '{mcpServers: [range(3000) | {key: "n\(.)", value: {command: "x", args: "y"}}] | from_entries}' >"$HOME/.cursor/mcp.json"
begin=$(date +%s)
run servers find --from cursor --json
if [ $(($(date +%s) - begin)) -le 5 ]; then ok; else fail "it took too long"; fi
expect_json '.clients[0].servers | length == 3000 and .[2999].problem.line == 12001'
cd "$folder" || exit 1

it "passes over a broken file of an editor, and find says where it is"
printf '{"servers": {"x": \n' >.vscode/mcp.json
run tools files
expect_status 0
run servers find --from vscode
expect_out "*vscode*broken	*/.vscode/mcp.json:2:1: *"
finish
