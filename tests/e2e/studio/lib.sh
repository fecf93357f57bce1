# What the studio's tests share: models made of the conversations in conversations.jsonl, an image
# tool, and a user's configuration that names it.
STUDIO="$SOURCE_DIR/tests/e2e/studio"

# A scripted model that says a conversation's answers, failed attempts first.
script_of() { # conversation (JSON), milliseconds between the pieces
  jq -c --argjson ms "${2:-0}" '.turns[] |
    ((.failed // [])[], (if .bare then "" else .text + "\n---\n" end) +
      ({prompt, generate_image, steps, cfg, seed} | tojson)) |
    {purpose: "image_chat", reply: ., piece_ms: $ms}' <<<"$1"
}
# The same from a noisy model: before each answer its damaged form, in one of nine ways in turn. An
# answer belongs to its message, since some damage is mended without asking again.
noisy_script_of() { # conversation (JSON), number of the first way
  jq -c --argjson way "$2" '
    def object: {prompt, generate_image, steps, cfg, seed};
    def answer: .text + "\n---\n" + (object | tojson);
    def damaged(n): [
      "Certainly! Here is my answer.\n\n" + answer + "\n\nLet me know what you think.",
      .text + "\n---\n```json\n" + (object | tojson) + "\n```",
      (answer | .[:length - 12]),
      .text + "\n---\n" + (object | del(.cfg) | tojson),
      .text + "\n---\n" + (object | .steps = "four" | tojson),
      .text,
      .text + " --- " + (object | tojson),
      "",
      (" " * 3000)][n % 9];
    .turns | to_entries[] | .key as $i | .value |
    ("*The person:\n" + (.say | gsub("(?<c>[\\\\*?\\[])"; "\\" + .c)) + "\n\n[[]current prompt*") as $match |
    {purpose: "image_chat", match: $match, reply: damaged($way + $i)},
    {purpose: "image_chat", match: $match, reply: answer, times: 0}' <<<"$1"
}
says_of() { jq -r '.turns[].say' <<<"$1"; }
conversation() { jq -c --arg name "$1" 'select(.name == $name)' "$STUDIO/conversations.jsonl"; }

# studio.image_tool is img/make_image, which answers with a path.
configure_image_tool() {
  mkdir -p "$XDG_CONFIG_HOME/mistro"
  cat >"$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml" <<'YML'
mistral_orchestrator: {studio: {image_tool: img/make_image}}
YML
  cat >image.yml <<'YML'
tools:
  - name: make_image
    description: Make an image
    inputSchema:
      type: object
      properties:
        prompt: {type: string}
        steps: {type: integer}
        cfg: {type: number}
        seed: {type: integer}
      required: [prompt]
    replies:
      - {when: {prompt: "*forbidden*"}, error: no such image}
      - {text: "made/image.png", delay_ms: 20}
YML
  jq -n --arg m "$MISTRO" --arg f "$PWD/image.yml" \
    '{mcpServers: {img: {command: $m, args: ["serve", "mock", "--fixture", $f]}}}' >img.json
}
no_image_tool() { rm -f "$XDG_CONFIG_HOME/mistro/mistral_orchestrator.yml"; }

# What a person was shown in each turn, as the events of --events tell it: one JSON text per line.
shown_texts() {
  jq -c -n 'foreach (inputs, null) as $e ({text: "", say: null};
    .say = null |
    if $e.event == "token" then .text += $e.text
    elif $e.event == "attempt_discarded" then .text = ""
    elif $e.event == "done" then {text: "", say: (.text | sub("\\s+$"; ""))} else . end;
    .say | select(. != null))' "$1"
}
