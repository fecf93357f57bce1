# What a person sees while a model thinks: an endpoint that is silent for 3 s and then writes four
# pieces a second, in real terminals (tmux).
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/terminal.sh"
peer=$BUILD_DIR/tests/peer_model
[ -x "$peer" ] || skip "no $peer"
cp -r "$SOURCE_DIR/examples/workspace/." .
config() { # file, milliseconds before the first piece, between pieces
  cat >"$1" <<YML
mistral_orchestrator:
  model:
    launch: [$peer, --waits, $2, --pieces, $3,
             --says, 'tools_needed={"reason":"it is named","primary_goal":"read it","tools_needed":["files__read_file"],"parameters":{"path":"README.md"},"unclear_aspects":[],"needs_clarification":false,"confidence":1,"steps":[]}',
             --says, 'fruit=It is about a small fruit trade.']
YML
}
config slow.yml 3000 250
config quick.yml 1200 60
request="'read the file README.md'"
begin() { # settings, columns, environment
  MISTRO="env $3 $MISTRO_REAL" begin_terminal "$2" 20 "ask --config $1 $request"
}
MISTRO_REAL=$MISTRO
expect_removed() { # nothing of the wait stays, and each line of it was one row of the screen
  case "$(screen)" in *understanding* | *writing\ the* | *tokens*) fail "the wait stayed" ;; *) ok ;; esac
}
redraws() { grep -ao 'understanding[^(]*([0-9]* s' "$scratch/raw" | wc -l; }

it "the clock moves while nothing comes, then the tokens do; nothing stays"
begin slow.yml 100 A=1
t has-session || skip "tmux cannot open a terminal here"
see '*… understanding *(1 s)*'
see '*… understanding *(2 s)*'
see '*… understanding *([4-9] s, [2-9] tokens)*'
see '*… understanding *(* s, [1-9]? tokens)*'
see '*✓ s1 files/read_file {path: "README.md"} * ms*… writing the answer (1 s)*'
see '*small fruit trade.*left with 0*'
expect_removed
seconds=$(grep -ao 'understanding[^(]*([0-9]* s' "$scratch/raw" | grep -o '[0-9]*' | tail -1)
if [ "$(redraws)" -le $((seconds * 5 + 5)) ]; then ok; else fail "$(redraws) redraws in $seconds s"; fi

it "40 columns and NO_COLOR: one row, cut in its words, without colour"
begin quick.yml 40 NO_COLOR=1
see '*… understanding*… ([1-3] s, * tokens)*'
expect_same "$(screen | grep -c 'tokens')" 1
see '*✓ s1 files/read_file {*small fruit trade.*left with 0*'
expect_removed
if grep -qF $'\033[2m' "$scratch/raw"; then fail "there is a colour"; else ok; fi

it "TERM=dumb: no word of it, the lines that stay are there"
begin quick.yml 100 TERM=dumb
see '*✓ s1 files/read_file*small fruit trade.*left with 0*'
expect_same "$(redraws)" 0

it "in a pipe neither"
run ask --config quick.yml "read the file README.md"
expect_status 0
expect_out 'It is about a small fruit trade.'
expect_same "$(errors | grep -c 'understanding\|writing')" 0
finish
