# A model server that mistro starts: progress on stderr, an answer on stdout, and nothing left
# behind however mistro ends.
. "$SOURCE_DIR/tests/e2e/lib.sh"
peer=$BUILD_DIR/tests/peer_model
[ -x "$peer" ] || skip "no $peer"
starts=$scratch/starts

config() { # file, words… -> settings that launch the peer
  local file=$1 words; shift
  words=$(printf ', "%s"' "$peer" --starts "$starts" "$@")
  printf 'mistral_orchestrator:\n  model:\n    launch: [%s]\n' "${words#, }" >"$file"
}
started() { if [ -e "$starts" ]; then wc -l <"$starts"; else echo 0; fi; }
gone() { # every process that was started has ended, at the latest in a while
  local pid
  for pid in $(cat "$starts"); do
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || continue 2
      read -r -t 0.05 <> <(:) || true
    done
    return 1
  done
}
expect_gone() { if gone; then ok; else fail "a model server is left behind"; fi; }

it "starts the server, says so on stderr, uses it and ends it"
config plain.yml --loads 300
run models --config plain.yml
expect_status 0
expect_out 'small*used: the only model there; started by model.launch'
expect_err '*starting the model server peer_model*is loading*is ready after*'
expect_gone

it "is silent under -q and tells scripts by events"
run models --config plain.yml -q
expect_status 0
expect_err ''
run ask --config plain.yml --events --no-session "read README.md"
states=$(jq -r 'select(.event == "model_state") | .state' "$scratch/out" | tr '\n' ' ')
expect_same "$states" "starting loading ready closed "
expect_gone

it "has the tokens of each call and of the run in the log, as the server counts them"
calls=$(jq -s '[.[] | select(.event == "model_replied")] | length' "$scratch/out")
run runs show "$(jq -rs 'first(.[] | .run // empty)' "$scratch/out")"
expect_out "*tokens   $((calls * 4000)) in, $((calls * 3000)) of them cached, $((calls * 2)) out*"
expect_out '*prompt_sent *for the intent* bytes, about * tokens*'
expect_out '*model_replied *for the intent*, 4000 tokens in, 3000 of them cached, 2 out*'

it "outlives the studio that asked for it first, and is ended after it"
run studio --config plain.yml --events --no-session "a cat"
states=$(jq -r 'select(.event == "model_state") | .state' "$scratch/out" | tr '\n' ' ')
expect_same "$states" "starting loading ready closed "
expect_gone

it "is mentioned by doctor and by config show"
run doctor --config plain.yml
expect_status 0
expect_out '*started by model.launch*'
run config show --config plain.yml
expect_out '*model.launch*--loads*plain.yml*'

it "starts nothing where no model is needed or an endpoint is named"
rm "$starts"
run tools --config plain.yml
run ask --config plain.yml -m none "read README.md"
run models --config plain.yml --base-url http://127.0.0.1:9
expect_status 3
expect_same "$(started)" 0

it "sends a request again that the server did not survive, once"
config dies.yml --dies 1
run ask --config dies.yml --no-session "read README.md"
expect_same "$(started)" 2
expect_err '*started again*out of cheese*'
expect_gone
rm "$starts"
config dies2.yml --dies 2
run ask --config dies2.yml --no-session "read README.md"
expect_status 3
expect_err '*out of cheese*'
expect_same "$(started)" 2

it "gives up on a server that never gets healthy, with its last words"
config never.yml --loads -1 --loud
printf '    launch_timeout_seconds: 1\n' >>never.yml
run models --config never.yml
expect_status 3
expect_no_out
expect_err '*not healthy after 1 s*that nobody reads*model.launch_timeout_seconds*'
expect_gone

it "says what is wrong with the setting, with its place"
printf 'mistral_orchestrator:\n  model:\n    launch: llama-server -m x\n' >wrong.yml
run models --config wrong.yml
expect_status 2
expect_err '*wrong.yml:3:5: model.launch: must be a list*'

it "starts nothing from a cloned folder before consent, and shows the command in full"
mkdir -p clone/config && cd clone || exit 1
rm -f "$starts"
config config/mistral_orchestrator.yml --socket '{socket}'
run models -m small
expect_status 3
expect_err '*servers review*'
expect_same "$(started)" 0
run servers review
expect_status 6
expect_err "*model.launch: *\"$peer\",\"--starts\",\"$starts\",\"--socket\",\"{socket}\"*"
run servers review --yes
expect_status 0
run models -m small
expect_status 0
expect_err '*unix:*model.sock*'
expect_same "$(started)" 1
expect_gone
cd ..

it "leaves nothing behind when it is killed"
rm -f "$starts"
config stays.yml --loads -1
for signal in INT TERM KILL; do
  : >"$scratch/err" # what the one before said
  "$MISTRO" models --config stays.yml >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  for _ in $(seq 200); do
    grep -q 'is loading' "$scratch/err" && break
    read -r -t 0.05 <> <(:) || true
  done
  kill -"$signal" "$pid"
  wait "$pid" 2>/dev/null
  status=$?
  expect_gone
done
expect_same "$(started)" 3
finish
