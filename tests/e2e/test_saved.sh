# A turn that is reported as done is in its session: writers that share one are merged, and what
# could not be saved is said, with exit status 3.
. "$SOURCE_DIR/tests/e2e/lib.sh"
echo "pears" >README.md

settings() { # name, lines of settings -> a file for --config
  printf 'mistral_orchestrator:\n%s\n' "$2" >"$1.yml"
}
settings json '  storage: {backend: json}
  runs: {enabled: false}'
settings sqlite '  storage: {backend: sqlite}
  runs: {enabled: false}'

writer() { # backend, session, number, turns -> a line for each that was acknowledged
  for turn in $(seq "$4"); do
    local request="read the file note-$3-$turn.md"
    echo "pears" >"note-$3-$turn.md"
    "$MISTRO" ask -q -m none --config "$1.yml" --session "$2" "$request" >/dev/null 2>&1 &&
      echo "$request" >>"$scratch/acknowledged"
  done
}

# Whatever was acknowledged is stored, each request with its answer behind it.
write_together() { # backend, writers, turns of each
  : >"$scratch/acknowledged"
  writer "$1" "new:shared-$2" 0 1
  for number in $(seq "$2"); do writer "$1" "shared-$2" "$number" "$3" & done
  wait
  run sessions show "shared-$2" --config "$1.yml" --json
  expect_status 0
  jq -r '.messages[] | select(.role == "user") | .content' "$scratch/out" | sort >"$scratch/stored"
  expect_same "$(sort "$scratch/acknowledged" | comm -23 - "$scratch/stored")" ""
  expect_same "$(uniq -d "$scratch/stored")" ""
  expect_json '.messages | [.[].role] == [range(length / 2) | "user", "assistant"]'
}
for backend in json sqlite; do
  it "merges the turns of 8 writers on one session ($backend)"
  write_together $backend 8 12
  expect_same "$(wc -l <"$scratch/stored")" 97
  it "loses no turn that it acknowledged, where so many write that some may be refused ($backend)"
  write_together $backend 24 4
done

# Makes every save of the session fail in one way that needs no rights and no full disk.
in_the_way() { # backend
  case $1 in
    json) mkdir "$XDG_DATA_HOME/mistro/conversations/.new" ;;
    sqlite) head -c 65000 /dev/zero | tr '\0' x >README.md ;;
  esac
}

settings sqlite '  storage: {backend: sqlite, max_conversation_bytes: 65536}
  runs: {enabled: false}'
for backend in json sqlite; do
  echo "pears" >README.md
  use="-m none --config $backend.yml --session kept-$backend"
  run ask -m none --config $backend.yml --session new:kept-$backend --json "read the file README.md"
  it "says that a turn was saved ($backend)"
  expect_status 0
  expect_json '.status == "completed" and .saved == true'
  in_the_way "$backend"

  it "prints the answer of a turn that was not saved, and fails ($backend)"
  # shellcheck disable=SC2086
  run ask -q $use "read the file README.md"
  expect_status 3
  expect_same "$(cat "$scratch/out")" "$(cat README.md)"
  expect_err "*session kept-$backend was not saved: *"
  expect_same "$(errors | grep -c "was not saved")" 1

  it "says so in the result object and on stderr, however quiet it should be ($backend)"
  # shellcheck disable=SC2086
  run ask -q --json $use "read the file README.md"
  expect_status 3
  expect_json '.status == "failed" and .saved == false and .error.code == "unavailable"'
  expect_json '(.answer | length) > 0 and .steps[0].status == "ok"'
  expect_err "*session kept-$backend was not saved: *"
  # shellcheck disable=SC2086
  run ask -q --events $use "read the file README.md"
  expect_status 3
  expect_same "$(jq -rs 'last.result | "\(.status) \(.saved)"' "$scratch/out")" "failed false"
  expect_err "*session kept-$backend was not saved: *"

  it "goes on with a chat and ends it with 3 ($backend)"
  # shellcheck disable=SC2086
  run_with_input "read the file README.md
read the file README.md
" chat -q $use
  expect_status 3
  expect_same "$(errors | grep -c "session kept-$backend was not saved")" 2
  expect_same "$(tr -d "\n" <"$scratch/out")" "$(cat README.md README.md | tr -d "\n")"

  it "leaves the session as it was ($backend)"
  run sessions show "kept-$backend" --config "$backend.yml" --json
  expect_json '.messages | length == 2'
done

it "shows a studio's answer that was not saved, and fails"
cat >model.jsonl <<'JSONL'
{"reply": "A cat.\n---\n{\"prompt\":\"a cat\",\"generate_image\":false,\"steps\":4,\"cfg\":1.0,\"seed\":-1}"}
JSONL
run studio -q --config json.yml -m script:model.jsonl --session kept-json "a cat"
expect_status 3
expect_out 'A cat.'
expect_err '*session kept-json was not saved: *'
run studio -q --json --config json.yml -m script:model.jsonl --session kept-json "a cat"
expect_status 3
expect_json '.status == "failed" and .saved == false and .prompt == "a cat"'
expect_err '*session kept-json was not saved: *'

it "prints a plan whose session was not saved, and fails"
run plan -q --json -m none --config json.yml --session kept-json "read the file README.md"
expect_status 3
expect_json '.steps[0].tool == "files/read_file"'
expect_err '*session kept-json was not saved: *'

it "tells the host of an agent that a turn was not saved"
cat >agent.json <<JSON
{"mcpServers":{"agent":{"command":"$MISTRO","args":["serve","agent","-m","none","--config","json.yml"],
  "env":{"XDG_DATA_HOME":"$XDG_DATA_HOME"}}}}
JSON
echo "pears" >README.md
run call agent/ask session_id=kept-json "request=read the file README.md" --json --mcp-config agent.json
expect_status 1
expect_json '.isError and (.structuredContent | .saved == false and .status == "failed")'
expect_json '.content[0].text | test("^pears\n+failed: session kept-json was not saved")'

it "finishes a turn whose session would exceed the limit of a file's size, and says so"
rmdir "$XDG_DATA_HOME/mistro/conversations/.new"
head -c 9000 /dev/zero | tr '\0' x >README.md
(trap '' XFSZ; ulimit -f 8
 "$MISTRO" ask -q --json -m none --config json.yml --session kept-json "read the file README.md" \
   2>"$scratch/err"; echo $? >"$scratch/status") | cat >"$scratch/out"
status=$(cat "$scratch/status")
expect_status 3
expect_json '.saved == false'
expect_err '*session kept-json was not saved: *File too large*'
run sessions show kept-json --config json.yml --json
expect_json '.messages | length == 2'

it "has no session to save where none is kept"
run ask --json -m none --config json.yml --no-session "read the file README.md"
expect_status 0
expect_json 'has("saved") | not'

it "makes no call that must be in the run log first while that cannot be written, and says the rest"
settings log "  storage: {dir: $PWD/elsewhere}"
mkdir -p elsewhere/runs.db
echo 'tools: [{name: ping}]' >ping.yml
mock_config "$PWD/ping.yml" >ping.json
run call dev/ping --yes --config log.yml --mcp-config ping.json
expect_status 3
expect_no_out
expect_err '*dev/ping: run log: *'
run ask -m none --config log.yml --no-session "read the file README.md"
expect_status 0
expect_err '*warning: not all events of this run were logged: run log: *'
it "says of a batch that the log is full, not that it was cancelled"
jq -n --arg peer "$BUILD_DIR/tests/peer_mcp" '{mcpServers: {s: {command: $peer}}}' >peer.json
yes "{\"text\": \"$(head -c 200 /dev/zero | tr '\0' x)\"}" | head -n 4000 >lines
(ulimit -f 200; "$MISTRO" call s/echo --batch -j 4 --mcp-config peer.json <lines 2>"$scratch/err" | cat >"$scratch/out"; exit "${PIPESTATUS[0]}")
status=$?
expect_status 3
expect_err '*mistro: *run log: *'

it "prints what the calls gave that were made before the log was full"
for in_flight in 1 4 32; do
  rm -f made
  jq -n --arg peer "$BUILD_DIR/tests/peer_mcp" \
    '{mcpServers: {s: {command: "/bin/sh", args: ["-c", "ulimit -f unlimited; exec \"$0\" --record made", $peer]}}}' >peer.json
  (ulimit -S -f 400; "$MISTRO" call s/echo --batch -j "$in_flight" --mcp-config peer.json <lines 2>"$scratch/err" | cat >"$scratch/out"; exit "${PIPESTATUS[0]}")
  status=$?
  expect_status 3
  expect_err '*mistro: the run log is incomplete: *'
  expect_same "$(jq -s 'map(.line) == [range(1; length + 1)] and all(.ok)' "$scratch/out")" true
  expect_same "$(wc -l <"$scratch/out")" "$(grep -c '"tools/call"' made)"
done

it "prints what was made before a line that is too long"
{ head -n 40 lines; head -c 17000000 /dev/zero | tr '\0' x; } | "$MISTRO" call s/echo --batch -j 4 --mcp-config peer.json >"$scratch/out" 2>"$scratch/err"
status=$?
expect_status 8
expect_same "$(wc -l <"$scratch/out")" 40

finish
