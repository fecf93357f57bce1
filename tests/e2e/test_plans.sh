# Plan files that are looked at and not run: what is wrong with them, what waits for what.
. "$SOURCE_DIR/tests/e2e/lib.sh"
plans="$SOURCE_DIR/tests/data/plans"
cat >shop.json <<JSON
{"mcpServers":{"shop":{"command":"$MISTRO","args":["serve","mock","--fixture","$plans/tools.yml"]}}}
JSON

# The expectations were written by someone who did not know the checker. Two of them are left out:
# estimated_ms is not read, so plans of version 1 that have anything there go on to run; and a number
# is printed where a tool takes text, so {item.stock} as the body of a mail is right.
it "finds every problem of 100 broken plans at its line and column, and nothing else"
broken=() mended=()
for file in "$plans"/broken/*.yml "$plans"/broken/*.json; do
  case $file in
  *.fixed.*) mended+=("$file") ;;
  *.expect.json) ;;
  *) broken+=("$file") ;;
  esac
done
expect_same "${#broken[@]}" 100
run plans check "${broken[@]}" --mcp-config shop.json --yes --json
expect_status 7
for file in "${broken[@]}"; do
  name=${file##*/}
  skipped=none
  [ "$name" = 45-settings-of-steps.yml ] && skipped='estimated_ms must be a whole number'
  [ "$name" = 98-types-through-loops.yml ] && skipped='body must be a string'
  expect_same \
    "$name $(jq -c --arg file "$file" '.plans[] | select(.file == $file) | .problems | map([.line, .column])' "$scratch/out")" \
    "$name $(jq -c --arg skipped "$skipped" '.problems | map(select(.about != $skipped) | [.line, .column]) | sort' "${file%.*}.expect.json")"
done

# Each was mended by hand, by one who did what the advice says and nothing else, and followed that
# of what came up then.
it "has nothing against these plans when the advice was followed"
run plans check "${mended[@]}" --mcp-config shop.json --yes --json
expect_status 0
expect_json '([.plans[].problems[]] == []) and (.plans | length) == 100'
run plans check "${broken[@]}" --mcp-config shop.json --yes --json
for file in "${broken[@]}"; do
  problems=$(jq --arg file "$file" '.plans[] | select(.file == $file) | .problems | length' "$scratch/out")
  changed=$(diff -w "$file" "${file%.*}.fixed.${file##*.}" | grep -c '^[<>]')
  if [ "$changed" -gt 0 ] && [ "$changed" -le $((6 * problems)) ]; then ok; else
    fail "${file##*/}: $problems problems, $changed lines mended"
  fi
done

it "says what to do about each of them"
expect_json '[.plans[].problems[] | select((.fix // "") == "")] == []'

it "says what fits the place"
cat >places.yml <<'YML'
version: 2
steps:
  - id: block
    steps:
      - {id: first, tool: shop/read_note, args: {path: "{later.date}"}}
      - {id: second, each: "{frist.items}", tool: shop/clock}
      - {id: third, each: "{now hour}", when: "{frist.line_count} > {item}", tool: shop/clock}
    outputs: {hour: "{later.hour}"}
  - {id: later, tool: shop/clock}
  - {id: mail, tool: shop/send_mail, args: {to: ["{mial.to}"], subject: "{vars.word} {"}}
  - {id: many, each: [1], tool: shop/get_item, args: {id: 7}}
  - {id: one, tool: shop/get_item, args: {id: "{many.ids}"}}
  - {id: sum, tool: shop/add_up}
  - {id: list, tool: shop/find_items, args: {query: plum}}
  - {id: texts, tool: shop/add_up, args: {numbers: "{list.items[0].tags}"}}
  - {id: looked, each: [1], steps: [{id: inner, tool: shop/clock}]}
  - id: event
    tool: shop/add_event
    args: {title: "{inner.date}", start: "{read.date}"}
    verify: {tool: shop/add_evnt, args: {}, done: "true"}
finally:
  - {id: note, tool: shop/write_note, args: {path: "{last.date}", text: ""}}
  - {id: last, tool: shop/clock}
YML
run plans check places.yml --mcp-config shop.json --yes --json
expect_json '[.plans[0].problems[] | .fix] == [
  "move step later before step block",
  "write {first.items}",
  "write one such as {s1.items[0].id}, where an index is a number",
  "write {first.line_count}",
  "put the step into a block with \"each\", a step with \"steps\"",
  "move step later before step block",
  "refer to an earlier step, or write the value itself, or {{ for a brace",
  "write {inputs.word}, or {{ for a brace",
  "write one such as {s1.items[0].id}, where an index is a number, or {{ for a brace",
  "use one of: items, errors, count, or {many.text} for the text, in step one, args.id",
  "in \"args\", add the property \"numbers\" (array)",
  "refer to a field of the right type, or write the value itself",
  "give it a NAME in \"outputs\" of looked, and write {looked.items[0].NAME} here",
  "refer to an earlier step, or write the value itself, or {{ for a brace",
  "use one that mistro tools lists, or leave the step out",
  "move step last before step note"]'

it "names the server that was meant"
run plans check "$plans/broken/04-server-misspelt.yml" --mcp-config shop.json --yes --json
expect_json '.plans[0].problems[0].fix == "did you mean shop?"'

it "finds nothing wrong with plans that run"
run plans check "$plans"/valid/*.yml "$plans"/valid/*.json --mcp-config shop.json --yes --json
expect_status 0
expect_json '.version == 1 and ([.plans[].problems[]] == []) and (.plans | length) == 60'

it "prints a line for each problem, with the place where editors look for it, and a sum"
cp -r "$SOURCE_DIR/examples/workspace/." .
cat >bad.yml <<'YML'
steps:
  - tool: files/read_file
    args: {path: 7}
    bogus: 1
YML
run plans check bad.yml
expect_status 7
expect_out 'bad.yml:3:18: s1 /path: is 7, must be a string; *bad.yml:4:5: s1 /bogus: *; remove it*bad.yml: 1 step, 2 problems*'

it "counts references of unknown type and lists them with -v"
jq '{tools: [{name: "any", inputSchema: {type: "object"}}, {name: "take", inputSchema: {type: "object", properties: {n: {type: "integer"}}}}]}' -n >loose.json
mock_config loose.json >dev.json
printf 'steps:\n  - tool: dev/any\n  - tool: dev/take\n    args: {n: "{s1.count}"}\n' >loose.yml
run plans check loose.yml --mcp-config dev.json --yes
expect_status 0
expect_out '*2 steps, no problem, 1 reference of unknown type (-v lists them)*'
run plans check loose.yml --mcp-config dev.json --yes -v
expect_out '*loose.yml:4:15: s2 /n: {s1.count}: dev/any does not say what it gives there*'
run plans check loose.yml --mcp-config dev.json --yes --json -v
expect_json '.plans[0].unknown_types == 1 and .plans[0].unknown[0].line == 4'

it "starts no server with --offline, and sees shape, order and references"
cat >offline.yml <<'YML'
steps:
  - {id: a, tool: nowhere/x, args: {y: "{b.z}"}}
  - {id: b, tool: nowhere/x}
YML
printf '{"mcpServers":{"nowhere":{"command":"/bin/sh","args":["-c","touch started"]}}}' >nowhere.json
run plans check offline.yml --offline --mcp-config nowhere.json --yes
expect_status 7
expect_out '*offline.yml:2:40: a /y: {b.z} refers to a later step; move step b before step a*'
if [ -e started ]; then fail "a server was started"; else ok; fi

it "follows its own advice about a cycle to a plan that may run"
printf 'steps:\n  - {id: a, tool: files/read_file, args: {path: README.md}, needs: [b]}\n  - {id: b, tool: files/read_file, args: {path: README.md}, needs: [a]}\n' >cycle.yml
run plans check cycle.yml
expect_status 7
expect_out '*:2:69: a /needs/0: a and b wait for each other; remove it here: step b already waits for step a*'
sed -i 's/, needs: \[b\]//' cycle.yml
run plans check cycle.yml
expect_status 0

it "follows its own advice about a later step, of which the id is its position"
printf 'steps:\n  - {tool: files/text_stats, args: {path: "{s2.matches[0].path}"}}\n  - {tool: files/search_files, args: {query: TODO}}\n' >later.yml
run plans check later.yml
expect_status 7
expect_out '*:2:43: s1 /path: *refers to a later step; give the steps ids of their own, use these in references, and move step s2 before step s1*'
printf 'steps:\n  - {id: find, tool: files/search_files, args: {query: TODO}}\n  - {id: count, tool: files/text_stats, args: {path: "{find.matches[0].path}"}}\n' >later.yml
run plans check later.yml
expect_status 0

it "ends with 7 for what is no YAML, at the place, and with 2 where there is no file"
printf 'steps:\n  - {tool: "a\n' >torn.yml
run plans check torn.yml
expect_status 7
expect_out 'torn.yml:*:*: *'
run plans check nothing.yml
expect_status 2
run plans check
expect_status 2

it "says that there are too many steps, and what is wrong with them"
{ echo 'steps:'; for _ in $(seq 11); do echo '  - {tool: files/text_stats, args: {path: 1}}'; done; } >long.yml
run plans check long.yml --json
expect_status 7
expect_json '.plans[0].problems | length == 12 and .[0].line == 2'

it "lists 50 problems and counts the rest"
{ echo 'steps:'; for _ in $(seq 60); do echo '  - {tool: files/text_stats, args: {path: 1}}'; done; } >longer.yml
run plans check longer.yml --max-steps 100 --json
expect_json '.plans[0] | (.problems | length) == 50 and .more == 10'

it "takes variables as run does"
printf 'steps:\n  - {tool: files/read_file, args: {path: "{vars.file}"}}\n' >vars.yml
run plans check vars.yml
expect_status 7
run plans check vars.yml --var file=README.md
expect_status 0

it "refuses variables where the inputs have schemas"
printf 'version: 2\ninputs: {n: {type: integer}}\nsteps:\n  - {tool: files/text_stats, args: {path: "{inputs.n}"}}\n' >inputs.yml
run plans check inputs.yml --var n=x
expect_status 2
expect_err '*--var*version 1*mistro run --dry-run*'

it "says of a plan of version 2 without its version that alone, and reads what it uses"
printf 'inputs: {path: {type: string}}\nsteps:\n  - {id: size, tool: files/text_stats, args: {path: "{inputs.path}"}}\n' >part.yml
printf '# a plan\nsteps:\n  - {id: all, each: [README.md], use: part.yml, with: {path: "{item}"}}\noutputs: {n: "{all.count}"}\n' >whole.yml
sed -i '1i version: 2' part.yml
run plans check whole.yml
expect_status 7
expect_out 'whole.yml:1:1: the version is missing; add "version: 2" as the first line*
whole.yml: 2 steps, 1 problem'
sed -i '1i version: 2' whole.yml
run plans check whole.yml
expect_status 0

it "says of a wrong argument and of the one that is missing at once, also where a value is not known"
printf 'version: 2\nsteps:\n  - {id: find, tool: files/search_files, args: {query: TODO}}\n  - id: sizes\n    each: "{find.matches}"\n    tool: files/text_stats\n    args: {file: "{item.path}"}\n  - {tool: files/text_stats, args: {file: {name: "{find.matches[0].path}"}}}\n' >file.yml
run plans check file.yml --json
expect_json '.plans[0].problems | map([.line, .fix]) == [
  [7, "in \"args\", add the property \"path\""],
  [7, "remove the property \"file\""],
  [8, "in \"args\", add the property \"path\""],
  [8, "remove the property \"file\""]]'

it "bounds the steps of version 1 with --max-steps, and refuses it for version 2"
printf 'version: 2\nsteps:\n  - {tool: files/text_stats, args: {path: README.md}}\n' >one.yml
for command in 'plans check' run; do
  # shellcheck disable=SC2086
  run $command one.yml --max-steps 1
  expect_status 2
  expect_err '*--max-steps is for plans of version 1*leave it out: a plan of version 2 may have 1000 steps*'
done
run plans check long.yml vars.yml --max-steps 11 --json
expect_json '.plans | map(.problems | length) == [11, 1]'

it "leaves no run behind"
run runs list --json
expect_json 'length == 0 or .runs == []'

it "runs plans to the results that were expected of them"
for expected in "$plans"/valid/*.out; do
  file=${expected%.out}.yml
  [ -e "$file" ] || file=${expected%.out}.json
  run run "$file" --mcp-config shop.json --yes
  if cmp -s "$scratch/out" "$expected"; then ok; else fail "$file printed something else"; fi
done

it "draws what waits for what as text, Mermaid and DOT"
run plans graph "$SOURCE_DIR/examples/open-tasks.yml"
expect_status 0
expect_out 'find * files/search_files*read * files/read_file *after find*'
run plans graph "$SOURCE_DIR/examples/open-tasks.yml" --as mermaid
expect_out 'flowchart TD*n0\["find<br>files/search_files"\]*n0 --> n1*'
run plans graph "$SOURCE_DIR/examples/open-tasks.yml" --as dot
expect_out 'digraph*n0 -> n1*'
run plans graph "$SOURCE_DIR/examples/open-tasks.yml" --as png
expect_status 2
run plans graph bad.yml
expect_status 7
expect_err '*mistro plans check bad.yml*'
if command -v dot >/dev/null; then
  run plans graph "$SOURCE_DIR/examples/open-tasks.yml" --as svg -o graph.svg
  expect_status 0
  expect_same "$(grep -c '</svg>' graph.svg)" 1
fi

it "lists the plans of a folder, and no other files"
run plans list "$SOURCE_DIR/examples" --json
expect_status 0
expect_json '.version == 1 and [.plans[] | .name] == ["open-tasks"] and .plans[0].steps == 3 and (.plans[0].goal | length) > 0'
run plans list nowhere
expect_status 2

it "prints the JSON Schema of a plan"
run schema plan
expect_status 0
expect_json '.["$schema"] == "https://json-schema.org/draft/2020-12/schema" and (.["$defs"].step.properties.tool.description | length) > 0'
run schema -o plan.schema.json plan
expect_status 0
expect_same "$(cmp plan.schema.json "$SOURCE_DIR/data/schemas/plan.json" && echo same)" same
run schema run
expect_status 2
finish
