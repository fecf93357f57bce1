#!/bin/sh
# Tools chained by a script, no model: each call prints a value, jq picks from it, the next uses it.
#   examples/chain.sh [MISTRO]
set -eu
mistro=${1:-mistro}
cd "$(dirname "$0")/workspace"

best=$("$mistro" call files/query_table path=sales.csv --json \
  sql='SELECT region, round(sum(units * price), 2) AS revenue FROM t GROUP BY region ORDER BY revenue DESC' |
  jq -r '.structuredContent.rows[0] | "\(.[0]) \(.[1])"')
echo "best region: $best"

"$mistro" call files/search_files query=TODO name='*.md' --json |
  jq -r '.structuredContent.matches[].path' | sort -u |
  while read -r path; do
    "$mistro" call files/text_stats path="$path" --json |
      jq -r --arg path "$path" '"\($path): \(.structuredContent.lines) lines"'
  done
