# A call whose answer is lost: it is made again only where the user, not the server, said so, and
# what is told says that it may have taken effect.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_mcp
[ -x "$peer" ] || skip "no $peer"
tools='{"jsonrpc":"2.0","id":$ID,"result":{"tools":[{"name":"charge","description":"Charges the card","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true,"idempotentHint":true}}]}}
'
server() { # what it does with a call -> mcp.json
  jq -n --arg peer "$peer" --arg record "$scratch/record" --arg tools "tools/list=$tools" \
    --arg call "tools/call=$1" '{mcpServers: {shop: {command: $peer, timeout_ms: 300,
      args: ["--record", $record, $tools, $call]}}}' >mcp.json
}
calls() { grep -c '"tools/call"' "$scratch/record"; }
charge() { : >"$scratch/record"; run call shop/charge --mcp-config mcp.json "$@"; }
unknown='sent, no answer: it may have taken effect'

it "charges once when the answer is lost, whatever the server's hints say"
server ''
charge
expect_status 3
expect_same "$(calls)" 1
expect_err "*shop/charge: $unknown (no answer for 0.3 s)*"

it "charges once when the server dies during the call"
server '$EXIT3;'
charge --json
expect_status 3
expect_same "$(calls)" 1
expect_json ".error.message | startswith(\"shop/charge: $unknown (\")"
expect_json '.error.code == "unavailable" and .error.outcome == "unknown"'

it "has it in the log of the run"
run runs show "$("$MISTRO" runs list --json | jq -r '.runs[0].id')" --json
grep -q '"outcome":"unknown"' "$scratch/out" && ok || fail "the log should say that the outcome is unknown"

it "charges once for a line of a batch"
: >"$scratch/record"
run_with_input '{}' call shop/charge --batch --mcp-config mcp.json
expect_same "$(calls)" 1
expect_out "*$unknown*"

it "charges once in a plan that wants to try again"
echo '[{"tool": "shop/charge", "args": {}, "retry": 2}]' >plan.json
: >"$scratch/record"
run run plan.json --mcp-config mcp.json
expect_status 3
expect_same "$(calls)" 1
expect_err "*$unknown*"

it "repeats a call of a tool that a review showed as one that only reads"
cat >shop.sh <<SH
exec "$peer" --record "$scratch/record" "tools/list=\$(cat list)
" tools/call=
SH
printf '%s' "$tools" >list
jq -n '{mcpServers: {shop: {command: "sh", args: ["shop.sh"], timeout_ms: 300}}}' >mcp.json
run tools --mcp-config mcp.json
expect_status 0
printf '%s' "${tools/Charges/Looks at}" >list
run servers review --yes --mcp-config mcp.json
expect_status 0
expect_err '*changed: shop/charge*it says that it only reads: once approved, mistro may repeat it*'
charge
expect_status 3
expect_same "$(calls)" 3
run tool shop/charge --mcp-config mcp.json
expect_out '*when an answer is lost: called again*'
cp -r "$scratch/data/mistro" "$scratch/kept"

it "an approval that does not say so repeats nothing"
jq '.approvals[].kind = "tool"' "$scratch/kept/approvals.json" >"$scratch/data/mistro/approvals.json"
charge
expect_same "$(calls)" 1
run tool shop/charge --mcp-config mcp.json --json
expect_json '.approval == {policy: "ask", approved: true, repeat: false}'
rm -r "$scratch/data/mistro"
server ''

it "repeats a call where a rule of the user says so"
mkdir -p "$XDG_CONFIG_HOME/mistro"
cat >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml" <<'YML'
mistral_orchestrator:
  policy: [{server: shop, tool: "ch*", repeat: true}]
  tools: {retry_delay_ms: 1}
YML
charge
expect_status 3
expect_same "$(calls)" 3
expect_err "*$unknown*trying again*"

it "repeats nothing for a rule of a folder that nobody approved"
mkdir -p config
mv "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml" config/
charge
expect_same "$(calls)" 1
rm -r config

finish
