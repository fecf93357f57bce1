# Figures for pages of several widths: what does not fit as it was asked for is laid out anew.
. "$SOURCE_DIR/tests/e2e/lib.sh"
. "$SOURCE_DIR/tests/e2e/figures.sh"
command -v dot >/dev/null || skip "no Graphviz here"
graphs=$SOURCE_DIR/tests/data/figures

readable() { # NAME WIDTH HEIGHT MOST: of the longer side
  local letter aspect
  read -r letter aspect <<<"$(measure "runs/$1/figure.svg" "$2" "$3")"
  awk -v l="$letter" -v a="$aspect" -v most="$4" 'BEGIN { exit !(l >= 5.95 && a <= most) }' && ok ||
    fail "$1: letters of $letter points, $aspect times as long as short"
  expect_same "$(jq -c '[.rounds[].findings[]? | select(.about == "readability") | .message]' \
    "runs/$1/05_round_log.json")" '[]'
}

it "a chain becomes rows on a page, a slide and in a column"
for style in plain slides; do
  draw_graph "$graphs/long_chain.json" --style $style --width 7
  readable long_chain 7 0 2
  draw_graph "$graphs/long_chain.json" --style $style --width slides
  readable long_chain 13 7.5 2
  draw_graph "$graphs/long_chain.json" --style $style --width column
  readable long_chain 3.5 0 3
done

it "a graph of nested groups and one of skipped steps can be read on any of them"
for name in nested_groups residual; do
  for style in print slides; do
    draw_graph "$graphs/$name.json" --style $style
    [ $style = slides ] && readable $name 13 7.5 2.5 || readable $name 7 0 2.5
    draw_graph "$graphs/$name.json" --style $style --width column
    readable $name 3.5 0 3.5
  done
done

it "says the same bytes whenever it is asked"
draw_graph "$graphs/nested_groups.json"
cp runs/nested_groups/figure.svg first.svg
draw_graph "$graphs/nested_groups.json"
expect_same "$(cat runs/nested_groups/figure.svg)" "$(cat first.svg)"

it "refuses a width that is none"
for width in 0 101 wide -7 nan; do
  run figure -q -m none --width=$width --context "$graphs/residual.json" --caption x
  expect_status 2
  expect_err '*width*inches*slides*column*'
done
finish
