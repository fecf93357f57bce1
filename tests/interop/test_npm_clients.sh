# The npm SDK clients 1.x and 2.x against what mistro serves on stdio: sdk_clients.mjs says what must hold.
. "$SOURCE_DIR/tests/interop/npm.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
export MISTRO WORKSPACE="$PWD" FIXTURE="$SOURCE_DIR/tests/interop/clients_fixture.yml"

it "everything in sdk_clients.mjs holds"
"$node" --test --test-reporter=spec "$scripts/sdk_clients.mjs" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 0 ] || cat "$scratch/out" "$scratch/err"
expect_status 0
finish
