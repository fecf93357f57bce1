# The examples do what their comments say.
. "$SOURCE_DIR/tests/e2e/lib.sh"

it "shows a request and a plan on real files, with no model running"
"$SOURCE_DIR/examples/demo" "$MISTRO" >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_out '*$ mistro ask*$ mistro run*7 lines*$ mistro runs list*completed*'
expect_err '*plan of 3 steps*find files/search_files*read files/read_file*measure files/text_stats*'

it "runs the chain with a scripted model, as a plan, on files and from a script"
"$SOURCE_DIR/examples/mistral_agent_demo" "$MISTRO" >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_out '*Here is the function*No problems found*best region: south 173.6*what the log kept*'
expect_err '*s1 dev/formalize_task*s2 dev/generate_code*s3 dev/review_code*'
finish
