# mistro as a tool of other clients: what is printed, and what becomes of their files.
. "$SOURCE_DIR/tests/e2e/lib.sh"
export HOME=$scratch/home
unset XDG_CONFIG_HOME
mkdir -p "$HOME" folder && cd folder || exit 1
program=$(readlink -f "$MISTRO")
zed=$HOME/.config/zed/settings.json goose=$HOME/.config/goose/config.yaml cursor=$HOME/.cursor/mcp.json

it "prints the entry and where it belongs, and writes nothing"
run setup claude-desktop
expect_status 0
expect_json ".mcpServers.mistro == {command: \"$program\", args: [\"serve\", \"agent\"]}"
expect_err "*belongs into $HOME/.config/Claude/claude_desktop_config.json*--write*"
run setup vscode
expect_json '.servers.mistro.type == "stdio"'
run setup goose
expect_out "*extensions:*  mistro:*    type: stdio*    cmd: $program*"
expect_same "$(find "$HOME" -type f)" ""

it "knows which clients there are"
run setup curser
expect_status 2
expect_err '*does not know "curser"*did you mean: mistro setup cursor*'
run setup
expect_status 2

it "makes a file where there is none, once"
for host in claude-desktop vscode cursor zed goose; do
  run setup "$host" --write
  expect_status 0
  expect_err '*added mistro to *'
  run setup "$host" --write
  expect_status 0
  expect_err '*has mistro already*'
done
expect_same "$(jq -c '.mcpServers.mistro.args' "$cursor")" '["serve","agent"]'
expect_same "$(find "$HOME" -name '*.bak-mistro*')" ""

# A file, what becomes of it, and that nothing but the entry was added.
merged() { # host file
  cp "$2" "$scratch/before"
  run setup "$1" --write
  expect_status 0
  expect_err "*added mistro to $2*what was there is in $2.bak-mistro*"
  cmp -s "$scratch/before" "$2.bak-mistro" || fail "the backup is not what was there"
  expect_same "$(diff "$scratch/before" "$2" | grep -c '^<')" "${3:-0}"
  cp "$2" "$scratch/after"
  run setup "$1" --write
  expect_err '*has mistro already*'
  cmp -s "$scratch/after" "$2" || fail "the second time changed it"
  expect_same "$(find "${2%/*}" -name '*.bak-mistro*' | wc -l)" 1
  rm "$2.bak-mistro"
}

it "merges it with comments kept, beside the servers that are there"
cat >"$zed" <<'JSON'
// Zed settings
{
  "theme": "One Dark", // dark
  "context_servers": {
    // mine
    "é": { "command": "true", "args": [] }, /* end */
  },
}
JSON
merged zed "$zed"
expect_same "$(grep -c '// mine\|/\* end \*/\|// dark\|// Zed' "$zed")" 4
printf '{ "theme": "x" // y\n}\n' >"$zed"
merged zed "$zed" 1
printf '{"mcpServers": {}}' >"$cursor"
merged cursor "$cursor" 1
expect_same "$(jq -c '.mcpServers | keys' "$cursor")" '["mistro"]'
printf '{\n}\n' >"$cursor"
merged cursor "$cursor"
cat >"$goose" <<'YAML'
# mine
GOOSE_MODEL: x
extensions:
  # built in
  developer: {type: builtin, enabled: true}
  fetch:
    type: stdio   # python
    cmd: uvx
YAML
merged goose "$goose"
expect_same "$(grep -c '# mine\|# built in\|# python' "$goose")" 3
printf 'GOOSE_MODEL: x' >"$goose"
merged goose "$goose" 1

it "leaves a file alone that it cannot change safely, and prints the entry"
for text in '{"mcpServers": {' '{"mcpServers": []}' '[]' '{"mcpServers": {"mistro": {"command": "x"}}}'; do
  printf %s "$text" >"$cursor"
  run setup cursor --write
  expect_status 2
  expect_err "*$cursor: *change that file by hand*"
  expect_json '.mcpServers.mistro.command'
  expect_same "$(cat "$cursor")" "$text"
done
printf 'extensions: {a: {type: builtin}}\n' >"$goose"
run setup goose --write
expect_same "$(cat "$goose")" 'extensions: {a: {type: builtin}}'

it "leaves a file alone that is not UTF-8"
for encoding in UTF-16 UTF-16BE UTF-32 LATIN1; do
  printf '{"mcpServers": {"\303\251": {"command": "x"}}}' | iconv -f UTF-8 -t $encoding >"$cursor"
  cp "$cursor" "$scratch/before"
  run setup cursor --write
  expect_status 2
  expect_err "*$cursor: it is not UTF-8 text: change that file by hand*"
  cmp -s "$scratch/before" "$cursor" || fail "the file was changed"
done

it "keeps a mark of the order of bytes, and line breaks of Windows"
printf '\357\273\277{"mcpServers": {}}' >"$cursor"
run setup cursor --write
expect_same "$(head -c 3 "$cursor" | od -An -tx1 | tr -d ' ')" efbbbf
expect_same "$(tail -c +4 "$cursor" | jq -c '.mcpServers | keys')" '["mistro"]'
rm -f "$cursor".bak-mistro*
printf '{\r\n  "mcpServers": {\r\n    "a": {"command": "x"}\r\n  }\r\n}\r\n' >"$cursor"
run setup cursor --write
expect_same "$(jq -c '.mcpServers | keys' "$cursor")" '["a","mistro"]'
rm -f "$cursor".bak-mistro*

it "never overwrites an older backup, and follows a link to the file"
mkdir -p "$HOME/dots"
echo '{"mcpServers": {"a": {"command": "true"}}}' >"$HOME/dots/mcp.json"
ln -sf "$HOME/dots/mcp.json" "$cursor"
echo older >"$HOME/dots/mcp.json.bak-mistro"
run setup cursor --write
expect_status 0
expect_same "$(cat "$HOME/dots/mcp.json.bak-mistro")" older
expect_same "$(jq -c '.mcpServers | keys' "$HOME/dots/mcp.json.bak-mistro-2")" '["a"]'
expect_same "$(jq -c '.mcpServers | keys' "$HOME/dots/mcp.json")" '["a","mistro"]'
if [ -L "$cursor" ]; then ok; else fail "the link is gone"; fi

it "gives the client a server that answers"
jq -nc '{jsonrpc: "2.0", id: 1, method: "initialize", params: {protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {name: "t", version: "1"}}}' |
  "$(jq -r .mcpServers.mistro.command "$cursor")" serve agent >"$scratch/out" 2>"$scratch/err"
expect_out '*"serverInfo"*'
finish
