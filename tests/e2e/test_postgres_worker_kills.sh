# Ten workers on one PostgreSQL, of which one is killed with `kill -9` each second, while the database
# is restarted twice, at once as after a power cut, and is out of reach for five seconds. Runs are
# submitted meanwhile, each twice with the same key. What counts is the record of the server, which is
# outside of all of them. MISTRO_WORKER_RUNS says how many runs, 100 unless told otherwise.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/workers.sh"
runs=${MISTRO_WORKER_RUNS:-100}
[ "$runs" -le 1000 ] || runs=1000
RANDOM=20
settings 'worker: {lease_seconds: 3, drain_seconds: 5}'
# Ten servers, each of which answers one call after the other, have work for some twenty seconds.
shop "tools/call=\$PAUSE$((40000 / runs));$shop_answer"

# A submission whose fate is unknown is made again, with its key.
submit_all() { # file for the lines "key id"
  local n id
  for n in $(seq "$runs"); do
    until id=$("$MISTRO" submit plan.json --mcp-config mcp.json --var "run=r$n" --key "k$n" 2>>"$1.err"); do
      read -rt 0.2 <> <(:)
    done
    echo "k$n $id" >>"$1"
  done
}
end_all() {
  [ -z "$first" ] || kill "$first" "$second" 2>/dev/null
  leave_workers
}
trap end_all EXIT
pass_second() { read -rt 1 <> <(:); }
first='' second='' kills=0
replace_one() {
  local victim=${workers[RANDOM % ${#workers[@]}]}
  kill -0 "$victim" 2>/dev/null || fail "a worker ended by itself: $(tail -n 3 "$scratch/said.$victim")"
  dismiss 9 "$victim"
  kills=$((kills + 1))
  hire --jobs 4
}
is_submitted() { ! kill -0 "$first" 2>/dev/null && ! kill -0 "$second" 2>/dev/null; }
waiting() { sql "SELECT count(*) FROM mistro.queue WHERE state IN ('queued', 'taken')"; }

it "begins"
run runs list
expect_status 0 # the schema is there
submit_all first & first=$!
submit_all second & second=$!
for _ in $(seq 10); do hire --jobs 4; done

it "takes every run to an end while workers die and the database comes and goes"
for at in $(seq $((150 + runs / 2))); do
  pass_second
  case $at in
    4 | 15) database --stop; database --start ;;
    8) database --pause ;;
    13) database --resume ;;
  esac
  replace_one
  [ "$at" -lt 16 ] || ! is_submitted || [ "$(waiting)" != 0 ] || break
done
expect_same "$(waiting)" 0
wait "$first" "$second"

# What became of those that were acknowledged: id, what the queue says, status.
ask_all() {
  while read -r id state; do
    run runs wait "$id" --json
    echo "$id $state $(jq -r '.status' "$scratch/out")"
  done <queued >ends
}

it "gives each key one run, and forgets none that was acknowledged"
expect_same "$(wc -l <first)" "$runs"
expect_same "$(diff first second)" ""
run runs list --queue default -n 1000 --json
jq -r '.runs[] | "\(.run_id) \(.state)"' "$scratch/out" | sort >queued
expect_same "$(cut -d ' ' -f 1 queued | diff - <(cut -d ' ' -f 2 first | sort))" ""
ask_all
echo "$runs runs, $kills kills: $(cut -d ' ' -f 2- ends | sort | uniq -c | tr -s ' \n' ' ')"
expect_same "$(grep -v ' ended completed$\| ended needs_answer$\| poisoned interrupted$' ends)" ""

# Asks what is uncertain, says what the record knows, and goes on.
settle() { # id, name of the run
  local step answers=()
  run runs resume "$1" --mcp-config mcp.json --json
  if [ "$status" = 5 ]; then
    for step in $(jq -r '.questions[].key | sub("^uncertain[.]s"; "")' "$scratch/out"); do
      questions=$((questions + 1))
      if [ "$(executed "$2" "$step")" = 0 ]; then
        answers+=(--answer "uncertain.s$step=repeat")
      else
        answers+=(--set "s$step={\"run\":\"$2\",\"n\":$step}")
      fi
    done
    run runs resume "$1" --mcp-config mcp.json --json "${answers[@]}"
  fi
  expect_status 0
}
it "asks about what is uncertain, and completes once it was told"
questions=0
shop
name_of() { awk -v id="$1" '$2 == id { sub("k", "r", $1); print $1 }' first; } # id
for id in $(awk '$3 != "completed" { print $1 }' ends); do settle "$id" "$(name_of "$id")"; done
echo "$questions questions"
ask_all
expect_same "$(cut -d ' ' -f 3 ends | sort | uniq -c | tr -s ' ')" " $runs completed"

it "did nothing twice that may not be repeated, and nothing that no run wanted"
effects >effects
awk '$3 == "charge" { print $1, $2 }' effects | sort >charged
expect_same "$(uniq -d charged)" ""
for n in $(seq "$runs"); do echo "r$n 1"; echo "r$n 3"; echo "r$n 5"; done | sort >wanted
expect_same "$(diff wanted charged)" ""
# An effect id is that of one call of one run.
expect_same "$(cut -f 1,2,4 effects | sort -u | cut -f 3 | uniq -d)" ""

it "lost no result: what runs were told took effect, and what took effect they were told"
awk '{ print $1, $2 }' effects | sort -u >happened
while read -r key id; do
  run runs events "$id"
  jq -r --arg run "r${key#k}" 'select((.event == "tool_result" and .is_error == false) or .event == "call_settled")
    | "\($run) \(.step | ltrimstr("s"))"' "$scratch/out"
done <first | sort -u >told
expect_same "$(diff happened told)" ""
expect_same "$(wc -l <told)" $((runs * 5))

it "has workers that all lived through it, and end when they are asked to"
for one in "${workers[@]}"; do
  dismiss TERM "$one"
  expect_same "$status" 143
done
finish
