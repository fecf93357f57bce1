# Logging in to a server behind a URL: the page, the browser, the tokens, and who may know of them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v curl >/dev/null || skip "no curl to play the browser"
login_server="$BUILD_DIR/tests/login_server"
[ -x "$login_server" ] || skip "no login_server"
tokens="$XDG_DATA_HOME/mistro/logins/logins.json"

server=""
# shellcheck disable=SC2317
end() { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$scratch"; }
trap end EXIT
await() { # a test that must hold within ten seconds
  for _ in $(seq 500); do test "$@" && return 0; sleep 0.02; done
  fail "waited in vain: $*"
}
page() { grep -os 'http[^ ]*authorize[^ ]*' "$scratch/err"; }
await_page() {
  for _ in $(seq 500); do [ -n "$(page)" ] && return 0; sleep 0.02; done
  fail "no page was shown"
}
start_server() { # arguments of login_server
  rm -f "$scratch/server"
  "$login_server" "$@" >"$scratch/server" &
  server=$!
  await -s "$scratch/server"
  mkdir -p "$XDG_CONFIG_HOME/mistro"
  printf '{"mcpServers":{"hub":{"url":"%s"}}}' "$(head -n 1 "$scratch/server")" >"$XDG_CONFIG_HOME/mistro/mcp.json"
}
end_server() { # what it saw is in $seen
  kill "$server"; wait "$server"; server=""
  seen=$(tail -n 1 "$scratch/server")
}

# A person who is let in at once; what it was called with is kept.
cat >"$scratch/browser" <<SH
#!/bin/sh
printf '%s\n' "\$#" "\$1" >>"$scratch/opened"
exec curl -sL -o "$scratch/page" "\$1"
SH
chmod +x "$scratch/browser"
export BROWSER="$scratch/browser"

expect_no_file() { if [ ! -e "$1" ]; then ok; else fail "there is a $1"; fi; }

start_server 3600 extra
it "says that a login is needed, and how"
run call hub/echo
expect_status 4
expect_err '*server hub: *it needs a login*mistro servers login hub*'
run servers
expect_out 'hub*failed*it needs a login*mistro servers login hub*'

it "shows the page, opens it, and says who lets us in"
run servers login hub
expect_status 0
expect_no_out
expect_err '*log in at 127.0.0.1:*http*/as/authorize?*logged in to hub with http://127.0.0.1:*/as*good until 20*'
expect_same "$(head -n 1 "$scratch/opened")" 1
if grep -q 'close this window' "$scratch/page"; then ok; else fail "no page for the person"; fi

it "keeps the tokens where nobody else can read them"
expect_same "$(stat -c %a "$tokens") $(stat -c %a "$(dirname "$tokens")")" "600 700"
expect_same "$(jq -r '.logins[].access_token' "$tokens")" access-1

it "asks for more when a call needs more, and once"
run call hub/echo
expect_status 4
expect_err '*more scopes*mistro servers login hub*'
run servers login hub --json
expect_status 0
expect_json '.server == "hub" and .scope == "extra" and (.issuer | endswith("/as")) and .until'
run call hub/echo
expect_status 0
expect_out 'let in'

it "uses the login in the next process, and shows no token in its traffic"
run call hub/echo -vv
expect_status 0
if grep -rqE 'access-|refresh-|code-' "$scratch/err" "$scratch/out" "$XDG_DATA_HOME"/mistro/*.db*; then
  fail "a token shows"
else ok; fi
run servers --json
expect_json '.servers[0].login.scope == "extra"'

it "renews it without a person, once, whoever is at it"
kill -USR1 "$server"
for i in 1 2 3 4; do "$MISTRO" call hub/echo >"$scratch/out$i" 2>/dev/null </dev/null & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}"; expect_same "$? $(cat "$scratch/out$i")" "0 let in"; done

it "gives the tokens back"
run servers logout hub
expect_status 0
expect_err '*logged out of hub*'
expect_same "$(jq -c '[.servers, .logins, .clients]' "$tokens")" '[{},{},{}]'
run servers logout hub
expect_err '*no login*'
run call hub/echo
expect_status 4
end_server
expect_same "$seen" "logins 2 refreshed 1 registered 1 revoked 2 calls 6 problem none"

start_server
it "lets a person open the page by hand where there is no browser"
rm -f "$scratch/err"
BROWSER=/nowhere/at/all "$MISTRO" servers login hub >"$scratch/out" 2>"$scratch/err" </dev/null &
login=$!
await_page
curl -sL -o /dev/null "$(page)"
wait "$login"; status=$?
expect_status 0
expect_err '*open the page by hand*logged in to hub*'

it "leaves nothing behind when it is interrupted"
rm -f "$tokens" "$scratch/err"
BROWSER=/bin/true "$MISTRO" servers login hub >"$scratch/out" 2>"$scratch/err" </dev/null &
login=$!
await_page
kill -INT "$login"
wait "$login"; status=$?
expect_status 130
expect_same "$(jq -c .logins "$tokens")" '{}'

it "knows what has no login"
run servers login nobody
expect_status 2
expect_err '*no server is named "nobody"*'
run servers add local -- true
run servers login local
expect_status 2
expect_err '*only servers behind a url have a login*'
run servers login
expect_status 2

it "forgets the login of a server that is removed"
rm -f "$scratch/err"
BROWSER=/bin/true "$MISTRO" servers login hub >"$scratch/out" 2>"$scratch/err" </dev/null &
login=$!
await_page
curl -sL -o /dev/null "$(page)"
wait "$login"; status=$?
expect_status 0
run servers remove hub
expect_status 0
expect_err '*removed hub*logged out of hub*'
expect_same "$(jq -c '[.servers, .logins, .clients]' "$tokens")" '[{},{},{}]'
end_server

start_server
keyring="$scratch/secrets"
export LD_LIBRARY_PATH="$BUILD_DIR/tests/keyring" DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere/at/all
it "keeps the tokens in a file where the keyring does not answer"
run servers login hub
expect_status 0
expect_same "$(jq -r '.logins[].access_token' "$tokens") $(stat -c %a "$tokens")" "access-1 600"

it "reads the file while there is no mark that the keyring has a book"
export FAKE_SECRET="$keyring"
run call hub/echo
expect_status 0
expect_no_file "$keyring"

it "moves the file into the keyring at the next change, and uses it from there"
kill -USR1 "$server"
run call hub/echo
expect_status 0
expect_no_file "$tokens"
expect_same "$(head -n 1 "$keyring")" "org.mistro.Logins store=$(dirname "$tokens")"
expect_same "$(tail -n +2 "$keyring" | jq -r '.logins[].access_token')" access-2
run call hub/echo
expect_status 0
run servers --json
expect_json '.servers[0].login.issuer'

it "renews a login of the keyring once, whoever is at it"
kill -USR1 "$server"
for i in 1 2 3 4; do "$MISTRO" call hub/echo >"$scratch/out$i" 2>/dev/null </dev/null & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}"; expect_same "$? $(cat "$scratch/out$i")" "0 let in"; done
expect_no_file "$tokens"

it "goes without the keyring where it is shut, and overwrites nothing there"
FAKE_SECRET_SHUT=1 run call hub/echo
expect_status 4
FAKE_SECRET_SHUT=1 run servers login hub
expect_status 0
expect_same "$(jq -r '.logins[].access_token' "$tokens")" access-4
expect_same "$(tail -n +2 "$keyring" | jq -r '.logins[].access_token')" access-3

it "brings the two together when it opens again"
kill -USR1 "$server"
run call hub/echo
expect_status 0
expect_no_file "$tokens"
expect_same "$(tail -n +2 "$keyring" | jq -r '.logins[].access_token')" access-5

it "takes a book that is too long for the keyring out of it"
book=$(tail -n +2 "$keyring")
printf '%s' "$book" | jq --arg pad "$(printf '%0100000d' 0)" '.clients |= (. + {"a": {"p": $pad}, "b": {"p": $pad}, "c": {"p": $pad}})' >"$tokens"
kill -USR1 "$server"
run call hub/echo
expect_status 0
expect_same "$(jq -r '.logins[].access_token' "$tokens")" access-6
expect_same "$(stat -c %s "$keyring")" 0
expect_no_file "$(dirname "$tokens")/keyring"
jq 'del(.clients.a, .clients.b, .clients.c)' "$tokens" >"$scratch/short" && cp "$scratch/short" "$tokens"
kill -USR1 "$server"
run call hub/echo
expect_same "$(tail -n +2 "$keyring" | jq -r '.logins[].access_token')" access-7

it "forgets a login in the keyring, too"
run servers logout hub
expect_err '*logged out of hub*'
expect_same "$(tail -n +2 "$keyring" | jq -c '[.servers, .logins, .clients]')" '[{},{},{}]'

it "uses the file where the keyring is switched off"
rm -rf "$keyring" "$(dirname "$tokens")"
mkdir -p "$XDG_CONFIG_HOME/mistro"
printf 'mistral_orchestrator:\n  mcp:\n    keyring: off\n' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
run servers login hub
expect_status 0
expect_no_file "$keyring"
expect_same "$(stat -c %a "$tokens")" 600
end_server
finish
