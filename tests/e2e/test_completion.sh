# Tab in bash, zsh and fish offers the flags that help names, and names from what is remembered:
# nothing is started.
. "$SOURCE_DIR/tests/e2e/lib.sh"
export PATH="$(dirname "$MISTRO"):$PATH" LC_ALL=C.UTF-8
all_commands=$("$MISTRO" help | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p')
has_shell() { # in CI all of them are there
  command -v "$1" >"$scratch/where" || { [ -z "${CI:-}" ] || fail "$1 is not installed"; return 1; }
}

it "offers nothing for what no shell asks"
run completion words
expect_status 2
run completion tcsh
expect_status 2

# Candidates, one a line, for the words behind "mistro"; what is typed last is the last word.
words() { "$MISTRO" completion words -- "$@" 2>"$scratch/err" </dev/null | cut -f1; }
cat >"$scratch/tab.bash" <<'SH'
eval "$(mistro completion bash)"
compopt() { :; }
COMP_LINE="mistro $*"
# As readline splits it: at blanks, and at runs of = : and @.
mapfile -t COMP_WORDS < <(grep -oE '[=:@]+|[^ =:@]+' <<<"$COMP_LINE")
[[ $COMP_LINE != *' ' ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
typed=${COMP_WORDS[-1]}
[[ ${COMP_WORDS[-2]} != @ ]] || typed=@$typed
_mistro mistro "$typed"
printf '%s\n' "${COMPREPLY[@]}"
SH
cat >"$scratch/tab.zsh" <<'SH'
compdef() { : }
_describe() { print -rl -- ${whole%%:*} ${begun%%:*} }
_files() { print -r -- "files $kept $*" }
compset() { kept=$2 }
eval "$(mistro completion zsh)"
words=(mistro "${(@s: :)1}") CURRENT=$#words PREFIX=$words[-1]
_mistro
SH
echo 'mistro completion fish | source; complete -C "mistro $argv[1]" | string replace -r "\t.*" ""' >"$scratch/tab.fish"
tab() { # shell, what is typed behind "mistro "
  case "$1" in
  bash) bash "$scratch/tab.bash" "$2" ;;
  zsh) zsh -f "$scratch/tab.zsh" "$2" ;;
  fish) fish --no-config "$scratch/tab.fish" "$2" ;;
  esac
}
flags_of() { "$MISTRO" help "$1" | sed -nE 's/^  (-., |    )--([a-z-]+).*/\1\n--\2/p' | grep -o -- '-[-a-zA-Z]*' | sort; }

for shell in bash zsh fish; do
  has_shell "$shell" || continue
  for command in $all_commands; do
    it "$shell: completes the flags that help $command lists, and no others"
    expect_same "$(tab "$shell" "$command -" | sort)" "$(flags_of "$command")"
  done
  it "$shell: completes commands, their words, and what flags may be"
  expect_same "$(tab "$shell" '' | sort | tr '\n' ' ')" "$(sort <<<"$all_commands" | tr '\n' ' ')"
  expect_same "$(tab "$shell" -)" "$(tab "$shell" 'help -')"
  expect_same "$(tab "$shell" '-m none -v --color never ca')" call
  expect_same "$(tab "$shell" 'runs re' | sort | tr '\n' ' ')" "replay resume "
  expect_same "$(tab "$shell" '--servers data --color a' | sort | tr '\n' ' ')" "always auto "
  expect_same "$(tab "$shell" 'runs export x --as tr')" transcript
  expect_same "$(tab "$shell" 'plans graph x --as s')" svg
  expect_same "$(tab "$shell" 'help doc')" doctor
  expect_same "$(tab "$shell" 'servers remove -- --j')" ""
done
it "completes a value that is attached to its flag"
expect_same "$(tab bash 'runs resume --uncertain=d')" "done"
expect_same "$(words runs resume --uncertain=d)" "--uncertain=done"
expect_same "$(words --servers files,d)" "files,data"
expect_same "$(words --servers=files,d)" "--servers=files,data"

it "asks the shell for a path where one is meant"
printf 'a' >notes.md && mkdir plans
for line in run '--config' 'call files/read_file path=' 'ask @' 'plans check a.yml' 'sessions import'; do
  last=${line##* }; [[ $line == *[=@] ]] || last=
  set -- ${line% *[=@]}
  expect_same "$(words "$@" "$last")" :files
done
expect_same "$(words serve --root '')" :folders
expect_same "$(words ask no)" ""
if has_shell fish; then
  expect_same "$(tab fish 'run no')" notes.md
  expect_same "$(tab fish 'call files/read_file path=no')" path=notes.md
  expect_same "$(tab fish 'serve --root p')" plans/
fi
has_shell zsh && expect_same "$(tab zsh 'ask @no')" "files 1 "
touch '$(id) x'
expect_same "$(tab bash 'ask @no')" @notes.md
expect_same "$(tab bash 'ask @$')" '@\$\(id\)\ x'

cat >dev.yml <<'YML'
tools:
  - name: sort
    description: "Sorts; and \e[2J more."
    inputSchema:
      type: object
      properties:
        text: {type: string, description: "what\n is sorted"}
        order: {type: string, enum: [up, down, "$(id)"]}
        "--config": {type: string}
        "$(id)": {type: string}
      additionalProperties: {type: string}
  - {name: "a;b"}
  - {name: "$(id)"}
YML
mock_config dev.yml >mcp.json
sed "s#\"$MISTRO\",#\"/bin/sh\",#; s#\\[\"serve\"#[\"-c\",\"echo started >>started; exec $MISTRO \\\\\"\$@\\\\\"\",\"sh\",\"serve\"#" mcp.json >counted.json

it "knows the tools of a server once it was listed, and starts none"
expect_same "$(words --mcp-config counted.json call d)" dev/
expect_same "$(words --mcp-config counted.json call dev/)" ""
run tools --mcp-config counted.json
expect_status 0
expect_same "$(cat started)" started
expect_same "$(words --mcp-config counted.json call dev/)" dev/sort
expect_same "$(words --mcp-config counted.json tool dev/s)" dev/sort
expect_same "$(words call --mcp-config counted.json dev/sort '' | tr '\n' ' ')" "order= text= "
expect_same "$(words call --mcp-config=counted.json dev/sort order=up te)" text=
expect_same "$(words --mcp-config counted.json servers login d)" dev
expect_same "$(words --mcp-config counted.json --servers d)" dev
expect_same "$(words --mcp-config counted.json prompt d)" dev/
expect_same "$(cat started)" started
for shell in bash zsh fish; do
  has_shell "$shell" || continue
  expect_same "$(tab "$shell" '--mcp-config counted.json call dev/s')" dev/sort
  expect_same "$(tab "$shell" 'call --mcp-config counted.json dev/sort o')" order=
done

it "offers runs with what they were about, sessions, role sets and built-in tools"
expect_same "$(words runs show la)" ""
run call files/list_directory
expect_same "$(words runs show la)" latest
id=$("$MISTRO" runs --json | jq -r '.runs[0].id')
run --no-builtin completion words -- --no-builtin runs show "${id:0:14}"
expect_out "$id"$'\t''files/list_directory*'
expect_same "$(words runs show "$id" '')" ""
run ask -m none --session new:orchard "list the files here"
expect_same "$(words ask --session o)" orchard
expect_same "$(words sessions show o)" orchard
expect_same "$(words consensus --roleset physicist_w)" physicist_writer
expect_same "$(words call files/read)" files/read_file
expect_same "$(words call files/read_file 'max')" max_bytes=

it "completes flags with settings that cannot be read, and names quietly not"
mkdir -p config && echo 'nonsense: [' >config/mistral_orchestrator.yml
expect_same "$(words runs --al)" --all
expect_same "$(words call files/)" ""
for shell in bash zsh fish; do
  has_shell "$shell" || continue
  expect_same "$(tab "$shell" 'call files/' 2>&1)" ""
done
run completion bash
expect_status 0
rm -r config

it "goes on into a folder behind @, and within quotes in fish"
mkdir -p orchards/north
expect_same "$(tab bash 'ask @orch')" @orchards/
if has_shell fish; then
  expect_same "$(tab fish 'ask "what is in @orch')" "what is in @orchards/"
  expect_same "$(tab fish 'call files/text_stats path=orch')" path=orchards/
fi

it "finds a file below ~, as the shell will"
mkdir home && cp counted.json home/
expect_same "$(HOME=$PWD/home words --mcp-config '~/counted.json' call d)" dev/

it "completes in a zsh that is used"
if has_shell zsh && command -v tmux >"$scratch/where"; then
  . "$SOURCE_DIR/tests/e2e/terminal.sh"
  in_zsh="env ZDOTDIR=$scratch/none PATH=$PATH zsh -f -i"
  MISTRO=$in_zsh begin_terminal 100 30 ""
  see '*[%#] *'
  type_line "autoload -Uz compinit; compinit -D; eval \"\$(mistro completion zsh)\""
  type_line clear
  t send-keys -l "mistro runs resume --unc"; t send-keys Tab; t send-keys -l "do"; t send-keys Tab
  see '*mistro runs resume --uncertain done*'
fi
finish
