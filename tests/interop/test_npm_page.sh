# The page of a figure in a real browser (Debian's chromium): axe-core has nothing against it, at 360 and at
# 1,440 pixels, light and dark; no word is broken, and the figure comes first.
. "$SOURCE_DIR/tests/interop/npm.sh"
chromium=$(command -v chromium) || skip "no chromium"
command -v dot >/dev/null || skip "no Graphviz here"

cat >text <<'TXT'
The encoder takes the input embedding. Attention passes its output to a residual layer, which adds and
normalizes. The feed forward network passes its output to a residual layer. The decoder gives probabilities.
TXT
nodes='{\"id\":\"i\",\"label\":\"Input embedding\"},{\"id\":\"a\",\"label\":\"Attention\"},{\"id\":\"f\",\"label\":\"Feed forward network\"},{\"id\":\"p\",\"label\":\"Probabilities\"},{\"id\":\"b\",\"label\":\"Blockchain\"}'
for n in 1 2 3 4 5; do nodes="$nodes,{\\\"id\\\":\\\"n$n\\\",\\\"label\\\":\\\"Add & Norm\\\"}"; done
edges='{\"from\":\"i\",\"to\":\"a\"},{\"from\":\"a\",\"to\":\"n1\"},{\"from\":\"n1\",\"to\":\"f\"},{\"from\":\"f\",\"to\":\"n2\"},{\"from\":\"n2\",\"to\":\"n3\"},{\"from\":\"n3\",\"to\":\"n4\"},{\"from\":\"n4\",\"to\":\"n5\"},{\"from\":\"n5\",\"to\":\"p\"}'
plan='\"Input embedding\" goes to \"Attention\", \"Add & Norm\", \"Feed forward network\" and \"Probabilities\".'
cat >model.jsonl <<END
{"purpose":"figure_planner","reply":"{\"initial_description\":\"${plan//\\\"/\\\\\\\"}\",\"assumption_block\":\"\"}"}
{"purpose":"figure_stylist","reply":"{\"optimized_description\":\"${plan//\\\"/\\\\\\\"}\",\"style_actions\":[\"short labels\"]}"}
{"purpose":"figure_graph","times":0,"reply":"{\"kind\":\"flow\",\"nodes\":[$nodes],\"edges\":[$edges]}"}
{"purpose":"figure_critic","times":0,"reply":"{\"critic_suggestions\":\"Leave out the part that the text does not speak of, and connect everything else as the text says.\",\"revised_description\":\"${plan//\\\"/\\\\\\\"} Nothing else.\",\"stop_flag\":false,\"quality_gate\":{\"faithfulness_ok\":false,\"readability_ok\":true}}"}
END
printf 'city,rain\nOslo,71\nRome,52.5\n' >rain.csv

it "makes pages of a figure with rounds and findings, of one by rules, of a plot and of none"
run figure -q -m script:model.jsonl --refs dns_resolution --max-rounds 2 --context text --caption "Overview" --out runs --name rounds
expect_status 1
run figure -q -m none --context "$SOURCE_DIR/examples/figures/tcp_connection.txt" --caption "A TCP connection" --out runs --name rules
expect_status 0
run figure -q -m none --mode plot_code --data rain.csv --context text --caption "Rain by city" --out runs --name plot
expect_status 0
PATH=/nonexistent run figure -q -m none --context "$SOURCE_DIR/examples/figures/tcp_connection.txt" --caption "Not drawn" --out runs --name words
expect_status 1

it "reads well on a telephone and on a desk, light and dark"
"$node" "$scripts/look_at_pages.mjs" "$chromium" runs/*/index.html >"$scratch/out" 2>"$scratch/err"; status=$?
expect_status 0
expect_out '0 faults*'
finish
