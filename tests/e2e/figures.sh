# draw_graph FILE.json [FLAG …]: the figure of a graph, as a scripted model answers it, into
# runs/NAME of the file. The text has every label, so that nothing is invented.
draw_graph() {
  local graph=$1 name
  name=$(basename "$1" .json)
  shift
  {
    cat <<'JSON'
{"purpose":"figure_planner","times":0,"reply":{"initial_description":"As the text says.","assumption_block":"Nothing else is meant."}}
{"purpose":"figure_stylist","times":0,"reply":{"optimized_description":"As the text says.","style_actions":[]}}
{"purpose":"figure_critic","times":0,"reply":{"critic_suggestions":"","revised_description":"As the text says.","stop_flag":true,"quality_gate":{"faithfulness_ok":true,"readability_ok":true}}}
JSON
    jq -c '{purpose: "figure_graph", times: 0, reply: tojson}' "$graph"
  } >"$name.jsonl"
  jq -r '.. | strings' "$graph" >"$name.txt"
  run figure -q -m "script:$name.jsonl" --refs dns_resolution --max-rounds 1 \
    --context "$name.txt" --caption "What $name shows" --out runs --name "$name" "$@"
}
