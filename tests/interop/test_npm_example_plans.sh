# The plans of examples/plans that need servers from npm. tests/e2e/test_example_plans.sh runs the others.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
plans="$SOURCE_DIR/examples/plans"
run servers add memory -e MEMORY_FILE_PATH="$PWD/memory.json" -- "$node" "$(at server-memory)"
run servers add filesystem -- "$node" "$(at server-filesystem)" .
run servers add everything -- "$node" "$(at server-everything)"

it "nothing is wrong with them"
for name in products-graph archive-file secret-token; do
  run plans check "$plans/$name.yml"
  expect_status 0
done

it "products-graph has server-memory know where which product is sold, once"
for _ in first again; do
  run run "$plans/products-graph.yml" --json
  expect_status 0
  expect_json '.outputs.entities == ["apples", "pears", "plums", "north", "south", "west"]'
  expect_json '(.outputs.relations | length) == 7 and (.outputs.relations | any(. == {from: "plums", to: "west", relationType: "is sold in"}))'
done
run call memory/open_nodes 'names:=["apples"]' --json
expect_json '.structuredContent.entities[0].observations == ["470 units sold"]'

it "archive-file moves a file into a folder that it makes, with the day before its name"
touch -d 2026-03-29T12:00:00Z README.md
run run "$plans/archive-file.yml" --var file=README.md
expect_status 0
expect_out archive/2026-03-29-README.md
cmp -s archive/2026-03-29-README.md "$SOURCE_DIR/examples/workspace/README.md" || fail "it is another file"
if [ -e README.md ]; then fail "it was not moved"; else ok; fi

it "secret-token gives the server a token and shows it nowhere"
export API_TOKEN=planted-token
run run "$plans/secret-token.yml" -v
expect_status 0
expect_out 'said: Echo: ?redacted?
temperature: *'
if grep -q "$API_TOKEN" "$scratch/out" "$scratch/err"; then fail "it was shown"; else ok; fi
unset API_TOKEN
printf 'planted-token\n' >token.txt
run run "$plans/secret-token.yml" --var token@token.txt
expect_status 0
run run "$plans/secret-token.yml"
expect_status 2
expect_err '*API_TOKEN*'
finish
