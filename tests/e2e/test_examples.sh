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

it "the studio's example talks, recovers unseen and makes an image"
export MISTRO EXAMPLES="$SOURCE_DIR/examples"
cp "$SOURCE_DIR"/examples/studio/* .
run_with_input $'a cat in a hat\na tabby, and a blue wizard hat\nyes\n' \
  studio -m script:model.jsonl --mcp-config mcp.json --config settings.yml
expect_status 0
expect_out '*What style of hat?*Shall I draw it?*Generating your image now.*'
expect_err '*a tabby cat wearing a blue wizard hat; 4 steps, cfg 1, random seed*image: images/cat.png*'
case "$(cat "$scratch/out")" in *'keep that in mind'*) fail "a failed attempt was shown" ;; *) ok ;; esac
finish
