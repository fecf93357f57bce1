#include "presentation/cli/traffic_lines.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/rules/redact.h"
#include <string.h>

/* The message without its secrets: member by member where it can be read, else as running text. */
static const char *without_secrets(struct arena *arena, const char *bytes, size_t length)
{
    json_auto_t *value = NULL;
    bool repaired;
    if (length <= TRAFFIC_LINES_MAX_JSON_BYTES &&
        json_parse_foreign(bytes, length, &value, &repaired, NULL) == ERR_NONE) {
        json_auto_t *clean = redact_json(value);
        return json_print_in(arena, clean);
    }
    size_t kept = text_cut(bytes, length, TRAFFIC_LINES_COLUMNS);
    return redact_text(arena, text_one_line(arena, bytes, kept, 4 * TRAFFIC_LINES_COLUMNS));
}

static void saw(struct traffic *base, const char *server, enum traffic_direction direction,
                const char *bytes, size_t length)
{
    struct traffic_lines *traffic = (struct traffic_lines *)base;
    AUTO(arena) scratch = { 0 };
    const char *text = without_secrets(&scratch, bytes, length);
    const char *shown = text_one_line(&scratch, text, strlen(text), TRAFFIC_LINES_COLUMNS);
    event_lines_say(traffic->lines,
                    arena_printf(&scratch, "  %c %s %s", direction == TRAFFIC_TO_SERVER ? '>' : '<',
                                 server, shown));
}

void traffic_lines_init(struct traffic_lines *traffic, struct event_lines *lines)
{
    static const struct traffic_ops ops = { saw };
    *traffic = (struct traffic_lines){ .base = { &ops }, .lines = lines };
}
