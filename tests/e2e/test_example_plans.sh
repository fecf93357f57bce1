# The plans of examples/plans do what their comments say. Those that need servers from npm are run by
# tests/interop/test_npm_example_plans.sh, and only looked at here.
. "$SOURCE_DIR/tests/e2e/lib.sh"
plans="$SOURCE_DIR/examples/plans"
write="--config $plans/config/write.yml"
outside='products-graph archive-file secret-token'
begin_anew() { rm -rf "$scratch/work"/* && cp -r "$SOURCE_DIR/examples/workspace/." .; }
plan() { local name=$1; shift; run run "$plans/$name.yml" "$@"; } # name, words of mistro run

it "there are twelve, and nothing is wrong with any of them"
begin_anew
expect_same "$(find "$plans" -maxdepth 1 -name '*.yml' | wc -l)" 12
for file in "$plans"/*.yml; do
  name=$(basename "$file" .yml)
  words=$write
  [[ " $outside " == *" $name "* ]] && words=--offline
  # shellcheck disable=SC2086
  run plans check "$file" $words
  expect_status 0
done

it "each says how it is run in its first lines, as README does, and where its schema is"
for file in "$plans"/*.yml; do
  current="$(basename "$file") opens with what it is for"
  sed '/^#/!Q' "$file" >"$scratch/comment"
  command=$(sed -n "s/^| \[$(basename "$file" .yml)\].*| \`\(.*\)\` |$/\1/p" "$plans/README.md")
  if [ -n "$command" ] && grep -qxF "#   $command" "$scratch/comment"; then ok; else fail "README says: $command"; fi
  expect_same "$(tail -n 1 "$scratch/comment")" '# yaml-language-server: $schema=../../data/schemas/plan.json'
done
if [ -f "$plans/../../data/schemas/plan.json" ]; then ok; else fail "there is no such schema"; fi

it "task-table lists the open tasks without the word that marks them"
plan task-table --as table
expect_status 0
expect_same "$(cat "$scratch/out")" \
'file                line  task
notes/harvest.md    5     ask the west for more crates before August
notes/harvest.md    7     compare prices with last year
notes/suppliers.md  4     renew the contract.'
plan task-table --as json --var word=nowhere
expect_status 0
expect_json '.tasks == []'

it "word-counts lists the longest file first, and leaves out what is short"
plan word-counts --as table
expect_status 0
expect_same "$(cat "$scratch/out")" \
'file                words  lines  bytes
notes/harvest.md    47     7      244
README.md           22     3      123
notes/suppliers.md  18     4      122'
plan word-counts --as json --var path=notes --var least=40
expect_json '[.files[].file] == ["notes/harvest.md"]'

it "sales-by-group adds up by the column that is asked for, from a day on"
plan sales-by-group --as table --var by=region --var since=2026-03-01
expect_status 0
expect_same "$(cat "$scratch/out")" \
'name   orders  units  turnover  percent
south  2       245    125.6     46
west   1       75     78.75     29
north  1       60     66.0      24'
plan sales-by-group --as json
expect_json '[.groups[] | [.name, .units]] == [["apples", 470], ["plums", 135], ["pears", 220]]'
plan sales-by-group --var by=price
expect_status 2
plan sales-by-group --var since=2027-01-01
expect_status 1
expect_err '*nothing was sold since that day*'

it "nightly-check fails when the report is missing or empty, or when files are too old"
plan nightly-check -q --as table --var report=sales.csv --var max_days=30
expect_status 0
expect_same "$(cat "$scratch/out")" \
'path       days
sales.csv  0.0'
plan nightly-check -q --var report=daily.csv
expect_status 1
expect_err '*the report is missing ("daily.csv" in *'
: >daily.csv
plan nightly-check -q --var report=daily.csv
expect_status 1
expect_err '*the report is empty*'
touch -d '3 days ago' notes/harvest.md
plan nightly-check -q --var report=sales.csv --var name=*.md --var max_days=2
expect_status 1
expect_err '*files are too old (*"notes/harvest.md"* == *)*'

it "wait-for-file finds the file at last"
sed 's/delay_ms: 1000/delay_ms: 20/' "$plans/wait-for-file.yml" >wait.yml
run run wait.yml --var name=sales.csv
expect_status 0
expect_out 'file: sales.csv
lines: 9'
sed -i 's/max: 60/max: 2/' wait.yml
run run wait.yml --var name=late.csv
expect_status 1
expect_err '*does not hold after 2 times*'

it "notes-report writes what two other plans give"
begin_anew
# shellcheck disable=SC2086
plan notes-report $write
expect_status 0
expect_same "$(cat report.md)" \
'# Notes

## Open tasks

- ask the west for more crates before August (notes/harvest.md:5)
- compare prices with last year (notes/harvest.md:7)
- renew the contract. (notes/suppliers.md:4)

## Files

| file | words |
|---|---|
| notes/harvest.md | 47 |
| notes/suppliers.md | 18 |'
# shellcheck disable=SC2086
plan notes-report $write --var word=nowhere
expect_status 0
expect_same "$(sed -n 5p report.md)" '- none'

it "locked-report writes under a lock and gives it back, also when it fails"
# shellcheck disable=SC2086
plan locked-report $write
expect_status 0
expect_same "$(cat report.txt report.lock)" "$(printf 'product\tunits\napples\t470\npears\t220\nplums\t135\nfree')"
mv sales.csv sold.csv
# shellcheck disable=SC2086
plan locked-report $write
expect_status 1
expect_same "$(cat report.lock)" free
mv sold.csv sales.csv

it "locked-report leaves the lock of another run alone, and writes nothing"
echo taken >report.lock
rm report.txt
# shellcheck disable=SC2086
plan locked-report $write
expect_status 1
expect_same "$(cat report.lock)" taken
if [ -e report.txt ]; then fail "the report was written"; else ok; fi

it "copy-reviewed copies after a yes to exactly these copies"
# shellcheck disable=SC2086
plan copy-reviewed $write --var mark=Orchard --json
expect_status 6
expect_json '.approval.show == [{path: "notes/suppliers.md", copy: "notes/suppliers.md.reviewed"}] and (.approval.calls | length) == 1'
if [ -e notes/suppliers.md.reviewed ]; then fail "it was copied without a yes"; else ok; fi
# shellcheck disable=SC2086
run runs resume "$(jq -r .run_id "$scratch/out")" $write --answer "approve.sure=$(jq -r .approval.hash "$scratch/out")"
expect_status 0
cmp -s notes/suppliers.md notes/suppliers.md.reviewed || fail "the copy is another text"
# shellcheck disable=SC2086
plan copy-reviewed $write
expect_status 1
expect_err '*no note has the mark*'

it "sort-notes lists what the model said of each note, and asks nobody where none is named"
cat >model.jsonl <<'JSON'
{"purpose": "ask", "match": "*Orchard*", "reply": {"kind": "people"}}
{"purpose": "ask", "match": "*plums came early*", "reply": {"kind": "goods"}}
JSON
plan sort-notes --as table -m script:model.jsonl
expect_status 0
expect_same "$(cat "$scratch/out")" \
'kind    file
goods   notes/harvest.md
people  notes/suppliers.md'
plan sort-notes
expect_status 2
expect_err '*may ask a model, and none is named*'

# A server that dies behind the call has it carried out or not: only the folder tells.
it "archive-file does not move again what a lost answer left moved"
begin_anew
cat >moves.yml <<'YML'
tools:
  - name: create_directory
    inputSchema: {type: object, properties: {path: {type: string}}, required: [path]}
    replies: [{text: made}]
  - name: move_file
    inputSchema: {type: object, properties: {source: {type: string}, destination: {type: string}}, required: [source, destination]}
    replies: [{fault: exit}]
YML
mkdir -p "$scratch/config/mistro"
mock_config "$PWD/moves.yml" | sed 's/"dev"/"filesystem"/' >"$scratch/config/mistro/mcp.json"
touch -d 2026-03-29T12:00:00Z sales.csv
plan archive-file --var file=sales.csv --json
expect_status 3
id=$(jq -r .run_id "$scratch/out")
mkdir archive && mv sales.csv archive/2026-03-29-sales.csv
run runs resume "$id"
expect_status 0
expect_out 'archive/2026-03-29-sales.csv'
finish
