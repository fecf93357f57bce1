# The servers that mcporter finds in the files of other clients are those that `servers find` lists, in the
# formats that both know.
. "$SOURCE_DIR/tests/interop/npm.sh"
corpus=$SOURCE_DIR/tests/data/clients
unset XDG_CONFIG_HOME CODEX_HOME

# Names, sorted, of the servers of a case; servers that a client confines to one project are mistro's alone.
theirs() { # client file
  HOME=$scratch/case/home "$node" "$npm/node_modules/mcporter/dist/cli.js" config import "$1" --path "$scratch/case/$2" --json \
    2>/dev/null | jq -c '[.entries[].name] | sort'
}
ours() {
  HOME=$scratch/case/home "$MISTRO" servers find --json |
    jq -c '[.clients[].servers[] | select(.state != "unusable" and .project == null) | .name] | sort'
}

it "agrees with mcporter about the names of servers"
# Where they differ: mcporter cannot read a BOM (02) and settings.json of VS Code (11), takes a socket (09),
# loses __proto__ (14), reads nothing of one file of Codex (19) and knows the first form of
# opencode only (24). Files that are broken or empty have no servers to compare.
for case in 01 05 06 10 13 17 18 20 22 23 25 40; do
  rm -rf "$scratch/case"
  mkdir -p "$scratch/case/home" "$scratch/case/project"
  cp -r "$corpus/$case"-*/. "$scratch/case"
  cd "$scratch/case/project" || exit 1
  expected=$corpus/$(basename "$corpus/$case"-*)/expected.json
  expect_same "$case $(ours)" "$case $(theirs "$(jq -r .client "$expected")" "$(jq -r .file "$expected")")"
done
finish
