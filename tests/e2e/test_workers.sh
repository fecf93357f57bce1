# The commands of workers where the store has no queue, and what they refuse anywhere.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp "$SOURCE_DIR/README.md" .
printf 'steps: [{tool: files/read_file, args: {path: README.md}}]\n' >plan.yml

it "needs a store with a queue"
for command in "submit plan.yml" "submit --ask hello" worker "runs list --queue night"; do
  # shellcheck disable=SC2086
  run $command
  expect_status 2
  expect_no_out
  expect_err '*PostgreSQL*storage.backend: postgres*'
done

it "refuses what cannot be meant"
run submit
expect_status 2
run submit plan.yml --ask hello
expect_status 2
run submit plan.yml --session new:a
expect_status 2
run submit plan.yml --at soon
expect_status 2
expect_err '*--at takes a time*'
run submit plan.yml --queue "two words"
expect_status 2
expect_err '*a queue has a name*'
run submit plan.yml --key ""
expect_status 2
run worker --queue ""
expect_status 2
run worker --jobs 257
expect_status 2
run runs show latest --queue night
expect_status 2
expect_err '*--queue belongs to list*'

it "waits for a run of any store, and ends as it did"
run run plan.yml --json
expect_status 0
id=$(jq -r .run_id <"$scratch/out")
run runs wait "$id" --json
expect_status 0
expect_json ".run_id == \"$id\" and .status == \"completed\""
printf 'steps: [{tool: files/read_file, args: {path: none.md}}]\n' >fails.yml
run run fails.yml
of_run=$status
run runs wait latest
expect_status "$of_run"
expect_err '*none.md*'
run runs wait nothing
expect_status 2
finish
