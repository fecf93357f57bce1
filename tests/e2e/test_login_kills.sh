# A login that is killed at any moment: what is kept is whole, and the next login works.
# MISTRO_KILLS says how often, up to 200 times.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v curl >/dev/null || skip "no curl to play the browser"
login_server="$BUILD_DIR/tests/login_server"
[ -x "$login_server" ] || skip "no login_server"
rounds=${MISTRO_KILLS:-16}
[ "$rounds" -le 200 ] || rounds=200
logins="$XDG_DATA_HOME/mistro/logins"
RANDOM=11
export LC_ALL=C.UTF-8

server=""
# shellcheck disable=SC2317
end() { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"; }
trap end EXIT
start_server() { # it counts what it is asked, and has room for some 20 logins
  [ -z "$server" ] || { kill "$server"; wait "$server"; }
  : >"$scratch/server"
  "$login_server" 3600 >"$scratch/server" &
  server=$!
  for _ in $(seq 500); do [ -s "$scratch/server" ] && break; sleep 0.02; done
  printf '{"mcpServers":{"hub":{"url":"%s"}}}' "$(head -n 1 "$scratch/server")" >"$XDG_CONFIG_HOME/mistro/mcp.json"
}
mkdir -p "$XDG_CONFIG_HOME/mistro"
start_server
printf '#!/bin/sh\nexec curl -sL -o "%s" "$1"\n' "$scratch/page" >"$scratch/browser"
chmod +x "$scratch/browser"
export BROWSER="$scratch/browser"

now_us() { echo $((${EPOCHREALTIME//./})); }
log_in() { { "$MISTRO" servers login hub >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>/dev/null; }

it "works when nobody interferes"
began=$(now_us)
log_in; status=$?
expect_status 0
whole_us=$(($(now_us) - began))

torn=0 exposed=0 unusable=0 before=0 between=0 after=0
for round in $(seq "$rounds"); do
  [ $((round % 8)) != 0 ] || start_server
  [ $((RANDOM % 2)) = 0 ] || rm -rf "$logins" # with and without an earlier login
  { "$MISTRO" servers login hub >"$scratch/out" 2>"$scratch/err" </dev/null & } 2>/dev/null
  login=$!
  wait_us=$(((RANDOM * 32768 + RANDOM) % (whole_us * 5 / 4)))
  printf -v wait_s '%d.%06d' $((wait_us / 1000000)) $((wait_us % 1000000))
  read -r -t "$wait_s" <> <(:) || true
  { kill -KILL "$login"; wait "$login"; } 2>/dev/null
  if grep -q 'logged in' "$scratch/err"; then after=$((after + 1));
  elif grep -q authorize "$scratch/err"; then between=$((between + 1));
  else before=$((before + 1)); fi
  if [ -e "$logins/logins.json" ]; then
    jq -e '.version == 1' "$logins/logins.json" >/dev/null 2>&1 || torn=$((torn + 1))
    [ "$(stat -c %a "$logins/logins.json")" = 600 ] || exposed=$((exposed + 1))
  fi
  "$MISTRO" call hub/echo >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?
  [ "$status" = 0 ] || [ "$status" = 4 ] || { unusable=$((unusable + 1)); cat "$scratch/err"; }
done
echo "$rounds kills: $before before the page was shown, $between before the end, $after after it"

it "leaves a store that is whole and private, and a server that wants a login or has one"
expect_same "$torn $exposed $unusable" "0 0 0"

it "logs in afterwards, and leaves nothing half-written behind"
log_in; status=$?
expect_status 0
run call hub/echo
expect_status 0
expect_out 'let in'
expect_same "$(find "$logins" -type f ! -name logins.json ! -name '*lock*' | wc -l)" 0
finish
