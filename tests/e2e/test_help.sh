# Help fits a screen, and says of each command what concerns it.
. "$SOURCE_DIR/tests/e2e/lib.sh"
all_commands=$("$MISTRO" help | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p')
export LC_ALL=C.UTF-8

it "lists every command in groups, on one screen"
run help
expect_out '*say in words what you want
  ask *
use tools without a model
  tools *'
expect_same "$(awk 'length > 80' "$scratch/out")" ""
[ "$(wc -l <"$scratch/out")" -le 48 ] && ok || fail "help is longer than a screen"

it "says of a command its own flags and the common ones that matter there"
run help call
expect_out '*
flags:
*      --batch *
common flags:
*      --mcp-config FILE *'
expect_same "$(grep -cE -- '--(session|model|max-rounds)' "$scratch/out")" 0
run help plans
expect_out '*--as FORM *text, svg, mermaid or dot*'
run help run
expect_out '*--as FORM *json or table*'
expect_same "$(grep -c mermaid "$scratch/out")" 0

it "keeps to 80 columns, but for usage and examples"
for command in $all_commands; do
  expect_same "$("$MISTRO" help "$command" | sed '/^usage:/d; /^  .*mistro /d' | awk 'length > 80')" ""
done

it "has the flags of all commands and the exit statuses in one place"
run help help
expect_out '*130 interrupted*common flags:*--session ID *--version *'
finish
