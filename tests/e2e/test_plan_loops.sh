# Loops, blocks, used plans, approvals and the other steps of version 2, as docs/plans.md tells them.
. "$SOURCE_DIR/tests/e2e/lib.sh"
cp -r "$SOURCE_DIR/examples/workspace/." .
printf 'mistral_orchestrator:\n  workspace:\n    write: true\n' >write.yml

it "runs every plan of the documentation"
awk '/^```yaml$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > "doc" n ".yml" }' "$SOURCE_DIR/docs/plans.md"

export TOKEN=hush-hush-hush
printf '{"purpose":"ask","reply":{"kind":"letter"}}\n' >kind.jsonl
for plan in doc*.yml; do
  run plans check "$plan" --config write.yml
  expect_status 0
  model=none
  grep -q '^model:' "$plan" && model=script:kind.jsonl
  run run "$plan" --config write.yml -m "$model"
  expect_status "$(grep -q 'approve:' "$plan" && echo 6 || echo 0)"
done

it "goes over a list with its number, in the order of the list, side by side"
cat >each.yml <<'YML'
version: 2
inputs: {names: {type: array, default: [README.md, notes/harvest.md, sales.csv]}}
steps:
  - id: sizes
    each: "{inputs.names}"
    as: name
    index: n
    max_parallel: 3
    tool: files/text_stats
    args: {path: "{name}"}
  - id: pairs
    each: {from: "{sizes}"}
    tool: files/text_stats
    args: {text: x}
YML
run run each.yml
expect_status 7
expect_err '*pairs /each: must be a reference in quotes, or a list*'
sed -i '/id: pairs/,$d' each.yml
run run each.yml --json
expect_status 0
expect_json '.steps[0].result.structuredContent | .count == 3 and .errors == [] and (.items | map(.bytes) | .[0] != .[1])'
expect_json '.steps[0].times == 3 and (.receipts | length) == 1'
run run each.yml --var 'names:={"a":"README.md","b":"sales.csv"}'
expect_status 2

it "goes over the members of an object"
cat >object.yml <<'YML'
version: 2
inputs: {files: {type: object, default: {readme: README.md, sales: sales.csv}}}
steps:
  - id: sizes
    each: "{inputs.files}"
    steps:
      - {id: size, tool: files/text_stats, args: {path: "{item.value}"}}
    outputs: {name: "{item.key}", bytes: "{size.bytes}", at: "{index}"}
outputs: {names: "{sizes.items[*].name}", last: "{sizes.items[-1].at}", first: "{sizes.items[0:1]}"}
YML
run run object.yml --json
expect_status 0
expect_json '.outputs | .names == ["readme", "sales"] and .last == 1 and (.first | length) == 1'

it "ends with 8 before the first element of a list that is too long"
run run each.yml --var "names:=$(jq -nc '[range(1001) | "README.md"]')"
expect_status 8
expect_err '*1001 elements, more than the limit of the step (1000)*write limit: 1001*'
run run each.yml --var "names:=$(jq -nc '[range(1000) | "README.md"]')" --json
expect_status 0
expect_json '.steps[0].times == 1000'

it "ends with 8 behind limits.run_calls calls, and names the setting"
printf 'mistral_orchestrator:\n  limits:\n    run_calls: 3\n' >calls.yml
run run each.yml --config calls.yml
expect_status 0
run run each.yml --config calls.yml --var 'names:=["README.md","README.md","README.md","README.md"]'
expect_status 8
expect_err '*more than 3 calls (limits.run_calls)*'
printf 'mistral_orchestrator:\n  limits:\n    run_result_bytes: 1024\n' >bytes.yml
run run each.yml --config bytes.yml
expect_status 0
run run each.yml --config bytes.yml --var "names:=$(jq -nc '[range(20) | "README.md"]')"
expect_status 8
expect_err '*limits.run_result_bytes*'

it "stops at an element that fails, or goes on and says which"
run run each.yml --var 'names:=["README.md","nowhere.md","sales.csv"]'
expect_status 1
expect_err '*sizes*element 1: files/text_stats*nowhere.md*'
sed 's/max_parallel: 3/on_item_error: continue/' each.yml >goes-on.yml
run run goes-on.yml --var 'names:=["README.md","nowhere.md","sales.csv"]' --json
expect_status 0
expect_json '.steps[0].result.structuredContent | .items[1] == null and .items[2] != null and (.errors | length) == 1 and .errors[0].index == 1'

it "repeats until something holds, and fails when it never does"
cat >poll.yml <<'YML'
version: 2
inputs: {least: {type: integer, default: 2}}
steps:
  - id: poll
    repeat: {until: "{poll.n} >= {inputs.least}", max: 3, delay_ms: 1}
    tool: dev/next
outputs: {n: "{poll.n}"}
YML
jq -n '{tools: [{name: "next", description: "next number", inputSchema: {type: "object"}, outputSchema: {type: "object", properties: {n: {type: "integer"}}}, replies: [{times: 1, structured: {n: 1}}, {times: 1, structured: {n: 2}}, {structured: {n: 3}}]}]}' >next.json
mock_config "$PWD/next.json" >mcp.json
run run poll.yml --mcp-config mcp.json
expect_status 0
expect_out 2
run run poll.yml --mcp-config mcp.json --var least=9
expect_status 1
expect_err '*poll*it does not hold after 3 times: {poll.n} >= {inputs.least} (3 >= 9)*'

it "looks again when a run is resumed whose repeat never held"
cat >late.yml <<'YML'
version: 2
steps:
  - id: wait
    repeat: {until: "length({wait.matches}) > 0", max: 2, delay_ms: 1}
    tool: files/search_files
    args: {name: late.csv}
outputs: {n: "{wait.matches[*].path}"}
YML
run run late.yml
expect_status 1
expect_err '*go on with: mistro runs resume *'
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs resume "$id"
expect_status 1
touch late.csv
run runs resume "$id"
expect_status 0
expect_out '[[]"late.csv"]'

it "says what a check wants, with what was found, and how to go on"
cat >check.yml <<'YML'
version: 2
steps:
  - id: a
    tool: files/text_stats
    args: {path: README.md}
    check: [{that: "{a.words} > 99", else: "only {a.words} words"}]
YML
run run check.yml
expect_status 1
expect_err '*only 22 words (22 > 99)*mend the plan and go on with: mistro runs fork * --plan FILE*'
sed -i 's/{a.words} words/{b.words} words/' check.yml
run plans check check.yml
expect_status 7
expect_out '*a /check/0/else: {b.words} names no step*'
sed -i 's/{b.words} words/{input.words}/' check.yml
run plans check check.yml
expect_out '*write {inputs.words}, or {{ for a brace*'

it "uses another plan, whose problems have its name"
mkdir -p sub/deep
cat >sub/size.yml <<'YML'
version: 2
inputs: {path: {type: string}}
steps:
  - {id: size, tool: files/text_stats, args: {path: "{inputs.path}"}}
  - {id: inner, use: deep/inner.yml, with: {text: "{inputs.path}"}}
outputs: {words: "{size.words}", letters: "{inner.letters}"}
YML
printf 'version: 2\ninputs: {text: {type: string}}\nsteps: [{id: size, tool: files/text_stats, args: {text: "{inputs.text}"}}]\noutputs: {letters: "{size.characters}"}\n' >sub/deep/inner.yml
cat >use.yml <<'YML'
version: 2
steps:
  - {id: size, use: sub/size.yml, with: {path: README.md}}
outputs: {letters: "{size.letters}"}
YML
run run use.yml
expect_status 0
expect_out 9
run plans check use.yml
expect_status 0
sed -i 's/{inputs.text}/{inputs.texts}/' sub/deep/inner.yml
run plans check use.yml
expect_status 7
expect_out '*sub/deep/inner.yml:3:57: size /text: {inputs.texts} names an input that does not exist*'
sed -i 's/{inputs.texts}/{inputs.text}/' sub/deep/inner.yml
sed 's/path: README.md/paht: README.md/' use.yml >misspelt.yml
run run misspelt.yml
expect_status 7
expect_err '*size /paht*(line 3, column 42)*'
for wrong in ../each.yml /etc/passwd nowhere.yml; do
  sed "s#sub/size.yml#$wrong#" use.yml >wrong.yml
  run plans check wrong.yml
  expect_status 7
  expect_out '*wrong.yml:3:21: size /use: *'
done
ln -s /etc/passwd sub/link.yml
sed "s#sub/size.yml#sub/link.yml#" use.yml >wrong.yml
run plans check wrong.yml
expect_status 7
expect_out '*link out of the folder*'
mkfifo sub/pipe.yml
sed "s#sub/size.yml#sub/pipe.yml#" use.yml >wrong.yml
run plans check wrong.yml
expect_status 7
expect_out '*sub/pipe.yml: it is no plain file*'
printf 'version: 2\nsteps: [{id: a, use: cycle.yml}]\n' >cycle.yml
run run cycle.yml
expect_status 7
expect_err '*uses itself*'

it "draws blocks as groups, and indents what is in them"
cat >blocks.yml <<'YML'
version: 2
steps:
  - {id: find, tool: files/search_files, args: {query: TODO}}
  - id: all
    each: "{find.matches}"
    steps:
      - {id: size, tool: files/text_stats, args: {path: "{item.path}"}}
finally:
  - {id: last, tool: files/text_stats, args: {text: x}}
YML
run plans graph blocks.yml
expect_status 0
expect_out 'find * files/search_files*
all * each {find.matches}: steps* after find
  size * files/text_stats*
last * finally: files/text_stats'
run plans graph blocks.yml --as mermaid
expect_out '*subgraph g0*n2*end*n0 --> n1*n1 --> n2*'
run plans graph blocks.yml --as dot
expect_out '*cluster*'

it "reads a hundred plans that use each other from within a hundred blocks"
mkdir chain
jq -n -c 'range(100) as $n | {version: 2, steps: [reduce range(100) as $b ({use: "f\($n + 1).json"}; {steps: [.]})]}' |
  awk '{ print > ("chain/f" NR - 1 ".json") }'
run plans check chain/f0.json
expect_status 7
expect_out '*plans use each other more than 8 levels deep*'

it "keeps the plans that it uses with the run: an edited file changes nothing"
jq -n '{version: 2, steps: [{id: "a", use: "dies.json"}], outputs: {x: "{a.x}"}}' >outer.json
jq -n '{version: 2, steps: [{id: "d", tool: "dev/dies"}], outputs: {x: "{d.n}"}}' >dies.json
dies() { jq -n --argjson reply "$1" '{tools: [{name: "dies", description: "dies", inputSchema: {type: "object"}, outputSchema: {type: "object", properties: {n: {type: "integer"}}}, replies: [$reply]}]}'; }
dies '{"fault": "exit"}' >now.json
mock_config "$PWD/now.json" >mcp.json
run run outer.json --mcp-config mcp.json
expect_status 3
dies '{"structured": {"n": 7}}' >now.json
echo nonsense >dies.json
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs resume "$id" --mcp-config mcp.json
expect_status 5
expect_err '*uncertain.a.d*'
run runs resume "$id" --mcp-config mcp.json --answer uncertain.a.d=repeat
expect_status 0
expect_out 7

it "asks for exactly the calls that it guards, and takes the hash of no others"
cat >approve.yml <<'YML'
version: 2
inputs: {text: {type: string, default: a}}
steps:
  - id: sure
    approve: {text: "Write {inputs.text}?", show: ["{inputs.text}"]}
  - id: copies
    each: [1, 2]
    tool: files/write_file
    args: {path: "copy{item}.txt", content: "{inputs.text}", overwrite: true}
YML
run run approve.yml --config write.yml --json
expect_status 6
expect_json '.approval | .step == "sure" and .text == "Write a?" and .show == ["a"] and (.calls | map(.step)) == ["copies[0]", "copies[1]"] and .calls[1].args.path == "copy2.txt" and (.hash | length) == 64'
id=$(jq -r .run_id "$scratch/out")
hash=$(jq -r .approval.hash "$scratch/out")
expect_same "$(ls copy* 2>/dev/null)" ""
run run approve.yml --config write.yml --answer "approve.sure=$hash" --var text=b
expect_status 6
expect_err '*other calls were approved than those it guards*'
expect_same "$(ls copy* 2>/dev/null)" ""
run runs resume "$id" --config write.yml --answer "approve.sure=$hash"
expect_status 0
expect_same "$(cat copy1.txt copy2.txt)" aa
run run approve.yml --config write.yml --answer "approve.sure=$hash"
expect_status 0
run run approve.yml --config write.yml --answer "sure=$hash"
expect_status 2
run run approve.yml --config write.yml --yes
expect_status 6

it "asks nobody about no call, and about a question of its own"
sed 's/each: \[1, 2\]/each: []/' approve.yml >none.yml
run run none.yml --config write.yml
expect_status 0
sed '/id: copies/,$d' approve.yml >question.yml
run run question.yml --config write.yml --json
expect_status 6
expect_json '.approval.calls == []'
run run question.yml --answer "approve.sure=$(jq -r .approval.hash "$scratch/out")"
expect_status 0
sed 's/approve: {text: "Write/when: "{inputs.text} == 1"\n    approve: {text: "Write/' approve.yml >unasked.yml
run run unasked.yml --config write.yml
expect_status 0

it "asks a model only in a plan that says so, and only the one that is named"
cat >ask.yml <<'YML'
version: 2
model: allowed
steps:
  - id: kind
    ask: {text: "Which kind is {steps[0].text}?", schema: {type: object, properties: {kind: {enum: [note, letter]}}, required: [kind], additionalProperties: false}}
  - {id: size, tool: files/text_stats, args: {text: "{kind.kind}"}}
outputs: {kind: "{kind.kind}", letters: "{size.characters}"}
YML
sed -i 's/ is {steps\[0\].text}//' ask.yml
run run ask.yml
expect_status 2
expect_err '*may ask a model, and none is named*'
printf '{"purpose":"ask","reply":{"kind":"letter"}}\n' >script.txt
run run ask.yml -m script:script.txt
expect_status 0
expect_out 'kind: letter
letters: 6'
run run ask.yml --dry-run
expect_status 0
sed -i '/^model:/d' ask.yml
run run ask.yml -m script:script.txt
expect_status 7
expect_err '*no step may ask a model here*write model: allowed*'

it "carries out finally however the plan ended, and skips there what has nothing to refer to"
cat >finally.yml <<'YML'
version: 2
steps:
  - {id: a, tool: files/text_stats, args: {path: nowhere.md}}
  - {id: b, tool: files/text_stats, args: {path: README.md}}
finally:
  - {id: clean, tool: files/write_file, args: {path: cleaned.txt, content: "{b.words}", overwrite: true}}
  - {id: undo, tool: files/write_file, args: {path: undone.txt, content: "{a.words}", overwrite: true}}
YML
run run finally.yml --config write.yml --json
expect_status 1
expect_json '.steps | map(.status) == ["error", "ok", "ok", "skipped"]'
expect_json '.steps[3].error.message == "a step that it refers to gave nothing"'
expect_same "$(ls cleaned.txt undone.txt 2>/dev/null)" cleaned.txt

it "repeats a call as its step says, where it may be repeated"
jq -n '{tools: [{name: "weak", description: "fails first", inputSchema: {type: "object"}, outputSchema: {type: "object", properties: {n: {type: "integer"}}}, replies: [{times: 2, error: "busy"}, {structured: {n: 3}}]}]}' >weak.json
mock_config "$PWD/weak.json" >mcp.json
cat >retry.yml <<'YML'
version: 2
steps:
  - id: a
    tool: dev/weak
    retry: {max: 2, delay_ms: 1, backoff: fixed, on: [error]}
    repeatable: true
outputs: {n: "{a.n}"}
YML
run run retry.yml --mcp-config mcp.json
expect_status 0
expect_out 3
run run retry.yml --mcp-config mcp.json --dry-run --json
expect_json '.dry_run.repeatable == ["a"] and .dry_run.not_repeatable == []'
sed -i '/repeatable/d' retry.yml
run run retry.yml --mcp-config mcp.json
expect_status 1

it "finds out by verify whether a call took effect, before anybody is asked"
cat >verify.yml <<'YML'
version: 2
steps:
  - id: put
    tool: dev/dies
    verify:
      tool: files/text_stats
      args: {path: README.md}
      done: "{verify.words} > 0"
      result: {n: "{verify.words}"}
outputs: {n: "{put.n}"}
YML
dies '{"fault": "exit"}' >now.json
jq -n --arg m "$MISTRO" --arg f "$PWD/now.json" '{mcpServers: {dev: {command: $m, args: ["serve", "mock", "--fixture", $f]}, files: {command: $m, args: ["serve", "workspace"]}}}' >mcp.json
run run verify.yml --mcp-config mcp.json --yes
expect_status 3
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs resume "$id" --mcp-config mcp.json --yes
expect_status 0
expect_out '[1-9]*'

it "counts in a dry run what loops make at most"
run run each.yml --dry-run --json
expect_json '.dry_run.calls == 3 and .steps[0].times == 3'
run run poll.yml --mcp-config mcp.json --dry-run --json
expect_status 7

it "has a loop of a resumed run go on behind what is done"
jq -n '{version: 2, steps: [{id: "all", each: [1, 2, 3, 4], tool: "dev/counts", args: {n: "{item}"}}], outputs: {n: "{all.items[*].n}"}}' >some.json
jq -n '{tools: [{name: "counts", description: "counts", inputSchema: {type: "object", properties: {n: {type: "integer"}}}, outputSchema: {type: "object", properties: {n: {type: "integer"}}}, replies: [{times: 2, structured: {n: "{args.n}"}}, {fault: "exit"}]}]}' >counts.json
mock_config "$PWD/counts.json" >mcp.json
run run some.json --mcp-config mcp.json
expect_status 3
run runs list -n 1 --json
id=$(jq -r '.runs[0].id' "$scratch/out")
run runs resume "$id" --mcp-config mcp.json
expect_status 5
expect_err '*uncertain.all?2?*'
jq '.tools[0].replies = [{structured: {n: "{args.n}"}}]' counts.json >then.json && cp then.json counts.json
run runs resume "$id" --mcp-config mcp.json --answer 'uncertain.all[2]=done' --set 'all[2]={"n":33}'
expect_status 0
expect_out '[[]1,2,33,4]'

it "shows a step whose check looks at a loop as done, when it is resumed"
cat >checked.yml <<'YML'
version: 2
steps:
  - {id: loop, each: [README.md], tool: files/text_stats, args: {path: "{item}"}}
  - id: checked
    tool: files/text_stats
    args: {path: README.md}
    needs: [loop]
    check:
      - {that: "{loop.count} == 1", else: not one}
  - {id: fails, tool: files/text_stats, args: {path: later.md}, needs: [checked]}
YML
echo words >README.md
run run checked.yml
expect_status 1
echo words >later.md
run runs resume latest --failed
expect_status 0
expect_err '*loop files/text_stats*checked files/text_stats*fails files/text_stats*'

finish
