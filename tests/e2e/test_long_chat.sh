# A chat of hours: turn after turn through one pipe, without a session, whose messages would be kept.
# Memory and open files at the end are those of turn 200. MISTRO_TURNS says how many turns, 2,000
# unless told otherwise.
. "$SOURCE_DIR/tests/e2e/lib.sh"
turns=${MISTRO_TURNS:-2000}
margin_kb=4096
cp -r "$SOURCE_DIR/examples/workspace/." .
mkfifo input
"$MISTRO" chat -m none --no-session <input >"$scratch/out" 2>"$scratch/err" &
chat=$!
trap 'kill $chat 2>/dev/null; rm -rf "$scratch"' EXIT
exec 3>input
said=0
say_until() { # number of the last turn; waits for its answer
  while [ "$said" -lt "$1" ]; do
    echo "read the file README.md" >&3
    said=$((said + 1))
  done
  while [ "$(grep -c 'small fruit trade' "$scratch/out")" -lt "$said" ]; do
    kill -0 $chat 2>/dev/null || { fail "the chat ended"; finish; exit 1; }
    sleep 0.1
  done
}
memory_kb() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$chat/status"; }
descriptors() { ls "/proc/$chat/fd" | wc -l; }

it "needs no more memory and no more open files in the end than at turn 200"
say_until 200
memory=$(memory_kb) files=$(descriptors)
say_until "$turns"
grown=$(($(memory_kb) - memory)) files_now=$(descriptors)
echo "$turns turns: $grown KiB and $((files_now - files)) open files more than at turn 200"
if [ "$grown" -le "$margin_kb" ]; then ok; else fail "$grown KiB more"; fi
expect_same "$files_now" "$files"
exec 3>&-
wait $chat
status=$?
expect_status 0
expect_same "$(grep -c 'small fruit trade' "$scratch/out")" "$turns"
finish
