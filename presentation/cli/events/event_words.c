#include "presentation/cli/events/event_words.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { WORD_COLUMNS = 120, TEXT_COLUMNS = 400 };

static const char *text_line(struct arena *arena, const char *text, size_t columns)
{
    return text ? text_one_line(arena, text, strlen(text), columns) : "";
}

const char *event_member(struct arena *arena, const json_t *data, const char *key)
{
    return text_line(arena, json_get_string(data, key), TEXT_COLUMNS);
}

const char *event_value(struct arena *arena, const json_t *value)
{
    return value ? text_line(arena, json_print_in(arena, value), TEXT_COLUMNS) : "";
}

/* " 12 ms", or nothing when the event does not say. */
const char *event_ms(struct arena *arena, const json_t *data, const char *key)
{
    int64_t ms = json_get_int(data, key, -1);
    return ms < 0 ? "" : arena_printf(arena, ", %lld ms", (long long)ms);
}

const char *event_joined(struct arena *arena, const json_t *list, const char *key,
                         const char *separator)
{
    const char *text = "";
    const json_t *item;
    size_t i;
    json_array_foreach ((json_t *)(uintptr_t)list, i, item) {
        const char *word = key ? json_get_string(item, key) : json_string_value(item);
        text = arena_printf(arena, "%s%s%s", text, i ? separator : "",
                            text_line(arena, word, WORD_COLUMNS));
    }
    return text;
}
