# mistro studio in a pipe: ten conversations (scripted, with simulated format errors; and
# with a live model where MISTRO_LIVE_MODEL names one, at MISTRO_LIVE_URL or where mistro finds it),
# sessions, generation, exit statuses.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/studio/lib.sh"
configure_image_tool

check_conversation() { # conversation
  script_of "$1" >model.jsonl
  says_of "$1" | "$MISTRO" studio -m script:model.jsonl --mcp-config img.json --yes --events \
    >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 0
  jq -c 'select(.event == "result") | .result | {text, prompt, generate_image, settings}' "$scratch/out" >got
  jq -c '.turns[] | {text, prompt, generate_image, settings: {steps, cfg, seed}}' <<<"$1" >wanted
  expect_same "$(jq -S . got)" "$(jq -S . wanted)"
  shown_texts "$scratch/out" >shown
  expect_same "$(cat shown)" "$(jq -c '.turns[].text' <<<"$1")"
  expect_same "$(jq -c 'select(.event == "image_ready").image' "$scratch/out" | grep -c 'made/image.png')" \
    "$(jq '[.turns[] | select(.generate_image)] | length' <<<"$1")"
  # every accepted message was delimited; after a compaction a bare object is asked for
  expect_same "$(jq -n '[foreach inputs as $e (null; if $e.event == "model_replied" then $e.reply.text
    else . end; [$e, .]) | select(.[0].event == "attempt" and .[0].class == "ok" and
    .[0].rung != "compaction" and (.[1] | test("\n---\n\\{") | not))] | length' "$scratch/out")" 0
}

while IFS= read -r line; do
  it "a conversation $(jq -r .name <<<"$line")"
  check_conversation "$line"
done <"$STUDIO/conversations.jsonl"
expect_same "$(wc -l <"$STUDIO/conversations.jsonl")" 10

ways=0
while IFS= read -r line; do
  it "with a noisy model: a conversation $(jq -r .name <<<"$line")"
  noisy_script_of "$(jq -c '.turns |= map(select(.bare | not))' <<<"$line")" "$ways" >model.jsonl
  ways=$((ways + $(jq '.turns | length' <<<"$line")))
  jq -r '.turns[] | select(.bare | not) | .say' <<<"$line" |
    "$MISTRO" studio -m script:model.jsonl --mcp-config img.json --yes --events >"$scratch/out" 2>"$scratch/err"
  jq -r 'select(.event == "result") | .result | .status, .prompt' "$scratch/out" >got
  expect_same "$(cat got)" "$(jq -r '.turns[] | select(.bare | not) | "completed", .prompt' <<<"$line")"
  if shown_texts "$scratch/out" | grep -q 'generate_image'; then fail "metadata was shown"; else ok; fi
done <"$STUDIO/conversations.jsonl"

it "recovery is silent in a pipe: stdout has the accepted texts and nothing else"
story=$(conversation "forgets the delimiter once")
script_of "$story" >model.jsonl
says_of "$story" | "$MISTRO" studio -m script:model.jsonl --mcp-config img.json --yes >"$scratch/out" 2>"$scratch/err"
expect_same "$(cat "$scratch/out")" "$(jq -r '.turns[].text' <<<"$story")"
expect_err '*prompt: a red dragon sitting on a pumpkin mansion in the rain; 4 steps*made/image.png*'
case "$(errors)" in *again* | *retry* | *remind* | *delimiter*) fail "stderr tells of the recovery" ;; *) ok ;; esac

it "one message from the arguments is one turn with one object"
script_of "$(conversation "asks first, then draws")" >model.jsonl
run studio -m script:model.jsonl --json a cat in a hat
expect_status 0
expect_json '.version == 1 and .status == "completed" and .prompt == "" and (.text | startswith("A cat in a hat!"))'
expect_json '.settings == {"steps":4,"cfg":1.0,"seed":-1} and .image == null and .adjusted == null and .error == null'

it "goes on with a session, with -c, and keeps none where none is wanted"
id=$(jq -r .session_id "$scratch/out")
run studio -m script:model.jsonl --session "$id" /prompt
expect_status 0
expect_err '*prompt: (none yet)*'
run studio -c '/prompt a dog in a hat'
expect_status 0
run studio -c --json /prompt
expect_json ".session_id == \"$id\" and .prompt == \"a dog in a hat\""
n=$("$MISTRO" sessions list --json | jq '.sessions | length')
run studio -m script:model.jsonl --no-session --json "a cat in a hat"
expect_json '.session_id == null'
expect_same "$("$MISTRO" sessions list --json | jq '.sessions | length')" "$n"

it "the last line of a pipe needs no newline"
script_of "$(conversation "asks first, then draws")" >model.jsonl
run_with_input 'a cat in a hat' studio -m script:model.jsonl --no-session
expect_out 'A cat in a hat!*'
run_with_input '' studio -m script:model.jsonl
expect_status 0
expect_no_out

it "a person's edit is told to the model and kept"
cat >model.jsonl <<'JSON'
{"match":"*user edited prompt to: \"a dog\"*","reply":"I see it is a dog now.\n---\n{\"prompt\":\"a dog in the rain\",\"generate_image\":false,\"steps\":4,\"cfg\":1.0,\"seed\":-1}"}
JSON
run_with_input $'/prompt a dog\nmake it rain\n' studio -m script:model.jsonl --json
expect_status 0
expect_same "$(jq -r .prompt "$scratch/out")" $'a dog\na dog in the rain'

it "a person's edit stays against an answer that was not asked to replace it"
cat >model.jsonl <<'JSON'
{"reply":"Rain is added.\n---\n{\"prompt\":\"a cat in a hat in the rain\",\"generate_image\":false,\"steps\":4,\"cfg\":1.0,\"seed\":-1}","times":0}
JSON
run_with_input $'/prompt a dog in a hat\nmake it rain\nmake it a cat\n' studio -m script:model.jsonl
expect_status 0
expect_err '*prompt: a dog in a hat;*Your prompt stays: *"a cat in a hat in the rain"*prompt: a cat in a hat in the rain;*'
run_with_input $'/prompt a dog in a hat\nmake it rain\n' studio -m script:model.jsonl --json
expect_same "$(jq -rs '.[1] | .prompt, (.kept | test("a cat in a hat"))' "$scratch/out")" $'a dog in a hat\ntrue'

it "values out of range are brought into it, and said so"
cat >model.jsonl <<'JSON'
{"reply":"More.\n---\n{\"prompt\":\"x\",\"generate_image\":false,\"steps\":150,\"cfg\":1.0,\"seed\":-1}","times":0}
JSON
run studio -m script:model.jsonl more
expect_out 'More.'
expect_err '*Settings adjusted: steps 150→100 (maximum is 100)*'

it "says that no image tool is configured, and how one is"
no_image_tool
cat >model.jsonl <<'JSON'
{"reply":"Now.\n---\n{\"prompt\":\"a cat\",\"generate_image\":true,\"steps\":4,\"cfg\":1.0,\"seed\":-1}","times":0}
JSON
run studio -m script:model.jsonl draw
expect_status 0
expect_err '*no image was made: no tool is configured*studio.image_tool*'
configure_image_tool

it "a tool that makes images needs consent, and headless there is none"
run studio -m script:model.jsonl --mcp-config img.json draw
expect_status 6
expect_out 'Now.'
run studio -m script:model.jsonl --mcp-config img.json --yes --json draw
expect_status 0
expect_json '.image == "made/image.png" and .generate_image and .prompt == "a cat"'

it "a tool's own failure is the status, and the answer stays"
sed 's/a cat/a forbidden cat/' model.jsonl >forbidden.jsonl
run studio -m script:forbidden.jsonl --mcp-config img.json --yes --json draw
expect_status 1
expect_json '.status == "completed" and .text == "Now." and .image == null and (.error.message | test("no such image"))'

it "after two reminders and one compaction it starts fresh, with the exact sentence"
echo '{"reply":"I will not.","times":0}' >bad.jsonl
run studio -m script:bad.jsonl --json 'a cat'
expect_status 1
expect_json '.status == "reset" and .text == "I'"'"'m having trouble understanding the format. Let'"'"'s start fresh."'
run studio -m script:bad.jsonl 'a cat'
expect_status 1
expect_same "$(cat "$scratch/out")" "I'm having trouble understanding the format. Let's start fresh."
expect_same "$(errors)" ""

it "and the next line of the same pipe is answered"
{ for _ in 1 2 3 4; do echo '{"reply":"No."}'; done; cat model.jsonl; } >recovers.jsonl
run_with_input $'a cat\na cat\n' studio -m script:recovers.jsonl --mcp-config img.json --yes
expect_same "$(sed -n '$p' "$scratch/out")" "Now."

it "without a model it says what to start"
run studio -m none 'a cat'
expect_status 3
expect_err '*a studio needs a model*ollama serve*'
run_with_input $'one\ntwo\n' studio -m none
expect_same "$(errors | grep -c 'needs a model')" 1

it "a message that is too long, and flags that mean nothing"
run studio -m script:model.jsonl "$(printf 'x%.0s' $(seq 10241))"
expect_status 8
run studio --dry-run 'a cat'
expect_status 2
finish_scripted() { [ "$failed" = 0 ] || { finish; exit 1; }; }
finish_scripted

if [ -z "${MISTRO_LIVE_MODEL:-}" ]; then
  echo "not run with a live model: MISTRO_LIVE_MODEL names none"
else
  live=(-m "$MISTRO_LIVE_MODEL" ${MISTRO_LIVE_URL:+--base-url "$MISTRO_LIVE_URL"})
  recovered=0
  while IFS= read -r line; do
    it "live: a conversation $(jq -r .name <<<"$line")"
    says_of "$line" | "$MISTRO" studio "${live[@]}" --mcp-config img.json --yes --events >"$scratch/out" 2>"$scratch/err"
    expect_same "$(jq -r 'select(.event == "result") | .result.status' "$scratch/out" | sort -u)" completed
    shown_texts "$scratch/out" >shown
    if grep -q '"generate_image\|\\"prompt' shown; then fail "metadata was shown"; else ok; fi
    recovered=$((recovered + $(jq -r 'select(.event == "attempt_discarded").event' "$scratch/out" | wc -l)))
  done <"$STUDIO/conversations.jsonl"
  echo "live with $MISTRO_LIVE_MODEL: $recovered answers had to be asked for again"
fi
finish
