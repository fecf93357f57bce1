# A person reviews the servers of a folder one after another, in a real terminal.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
mkdir clone && cd clone || exit 1
serve() { printf '{"command": "%s", "args": ["serve", "workspace", "--root", "%s"]}' "$MISTRO" "$1"; }
printf '{"mcpServers": {"one": %s, "two": %s, "three": %s}}\n' "$(serve .)" "$(serve .)" "$(serve .)" >.mcp.json

it "asks about each, and those that were approved count without the others"
begin_terminal 120 40 servers review
see '*server one: *May this folder use server one?*'
type_line approve
see '*May this folder use server two?*'
type_line refuse
see '*May this folder use server three?*'
type_line approve
see '*2 of 3 approved; the others wait*left with 6*'
run tools one
expect_status 0
run call three/list_directory path=.
expect_status 0
run tools two
expect_status 6
expect_err '*server two of this folder waits for approval*'

it "warns as long as one waits, and shows that one only"
run tools files
expect_err '*ignored until it is approved*'
run servers review
expect_status 6
expect_err '*server two: *'
if grep -q 'server one: ' "$scratch/err"; then fail "one is shown again"; else ok; fi

it "stops when told to"
begin_terminal 120 40 servers review
see '*server two: *May this folder do that from now on? (y/n)*'
type_line n
see '*left with 6*'

it "shows after an edit what changed, and what did not change still counts"
run servers review --yes
expect_status 0
run tools two
expect_status 0
mkdir sub
printf '{"mcpServers": {"one": %s, "two": %s, "three": %s, "four": %s}}\n' \
  "$(serve .)" "$(serve sub)" "$(serve .)" "$(serve .)" >.mcp.json
run tools one
expect_status 0
run tools two
expect_status 6
begin_terminal 120 60 servers review
see '*since it was approved:*- *"."*+ *"sub"*May this folder use server two?*'
type_line approve
see '*May this folder use server four?*'
type_line stop
see '*1 of 2 approved; the others wait*'
run tools two
expect_status 0

it "approves all of it by its hash for one run, as before"
run tools four
hash=$(errors | grep -o 'sha256:[0-9a-f]*' | head -1)
run tools four --approve-folder "${hash:-none}"
expect_status 0

it "forgets with the approvals"
rm "$XDG_DATA_HOME/mistro/approvals.json"
run tools one
expect_status 6

it "lets settings of the folder count only when all is approved"
mkdir -p config && printf 'mistral_orchestrator:\n  workspace: {write: true}\n' >config/mistral_orchestrator.yml
begin_terminal 120 60 servers review
for name in one two three four; do
  see "*May this folder use server $name?*"
  type_line approve
done
see "*workspace.write: true*May this folder's settings count?*"
type_line refuse
see '*4 of 5 approved; the others wait*'

cd "$scratch/work" || exit 1
user_file=$XDG_CONFIG_HOME/mistro/mcp.json
mkdir -p "$XDG_CONFIG_HOME/mistro"
printf '{"mine": [1.50], "mcpServers": {"own": %s, "kept": %s, "apart": %s}}\n' "$(serve .)" \
  "$(serve . | jq -c '. + {share: true, note: "mine"}')" "$(serve .)" >"$user_file"
before=$(jq -S . "$user_file")

it "asks nobody whether one process may serve several commands where nobody is"
run servers review own
expect_status 0
expect_same "$(jq -S . "$user_file")" "$before"
run servers review own --json
expect_status 0
expect_same "$(jq -S . "$user_file")" "$before"

it "asks it once of a person, and writes the answer beside the server"
begin_terminal 120 40 servers review own
see '*May one process of own serve several commands*'
type_line n
see '*left with 0*'
expect_same "$(jq -S . "$user_file")" "$(jq -S '.mcpServers.own.share = false' <<<"$before")"
begin_terminal 120 40 servers review own
see '*nothing waits for approval*left with 0*'
if matches "$(screen)" '*several commands*'; then fail "it is asked again"; else ok; fi
begin_terminal 120 40 servers review apart
see '*May one process of apart serve several commands*'
type_line y
see '*left with 0*'
expect_same "$(jq -S . "$user_file")" \
  "$(jq -S '.mcpServers.own.share = false | .mcpServers.apart.share = true' <<<"$before")"

it "does not ask it of one whose file says it, nor of one of the folder"
begin_terminal 120 40 servers review kept
see '*nothing waits for approval*left with 0*'
if matches "$(screen)" '*several commands*'; then fail "it is asked of kept"; else ok; fi
cd clone || exit 1
begin_terminal 120 40 servers review one
see '*left with*'
if matches "$(screen)" '*several commands*'; then fail "it is asked of one"; else ok; fi
finish
