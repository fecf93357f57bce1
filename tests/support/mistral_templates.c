#include "tests/support/mistral_templates.h"
#include "domain/base/json.h"
#include <assert.h>
#include <string.h>

struct rendering {
    struct arena *arena;
    enum mistral_layout layout;
    const char *system; /* all system texts, joined */
    json_t *turns;      /* the others */
    const char *text, *error;
};

static const char *role_of(const json_t *turn)
{
    return json_get_string(turn, "role");
}

static const char *content_of(const json_t *turn)
{
    const char *content = json_get_string(turn, "content");
    assert(content);
    return content;
}

static bool is_user(const json_t *turn)
{
    return strcmp(role_of(turn), "user") == 0;
}

static const char *join(struct arena *arena, const char *a, const char *b)
{
    return *a ? arena_printf(arena, "%s\n\n%s", a, b) : b;
}

/* What Ollama does before it fills its template. */
static void collate(struct rendering *rendering, const json_t *turn)
{
    size_t n = json_array_size(rendering->turns);
    json_t *last = n ? json_array_get(rendering->turns, n - 1) : NULL;
    if (!last || strcmp(role_of(last), role_of(turn)) != 0) {
        json_array_append_new(rendering->turns, json_deep_copy(turn));
        return;
    }
    const char *both = join(rendering->arena, content_of(last), content_of(turn));
    json_object_set_new(last, "content", json_string(both));
}

static void take(struct rendering *rendering, const json_t *message, bool is_first)
{
    bool is_system = strcmp(role_of(message), "system") == 0;
    bool is_ollama = rendering->layout == MISTRAL_OLLAMA;
    if (is_system && rendering->layout == MISTRAL_V1_STRICT)
        rendering->error = "System role not supported";
    else if (is_system && !is_first && !is_ollama)
        rendering->error = "After the optional system message, conversation roles must alternate";
    else if (is_system)
        rendering->system = join(rendering->arena, rendering->system, content_of(message));
    else if (is_ollama)
        collate(rendering, message);
    else
        json_array_append_new(rendering->turns, json_deep_copy(message));
}

static void check_alternation(struct rendering *rendering)
{
    size_t n = json_array_size(rendering->turns);
    for (size_t i = 0; i < n && rendering->layout != MISTRAL_OLLAMA; i++)
        if (is_user(json_array_get(rendering->turns, i)) != (i % 2 == 0))
            rendering->error = "conversation roles must alternate user/assistant/user/assistant";
}

/* Does this layout put the system text into the turn? */
static bool holds_system(const struct rendering *rendering, size_t i)
{
    if (rendering->layout == MISTRAL_V7 || !*rendering->system)
        return false;
    if (rendering->layout == MISTRAL_V1)
        return i == 0;
    return i + 1 == json_array_size(rendering->turns);
}

static void print_turn(struct rendering *rendering, size_t i)
{
    const json_t *turn = json_array_get(rendering->turns, i);
    const char *content = content_of(turn);
    if (!is_user(turn)) {
        rendering->text = arena_printf(rendering->arena, "%s %s</s>", rendering->text, content);
        return;
    }
    if (holds_system(rendering, i))
        content = join(rendering->arena, rendering->system, content);
    rendering->text =
        arena_printf(rendering->arena, "%s[INST] %s[/INST]", rendering->text, content);
}

const char *mistral_render(struct arena *arena, enum mistral_layout layout, const json_t *messages,
                           const char **out_error)
{
    struct rendering rendering = { .arena = arena, .layout = layout, .system = "" };
    size_t n = json_array_size(messages);
    rendering.turns = arena_keep_json(arena, json_array());
    for (size_t i = 0; i < n; i++)
        take(&rendering, json_array_get(messages, i), i == 0);
    check_alternation(&rendering);
    rendering.text = "<s>";
    if (layout == MISTRAL_V7 && *rendering.system)
        rendering.text =
            arena_printf(arena, "<s>[SYSTEM_PROMPT] %s[/SYSTEM_PROMPT]", rendering.system);
    for (size_t i = 0; i < json_array_size(rendering.turns); i++)
        print_turn(&rendering, i);
    *out_error = rendering.error;
    return rendering.error ? NULL : rendering.text;
}
