# The pictures of terminals in docs/pictures show what their commands print today. ./dev pictures draws
# them anew.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/sessions.sh"
home=$scratch
words() { sed -n 's/<\/text>/ /g; /<text /{s/<[^>]*>//g; s/ *$//; p}' "$1"; }

for file in "$SOURCE_DIR"/docs/pictures/*.txt; do
  picture=${file%.txt}.svg
  it "$(basename "$picture") shows what its commands print"
  "$SOURCE_DIR/docs/pictures/draw" "docs/pictures/$(basename "$file")" >"$scratch/new.svg" 2>"$scratch/err" ||
    fail "it could not be drawn"
  words "$picture" >"$scratch/shown"
  words "$scratch/new.svg" >"$scratch/out"
  if same_lines "$scratch/shown" "$scratch/out" >"$scratch/diff"; then ok
  else fail "the picture shows <, this is >"; cat "$scratch/diff"; fi
done
finish
