# The first try of docs/workers.md, as it is there, but for installing and making the database.
. "$SOURCE_DIR/tests/e2e/lib.sh"
mkdir "$scratch/bin"
ln -s "$MISTRO" "$scratch/bin/mistro"
export PATH="$scratch/bin:$PATH" MISTRO_MODEL=none
cp -r "$SOURCE_DIR/examples" .
cd examples/workspace || exit 1

blocks=$(sed -n '/^## A first try/,/^## /p' "$SOURCE_DIR/docs/workers.md" | sed -n '/^```sh/,/^```$/{/^```/!p}')
it "does what the page says"
{
  echo 'trap "kill \$worker; wait \$worker" EXIT'
  grep -v '^sudo ' <<<"$blocks" |
    sed '/^export/s/$/\nMISTRO_POSTGRES=$MISTRO_TEST_POSTGRES\nmistro worker \& worker=$!/'
} >try.sh
timeout 60 bash try.sh >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?
expect_status 0
expect_out '*notes/harvest.md*47*'
expect_err '*completed after*'
finish
