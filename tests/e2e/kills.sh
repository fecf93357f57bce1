# What test_resume.sh and test_resume_turns.sh share: a process that is killed with `kill -9`, and a
# server that is outside of it, whose record is what counts. Wants $record and server().
#   kills_wanted   how often a process must have been killed: MISTRO_KILLS, at most 300
#   live COMMAND   one life of mistro: sets status, and kills when one was killed
kills_wanted=${MISTRO_KILLS:-15}
[ "$kills_wanted" -le 300 ] || kills_wanted=300
kills=0 questions=0 all_calls=0 broken_calls=0

# A third of the calls is carried out and then answered by a connection that ends, or by nothing.
# $NOTE puts it into the record, so that what really happened can be counted.
broken_rules() { # how many calls there are
  local at
  rule=() hangs=""
  for at in $(seq "$1"); do
    case $((RANDOM % 6)) in
      0) rule+=("tools/call#$at=\$NOTEdropped;\$EXIT3;") ;;
      1) rule+=("tools/call#$at=\$NOTEhung;\$PAUSE60000;") hangs=yes ;;
    esac
  done
}

# How a life ends: by itself, at a random moment, or killed by the server within a call. What hangs is
# killed. The last lives are spared, so that a round has an end.
fate() { # life, how many calls there are
  delay="" rule=() hangs=""
  [ "$1" -le 24 ] || return
  broken_rules "$2"
  case $((RANDOM % 4)) in
    0) [ -n "$hangs" ] || rule=("tools/call#$((RANDOM % $2 + 1))=\$PAUSE$((RANDOM % 4));\$KILL;") ;;
    1) delay=0.$(printf %03d $((RANDOM % 150 + 5))) ;;
  esac
  [ -z "$hangs" ] || delay=0.$(printf %03d $((RANDOM % 250 + 50)))
}

live() { # the words of mistro
  local pid
  "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
  pid=$!
  if [ -n "$delay" ]; then
    sleep "$delay"
    kill -9 $pid 2>/dev/null
  fi
  { wait $pid; } 2>/dev/null
  status=$?
  [ "$status" != 137 ] || kills=$((kills + 1))
  server_ended
  case "$status" in
    0 | 2 | 3 | 5 | 137) ;;
    *) fail "round $round, life $life: neither complete nor to be resumed" ;;
  esac
}

# Says how the uncertain calls of `result` are to be settled: by what the server's record knows.
settle() {
  local step
  for step in $(jq -r '.questions[].key | sub("^uncertain[.]"; "")' result); do
    questions=$((questions + 1))
    if [ "$(executed "${step#s}")" = 0 ]; then
      answers+=(--answer "uncertain.$step=repeat")
    else
      answers+=(--set "$step=\"ok\"")
    fi
  done
}

count_calls() {
  all_calls=$((all_calls + $(calls)))
  broken_calls=$((broken_calls + $(grep -c 'dropped\|hung' "$record")))
}

expect_kills() { # rounds
  echo "$1 rounds, $kills kills, $all_calls calls, $broken_calls dropped or hung, $questions questions"
  [ "$kills" -ge "$kills_wanted" ] && ok || fail "only $kills kills"
  # Of few calls there may be fewer.
  [ "$kills_wanted" -lt 10 ] || [ $((broken_calls * 10)) -ge "$all_calls" ] && ok ||
    fail "only $broken_calls of $all_calls broken"
}
server_ended() { # the kernel ends it with mistro, but not where it killed mistro itself
  for _ in $(seq 500); do
    pgrep -f -- "--record $record" >/dev/null || return
    sleep 0.02
  done
  fail "the server did not end"
}
calls() { grep -c '"tools/call"' "$record"; }
executed() { grep '"tools/call"' "$record" | jq .params.arguments.n | grep -cx "$1"; }
