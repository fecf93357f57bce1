# Figures from the command line: the examples, and everything that can be wrong with a request.
. "$SOURCE_DIR/tests/e2e/lib.sh"
command -v dot >/dev/null || skip "no Graphviz here"
examples=$SOURCE_DIR/examples/figures
draw() { run figure -m none --context "$examples/tcp_connection.txt" --caption "A TCP connection" "$@"; }

it "draws every example, complete with its files"
while IFS='|' read -r name caption; do
  run figure -q -m none --context "$examples/$name.txt" --caption "$caption" --out runs --name "$name"
  expect_status 0
  expect_out "runs/$name/figure.svg"
  run figure validate-log "runs/$name/05_round_log.json"
  expect_out '*complete: yes'
  [ -s "runs/$name/figure.png" ] && [ -s "runs/$name/index.html" ] && [ -s "runs/$name/figure.mmd" ] &&
    [ -s "runs/$name/figure.drawio" ] && ok || fail "files are missing"
done <"$examples/captions.txt"

it "puts an SVG into a pipe, and a note that nobody reviewed it on stderr"
draw
expect_status 0
expect_out '*<svg*ACK segment*</svg>*'
expect_err '*by rules*no model has reviewed it*'

it "writes the format that the file's suffix says"
draw -q -o f.png
[ "$(head -c 4 f.png | tail -c 3)" = PNG ] && ok || fail "no PNG"
draw -q -o f.json
expect_status 0
case "$(cat f.json)" in *'"end":"checked"'*) ok ;; *) fail "no result object" ;; esac
draw -q -o f.mmd
case "$(cat f.mmd)" in sequenceDiagram*'n0->>n1: SYN'*) ok ;; *) fail "no Mermaid" ;; esac
draw -q -o f.DrawIO
case "$(cat f.DrawIO)" in '<mxfile>'*'value="Client"'*) ok ;; *) fail "no draw.io" ;; esac
draw -q -o f.dot
dot -Tsvg f.dot >/dev/null && ok || fail "no DOT"
draw -q -o f.gif
expect_status 2
[ -e f.gif ] && fail "f.gif was written" || ok

it "puts the picture into the file and the JSON on stdout"
draw -q --json -o both.svg
expect_status 0
expect_json '.end == "checked" and .folder == null'
case "$(cat both.svg)" in *'<svg'*) ok ;; *) fail "no SVG" ;; esac
draw -q --json -o both.json
expect_out ''
jq -e '.end == "checked"' both.json >/dev/null && ok || fail "no result object"
draw -q --json -o -
expect_json '.end == "checked"'
draw -q --events -o events.svg
expect_status 0
case "$(cat events.svg)" in *'<svg'*) ok ;; *) fail "no SVG" ;; esac
matches "$(tail -n 1 "$scratch/out")" '*"event":"result"*"end":"checked"*' && ok || fail "no result event"
draw -q --json -o both.txt
expect_status 2
expect_json '.error.message | contains("there is no txt")'
PATH=/nonexistent draw -q --json -o none.svg
expect_status 1
expect_json '.rounds[0].rendered == false'
[ -e none.svg ] && fail "none.svg was written" || ok

it "says on stderr what is hard to read, and what is critical first"
run figure -m none --context "$examples/compiler_pipeline.txt" --caption "How a compiler works" --width 1 -o narrow.svg
expect_status 0
expect_err '*no model has reviewed it
printed 1.0 inches wide its letters are * points high*'
run figure -q -m none --context "$examples/compiler_pipeline.txt" --caption "How a compiler works" --width 1 -o narrow.svg
expect_err ''

it "leaves no folder where nothing was drawn, and one that is there as it was"
echo "The patient waits. Nobody came in spring." >refused.txt
run figure -q -m none --context refused.txt --caption "A spring" --out none/deeper --name spring
expect_status 1
expect_err '*not read: "The patient waits", "Nobody came in spring"*'
[ -e none ] && fail "a folder is left" || ok
draw -q --out there --name tcp
cp -r there was
run figure -q -m none --context refused.txt --caption "A spring" --out there --name tcp --json
expect_status 1
expect_json '.folder == null and .rounds == []'
diff -r was there && ok || fail "it was changed"

it "ignores no flag that has no meaning beside the others"
for flag in "--width column" --as-list; do
  # shellcheck disable=SC2086
  draw -q --mode plot_code --caption "Rain by city" --data rain.csv $flag
  expect_status 2
  expect_err "*${flag%% *} *diagram*"
done
draw -q -o tcp.py
expect_status 2
expect_err '*FILE.py is of a plot*'
draw -q --mode plot_code --caption "Rain by city" --data rain.csv -o rain.dot
expect_status 2
expect_err '*.dot*of a diagram*'
draw -q --events -o tcp.json
expect_status 2
matches "$(cat "$scratch/out")" '*--events prints the result itself*' && ok || fail "-o is ignored"
draw -q --name tcp -o tcp.svg
expect_status 2
expect_err '*--name *--out DIR*'
[ -e tcp.svg ] && fail "tcp.svg was written" || ok
draw -q --role planner
expect_status 2
expect_err '*--role* validate*'

it "says at once that a folder cannot be written, and leaves nothing"
: >file
draw -q --out file/sub
expect_status 2
expect_err '*file/sub*'

it "tells the figure in words where Graphviz is missing, and is not approved"
PATH=/nonexistent draw -q
expect_status 1
expect_out 'Not drawn: *Graphviz*"Client" sends to "Server"*'
PATH=/nonexistent draw -q -o none.svg
expect_status 1
[ -e none.svg ] && fail "none.svg was written" || ok
PATH=/nonexistent draw -q -o none.drawio
expect_status 1
[ -s none.drawio ] && ok || fail "what could not be drawn can still be edited"

it "shows markup and 10,000 letters as the text they are"
letters=$(head -c 10000 /dev/zero | tr '\0' a)
run_with_input "A sends <b>x</b> & \"q\" to B. B sends y to A. The $letters sends y to B." \
  figure -q -m none --context - --caption "A and B"
expect_status 0
expect_out '*&lt;b&gt;x&lt;/b&gt;*&amp;*'

it "draws nothing of a text it does not understand, unless a list of its sentences will do"
prose="The patient waits. Nobody came in spring, although all had hoped. We send a letter."
run_with_input "$prose" figure -q -m none --context - --caption "A spring"
expect_status 1
expect_out ''
expect_err '*no relation was found in the text*a line each (A -> B)*--as-list*'
run_with_input "$prose" figure -q -m none --json --context - --caption "A spring"
expect_status 1
jq -e '.error.hint | contains("--as-list")' "$scratch/out" >/dev/null && ok || fail "no hint"
run_with_input "$prose" figure -m none --as-list --context - --caption "A spring"
expect_status 0
expect_out '*<svg*We send*letter*'

it "reads arrows, a line each, as the documentation says"
run_with_input 'Documents → Chunker
Chunker → Embedding model
Embedding model → Index' figure -q -m none --context - --caption "The index" -o arrows.json
expect_status 0
[ "$(jq '.rounds[0].findings | length' arrows.json)" = 0 ] && ok || fail "something was found"

it "refuses a text that is none, is empty or too long"
printf 'a\000b' >binary
run figure -q -m none --context binary --caption x
expect_status 2
expect_err '*binary is not text*'
run_with_input "   " figure -q -m none --context - --caption x
expect_status 2
head -c 262145 /dev/zero | tr '\0' a >long
run figure -q -m none --context long --caption x
expect_status 8
draw -q --caption ""
expect_status 2

it "takes a caption in a script that is written from right to left"
draw -q --caption "كيف يبدأ اتصال TCP" --out runs
expect_status 0

it "tells a graph of 5,000 nodes in words"
nodes=$(for i in $(seq 5000); do printf '{\\"id\\":\\"n%d\\",\\"label\\":\\"client %d\\"},' "$i" "$i"; done)
{
  echo '{"purpose":"figure_retriever","reply":"{\"top_refs\":[\"dns_resolution\"],\"selection_rationale\":\"near\",\"retrieval_confidence\":\"high\"}"}'
  echo '{"purpose":"figure_planner","reply":"{\"initial_description\":\"Many a client.\",\"assumption_block\":\"\"}"}'
  echo '{"purpose":"figure_stylist","reply":"{\"optimized_description\":\"Many a client.\",\"style_actions\":[]}"}'
  printf '{"purpose":"figure_graph","reply":"{\\"kind\\":\\"flow\\",\\"nodes\\":[%s],\\"edges\\":[]}"}\n' "${nodes%,}"
  echo '{"purpose":"figure_critic","reply":"{\"critic_suggestions\":\"fewer\",\"revised_description\":\"Many a client.\",\"stop_flag\":true,\"quality_gate\":{\"faithfulness_ok\":true,\"readability_ok\":true}}"}'
} >many.jsonl
run figure -q -m script:many.jsonl --refs dns_resolution --max-rounds 1 \
  --context "$examples/tcp_connection.txt" --caption "A TCP client"
expect_status 1
expect_out 'Not drawn: 5000 nodes*'

it "names what it does not know, with the nearest"
draw -q --style plian
expect_status 2
expect_err '*no style "plian"*did you mean plain?*'
draw -q --style nothing_like_it
expect_err '*there are: dark, plain, print, slides*'
draw -q --refs dns_resolutio
expect_status 2
expect_err '*did you mean dns_resolution?*'
draw -q --mode plot
expect_status 2
draw -q --mode plot_code
expect_status 2
expect_err '*--data*'

it "writes the script of a plot from a file's data"
printf 'city,rain\nOslo,71\nRome,52.5\n' >rain.csv
draw -q --mode plot_code --caption "Rain by city" --data rain.csv
expect_status 0
expect_out '*matplotlib*Oslo*52.5*'

it "puts no script into a file that is called a picture, where nothing draws it"
PATH=/nonexistent draw -q --mode plot_code --caption "Rain by city" --data rain.csv -o rain.svg
expect_status 2
expect_err '*no svg of this figure*FILE.py*python3-matplotlib*'
[ -e rain.svg ] && fail "rain.svg was written" || ok
draw -q --mode plot_code --caption "Rain by city" --data rain.csv -o rain.py
expect_status 0

it "has a table in place of the picture of a plot, where nothing draws it"
PATH=/nonexistent draw -q --mode plot_code --caption "Rain by city" --data rain.csv --out runs --name rain
expect_status 0
expect_out "runs/rain/figure.py"
[ -e runs/rain/figure.svg ] && fail "there is a picture" || ok
case "$(cat runs/rain/index.html)" in *python3-matplotlib*Oslo*71*) ok ;; *) fail "no table" ;; esac

it "refuses names of folders that no JSON can name"
draw -q --out "$(printf 'a\377')"
expect_status 2
expect_err '*the name of the folder is not text*'
draw -q --out runs --name "$(printf 'a\377')"
expect_status 2
draw -q --out "$(printf 'a\nb')"
expect_status 2

it "takes a file for the data before a tool of that name"
mkdir -p dir && cp rain.csv dir/rain
draw -q --mode plot_code --caption "Rain by city" --data dir/rain
expect_status 0
expect_out '*Oslo*52.5*'
draw -q --mode plot_code --caption "Rain by city" --data dir/snow
expect_status 2
expect_err '*dir*'

it "lets a program of the settings draw plots, beside the script"
printf 'mistral_orchestrator:\n  figure:\n    renderer: [sh, %s, svg]\n' "$SOURCE_DIR/tests/support/programs/draw.sh" >own.yml
plot() { draw -q --config own.yml --mode plot_code --caption "Rain by city" --data rain.csv "$@"; }
plot -o plot.svg
expect_status 0
case "$(cat plot.svg)" in '<svg'*) ok ;; *) fail "no SVG" ;; esac
plot
expect_out '*matplotlib*'
plot -o plot.png
expect_status 2

it "ends with 3 wherever the endpoint is lost, and keeps what was drawn"
head -n 3 many.jsonl >lost.jsonl
cat >>lost.jsonl <<'END'
{"purpose":"figure_graph","reply":"{\"kind\":\"flow\",\"nodes\":[{\"id\":\"a\",\"label\":\"client\"},{\"id\":\"b\",\"label\":\"server\"}],\"edges\":[{\"from\":\"a\",\"to\":\"b\"}]}"}
{"purpose":"figure_critic","error":"unavailable","times":0}
END
for purpose in planner stylist graph critic; do
  { sed "/figure_$purpose/,\$d" lost.jsonl
    echo "{\"purpose\":\"figure_$purpose\",\"error\":\"unavailable\",\"times\":0}"; } >"$purpose.jsonl"
  for format in '' --json; do
    run figure -q $format -m "script:$purpose.jsonl" --refs dns_resolution \
      --context "$examples/tcp_connection.txt" --caption "A TCP client"
    expect_status 3
  done
done
finish
