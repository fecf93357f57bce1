# The figures of the examples against those that were looked at (docs/figures, renewed by
# ./dev figures): what they say and connect is the same, how large they are nearly so, since fonts
# differ between machines.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v dot >/dev/null || skip "no Graphviz here"
command -v fc-match >/dev/null && case "$(fc-match 'DejaVu Sans' family)" in
*DejaVu*) ;; *) skip "no DejaVu Sans here, which is what the figures are measured in" ;; esac
references=$SOURCE_DIR/docs/figures
tolerance=10 # per cent, of either side

# Names of nodes, edges and groups with every line of text, in no order; places and sizes left out.
says() { grep -oE '<title>[^<]*</title>|<text [^>]*>[^<]*</text>' "$1" | sed 's/<[^>]*>//g; s/&#45;/-/g' | sort; }
svg_points() { grep -oE '<svg width="[0-9]+pt" height="[0-9]+pt"' "$1" | grep -oE '[0-9]+' | xargs; }
png_pixels() { od -An -tu1 -j16 -N8 "$1" | awk '{print $3 * 256 + $4, $7 * 256 + $8}'; }
near() { # a side, its reference, how far it may be off
  local off=$(($1 > $2 ? $1 - $2 : $2 - $1))
  if [ "$off" -le "$3" ]; then ok; else fail "a side is $1, of the reference $2"; fi
}

compare() { # name
  local made=runs/$1 kept=$references/$1.svg width height kept_width kept_height across down
  it "$1 says and connects what its reference does"
  expect_same "$(says "$made/figure.svg")" "$(says "$kept")"
  it "$1 has no text that is clipped, no boxes that overlap, nothing that a rule finds"
  expect_same "$(jq -c '[.rounds[].findings[]?]' "$made/05_round_log.json")" "[]"
  read -r width height <<<"$(svg_points "$made/figure.svg")"
  read -r kept_width kept_height <<<"$(svg_points "$kept")"
  read -r across down <<<"$(png_pixels "$made/figure.png")"
  it "$1 is about as large as its reference"
  near "$width" "$kept_width" $((kept_width * tolerance / 100))
  near "$height" "$kept_height" $((kept_height * tolerance / 100))
  it "$1 is a PNG of 144 dots per inch"
  near "$across" $((width * 2)) 3
  near "$down" $((height * 2)) 3
}

while IFS='|' read -r name caption; do
  it "draws $name in a style whose contrasts hold"
  run figure -q -m none --context "$SOURCE_DIR/examples/figures/$name.txt" --caption "$caption" \
    --out runs --name "$name"
  expect_status 0
  expect_same "$(jq -r '.aesthetics.evidence | test("contrasts were checked")' "runs/$name/scorecard.json")" true
  compare "$name"
done <"$SOURCE_DIR/examples/figures/captions.txt"
finish
