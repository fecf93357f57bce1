# The plans of the corpus that run, each killed with `kill -9` at a random moment, again and again, and
# resumed with what is uncertain repeated: it gives what it gives undisturbed. MISTRO_KILLS says how
# often a process must have been killed, up to 200 times.
. "$SOURCE_DIR/tests/e2e/lib.sh"
plans=$SOURCE_DIR/tests/data/plans
kills_wanted=${MISTRO_KILLS:-20}
[ "$kills_wanted" -le 200 ] || kills_wanted=200
kills=0 rounds=0 in_the_middle=0
RANDOM=23
# The tools of the corpus take no time: here each takes 20 ms, so that kills hit calls.
sed -E 's/^      - (when|text|structured|error):/      - delay_ms: 20\n        \1:/' \
  "$plans/tools.yml" >slow.yml
expect_same "$(grep -c 'delay_ms: 20' slow.yml)" "$(grep -cE '^      - (when|text|structured|error):' "$plans/tools.yml")"
mock_config slow.yml | jq '.mcpServers = {shop: .mcpServers.dev}' >shop.json

# How long a plan of one call takes here at least: kills come between a third of that and some calls
# later.
one_ms=1000
for _ in 1 2 3; do
  began=$(date +%s%N)
  run run "$plans/valid/01-one-step.yml" --mcp-config shop.json --yes
  expect_status 0
  took_ms=$((($(date +%s%N) - began) / 1000000))
  [ "$took_ms" -ge "$one_ms" ] || one_ms=$took_ms
done
random_delay() {
  local ms=$((one_ms / 3 + RANDOM % (one_ms + 60)))
  echo "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

# One life: status is 137 where it was killed.
live() { # seconds until the kill, or nothing; the words of mistro
  local delay=$1 pid
  shift
  "$MISTRO" "$@" --mcp-config shop.json --yes >"$scratch/out" 2>"$scratch/err" </dev/null &
  pid=$!
  if [ -n "$delay" ]; then
    sleep "$delay"
    kill -9 $pid 2>/dev/null
  fi
  { wait $pid; } 2>/dev/null
  status=$?
  [ "$status" != 137 ] || kills=$((kills + 1))
}
# A run that is in the log as complete was killed behind its end, and one that is not kept before its
# first call.
look_at_run() { # sets id and ended
  "$MISTRO" runs list -n 1 --json >runs.json 2>/dev/null
  id=$(jq -r '.runs[0].id // ""' runs.json)
  ended=$(jq -r '.runs[0].status // ""' runs.json)
  [ -z "$id" ] || [ -e "$XDG_STATE_HOME/mistro/runs/$id.db" ] || id=""
}

until_complete() { # file, what is expected of it
  local life id="" ended="" delay
  rm -rf "$XDG_DATA_HOME" "$XDG_STATE_HOME"
  for life in $(seq 7); do
    delay=$(random_delay)
    [ "$life" -lt 6 ] || delay=""
    if [ -n "$id" ]; then
      in_the_middle=$((in_the_middle + 1))
      live "$delay" runs resume "$id" --uncertain repeat
    else
      live "$delay" run "$1"
    fi
    if [ "$status" = 2 ] && grep -q 'before its request was kept' "$scratch/err"; then
      id="" # nothing was called
      continue
    fi
    if [ "$status" != 137 ]; then
      [ "$status" = 0 ] && cmp -s "$scratch/out" "$2" && ok ||
        fail "$1, life $life of $id: status $status, it should print: $(cat "$2")"
      return
    fi
    look_at_run
    [ "$ended" != completed ] || return
  done
}

it "gives what a plan gives undisturbed, however often it is killed"
while [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ]; do
  for expected in $(printf '%s\n' "$plans"/valid/*.out | shuf --random-source=<(yes "$rounds")); do
    [ "$kills" -lt "$kills_wanted" ] && [ "$failed" = 0 ] || break
    file=${expected%.out}.yml
    [ -e "$file" ] || file=${expected%.out}.json
    rounds=$((rounds + 1))
    until_complete "$file" "$expected"
  done
done
echo "$rounds plans, $kills kills, $in_the_middle resumed; a call takes $one_ms ms"
if [ $((in_the_middle * 3)) -ge "$kills" ]; then ok; else fail "only $in_the_middle of $kills were resumed"; fi
finish
