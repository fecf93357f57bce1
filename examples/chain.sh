#!/bin/sh
# Tools chained by a script, no model: each call prints a value, jq picks from it, the next uses it.
#   cd examples/workspace && ../chain.sh [MISTRO]
set -eu
mistro=${1:-mistro}

best=$("$mistro" call files/query_table path=sales.csv --json \
  sql='SELECT region, round(sum(units * price), 2) AS revenue FROM t GROUP BY region ORDER BY revenue DESC' |
  jq -r '.structuredContent.rows[0] | "\(.region) \(.revenue)"')
echo "best region: $best"

"$mistro" call files/search_files query=TODO name='*.md' --json |
  jq -r '.structuredContent.matches[].path' | sort -u |
  while read -r path; do
    "$mistro" call files/text_stats path="$path" --json |
      jq -r --arg path "$path" '"\($path): \(.structuredContent.lines) lines"'
  done
