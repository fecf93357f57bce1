#include "presentation/cli/events/traffic_lines.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/text/redact.h"
#include <string.h>

#define TASK_ID "taskId"

/* The id of a task is enough to ask for its result, so it is not for a screen; the run log, which
 * is private, keeps it. Changes the value in place. */
static void hide_tasks(json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach (value, i, member)
        hide_tasks(member);
    json_each_member (value, key, member) {
        if (strcmp(key, TASK_ID) == 0)
            json_object_set_new(value, key, json_string("[redacted]"));
        else
            hide_tasks(member);
    }
}

/* The message without its secrets: member by member where it can be read, else as running text. */
static const char *without_secrets(struct arena *arena, const char *bytes, size_t length)
{
    json_auto_t *value = NULL;
    bool repaired;
    if (length <= TRAFFIC_LINES_MAX_JSON_BYTES &&
        json_parse_foreign(bytes, length, &value, &repaired, NULL) == ERR_NONE) {
        hide_tasks(value);
        json_auto_t *clean = redact_json(value);
        return json_print_in(arena, clean);
    }
    size_t kept = text_cut(bytes, length, TRAFFIC_LINES_COLUMNS);
    char *text = text_one_line(arena, bytes, kept, 4 * TRAFFIC_LINES_COLUMNS);
    char *task = strstr(text, TASK_ID);
    if (task)
        *task = '\0';
    return redact_text(arena, text);
}

static void saw(struct traffic *base, const char *server, enum traffic_direction direction,
                const char *bytes, size_t length)
{
    struct traffic_lines *traffic = (struct traffic_lines *)base;
    AUTO(arena) scratch = { 0 };
    const char *text = without_secrets(&scratch, bytes, length);
    const char *shown = text_one_line(&scratch, text, strlen(text), TRAFFIC_LINES_COLUMNS);
    event_lines_add(traffic->lines,
                    arena_printf(&scratch, "  %c %s %s", direction == TRAFFIC_TO_SERVER ? '>' : '<',
                                 server, shown));
}

void traffic_lines_init(struct traffic_lines *traffic, struct event_lines *lines)
{
    static const struct traffic_ops ops = { saw };
    *traffic = (struct traffic_lines){ .base = { &ops }, .lines = lines };
}
