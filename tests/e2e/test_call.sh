# One call, no model: arguments, output, exit codes, batches.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .

it "prints the text of a result to stdout and nothing else"
run call files/read_file path=README.md
expect_status 0
expect_out '*A small fruit trade*'
expect_err ''

it "loads no library that listing and calling do not need"
for words in "tools" "call files/read_file path=README.md"; do
  # shellcheck disable=SC2086
  LD_DEBUG=files run $words
  expect_status 0
  if grep -q 'libcrypto\|libcurl' "$scratch/err"; then fail "$words loads it"; else ok; fi
done

it "prints the result as the server sent it with --json"
run call files/text_stats path=README.md --json
expect_status 0
expect_json '.content[0].type == "text" and .structuredContent.lines > 1'

it "names the nearest tool for an unknown one"
run call files/read_fil path=README.md
expect_status 2
expect_err 'mistro: *read_fil*files/read_file*'

it "names the tool where a blank stands for the slash"
run call files read_file path=README.md
expect_status 2
expect_err 'mistro: *did you mean files/read_file?*'

it "names the nearest server for an unknown one"
run call file/read_file path=README.md
expect_status 2
expect_err '*files*'

it "says path and rule when arguments break the schema"
run call files/read_file path:=5
expect_status 2
expect_err '*path*string*'

it "reports a missing argument"
run call files/read_file
expect_status 2
expect_err '*path*'

it "ends with 1 when the tool reports an error, and keeps stdout clean"
run call files/read_file path=nothing.md
expect_status 1
expect_no_out
expect_err '*nothing.md*'

it "cannot leave the folder"
run call files/read_file path=../../../../etc/passwd
expect_status 1
expect_no_out

it "offers no tool that writes unless it is allowed"
run tools files
expect_status 0
if grep -q write_file "$scratch/out"; then fail "write_file is offered"; else ok; fi

it "takes arguments nested 100,000 deep as the caller's mistake"
{ printf '{"path":'; head -c 100000 /dev/zero | tr '\0' '['; } >deep.json
"$MISTRO" call files/read_file - <deep.json >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 2
expect_err '*deep*'

it "has no more calls of a server under way than its max_parallel"
printf 'tools: [{name: nap, inputSchema: {type: object}, replies: [{text: slept, delay_ms: 150}]}]\n' >nap.yml
mock_config nap.yml | jq '.mcpServers.dev.max_parallel = 1' >nap.json
began=$(date +%s%N)
run_with_input '{}
{}
{}
{}
' call dev/nap --batch -j 4 --mcp-config nap.json --yes
expect_status 0
[ $(($(date +%s%N) - began)) -ge 600000000 ] && ok || fail "four calls of 150 ms took less than 600 ms"

it "answers every line of a batch in order, the bad ones with their error"
run_with_input '{"path":"README.md"}
nonsense
{"path":5}
{"path":"sales.csv"}
' call files/text_stats --batch
expect_status 1
expect_same "$(jq -c '[.line,.ok]' "$scratch/out" | tr '\n' ' ')" '[1,true] [2,false] [3,false] [4,true] '

it "says of a line of a batch that the tool failed, so that ok means that it worked"
run_with_input '{"path":"README.md"}
{"path":"nothing.md"}
' call files/read_file --batch
expect_status 1
expect_same "$(jq -c '[.line, .ok, .tool_error, .result.isError]' "$scratch/out" | tr '\n' ' ')" \
  '[1,true,null,false] [2,false,true,true] '

it "skips blank lines of a batch and counts them"
run_with_input "$(printf '\n{"path":"README.md"}\n \t\r\n\n{"path":"sales.csv"}\n\n')" call files/text_stats --batch -j 4
expect_status 0
expect_same "$(jq -c '[.line,.ok]' "$scratch/out" | tr '\n' ' ')" '[2,true] [5,true] '

it "keeps input order with several calls in flight"
seq 1 40 | sed 's/.*/{"path":"README.md"}/' | "$MISTRO" call files/text_stats --batch -j 8 >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_same "$(jq -r .line "$scratch/out" | tr '\n' ' ')" "$(seq 1 40 | tr '\n' ' ')"

it "ends quietly when nobody reads any more"
seq 1 2000 | sed 's/.*/{"path":"README.md"}/' | "$MISTRO" call files/text_stats --batch 2>"$scratch/err" | head -n 1 >"$scratch/out"
expect_err ''

it "writes the bytes to a file with -o"
run call files/read_file path=README.md -o copy.md
expect_status 0
expect_no_out
expect_same "$(grep -c 'fruit trade' copy.md)" 1

it "calls a tool whose definition is still the expected one"
run tool files/text_stats --json
cp "$scratch/out" expected.json
run call files/text_stats path=README.md --schema expected.json
expect_status 0
jq .definition expected.json >definition.json
run call files/text_stats path=README.md --schema definition.json --schema-mode strict
expect_status 0
jq .inputSchema definition.json >input_schema.json
run call files/text_stats path=README.md --schema input_schema.json --schema-mode compatible
expect_status 0

it "ends with 9 when the definition differs, and calls nothing"
jq '.description = "another"' definition.json >changed.json
run call files/text_stats path=README.md --schema changed.json
expect_status 9
expect_no_out
expect_err '*files/text_stats is not the tool the caller expects*description*mistro tool files/text_stats*'
run_with_input '{"path":"README.md"}
' call files/text_stats --batch --schema changed.json
expect_status 9
expect_no_out

it "takes a change for compatible that no call can notice"
run call files/text_stats path=README.md --schema changed.json --schema-mode compatible
expect_status 0
jq '.inputSchema.properties.gone = {"type":"string"}' definition.json >lost.json
run call files/text_stats path=README.md --schema lost.json --schema-mode compatible
expect_status 9
expect_err '*gone*'

it "refuses a schema that is none and a mode without one"
echo '[]' >none.json
run call files/text_stats path=README.md --schema none.json
expect_status 2
run call files/text_stats path=README.md --schema missing.json
expect_status 2
run call files/text_stats path=README.md --schema-mode strict
expect_status 2
run call files/text_stats path=README.md --schema expected.json --schema-mode loose
expect_status 2

it "shows states and logs of servers with -v, and the traffic with -vv, on stderr only"
mock_config "$SOURCE_DIR/examples/formalize/fixture.yml" >mock.json
run call dev/review_code 'code=def f(): pass' --mcp-config mock.json -v
expect_status 0
expect_err '*· dev: starting*· dev: ready in * ms (stdio, *'
if grep -q jsonrpc "$scratch/err"; then fail "traffic without -vv"; else ok; fi
cp "$scratch/out" quiet
run call dev/review_code 'code=def f(token=abcdefgh): pass' --mcp-config mock.json -vv
expect_status 0
expect_err '*> dev {"jsonrpc":*"method":"tools/call"*< dev {"jsonrpc":*'
if grep -q abcdefgh "$scratch/err"; then fail "a secret is shown"; else ok; fi
expect_same "$(cat "$scratch/out")" "$(cat quiet)"

it "asks a server that leaves the probe unanswered only the first time"
echo "{\"mcpServers\":{\"old\":{\"command\":\"$BUILD_DIR/tests/peer_mcp\",\"args\":[\"server/discover=\"]}}}" >old.json
echo 'mistral_orchestrator: {mcp: {first_probe_timeout_ms: 600}}' >impatient.yml
run call old/echo a=1 --mcp-config old.json --config impatient.yml -vv
expect_status 0
expect_err '*"method":"server/discover"*"method":"initialize"*'
run call old/echo a=1 --mcp-config old.json --config impatient.yml -vv
expect_status 0
expect_err '*"method":"initialize"*'
if grep -q server/discover "$scratch/err"; then fail "it is asked again"; else ok; fi

it "prints one JSON object for an error with --json"
run call files/read_fil --json
expect_status 2
expect_json '.error.code == "not_found" and (.error.hint | length > 0)'
it "says before anything is done that the file of -o cannot be written"
run runs list -n 1 --json
before=$(cat "$scratch/out")
mkdir folder
for file in missing/x folder README.md/x "" new/; do
  for words in "call files/read_file path=README.md" "ask -m none list" "figure -m none --caption c --context README.md"; do
    # shellcheck disable=SC2086
    run $words -o "$file"
    expect_status 2
    expect_err 'mistro: -o: *'
  done
done
run runs list -n 1 --json
expect_same "$(cat "$scratch/out")" "$before"
ln -s later link
for file in link - /dev/null; do
  run call files/read_file path=README.md -o "$file"
  expect_status 0
done
cmp -s later README.md && ok || fail "what a link leads to should be written"

it "refuses -o where nothing would be written"
while read -r -a words; do
  run "${words[@]}" -o file
  [ "$status" = 2 ] && ok || fail "${words[*]} -o: expected status 2"
done <<'COMMANDS'
runs list
runs stats
runs events x
runs show x
runs replay x
runs prune
runs resume --all
sessions list
sessions show x
tools
tool files/read_file
resources
prompts
servers
models
doctor
config
call files/read_file --batch
consensus --list
read notes note:///plums --complete x
COMMANDS
if [ -e file ]; then fail "file was written"; else ok; fi

it "refuses flags of runs where they mean nothing"
while read -r -a words; do
  run runs "${words[@]}"
  [ "$status" = 2 ] && ok || fail "runs ${words[*]}: expected status 2"
  expect_err '*runs: * belong*'
done <<'COMMANDS'
list --html
stats --html
prune --as run
list --live model
prune --all
stats --failed
list --plan x.yml
show x -n 3
COMMANDS

finish
