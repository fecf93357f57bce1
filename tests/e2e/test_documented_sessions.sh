# The sessions that README and docs show (```console) print in a terminal what is shown there.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/sessions.sh"
cd "$SOURCE_DIR" || exit 1
for page in $(grep -l '^```console' README.md docs/*.md); do play_page "$page"; done
finish
