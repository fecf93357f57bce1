# Secret inputs of plans: the value stands in nothing that is shown, logged or recorded, whatever the
# server does with it.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cat >tools.yml <<'YML'
tools:
  - name: log_in
    inputSchema: {type: object, properties: {token: {type: string}, as: {type: string}}, required: [token]}
    replies:
      - when: {as: refused}
        error: "the key {args.token} is refused, and so is what is long: {args.token}{args.token}{args.token}{args.token}{args.token}{args.token}{args.token}{args.token}{args.token}{args.token}"
      - when: {as: broken}
        error: {code: -32000, message: "no way with {args.token}"}
      - when: {as: asked}
        elicit: {message: "Go on with {args.token}?", schema: {type: object, properties: {yes: {type: boolean}}}}
        text: fine
      - structured: {given: "{args.token}", text: "with {args.token}, {args.token}"}
        progress: [{progress: 1, total: 1, message: "sending {args.token}"}]
        logs: [{level: warning, text: "got {args.token}"}]
  - name: greet
    replies: [{text: "hello {args.who}"}]
YML
mock_config tools.yml >mcp.json
cat >plan.yml <<'YML'
version: 2
inputs:
  token: {secret: true, env: DEV_TOKEN}
  as: {type: string, default: fine}
steps:
  - {id: log, tool: dev/log_in, args: {token: "{inputs.token}", as: "{inputs.as}"}}
  - {id: greet, tool: dev/greet, args: {who: "{log.given}"}}
outputs: {said: "{greet.text}", token: "{log.given}"}
YML
secret='PLANTED "tok\en" 12 é'
printf '%s\n' "$secret" >token
: >"$scratch/said"
say() { run "$@" --mcp-config mcp.json; cat "$scratch/out" "$scratch/err" >>"$scratch/said"; }
expect_unsaid() { if grep -aq PLANTED "$scratch/said"; then fail "it was shown: $(grep -am1 PLANTED "$scratch/said" | cut -c1-300)"; else ok; fi; }
# Files of mistro that have it; a run that can be resumed may.
kept() { grep -rla "PLANTED" "$scratch/data" "$scratch/state" "$scratch/home" "$scratch/work"/*.jsonl "$scratch/work"/out* 2>/dev/null; }
expect_unkept() { if [ -z "$(kept)" ]; then ok; else fail "it is in $(kept)"; fi; }

it "gives the secret to the tool, and shows it nowhere"
for flag in "" -v -vv --json --events "-o out" "--json -o out.json" --dry-run; do
  # shellcheck disable=SC2086
  say run plan.yml --var token@token $flag
  expect_status 0
done
expect_unsaid
run run plan.yml --var token@token --mcp-config mcp.json
expect_out '*said: hello ?redacted?*'
run run plan.yml --var token@token --mcp-config mcp.json --json
expect_json '.outputs.token == "[redacted]" and .steps[0].args.token == "[redacted]"'
expect_unkept

it "shows it nowhere when the tool fails, breaks the protocol or asks"
for as in refused broken asked; do
  for flag in "" -v -vv --json --events; do
    # shellcheck disable=SC2086
    say run plan.yml --var token@token --var as=$as $flag
    if [ "$status" = 0 ]; then fail "$as should fail"; else ok; fi
  done
done
expect_unsaid
say run plan.yml --var token@token --var as=refused
expect_err '*the key ?redacted? is refused*'

it "is in no terminal either"
if command -v script >/dev/null; then
  for as in fine refused broken asked; do
    TERM=xterm script -qec "$(printf '%q ' "$MISTRO" run plan.yml --var token@token --var as=$as --mcp-config mcp.json -vv)" /dev/null </dev/null >>"$scratch/said" 2>&1
  done
  expect_unsaid
  grep -aq 'Go on with ' "$scratch/said" || fail "a terminal should have been asked"
fi

it "is in no page, no list and no event of the run"
for id in $("$MISTRO" runs --json | jq -r '.runs[].id' | head -30); do
  for words in "runs show" "runs events" "runs show --json" "runs export" "runs show --html -o out.html"; do
    # shellcheck disable=SC2086
    say ${words%% *} ${words#* } "$id"
  done
done
expect_unsaid
if grep -rla PLANTED "$scratch/data"; then fail "the log has it"; else ok; fi
for state in $(grep -rla PLANTED "$scratch/state"); do
  case $state in */runs/*.db) expect_same "$(stat -c %a "$state")" 600 ;; *) fail "$state has it" ;; esac
done

it "takes it from standard input, without the last line end"
run_with_input "$secret
" run plan.yml --var token@- --mcp-config mcp.json --json
expect_status 0
expect_json '.outputs.said == "hello [redacted]"'
run_with_input x run plan.yml --var token@- --var as@- --mcp-config mcp.json
expect_status 2
expect_err '*standard input can be read only once*'

it "takes it from the environment, at once and when the run is resumed"
run run plan.yml --mcp-config mcp.json
expect_status 2
expect_err '*needs the input "token"*set the environment variable DEV_TOKEN*'
export DEV_TOKEN=$secret
rm -rf "$scratch/state"
say run plan.yml --var as=refused --json
expect_status 1
id=$(jq -r .run_id "$scratch/out")
unset DEV_TOKEN
say runs resume "$id" --failed
expect_status 2
expect_err '*DEV_TOKEN*'
sed -i '/when: {as: refused}/,/error/d' tools.yml
export DEV_TOKEN=$secret
say runs resume "$id" --failed --json --accept-changes
expect_status 0
expect_json '.outputs.said == "hello [redacted]"'
unset DEV_TOKEN
expect_unsaid

it "is never given on the command line"
for word in "token=$secret" "token:=\"$secret\"" "token:$secret" token; do
  say run plan.yml --var "$word"
  expect_status 2
  expect_err '*--var token: the input is secret*--var token@FILE, or --var token@-*'
done
expect_unsaid
printf 12345 >short
run run plan.yml --var token@short --mcp-config mcp.json
expect_status 2
expect_err '*at least 6 bytes*'

it "checks such plans without the value, and refuses one in the plan"
run plans check plan.yml --mcp-config mcp.json
expect_status 0
sed 's/secret: true,/secret: true, default: PLANTED,/' plan.yml >bad.yml
run plans check bad.yml --mcp-config mcp.json
expect_status 7
expect_out '*/inputs/token/default: a secret does not stand in a plan*'

it "records a cassette without it, that is replayed with any other"
say run plan.yml --var token@token --record tape.jsonl
expect_status 0
printf 'another one' >other
run run plan.yml --var token@other --replay tape.jsonl
expect_status 0
expect_out '*said: hello ?redacted?*'
if [ -s tape.jsonl ] && ! grep -aq PLANTED tape.jsonl; then ok; else fail "the cassette has it"; fi

it "takes results over from a run without showing its secret"
cat >fails.yml <<'YML'
version: 2
inputs: {token: {secret: true}}
steps:
  - {id: log, tool: dev/log_in, args: {token: "{inputs.token}", as: fine}}
  - {id: greet, tool: dev/greet, args: {who: "{log.given}"}, check: [{that: "{greet.text} == 'no'"}]}
YML
say run fails.yml --var token@token --json
expect_status 1
id=$(jq -r .run_id "$scratch/out")
grep -v check fails.yml >mended.yml
printf -- '  - {id: greet, tool: dev/greet, args: {who: "{log.given}"}}\n' >>mended.yml
say runs fork "$id" --plan mended.yml --var token@token
expect_status 0
expect_err '*taken over*'
expect_unsaid

it "gives no secret to a plan of somebody else"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
  '{"jsonrpc":"2.0","method":"notifications/initialized"}' \
  "$(jq -cn --rawfile plan plan.yml '{jsonrpc:"2.0",id:2,method:"tools/call",params:{name:"run_plan",arguments:{plan:$plan}}}')" >asked
DEV_TOKEN=$secret "$MISTRO" serve agent --mcp-config mcp.json <asked >"$scratch/out" 2>"$scratch/err"
expect_out '*input token is secret*'
if grep -q PLANTED "$scratch/out"; then fail "it was given"; else ok; fi
finish
