# Hostile requests to what is served over HTTP, written by somebody who had not seen it
# (tests/data/http): none crashes it, hangs it, or shows one person what is another's. What is
# answered otherwise than the corpus wants stands in expected.txt, with the reason.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/http_lib.sh"
command -v python3 >/dev/null || skip "no python3 here"
data="$SOURCE_DIR/tests/data/http"

printf 'mistral_orchestrator:\n  http: {requests_per_minute: 1000000}\n' >fast.yml
global=(-m none --config fast.yml)
for who in a b; do
  run serve token add "$who"
  cp "$scratch/out" "token.$who"
done
serve_http agent --http 127.0.0.1:0
for who in a b; do
  begin_session "$(cat "token.$who")"
  echo "$session" >"session.$who"
  modern "$(cat "token.$who")" tools/call ask "\"name\":\"ask\",\"arguments\":{\"request\":\"read the file secretof$who\"},"
  jq -r .result.structuredContent.run_id "$scratch/out" >"run.$who"
  curl -s -m 20 -b "__Host-mistro=$(cat "token.$who")" "$base/runs" |
    sed -n 's/.*name="csrf" value="\([^"]*\)".*/\1/p' | head -n 1 >"csrf.$who"
done
words() { for who in a b; do cat "$1.$who"; done; }
words token >placeholders; words session >>placeholders; words run >>placeholders; words csrf >>placeholders
jq -n --rawfile all placeholders '($all | split("\n")) as $w |
  {TOKEN_A: $w[0], TOKEN_B: $w[1], SESSION_A: $w[2], SESSION_B: $w[3], RUN_A: $w[4],
   RUN_B: $w[5], CSRF_A: $w[6], CSRF_B: $w[7], COOKIE_A: "__Host-mistro=\($w[0])",
   COOKIE_B: "__Host-mistro=\($w[1])", CSRF_FIELD: "csrf", TOOL: "ask", SECRET_A: "secretofa",
   SECRET_B: "secretofb"}' >placeholders.json

it "answers each as it should"
timeout 400 python3 "$SOURCE_DIR/tests/support/hostile_http.py" --port "${base##*:}" --rate 0 --seconds 360 \
  --corpus "$data/hostile.ndjson" --expected "$data/expected.txt" --placeholders placeholders.json >told 2>&1
expect_same "$?" 0
tail -n 40 told

it "goes on as before, and has nothing to say about it"
fetch "$base/runs" -H "Authorization: Bearer $(cat token.a)"
expect_status 200
kill "$server"
wait "$server"
expect_same "$?" 143
server=""
expect_same "$(grep -c 'Sanitizer\|runtime error' "$scratch/served.err")" 0
finish
