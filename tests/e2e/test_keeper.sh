#!/usr/bin/env bash
# mistro servers keep: servers that are up already, lent to one command after another.
. "$SOURCE_DIR/tests/e2e/lib.sh"

# A server that tells who it is, where it works, what it was given and how often it was called.
cat >server.sh <<'S'
#!/usr/bin/env bash
n=0
while IFS= read -r line; do
  IFS=$'\t' read -r id method tool < <(jq -r '[(.id // "-" | tojson), .method, (.params.name // "-")] | @tsv' <<<"$line")
  case "$method" in
  initialize) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"who","version":"1"}}' ;;
  tools/list) result='{"tools":[{"name":"who","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}},{"name":"hang","inputSchema":{"type":"object"}}]}' ;;
  tools/call)
    case "$tool" in die) exit 3 ;; hang) echo $$ >hung.new; mv hung.new hung; continue ;; esac
    n=$((n + 1)); result="{\"content\":[{\"type\":\"text\",\"text\":\"$$ $PWD ${MARK:-none} $n\"}]}" ;;
  notifications/*) continue ;;
  *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
S
chmod +x server.sh
jq -n --arg s "$PWD/server.sh" '{mcpServers: {who: {command: $s, env: {MARK: "${MARK:-none}"}},
  alone: {command: $s, share: false}}}' >mcp.json
export MISTRO_MCP=--mcp-config=$PWD/mcp.json
who() { "$MISTRO" call who/who "$MISTRO_MCP" 2>"$scratch/err"; }
pid_of() { cut -d' ' -f1 <<<"$1"; }
ends() { for _ in $(seq 100); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.05; done; return 1; }
# Calls the tool that never answers, in the background: caller is the command, held the process that
# was lent to it.
hang() {
  rm -f hung
  "$MISTRO" call who/hang "$MISTRO_MCP" >/dev/null 2>&1 & caller=$!
  for _ in $(seq 500); do [ -e hung ] && break; sleep 0.02; done
  held=$(cat hung)
}
# The keeper of this test, among all processes; the servers of one.
keeper() {
  local folder
  for folder in /proc/[0-9]*; do
    grep -qzx -- --foreground "$folder/cmdline" 2>/dev/null &&
      grep -qzx "XDG_STATE_HOME=$XDG_STATE_HOME" "$folder/environ" 2>/dev/null && echo "${folder#/proc/}"
  done
}
servers_of() { wc -w <"/proc/$1/task/$1/children"; }

it "keeps nothing unless it is asked to"
a=$(who); b=$(who)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "two calls, one process: $a"; fi
run servers keep --stop
expect_status 0; expect_err '*nothing is kept*'
run servers keep --stop --json
expect_status 0; expect_json '. == {version: 1, ended: 0}'

it "starts the servers once, and calls go to the ones that run"
run servers keep "$MISTRO_MCP"
expect_status 0; expect_err '*kept: who; the keeper ends 10 min after the last use*'
a=$(who); b=$(who)
expect_same "$(pid_of "$a")" "$(pid_of "$b")"
expect_same "$(cut -d' ' -f4 <<<"$b")" 2

it "starts a server anew that is not to be shared"
a=$("$MISTRO" call alone/who "$MISTRO_MCP"); b=$("$MISTRO" call alone/who "$MISTRO_MCP")
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "shared: $a"; fi

it "has a process of its own for another environment and another folder"
c=$(MARK=other who)
if matches "$c" '* other 1'; then ok; else fail "environment: $c"; fi
mkdir -p elsewhere; d=$(cd elsewhere && who)
expect_same "$(cut -d' ' -f2- <<<"$d")" "$PWD/elsewhere none 1"
expect_same "$(cut -d' ' -f3- <<<"$(who)")" "none 3"

it "does not lend a server again that left a call unanswered"
before=$(pid_of "$(who)")
run call who/hang "$MISTRO_MCP" --timeout 1
expect_status 3
after=$(pid_of "$(who)")
if [ "$before" != "$after" ] && ends "$before"; then ok; else fail "$before is still there"; fi

it "says that a call may have taken effect when the kept server dies in it"
run call who/die "$MISTRO_MCP"
expect_status 3; expect_err '*it may have taken effect*'
if matches "$(who)" '* 1'; then ok; else fail "no new one after it"; fi

it "ends the server of a command that is killed"
before=$(pid_of "$(who)")
hang
expect_same "$held" "$before"
kill -9 "$caller"; wait "$caller" 2>/dev/null
if ends "$before"; then ok; else fail "$before outlived its command"; fi

it "lets one keeper be, whoever starts another"
first=$(keeper)
for _ in 1 2 3 4; do "$MISTRO" servers keep "$MISTRO_MCP" >/dev/null 2>&1 & done; wait
expect_same "$(keeper)" "$first"
run servers keep --foreground
expect_status 3; expect_err '*there is a keeper already*'

it "loses no call of many at once"
calls=${MISTRO_KEEPER_CALLS:-10}
for i in $(seq 16); do
  (for _ in $(seq "$calls"); do who 2>/dev/null || echo lost; done >"calls.$i") &
done
wait
expect_same "$(cat calls.* | wc -l)" "$((16 * calls))"
expect_same "$(grep -c lost calls.*  | awk -F: '{ n += $2 } END { print n }')" 0

it "starts apart what JSON cannot say, and tells folders and masks apart"
a=$(MARK=$'caf\xe9' who); b=$(MARK=$'other\xe9' who)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "one server for both: $a"; fi
mkdir $'caf\xe9'; (cd $'caf\xe9' && who >/dev/null); expect_same $? 0
mkdir anew; a=$(cd anew && who); mv anew old; mkdir anew; b=$(cd anew && who)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "a folder that is gone: $a"; fi
a=$(who); b=$(umask 027; who)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "another umask: $a"; fi

it "asks a keeper that hangs once, and does without it"
kill -STOP "$(keeper)"
run call who/who "$MISTRO_MCP" -v
expect_status 0; expect_err '*started apart: the keeper does not answer*'
kill -CONT "$(keeper)"

it "waits for servers in use before it ends"
sed 's/hang) .* continue/hang) : >in_use; sleep 1/' server.sh >slow.sh; chmod +x slow.sh
jq '.mcpServers.slow = (.mcpServers.who | .command |= sub("server.sh"; "slow.sh"))' mcp.json >slow.json
"$MISTRO" call slow/hang --mcp-config slow.json >slow.out 2>&1 & caller=$!
for _ in $(seq 500); do [ -e in_use ] && break; sleep 0.02; done
run servers keep --stop
expect_status 0
wait "$caller"; expect_same $? 0
run servers keep "$MISTRO_MCP"
expect_status 0

# Who asks for a server, and its end, come to the keeper in one moment: it was stopped meanwhile.
cat >dead.py <<'PY'
import array, json, os, signal, socket, sys, time
folder, keeper, program = sys.argv[1], int(sys.argv[2]), sys.argv[3]
server = {"command": program, "arguments": [], "environment": ["PATH=" + os.environ["PATH"]],
          "folder": os.getcwd(), "umask": 0o077}
def visit():
    visitor = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    visitor.connect(folder + "/keeper.socket")
    visitor.settimeout(10)
    return visitor
def say(visitor, message):
    visitor.send(json.dumps(dict(message, version=1)).encode())
def hear(visitor):
    text, rights, _, _ = visitor.recvmsg(131072, socket.CMSG_SPACE(12))
    for _, _, pipes in rights:
        for pipe in array.array("i", pipes[:len(pipes) // 4 * 4]):
            os.close(pipe)
    return json.loads(text)
def state(pid):
    return open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()[0]
def await_state(pid, wanted):
    for _ in range(1000):
        if state(pid) == wanted:
            return
        time.sleep(0.01)
    sys.exit("process %d is in state %s" % (pid, state(pid)))
first, second = visit(), visit()
say(first, {"open": server})
killed = hear(first)["pid"]
say(first, {"note": {}})
say(second, {"idle_ms": 600000})
hear(second)
os.kill(keeper, signal.SIGSTOP)
await_state(keeper, "T")
say(second, {"open": server})
os.kill(killed, signal.SIGKILL)
await_state(killed, "Z")
os.kill(keeper, signal.SIGCONT)
lent = hear(second)["pid"]
print("a dead process was lent" if lent == killed or state(lent) == "Z" else "one that lives")
PY
if command -v python3 >/dev/null; then
  it "does not lend a server that was killed just before"
  expect_same "$(python3 dead.py "$XDG_STATE_HOME/mistro/keeper" "$(keeper)" "$PWD/server.sh" 2>&1)" \
    "one that lives"
fi

it "ends all of it with the keeper, however that ends"
server=$(pid_of "$(who)")
kill -9 "$(keeper)"
if ends "$server"; then ok; else fail "$server outlived the keeper"; fi

it "starts a server itself where the keeper is gone and its socket is left"
[ -S "$XDG_STATE_HOME/mistro/keeper/keeper.socket" ] && ok || fail "no socket was left"
a=$(who); b=$(who)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "kept by nobody: $a"; fi

it "takes the place of a keeper that was killed"
run servers keep "$MISTRO_MCP" --for 1h
expect_status 0; expect_err '*ends 1 h after*'
run servers keep "$MISTRO_MCP" --for 1h --json
expect_status 0; expect_json '.version == 1 and ([.servers[].name] | contains(["who", "alone"]))'
expect_same "$(pid_of "$(who)")" "$(pid_of "$(who)")"
run servers keep --stop
expect_status 0; expect_err '*ended 1 kept server*'
expect_same "$(keeper)" ""

it "ends itself when it was not used for as long as said"
run servers keep "$MISTRO_MCP" --for 1s
expect_status 0
server=$(pid_of "$(who)")
if ends "$server" && ends "$(keeper | grep . || echo 999999)"; then ok; else fail "it stays"; fi

it "is full at its bound, and what does not fit is started apart"
mkdir -p "$XDG_CONFIG_HOME/mistro"
echo 'mistral_orchestrator: {mcp: {kept_servers: 1}}' >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"
run servers keep "$MISTRO_MCP"
kept=$(pid_of "$(who)")
hang
expect_same "$held" "$kept"
run call who/who "$MISTRO_MCP" -v
expect_status 0; expect_err '*started apart: the keeper is full: it has 1 servers*'
kill "$caller"; wait "$caller" 2>/dev/null
# One that nobody uses makes room for another.
last=""
for _ in $(seq 100); do now=$(pid_of "$(MARK=another who)"); [ "$now" = "$last" ] && break; last=$now; done
expect_same "$now" "$last"
expect_same "$(servers_of "$(keeper)")" 1
run servers keep --stop
expect_status 0
rm "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"

it "keeps by the settings of the command that starts it, wherever that stands"
echo 'mistral_orchestrator: {mcp: {kept_servers: 1}}' >few.yml
run servers keep "$MISTRO_MCP" --config few.yml
expect_status 0
for mark in 1 2 3; do MARK=$mark who >/dev/null; done
n=$(servers_of "$(keeper)")
if [ "$n" -le 1 ]; then ok; else fail "$n servers are kept"; fi
run servers keep --stop --json
expect_status 0; expect_json '.version == 1 and .ended <= 1'

it "does not lend what was started by other settings than the command's"
echo 'mistral_orchestrator: {mcp: {close_wait_ms: 10}}' >hasty.yml
run servers keep "$MISTRO_MCP"
a=$(who); b=$("$MISTRO" call who/who "$MISTRO_MCP" --config hasty.yml)
if [ "$(pid_of "$a")" != "$(pid_of "$b")" ]; then ok; else fail "one server for both: $a"; fi
expect_same "$(pid_of "$(who)")" "$(pid_of "$a")"
run servers keep --stop
expect_status 0

it "does not trust a folder that others can enter"
chmod 755 "$XDG_STATE_HOME/mistro/keeper"
run servers keep "$MISTRO_MCP"
expect_status 6; expect_err '*is not yours alone*'
run call who/who "$MISTRO_MCP" -v
expect_status 0; expect_err '*started apart: *is not yours alone*'
chmod 700 "$XDG_STATE_HOME/mistro/keeper"

it "refuses a time that is none"
for time in 0 -1s 10x 169h ''; do
  run servers keep "--for=$time"
  expect_status 2; expect_err '*--for takes a time*'
done
finish
