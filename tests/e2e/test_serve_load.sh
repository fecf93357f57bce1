# 200 clients with ten calls each, of either era: every call is answered with its own text, and the
# server's memory stays small. How fast that is, ./dev bench http says.
. "$SOURCE_DIR/tests/e2e/lib.sh"
load="$BUILD_DIR/tests/http_load"
mkdir -p "$XDG_CONFIG_HOME/mistro"
printf 'mistral_orchestrator:\n  http:\n    requests_per_minute: 1000000\n' \
  >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"

mkfifo "$scratch/url"
"$MISTRO" serve mock --fixture "$SOURCE_DIR/tests/bench/http_fixture.yml" --http 127.0.0.1:0 --open \
  >"$scratch/url" 2>"$scratch/server.err" </dev/null &
server=$!
read -r url <"$scratch/url" || skip "$(cat "$scratch/server.err")"

for era in modern legacy; do
  it "no call of 200 $era clients is lost"
  "$load" "$url" 200 10 $era >"$scratch/out" 2>"$scratch/err"
  status=$?
  expect_status 0
  expect_out 'calls 2000 lost 0 *'
done

it "at most 64 MiB are needed for it"
peak=$(awk '/^VmHWM/ {print $2}' "/proc/$server/status")
case "$(nm -D "$MISTRO" 2>/dev/null)" in
*__asan_init*) ;; # keeps what was freed for a while
*) if [ "$peak" -le 65536 ]; then ok; else fail "the peak was $peak KiB"; fi ;;
esac

it "the server ends when it is told to, and has said nothing"
kill "$server"
wait "$server"
status=$?
expect_status 143
expect_same "$(sed '/ASan doesn.t fully support makecontext/d' "$scratch/server.err")" ""
finish
