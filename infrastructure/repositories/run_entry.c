/* Entries are made on the loop's thread, for every event: the JSON is printed once and everything
 * else is copied into one block behind the entry. */
#include "domain/base/json.h"
#include "infrastructure/repositories/run_log.h"
#include <stdlib.h>
#include <string.h>

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static char *place(char **at, const char *text)
{
    size_t size = size_of(text);
    char *copy = *at;
    if (!size)
        return NULL;
    memcpy(copy, text, size);
    *at += size;
    return copy;
}

/* json is stolen. */
static struct run_entry *make_entry(struct run_entry head, const char *run_id, const char *kind,
                                    const char *session_id, const char *title, const char *tool,
                                    char *json)
{
    size_t size = sizeof head + size_of(run_id) + size_of(kind) + size_of(session_id) +
                  size_of(title) + size_of(tool);
    struct run_entry *entry = malloc(size);
    if (!entry)
        abort();
    char *at = (char *)(entry + 1);
    *entry = head;
    entry->run_id = place(&at, run_id);
    entry->kind_name = place(&at, kind);
    entry->session_id = place(&at, session_id);
    entry->title = place(&at, title);
    entry->tool = place(&at, tool);
    entry->json = json;
    entry->bytes = size + size_of(json);
    return entry;
}

struct run_entry *run_entry_of_event(const struct event *event)
{
    struct run_entry head = { .kind = RUN_ENTRY_EVENT,
                              .time_ms = event->time_ms,
                              .duration_ms = -1,
                              .number = event->number,
                              .event_kind = event_kind_name(event->kind) };
    const char *tool = NULL;
    if (event->kind == EVENT_TOOL_RESULT && !json_get_bool(event->data, "is_error", true)) {
        tool = json_get_string(event->data, "tool");
        head.duration_ms = json_get_int(event->data, "duration_ms", -1);
    }
    return make_entry(head, event->run_id, NULL, NULL, NULL, tool, json_print(event->data));
}

struct run_entry *run_entry_of_begin(const struct run *run)
{
    struct run_entry head = { .kind = RUN_ENTRY_BEGIN,
                              .status = run->status,
                              .time_ms = run->started_at_ms };
    return make_entry(head, run->id, run->kind, run->session_id, run->title ? run->title : "", NULL,
                      json_print(run->meta));
}

struct run_entry *run_entry_of_finish(const struct run *run)
{
    struct run_entry head = { .kind = RUN_ENTRY_FINISH,
                              .status = run->status,
                              .time_ms = run->finished_at_ms };
    return make_entry(head, run->id, NULL, NULL, NULL, NULL, NULL);
}

void run_entries_free(struct run_entry *first)
{
    while (first) {
        struct run_entry *next = first->next;
        free(first->json);
        free(first);
        first = next;
    }
}
