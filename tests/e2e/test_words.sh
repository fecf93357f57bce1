# Words that a command would pass over are refused, with the nearest one that it knows.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .

it "names the nearest word of a command for an unknown one"
while IFS='|' read -r words nearest; do
  # shellcheck disable=SC2086
  run $words
  expect_status 2
  expect_no_out
  expect_err "mistro: ${words%% *} does not know \"${words##* }\"*did you mean: mistro $nearest?*"
done <<'TABLE'
runs lst|runs list
sessions lst|sessions list
servers lst|servers list
config shw|config show
serve mok|serve mock
completion bsh|completion bash
figure validte|figure validate
TABLE

it "says how a command is used where no word is near"
run runs 01KAT
expect_status 2
expect_err 'mistro: runs does not know "01KAT"*usage: mistro runs *'

it "refuses a word that nothing is done with"
while IFS= read -r words; do
  # shellcheck disable=SC2086
  run $words
  expect_status 2
  expect_no_out
  expect_err "mistro: *the word \"nope\" is one too many*usage: mistro ${words%% *}*"
done <<'TABLE'
config show nope
config path nope
runs list nope
runs stats nope
runs show one nope
sessions list nope
sessions show one nope
servers list nope
servers remove one nope
chat nope
doctor nope
models nope
tools files nope
tool files/read_file nope
resources files nope
prompts files nope
run one.yml nope
serve workspace nope
serve mock one.yml nope
completion bash nope
figure validate-log one.json nope
help call nope
TABLE

it "refuses flags of another word of runs"
while IFS='|' read -r words belongs; do
  # shellcheck disable=SC2086
  run runs $words
  expect_status 2
  expect_no_out
  expect_err "mistro: runs: *$belongs*"
done <<'TABLE'
list --as run|--as belongs to export
stats --as run|--as belongs to export
list --html|--html belongs to show
prune --live model|--live belongs to replay
list --failed|belong to resume
list --plan x|--plan and --var belong to fork
show|the id of which run?
resume|the id of which run?
resume --all 1m82|the id of a run or --all, not both
TABLE

it "does nothing to a session where a word is missing"
run ask -m none -q --session new:kept "read the file README.md"
while IFS='|' read -r words asks; do
  # shellcheck disable=SC2086
  run sessions $words
  expect_status 2
  expect_no_out
  expect_err "mistro: sessions: $asks*"
done <<'TABLE'
rename kept|rename wants an id and a title
rename|rename wants an id and a title
delete|which session?
show|which session?
export|which session?
search|which text?
import|which file?
TABLE
run sessions show kept
expect_status 0

it "refuses arguments beside a batch, which reads them"
run call files/read_file path=README.md --batch
expect_status 2
expect_err 'mistro: call: the arguments of a batch are lines of standard input*'

it "says it as JSON with --json"
run runs lst --json
expect_status 2
expect_json '.error.code == "invalid" and .error.hint == "did you mean: mistro runs list?"'

it "still tells of help behind any word"
run runs lst --help
expect_status 0
expect_out 'usage: mistro runs *'
finish
