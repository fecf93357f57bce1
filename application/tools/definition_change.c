#include "application/tools/definition_change.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *const part_names[DEFINITION_PARTS] = { "title", "description", "inputSchema",
                                                          "outputSchema", "annotations" };

static const json_t *parsed(struct arena *arena, const char *text)
{
    json_t *value = NULL;
    if (!text || json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL))
        return NULL;
    return arena_keep_json(arena, value);
}

static bool is_plain_text(const json_t *part)
{
    return !part || (json_is_string(part) && !json_string_has_nul(part));
}

/* A definition's text is sorted, so what is read from it is as well. */
static const char *part_text(struct arena *arena, const json_t *part, bool as_text)
{
    if (!part)
        return NULL;
    if (as_text)
        return json_string_value(part);
    auto_str text = json_print_pretty(part);
    return arena_strdup(arena, text);
}

struct definition_change definition_change(struct arena *arena, const char *before,
                                           const struct tool *tool)
{
    auto_str text = tool_definition_text(tool);
    const json_t *old = parsed(arena, before), *now = parsed(arena, text);
    struct definition_change change = { 0 };
    for (size_t i = 0; i < DEFINITION_PARTS; i++) {
        const char *name = part_names[i];
        const json_t *old_part = json_object_get(old, name), *part = json_object_get(now, name);
        bool as_text = is_plain_text(old_part) && is_plain_text(part);
        struct text_difference difference = text_difference(
            arena, part_text(arena, old_part, as_text), part_text(arena, part, as_text));
        if (!difference.is_same)
            change.parts[change.n++] = (struct definition_part){ name, difference };
    }
    return change;
}

bool definition_change_print(struct buf *out, const struct definition_change *change)
{
    bool fits = true;
    for (size_t i = 0; fits && i < change->n; i++) {
        const struct text_difference *difference = &change->parts[i].difference;
        fits = buf_printf(out, "    %s:\n", change->parts[i].name);
        for (size_t l = 0; fits && l < difference->n; l++) {
            const struct difference_line *line = &difference->lines[l];
            fits = buf_printf(out, "    %c ", line->mark) &&
                   text_append_visible(out, line->text, line->length) && buf_puts(out, "\n");
        }
    }
    return fits;
}
