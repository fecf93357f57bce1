# The manual pages that are installed: one for mistro, one for each command, three about formats. They are
# made of `mistro help` and of docs/, so they have every flag that help prints and no other; mandoc finds
# nothing to say against them and renders each. The words that completions offer have every flag as well.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v mandoc >/dev/null || skip "mandoc is not installed"
share=$scratch/share man=$scratch/share/man
sh "$SOURCE_DIR/cmake/share/build.sh" "$MISTRO" "$SOURCE_DIR" "$share" 2>"$scratch/err" || fail "build.sh failed"
commands=$("$MISTRO" help | sed -n '/^flags/q; s/^  \([a-z][a-z]*\)  *.*/\1/p')

it "there is a page for each command and each format"
expected=$({ echo mistro.1; printf 'mistro-%s.1\n' $commands; printf 'mistro-%s.5\n' config events plan; } | sort)
expect_same "$(find "$man" -type f -printf '%f\n' | sort)" "$expected"
if [ "$(wc -w <<<"$commands")" -ge 25 ]; then ok; else fail "only these commands were found: $commands"; fi

for page in "$man"/man?/*; do
  it "mandoc has nothing to say against ${page##*/}"
  expect_same "$(mandoc -Tlint -W warning "$page" 2>&1)" ""
  it "${page##*/} is rendered, with nothing of its source left over"
  mandoc -Tutf8 -O width=200 "$page" >"$scratch/rendered" 2>"$scratch/err"; status=$?
  expect_status 0
  if [ "$(wc -l <"$scratch/rendered")" -gt 15 ]; then ok; else fail "it is short"; fi
  expect_same "$(col -b <"$scratch/rendered" | grep -nE '^ *\.[A-Z][a-z] |\\[&(f]|\\-')" ""
done

# "-m, --model NAME" of each line of help that begins with a flag, and of each item under OPTIONS
flags_of_help() { "$MISTRO" help "$@" | sed -nE '/^ +-[-A-Za-z]/{s/^ +//; s/  .*//; p}' | sort; }
flags_of_page() {
  mandoc -Tutf8 -O width=300 "$man/man1/$1.1" | col -b -x |
    sed -nE '/^OPTIONS/,/^[A-NP-Z]/{/^     -[-A-Za-z]/{s/^ +//; s/  .*//; p}}' | sort
}
it "mistro(1) has the flags of all commands, which mistro help help tells"
expect_same "$(flags_of_page mistro)" "$(flags_of_help help)"
if [ "$(flags_of_help help | wc -l)" -gt 15 ]; then ok; else fail "few flags were found"; fi
for command in $commands; do
  it "mistro-$command(1) has the flags of mistro help $command"
  expect_same "$(flags_of_page "mistro-$command")" "$(flags_of_help "$command")"
done

it "what is installed for a shell asks mistro for words"
for file in bash-completion/completions/mistro zsh/vendor-completions/_mistro fish/vendor_completions.d/mistro.fish; do
  if grep -q 'mistro completion words -- ' "$share/$file"; then ok; else fail "$file does not"; fi
done
for command in $commands; do
  it "which are every flag of mistro help $command"
  "$MISTRO" completion words -- "$command" -- </dev/null | cut -f1 | sort >"$scratch/words"
  expect_same "$(flags_of_help "$command" | grep -oE -- '--[a-z-]+' | sort | comm -23 - "$scratch/words")" ""
done

it "the same text gives the same bytes"
sh "$SOURCE_DIR/cmake/share/build.sh" "$MISTRO" "$SOURCE_DIR" "$scratch/again"
expect_same "$(diff -r "$share" "$scratch/again")" ""
finish
