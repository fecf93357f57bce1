# The sessions of README and docs that need servers from npm, with the whole page around them.
# tests/e2e/test_documented_sessions.sh plays the others.
. "$SOURCE_DIR/tests/interop/npm.sh"
. "$SOURCE_DIR/tests/e2e/sessions.sh"
mkdir "$scratch/programs"
cat >"$scratch/programs/npx" <<TXT
#!/bin/sh
# The server that ./dev ci installed, instead of a download.
name=\${2#@modelcontextprotocol/}; shift 2
exec "$node" "$npm/node_modules/@modelcontextprotocol/\$name/dist/index.js" "\$@"
TXT
chmod +x "$scratch/programs/npx"
cd "$SOURCE_DIR" || exit 1
pages=$(grep -l '^```console node' README.md docs/*.md)
[ -z "${MISTRO_WRITE_PAGES:-}" ] || pages=$(grep -l '^```console' README.md docs/*.md)
for page in $pages; do play_page "$page" "$scratch/programs:"; done
finish
