# What the studio's tests share: models made of the conversations in conversations.jsonl, an image
# tool, and a user's configuration that names it.
STUDIO="$SOURCE_DIR/tests/e2e/studio"

# A scripted model that says a conversation's answers, failed attempts first.
script_of() { # conversation (JSON), milliseconds between the pieces
  jq -c --argjson ms "${2:-0}" '.turns[] |
    ((.failed // [])[], (if .text == "" then "" else .text + "\n---\n" end) +
      ({prompt, generate_image, steps, cfg, seed} | tojson)) |
    {purpose: "image_chat", reply: ., piece_ms: $ms}' <<<"$1"
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
