# What end-to-end tests share: a scratch home of their own, one run of the binary at a time with its
# output kept, and assertions that say what they expected.
#   it "says what it does"; run ask …; expect_status 0; expect_out 'glob'
set -u
MISTRO=${MISTRO:?path of the binary}
SOURCE_DIR=${SOURCE_DIR:?}
scratch=$(mktemp -d)
# A keeper must not outlive its folder, in which nobody could reach it any more.
end_keeper() {
  [ ! -S "$XDG_STATE_HOME/mistro/keeper/keeper.socket" ] || "$MISTRO" servers keep --stop 2>/dev/null
}
leave() { end_keeper; rm -rf "$scratch"; }
trap leave EXIT
export HOME="$scratch/home" XDG_DATA_HOME="$scratch/data" XDG_CONFIG_HOME="$scratch/config"
export LSAN_OPTIONS="suppressions=$SOURCE_DIR/tests/lsan.supp:print_suppressions=0"
export XDG_STATE_HOME="$scratch/state"
unset OLLAMA_HOST OPENAI_BASE_URL OPENAI_API_KEY MISTRO_CONFIG MISTRO_MODEL MISTRO_POSTGRES NO_COLOR
# No test finds the keyring of whoever runs it.
unset DBUS_SESSION_BUS_ADDRESS
export XDG_RUNTIME_DIR="$scratch/runtime"
mkdir -p "$HOME" "$scratch/work"
mkdir -m 700 "$XDG_RUNTIME_DIR"
cd "$scratch/work" || exit 1
passed=0 failed=0 current=""

skip() { echo "skipped: $*"; exit 77; }
it() { current=$1; }
# AddressSanitizer greets the first change of stacks with a line that no option switches off; the
# stacks are announced to it, and the line is not what a test is about.
errors() { sed '/ASan doesn.t fully support makecontext/d' "$scratch/err"; }
run() { "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?; }
run_with_input() { local input=$1; shift; printf '%s' "$input" | "$MISTRO" "$@" >"$scratch/out" 2>"$scratch/err"; status=$?; }

ok() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  printf 'FAILED: %s\n  %s\n' "$current" "$*"
  printf '  status %s\n  stdout: %s\n  stderr: %s\n' "${status:-?}" \
    "$(head -c 600 "$scratch/out" 2>/dev/null)" "$(head -c 600 "$scratch/err" 2>/dev/null)"
}
expect_status() { if [ "$status" = "$1" ]; then ok; else fail "expected status $1"; fi; }
matches() { # text, glob
  # shellcheck disable=SC2254
  case "$1" in $2) return 0 ;; *) return 1 ;; esac
}
expect_out() { if matches "$(cat "$scratch/out")" "$1"; then ok; else fail "stdout should match: $1"; fi; }
expect_err() { if matches "$(errors)" "$1"; then ok; else fail "stderr should match: $1"; fi; }
expect_no_out() { if [ ! -s "$scratch/out" ]; then ok; else fail "stdout should be empty"; fi; }
expect_json() { # jq filter that must be true
  if [ -s "$scratch/out" ] && jq -e "$1" "$scratch/out" >/dev/null 2>&1; then ok; else fail "stdout should satisfy: $1"; fi
}
expect_same() { if [ "$1" = "$2" ]; then ok; else fail "expected '$2', got '$1'"; fi; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; }

mock_config() { # fixture file -> mcp.json with one server named dev
  cat <<JSON
{"mcpServers":{"dev":{"command":"$MISTRO","args":["serve","mock","--fixture","$1"]}}}
JSON
}
