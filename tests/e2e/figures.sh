# The size of the smallest letter, as printed so wide and at most so high, and the longer side of the
# picture, of the shorter one.
measure() { # SVG WIDTH HEIGHT (inches; 0: as high as it gets)
  { grep -oE '<svg width="[0-9]+pt" height="[0-9]+' "$1" | grep -oE '[0-9]+' | xargs
    grep -oE 'font-size="[0-9.]+"' "$1" | grep -oE '[0-9.]+' | sort -n | head -n 1; } | xargs |
    awk -v width="$2" -v height="$3" '{
      scale = width * 72 / $1
      if (height > 0 && height * 72 / $2 < scale) scale = height * 72 / $2
      if (scale > 1) scale = 1
      printf "%.2f %.2f\n", $3 * scale, ($1 > $2 ? $1 / $2 : $2 / $1)
    }'
}

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
