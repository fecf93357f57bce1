# Plans that write to servers of other people, killed with `kill -9` in the middle and resumed. What the
# servers keep (entities, files, lines of a file) is counted at the end. MISTRO_KILLS says how often at
# least, up to 300 times.
. "$SOURCE_DIR/tests/interop/npm.sh"
kills_wanted=${MISTRO_KILLS:-10}
[ "$kills_wanted" -le 300 ] || kills_wanted=300
RANDOM=5
# The kernel ends the shell together with mistro; the server itself ends with its input, when it has
# carried out what it was given. Killed while it writes, it would lose its file by its own doing.
cat >server.sh <<'BASH'
"$@"
exit
BASH
jq -n --arg node "$node" --arg fs "$(at server-filesystem)" --arg memory "$(at server-memory)" \
  --arg here "$PWD" '{mcpServers: {
    fs: {command: "bash", args: ["server.sh", $node, $fs, ($here + "/files")]},
    memory: {command: "bash", args: ["server.sh", $node, $memory],
      env: {MEMORY_FILE_PATH: ($here + "/memory.json")}}}}' >mcp.json
# An entity or a file that is written twice looks as if it were written once; a line does not.
jq -n --arg files "$PWD/files" '["e1", "f1", "l1", "e2", "l2", "f2", "l3", "e3"] as $ids
  | {goal: "write", steps: [range(8) | . as $i | $ids[$i] | {id: ., needs: (if $i > 0 then [$ids[$i - 1]] else [] end)} +
    if startswith("e") then {tool: "memory/create_entities",
      args: {entities: [{name: ., entityType: "thing", observations: ["seen"]}]}}
    elif startswith("f") then {tool: "fs/write_file", args: {path: ($files + "/" + .), content: .}}
    else {tool: "fs/edit_file", args: {path: ($files + "/ledger"), edits: [{oldText: "END", newText: (. + "\nEND")}]}}
    end]}' >plan.json

took_effect() { # step
  case "$1" in
    e*) grep -q "\"name\":\"$1\"" memory.json 2>/dev/null ;;
    f*) [ -e "files/$1" ] ;;
    l*) grep -qx "$1" files/ledger ;;
  esac
}
servers_ended() {
  for _ in $(seq 1000); do
    pgrep -f -- "$PWD/files|$(at server-memory)" >/dev/null || return
    sleep 0.02
  done
  fail "the servers did not end"
}
# Kills within a few milliseconds of the call with this number.
kill_at() { # process, number of a call
  for _ in $(seq 3000); do
    [ "$(grep -c '"tool_call"' "$scratch/out")" -lt "$2" ] || break
    kill -0 "$1" 2>/dev/null || return
    sleep 0.002
  done
  sleep "0.0$(printf %02d $((RANDOM % 15)))"
  kill -9 "$1" 2>/dev/null
}

it "writes nothing twice and loses nothing to real servers under kill -9"
kills=0 rounds=0 questions=0
while [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ]; do
  rounds=$((rounds + 1))
  rm -rf files memory.json
  mkdir files
  echo END >files/ledger
  id="" answers=()
  run runs list -n 1 --json
  before=$(jq -r '.runs[0].id // ""' "$scratch/out")
  for life in $(seq 12); do
    words=(run plan.json)
    [ -z "$id" ] || words=(runs resume "$id" "${answers[@]}")
    "$MISTRO" "${words[@]}" --yes --events --mcp-config mcp.json >"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    [ "$life" -gt 6 ] || kill_at $pid $((RANDOM % 3 + 1))
    { wait $pid; } 2>/dev/null
    status=$?
    [ "$status" != 137 ] || kills=$((kills + 1))
    servers_ended
    [ "$status" != 0 ] || break
    answers=()
    if [ "$status" = 5 ]; then
      for step in $(jq -r 'select(.event == "result").result.questions[].key | sub("^uncertain[.]"; "")' "$scratch/out"); do
        questions=$((questions + 1))
        took_effect "$step" && answer=done || answer=repeat
        answers+=(--answer "uncertain.$step=$answer")
      done
    elif [ "$status" = 2 ] && [ "$(wc -l <files/ledger)" = 4 ]; then
      status=0 # it was killed behind its end
      break
    elif [ "$status" != 137 ]; then
      fail "round $rounds, life $life: neither complete nor to be resumed"
    fi
    [ -n "$id" ] || { # none, when it was killed before it was in the log
      run runs list -n 1 --json
      id=$(jq -r --arg before "$before" '.runs[0].id // "" | select(. != $before)' "$scratch/out")
    }
  done
  [ "$status" = 0 ] || fail "round $rounds is not complete"
  expect_same "$(paste -sd' ' files/ledger)" "l1 l2 l3 END"
  expect_same "$(cat files/f1 files/f2)" f1f2
  expect_same "$(jq -r .name memory.json | paste -sd' ')" "e1 e2 e3"
done
echo "$rounds rounds, $kills kills, $questions questions"
[ "$kills" -ge "$kills_wanted" ] && ok || fail "only $kills kills"
finish
