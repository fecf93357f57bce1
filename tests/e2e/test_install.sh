# What `cmake --install` brings, all of it and nothing else, and that it works where it was put.
. "$SOURCE_DIR/tests/e2e/lib.sh"
: "${BUILD_DIR:?}"
prefix=$scratch/prefix
cmake --install "$BUILD_DIR" --prefix "$prefix" >"$scratch/out" 2>"$scratch/err"; status=$?

it "it is installed"
expect_status 0

it "every file has its place"
commands=$("$MISTRO" help | sed -n '/^flags/q; s/^  \([a-z][a-z]*\)  *.*/\1/p')
{
  cat <<'FILES'
bin/mistro
share/systemd/user/mistro-plan@.service
share/systemd/user/mistro-plan@.timer
share/systemd/user/mistro-resume.service
share/bash-completion/completions/mistro
share/fish/vendor_completions.d/mistro.fish
share/zsh/vendor-completions/_mistro
share/mistro/schemas/plan.json
share/doc/mistro/README.md
share/man/man1/mistro.1
share/man/man5/mistro-config.5
share/man/man5/mistro-events.5
share/man/man5/mistro-plan.5
FILES
  printf 'share/man/man1/mistro-%s.1\n' $commands
  (cd "$SOURCE_DIR" && find docs examples -type f) |
    grep -vE '^docs/(DEVELOPMENT|tour|manual-tests)\.md|^docs/pictures/.*[^g]$|^examples/systemd/[^/]*$' | sed 's|^|share/doc/mistro/|'
} | sort >"$scratch/expected"
expect_same "$(find "$prefix" -type f -printf '%P\n' | sort | diff "$scratch/expected" -)" ""

it "the schema is the one that mistro prints"
run_installed() { "$prefix/bin/mistro" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; status=$?; }
run_installed schema plan
expect_same "$(jq -S . "$scratch/out")" "$(jq -S . "$prefix/share/mistro/schemas/plan.json")"

it "an example runs from there"
cd "$prefix/share/doc/mistro/examples/workspace" || exit 1
run_installed run ../open-tasks.yml
expect_status 0

it "the unit of a plan runs it"
mkdir -p "$XDG_CONFIG_HOME/mistro/plans"
cp ../open-tasks.yml "$XDG_CONFIG_HOME/mistro/plans/tasks.yml"
read -ra words <<<"$(sed -n 's/^ExecStart=mistro //p' "$prefix/share/systemd/user/mistro-plan@.service" |
  sed "s|%E|$XDG_CONFIG_HOME|; s|%i|tasks|; s|\$FLAGS|--var word=TODO|")"
run_installed "${words[@]}"
expect_status 0
expect_err '*✓ find *'

it "the package has the version of the program"
run_installed --version
expect_same "$(grep -oE '[0-9]+(\.[0-9]+)+' "$scratch/out" | head -n 1)" \
  "$(sed -n '1s/^mistro (\(.*\)) .*/\1/p' "$SOURCE_DIR/debian/changelog")"
finish
