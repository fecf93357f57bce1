# The plans of the corpus that run, each with the first call of each of its tools broken: its server
# dies, answers with an error of the protocol, or the tool fails. The plan ends as such a plan may, and
# resumed over a sound server it gives what it gives undisturbed. One kind of fault for each tool, all
# three with MISTRO_KILLS of 100 or more.
. "$SOURCE_DIR/tests/e2e/lib.sh"
plans=$SOURCE_DIR/tests/data/plans
mock_config "$PWD/now.yml" | jq '.mcpServers = {shop: .mcpServers.dev}' >shop.json
kinds=('fault: exit' 'error: {code: -32000, message: broken}' 'error: broken')
each_kind=0
[ "${MISTRO_KILLS:-0}" -lt 100 ] || each_kind=1

with_fault() { # tool, what its first reply is
  awk -v tool="$1" -v fault="$2" '
    /^  - name: / { is_it = $3 == tool }
    { print }
    is_it && /^    replies:/ { print "      - times: 1"; print "        " fault; is_it = 0 }' "$plans/tools.yml"
}

broken=0 resumed=0
break_it() { # plan, expected, tool, fault
  rm -rf "$XDG_STATE_HOME" "$XDG_DATA_HOME"
  with_fault "$3" "$4" >now.yml
  run run "$1" --mcp-config shop.json --yes
  broken=$((broken + 1))
  case $status in
    0) ok; return ;; # the plan goes on after such a failure, or the call was repeated
    1 | 3) ok ;;
    *) fail "$1 with $4 in $3"; return ;;
  esac
  cp "$plans/tools.yml" now.yml
  run runs list -n 1 --json
  run runs resume "$(jq -r '.runs[0].id' "$scratch/out")" --uncertain repeat --failed --mcp-config shop.json --yes
  if [ "$status" = 0 ] && cmp -s "$scratch/out" "$2"; then
    resumed=$((resumed + 1))
    ok
  else
    fail "$1, resumed after $4 in $3, should print: $(cat "$2")"
  fi
}

it "ends as it may when a call breaks, and gives what it should once it does not"
n=0
for expected in "$plans"/valid/*.out; do
  file=${expected%.out}.yml
  [ -e "$file" ] || file=${expected%.out}.json
  for tool in $(grep -oE 'shop/[a-z_]+' "$file" | sed 's#shop/##' | sort -u); do
    n=$((n + 1))
    if [ $each_kind = 1 ]; then
      for kind in "${kinds[@]}"; do break_it "$file" "$expected" "$tool" "$kind"; done
    else
      break_it "$file" "$expected" "$tool" "${kinds[$((n % 3))]}"
    fi
  done
done
echo "$broken runs were broken, $resumed resumed"
if [ "$resumed" -ge 40 ]; then ok; else fail "only $resumed were resumed"; fi
finish
