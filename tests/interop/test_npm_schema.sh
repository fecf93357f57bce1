# The schema of plans as another validator reads it, and the outputs of plans beside their schemas
# (plan_schema.mjs says what must hold).
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO SOURCE_DIR
cat >shop.json <<JSON
{"mcpServers":{"shop":{"command":"$MISTRO","args":["serve","mock","--fixture","$SOURCE_DIR/tests/data/plans/tools.yml"]}}}
JSON
cat >totals.yml <<'YML'
version: 2
steps:
  - {id: find, tool: shop/find_items, args: {query: plum}}
  - {id: sum, tool: shop/add_up, args: {numbers: "{find.items[*].price}"}}
outputs:
  total: {value: "{sum.sum}", schema: {type: number, exclusiveMinimum: 5, multipleOf: 0.5}}
  names:
    value: "{find.items[*].name}"
    schema: {type: array, prefixItems: [{pattern: "^plum one$"}], items: {type: string}, minItems: 2, uniqueItems: true}
  first:
    value: {item: "{find.items[0]}", tags: "{find.items[0].tags[:1]}"}
    schema: {type: object, properties: {item: {required: [id, price]}, tags: {const: [new]}}, required: [item, tags]}
YML

it "everything in plan_schema.mjs holds"
"$node" --test --test-reporter=spec "$scripts/plan_schema.mjs" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 0 ] || cat "$scratch/out" "$scratch/err"
expect_status 0
finish
