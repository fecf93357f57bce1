# Servers of the npm SDKs 1.x and 2.x that ask in the middle of a call, in a real terminal (tmux).
. "$SOURCE_DIR/tests/interop/npm.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
begin_modern_http
trap 't kill-server; kill $modern_pid 2>/dev/null; rm -rf "$scratch"' EXIT
cat >mcp.json <<JSON
{"mcpServers":{
  "everything":{"command":"$node","args":["$(at server-everything)"]},
  "modern":{"command":"$node","args":["$scripts/modern_server.mjs"]},
  "strict":{"url":"$modern/strict"}}}
JSON
call() { begin_terminal 100 60 call "$1" --mcp-config mcp.json --timeout 60; see '*Answer? \[y\]es, \[n\]o, \[c\]ancel:*'; }

for server in modern strict; do
  it "SDK 2.x, $server: the answer of a round with its state is taken"
  call $server/confirm
  type_line y
  see '*ok*\[true\] >*'
  type_line ''
  see '*why (may be left empty)*'
  type_line 'because'
  see '*Send this to '"$server"'?*'
  type_line y
  see '*got {"action":"accept","content":{"ok":true,"why":"because"}}*left with 0*'

  it "SDK 2.x, $server: a no is a no"
  call $server/confirm
  type_line n
  see '*got {"action":"decline"}*left with 0*'
done

it "SDK 2.x: is not asked for input where nobody is present"
run call modern/confirm --mcp-config mcp.json
expect_status 1
expect_err '*call it on a terminal*'

it "SDK 1.x: every kind of field of server-everything is asked, defaults are sent untouched"
call everything/trigger-elicitation-request
type_line y
see '*Your full, legal name*>*'
type_line Ada
for _ in $(seq 20); do
  read -r -t 0.3 <> <(:) || true
  if matches "$(screen)" '*Send this to everything?*'; then break; fi
  type_line ''
done
see '*Send this to everything?*'
type_line y
see '*left with 0*'
t capture-pane -p -J -S -200 >"$scratch/out"
expect_out '*User provided the requested information*Name: Ada*'

it "SDK 1.x: a no is a no"
call everything/trigger-elicitation-request
type_line n
see '*declined*left with 0*'
finish
