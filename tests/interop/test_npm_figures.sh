# The exports of figures in the programs that they are for: as many nodes and edges as the graph has, and
# every label, whatever stands in it.
. "$SOURCE_DIR/tests/interop/npm.sh"
command -v dot >/dev/null || skip "no Graphviz here"
chromium=$(command -v chromium || command -v google-chrome) || skip "no Chromium here"
. "$SOURCE_DIR/tests/e2e/figures.sh"
mkdir exports
keep() { # NAME: the exports of runs/NAME, and what they are to have
  for suffix in mmd drawio graph.json; do cp "runs/$1/figure.$suffix" "exports/$1.$suffix"; done
  for suffix in drawio mmd; do
    jq -r --arg name "$1.$suffix" '"\($name) \(.nodes | length) \(.edges | length)"' "runs/$1/figure.graph.json"
  done >>expected
}

it "Mermaid and maxGraph read what figures of every kind are exported as"
while IFS='|' read -r name caption; do
  run figure -q -m none --context "$SOURCE_DIR/examples/figures/$name.txt" --caption "$caption" --out runs --name "$name"
  keep "$name"
done <"$SOURCE_DIR/examples/figures/captions.txt"
for graph in "$SOURCE_DIR"/tests/data/figures/*.json; do
  draw_graph "$graph"
  keep "$(basename "$graph" .json)"
done
timeout 300 "$node" "$scripts/figure_exports.mjs" exports "$chromium" >found
expect_same "$(sort found)" "$(sort expected)"
finish
