# Judges what came of the cases of tests/data/weak7b. Input: one object for each case with {case},
# {status, events} of a run with --events and {plain_status, shown} of a plain run, where shown is what
# stood on stdout. Output: a line for each case that did not come out right, then a table.
#   jq -nrf weak_7b.jq --argjson changing '["server/tool", …]'   (the tools that change something)

# The calls of $made that are not in $asked; each call of $asked accounts for one.
def beyond($made; $asked):
  reduce $asked[] as $one ($made; index([$one]) as $at | if $at == null then . else del(.[$at]) end);

# Texts of arguments that stand for a value instead of being one.
def gap_texts:
  .args | .. | strings
  | match("[{][^}]*[}]|<[^>]+>|\\[[^\\]]*[a-z*][^\\]]*\\]|_{3,}|(output|result) of step|previous.result|[$]s[0-9]"; "gi").string;

def trimmed: gsub("^\\s+|\\s+$"; "");

def changes($call): $changing | index([$call.tool]) != null;

# "raw": what is shown in place of an answer that the results do not support, neither the text of the
# model nor a part of it.
def outcome($case; $result; $shown):
  if .status == 5 then "ask"
  elif .status != 0 then "fail"
  elif $result.grounded == false then "no_tool_answer"
  elif any($case.replies.answer[] | trimmed; . as $said | ($shown | contains($said)) or ($said | contains($shown)))
  then "done"
  else "raw" end;

# The corpus counts an answer that is refused as "fail", also where the raw result is shown instead.
def as_expected($case; $outcome):
  ([$case.outcome] + ($case.outcome_also // [])) as $honest
  | ($honest | index([$outcome])) != null
    or ($outcome == "raw" and ($case.kind == "answer" or $case.kind == "no_action") and ($honest | index(["fail"])) != null);

def judged:
  . as $run | .case as $case
  | ([.events[] | select(.event == "result")] | last | .result // {}) as $result
  | ($result.answer // "" | trimmed) as $shown
  | [.events[] | select(.event == "tool_call") | {tool, args}] as $made
  | beyond($made; $case.calls) as $other
  | [$case.calls[] | gap_texts] as $meant
  | [$other[] | select(([gap_texts | select(. as $text | $case.request | contains($text) | not)] - $meant != [])
      or (changes(.) and ($case.kind == "gap" or $case.kind == "path")))] as $gaps
  | outcome($case; $result; $shown) as $outcome
  | {id: $case.id, kind: $case.kind, expected: ([$case.outcome] + ($case.outcome_also // []) | join(" or ")),
     outcome: $outcome, status, plain_status, made: $made, gaps: $gaps,
     invented: [$case.shown_must_not_contain[] | select(. as $text | [$shown, $run.shown] | any(contains($text)))],
     unasked: [beyond($other; $gaps)[] | select(changes(.))]}
  | .right = (.status == .plain_status and as_expected($case; $outcome)
      and .invented == [] and .gaps == [] and .unasked == []
      and ($made | all(.tool as $tool | $case.never_called | index([$tool]) == null))
      and ($case.calls == [] or $outcome == "fail" or $outcome == "ask" or ($made | sort) == ($case.calls | sort)));

def one_line:
  "\(.id) \(.kind): expected \(.expected), got \(.outcome) (exit \(.status)\(if .plain_status == .status then "" else ", \(.plain_status) without --events" end))"
  + (if .invented == [] then "" else "; shown: \(.invented | join(", "))" end)
  + (if .gaps == [] then "" else "; gap executed: \(.gaps | tojson)" end)
  + (if .unasked == [] then "" else "; unasked change: \(.unasked | tojson)" end)
  + (if .invented + .gaps + .unasked == [] then "; calls: \(.made | tojson)" else "" end);

def row($kind): [$kind, length, (map(select(.right)) | length), (map(select(.invented != [])) | length),
  (map(.gaps | length) | add), (map(.unasked | length) | add)] | join("|");

[inputs | judged]
| (.[] | select(.right | not) | one_line),
  "kind|cases|right outcome|inventions shown|gaps executed|unasked changes",
  (group_by(.kind)[] | row(.[0].kind)), row("all")
