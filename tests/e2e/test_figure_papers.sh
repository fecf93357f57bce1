# Figures of 24 texts after papers and standards (tests/data/figure/papers), which were written
# without sight of the program: as a model reads them, for three widths, and by rules alone. The
# counts are what was measured; they may only get better. MISTRO_LONG=1 draws them in four styles.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/figures.sh"
command -v dot >/dev/null || skip "no Graphviz here"
papers=$SOURCE_DIR/tests/data/figure/papers
struck='text_outside|text_clipped|text_overlaps|text_struck|nodes_overlap|edge_through_node'

try_paper() { # FILE STYLE WIDTH, and the page's width and height in inches
  local name letter aspect found
  name=$(basename "$1" .json)
  draw_graph "$1" --style "$2" --width "$3"
  [ -f "runs/$name/figure.svg" ] || { fail "$name, $2, $3: not drawn"; return; }
  read -r letter aspect <<<"$(measure "runs/$name/figure.svg" "$4" "$5")"
  found=$(jq -r --arg rules "^($struck)$" \
    '.rounds[].findings[]? | select(.rule | test($rules)) | .message' "runs/$name/05_round_log.json")
  if awk "BEGIN { exit !($letter < 5.95) }"; then n_small=$((n_small + 1)); else letter=""; fi
  if awk "BEGIN { exit !($aspect > 2.02) }"; then n_long=$((n_long + 1)); else aspect=""; fi
  [ -z "$found" ] || n_struck=$((n_struck + 1))
  [ -z "$letter$aspect$found" ] || echo "$name, $2, $3: $letter ${aspect:+1:$aspect} $found"
}

# How many pictures have letters below 6 points, text that is cut or has something on it, and are
# more than about twice as long as they are short.
at_most() { # SMALL STRUCK LONG WIDTH, and the page's width and height in inches
  local n_small=0 n_struck=0 n_long=0
  for style in $styles; do
    for graph in "$papers"/*.graph.json; do try_paper "$graph" "$style" "${@:4}"; done
  done
  echo "$4: $n_small small, $n_struck struck, $n_long long"
  if [ $n_small -le "$1" ] && [ $n_struck -le "$2" ] && [ $n_long -le "$3" ]; then ok; else
    fail "$4: expected at most $1 small, $2 struck, $3 long"
  fi
}

styles=print
[ "${MISTRO_LONG:-}" != 1 ] || styles="print plain slides dark"
it "a graph of a paper can be read on a page, a slide and in a column"
if [ "$styles" = print ]; then
  at_most 0 0 0 7 7 0
  at_most 0 0 1 slides 13 7.5
  at_most 2 1 3 column 3.5 0
else
  at_most 0 0 1 7 7 0
  at_most 0 0 6 slides 13 7.5
  at_most 9 3 10 column 3.5 0
fi

# The arrows of a graph of which neither end, or not both, stand in an arrow that is right. A label
# that was cut stands for the whole of its line.
wrong_arrows() { # NAME
  jq -rn --rawfile text "$papers/$1.txt" --slurpfile truth "$papers/$1.truth.json" \
    --slurpfile graph "runs/$1/figure.graph.json" '
    def plain: ascii_downcase | gsub("\\s+"; " ");
    ($text | split("\n") | map(plain)) as $lines |
    def whole: plain as $name | if endswith("…") then
      ($lines[] | select(contains($name[:-1]))) // $name else $name end;
    ($graph[0].nodes | map({ (.id): .label | whole }) | add) as $names |
    $graph[0].edges[] | $names[.from] as $from | $names[.to] as $to |
    select(any($truth[0].arrows[]; . as [$a, $b] |
      ($from | contains($a | plain)) and ($to | contains($b | plain))) | not) |
    "\($from) -> \($to)"'
}

it "rules alone draw what is right, or nothing"
n_drawn=0
for file in "$papers"/*.txt; do
  name=$(basename "$file" .txt)
  run figure -q -m none --refs dns_resolution --context "$file" \
    --caption "$(cat "$papers/$name.caption")" --out runs --name "$name"
  if [ "$status" = 1 ]; then expect_err '*the text is not drawn*'; continue; fi
  expect_status 0
  expect_same "$name: $(wrong_arrows "$name")" "$name: "
  n_drawn=$((n_drawn + 1))
done
[ $n_drawn -ge 3 ] && ok || fail "only $n_drawn are drawn"
finish
