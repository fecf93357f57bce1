# What mistro suggests is true: every command in README, docs, examples/plans, `mistro help COMMAND` and
# the hints of the program is run, each in a fresh copy of examples/workspace and without a model, and
# has to end with status 0 unless `expected` says otherwise, with the reason. Names (`mistro studio`) and
# forms (`mistro runs show ID`) are no examples: of these command and flags must exist. Sessions, that is
# ```console blocks and the files they need, are played by tests/e2e/test_documented_sessions.sh.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v git >/dev/null || skip "git is not installed"
tab=$'\t'
export MISTRO_MODEL=none # a model that a command names goes before it
mkdir "$scratch/bin"
ln -s "$MISTRO" "$scratch/bin/mistro"
export PATH="$scratch/bin:$PATH"

# Lines of KIND<TAB>COMMAND. Of a command without one the status is 0. KIND may be
#   6, …        the status
#   model       it needs a model, and gets a scripted one
#   notes       likewise, and the server "notes" of the page is configured
#   in:FOLDER   it is run in that folder of examples/
#   words:WHY   it is not run, for this reason; command and flags must exist
expected() {
  cat <<'TABLE'
model	mistro ask "which open tasks do the notes have?"
model	mistro consensus --roleset math "What is 17 times 23?" --vote 5
model	mistro consensus --roleset math "What is 17 times 23?"
model	mistro consensus --roleset physicist_writer "Why is the sky blue? Two sentences."
model	mistro consensus --roleset regex --examples ids.yml "a pattern for our ids"
model	mistro studio "a cat in a hat"
model	mistro studio --json "a cat in a hat" | jq -r '.prompt, .settings.steps'
model	printf 'a cat\nat night\n' | mistro studio --json | jq -r .prompt
model	printf 'a cat\n/prompt a dog\nat night\n' | mistro studio --json | jq -r .prompt
model	git diff | mistro ask "summarise this"
notes	mistro read notes note:///plums
notes	mistro read notes note:///plums -o plums.md
notes	mistro prompt notes/summary topic=plums | mistro ask -
in:studio	mistro studio -m script:model.jsonl --mcp-config mcp.json --config settings.yml
words:it goes on until Ctrl-C (tests/e2e/test_watch.sh)	mistro read notes note:///plums --watch --json | jq -r '.contents[].text'
words:it opens a page of the server (tests/e2e/test_login.sh)	mistro servers login web
words:the setting plans.dir is empty there (tests/e2e/test_serve_plans.sh)	mistro tools plan
words:no other client is there (tests/e2e/test_clients.sh)	mistro servers import --from cursor github=github-work
words:it goes on until a signal (tests/e2e/test_serve_http.sh)	mistro serve agent --http 127.0.0.1:8080
words:nobody has a token there (tests/e2e/test_serve_token.sh)	mistro serve token revoke ada
words:there is no login to give back (tests/e2e/test_login.sh)	mistro servers logout web
words:it needs a store in PostgreSQL (tests/scenario/test_work.c)	mistro submit plan.yml --var path=notes.md --at 10m
words:it goes on until a signal	mistro worker --queue night --jobs 8
words:it needs a store in PostgreSQL (tests/e2e/test_postgres_first_try.sh)	mistro runs wait "$id"
words:its operands are left out	mistro submit --ask REQUEST
words:it is for another shell	mistro completion fish | source
words:its operands are left out	mistro ask --json
words:its operands are left out	mistro call --batch
words:its operands are left out	mistro consensus --json
words:its operands are left out	mistro consensus --mock
words:its operands are left out	mistro figure --json
words:its operands are left out	mistro figure validate
words:its operands are left out	mistro figure choose
words:there is no figure yet (tests/e2e/test_figure_change.sh)	mistro figure choose runs/tcp 0
words:there is no figure yet (tests/e2e/test_figure_change.sh)	mistro figure continue runs/tcp "draw the answer in red"
words:its operands are left out	mistro runs export
words:its operands are left out	mistro runs resume
words:its operands are left out	mistro servers add
words:its operands are left out	mistro servers login
words:its operands are left out	mistro servers remove
6	mistro run ../plans/copy-reviewed.yml --config ../plans/config/write.yml --var mark=Orchard
words:it needs that model (tests/e2e/test_example_plans.sh)	mistro run ../plans/sort-notes.yml --as table -m mistral:7b
words:it needs a server from npm (tests/interop/test_npm_example_plans.sh)	mistro run ../plans/products-graph.yml
words:it needs a server from npm (tests/interop/test_npm_example_plans.sh)	mistro run ../plans/archive-file.yml --var file=sales.csv
TABLE
}

# The files that examples name as a person's own.
prepared=$scratch/prepared
prepare() {
  local run=$prepared/runs/made
  mkdir -p "$prepared" && cd "$prepared" || exit 1
  cp "$SOURCE_DIR/examples/workspace/notes/harvest.md" notes.md
  cp "$SOURCE_DIR/examples/figures/tcp_connection.txt" tcp.txt
  cp tcp.txt notes.txt
  cp tcp.txt a.txt
  printf 'city,rain\nBern,12\nUri,31\n' | tee a.csv >rain.csv
  printf 'match: [ab-1, cd-22]\nreject: [x]\n' >ids.yml
  printf 'vars: {path: README.md}\nsteps:\n  - {tool: files/read_file, args: {path: "{vars.path}"}}\n' >plan.yml
  printf 'tools: [{name: greet, replies: [{text: hello}]}]\n' >FIXTURE.yml
  (cd "$SOURCE_DIR/examples/workspace" &&
    "$MISTRO" ask --no-session "read the file README.md" --record "$prepared/tape.ndjson") >"$scratch/out" 2>"$scratch/err"
  "$MISTRO" figure --context tcp.txt --caption "How TCP connects" --out runs --name made >"$scratch/out" 2>"$scratch/err"
  cp "$run"/0*.json "$run/stages.json" .
  jq '[.[] | select(.stage == "critic").output][0]' stages.json >critic.json
  cat >"$scratch/notes.yml" <<'YML'
resources: [{uri: "note:///plums", text: "Plums are ripe in August."}]
prompts: [{name: summary, arguments: [{name: topic}], messages: [{text: "summarise what is known of {args.topic}"}]}]
YML
  jq -n --arg mistro "$MISTRO" --arg fixture "$scratch/notes.yml" '{mcpServers: {
    notes: {command: $mistro, args: ["serve", "mock", "--fixture", $fixture]},
    files: {command: $mistro, args: ["serve", "workspace"]}}}' >"$scratch/notes.json"
  local cat='{"prompt":"a cat in a hat","generate_image":false,"steps":4,"cfg":1.0,"seed":-1}'
  agreed() { # words of the task, text
    jq -cn --arg match "$1" --arg text "$2" '{purpose: "envelope", match: $match, times: 0, reply: {role: "R",
      domain: "d", task_understanding: "Do it.", artifact: {type: "results", content: {}}, needs_from_peer: [],
      handoff_to: "P", final_solution: {canonical_text: $text}, public_message: "[SOLVED]", status: "SOLVED"}}'
  }
  {
    agreed '*17 times 23*' 391
    agreed '*pattern for our ids*' '[a-z]{2}-[0-9]+'
    agreed '*' 'Air scatters blue light more than red.'
    jq -cn --arg cat "$cat" '{purpose: "image_chat", times: 0, reply: ("A cat.\n---\n" + $cat)}'
    jq -cn '{purpose: "intent_and_plan", times: 0, reply: {reason: "it is text", primary_goal: "a summary",
      tools_needed: [], parameters: {}, unclear_aspects: [], needs_clarification: false, confidence: 1, steps: []}}'
    jq -cn '{purpose: "answer", times: 0, reply: "Nothing was changed."}'
  } >"$scratch/model.jsonl"
}

# Commands of fenced blocks and of `spans`: "file:line<TAB>command". A block with "$ " has commands
# only behind it; what ends with \ or | goes on in the next line.
of_markdown() {
  awk '
    function give(text) {
      sub(/^\$ /, "", text); sub(/  +#.*$/, "", text)
      if (text ~ /(^|\| |&& )mistro /) print FILENAME ":" FNR "\t" text
    }
    FNR == 1 { block = played = 0 }
    /^```/ { block = !block; played = block && /^```(console|[a-z]+ [^ ]+[.])/; session = 0; next }
    played { next }
    block && /^\$ / { session = 1 }
    block {
      if (held == "" && session && !/^\$ /) next
      if (held == "" && !/^(\$ )?(mistro |[^ ].*(\| |&& )mistro )/) next
      line = $0
      if (held != "") sub(/^ +/, " ", line)
      held = held line
      if (held ~ /\\$/) { sub(/ *\\$/, "", held); next }
      if (held ~ /\|$/) next
      give(held); held = ""
      next
    }
    {
      rest = $0
      while (match(rest, /`[^`]+`/)) {
        span = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (span ~ /(^|\| )mistro [a-z]/) print FILENAME ":" FNR "\t" span
      }
    }' "$@"
}
# Examples of a help text are indented by two blanks; what is set off by more is a remark.
of_help() {
  "$MISTRO" help | sed -n '/^flags/q; s/^  \([a-z][a-z]*\)  *.*/\1/p' | while read -r name; do
    "$MISTRO" help "$name" | sed -n '/^flags:/q; s/    *\(in ~\|with a model\).*//; s/^  \([^ {].*\)/\1/p' |
      grep -E '(^|[| (])mistro ' | sed "s/^/help $name$tab/"
  done
}
# Hints: what the program says behind "try:", "see:", "with:" and the like, and what it says of a
# command ("mistro tools lists what there is"). %s stands for a name.
of_hints() {
  grep -rnoE --include='*.c' ': mistro [a-z](\\"|[^"])*"|mistro [a-z]+( [a-z]+)?( %s)? (lists|shows|tells|says)' \
    "$SOURCE_DIR"/{domain,application,infrastructure,presentation} |
    sed -E "s|^$SOURCE_DIR/([^:]*:[0-9]*):(: )?(mistro .*)|\1$tab\3|"'; s/"$//; s/\\"/"/g; s/;.*//; s/ (lists|shows|tells|says)$//'
}

cd "$SOURCE_DIR" || exit 1
{ of_markdown README.md CONTRIBUTING.md docs/*.md examples/plans/README.md; of_help; of_hints; } >"$scratch/found"
expected >"$scratch/expected"
prepare

is_form() {
  [[ $1 =~ ^mistro\ [a-z]+$ || $1 =~ (^|[ /=])(ID|NAME|COMMAND|VALUE|TOOL|DIR|FILE)( |$) || $1 == *%* || $1 == *…* ]]
}
begin_anew() { # kind: a folder in which nothing was done yet
  end_keeper
  cd "$scratch" && rm -rf work home data config state && mkdir -p work home config/mistro && cd work || exit 1
  cp -r "$SOURCE_DIR/examples" .
  cp "$prepared"/* examples/workspace 2>/dev/null
  git -C examples init -q
  MISTRO_MODEL=none
  case "$1" in
  model) MISTRO_MODEL=script:$scratch/model.jsonl ;;
  notes) MISTRO_MODEL=script:$scratch/model.jsonl
         cp "$scratch/notes.json" "$scratch/config/mistro/mcp.json" ;;
  esac
}
check_words() {
  local words=${1%%|*}
  words=${words//%.[0-9][0-9]s/x}; words=${words//%s/x}; words=${words/COMMAND/ask}
  begin_anew words
  bash -c "${words//…/x} --help" >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?
  expect_status 0
}
run_example() { # kind, command
  begin_anew "$1"
  case "$1 $2" in
  in:*) cd "examples/${1#in:}" || exit 1 ;;
  *\ *examples/*) ;;
  *) cd examples/workspace || exit 1 ;;
  esac
  timeout 60 bash -o pipefail -c "$2" >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?
}
declare -A kinds
while IFS=$tab read -r kind command; do kinds[$command]=$kind; done <"$scratch/expected"

# A request or a plan without a model that ends with 0 and did nothing is no example either.
expect_steps() {
  case "$1" in
  *'mistro ask "'* | *'mistro run '*) expect_err '*✓ *' ;;
  esac
}
while IFS=$tab read -r place command; do
  it "$place: $command"
  kind=${kinds[$command]:-}
  case "${kind:-0}" in
  words:*) check_words "$command" ;;
  [1-9]*) run_example "$kind" "$command"; expect_status "$kind" ;;
  *) if [ -z "$kind" ] && is_form "$command"; then check_words "$command"
     else run_example "$kind" "$command"; expect_status 0; [ "$kind" = model ] || expect_steps "$command"; fi ;;
  esac
done <"$scratch/found"

it "what is expected of a command is about one that is documented"
while IFS=$tab read -r kind command; do
  if cut -f2 "$scratch/found" | grep -qxF -- "$command"; then ok; else fail "$kind: $command is nowhere"; fi
done <"$scratch/expected"
finish
