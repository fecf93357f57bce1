/* Entries are made on the loop's thread, for every event: its data is printed once, as the text
 * that will be in the row. */
#include "domain/base/json.h"
#include "infrastructure/repositories/run_log.h"
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 255 /* most events are shorter */

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

/* The texts of an entry; all but the first may be NULL. */
struct entry_texts {
    const char *run_id, *kind, *session_id, *title;
};

/* The texts are copied into one block behind the entry. */
static struct run_entry *make_entry(struct run_entry head, struct entry_texts texts)
{
    size_t size = sizeof head + size_of(texts.run_id) + size_of(texts.kind) +
                  size_of(texts.session_id) + size_of(texts.title);
    struct run_entry *entry = malloc(size);
    if (!entry)
        abort();
    char *at = (char *)(entry + 1);
    *entry = head;
    entry->run_id = place(&at, texts.run_id);
    entry->kind_name = place(&at, texts.kind);
    entry->session_id = place(&at, texts.session_id);
    entry->title = place(&at, texts.title);
    entry->bytes = size + size_of(entry->meta) + entry->lines.length;
    buf_init(&entry->durations, SIZE_MAX);
    return entry;
}

static struct buf print_line(const struct event *event)
{
    struct buf line;
    buf_init(&line, SIZE_MAX);
    if (!buf_reserve(&line, LINE_BYTES) || !buf_append_integer(&line, (int64_t)event->number) ||
        !buf_puts(&line, " ") || !buf_append_integer(&line, event->time_ms) ||
        !buf_puts(&line, " ") || !buf_puts(&line, event_kind_name(event->kind)) ||
        !buf_puts(&line, " "))
        abort();
    json_append(&line, event->data);
    if (!buf_puts(&line, "\n"))
        abort();
    return line;
}

static void note_call(struct run_entry *entry, const json_t *result)
{
    const char *tool = json_get_string(result, "tool");
    int64_t ms = json_get_int(result, "duration_ms", -1);
    if (!tool || ms < 0 || json_get_bool(result, "is_error", true))
        return;
    entry->tool = strdup(tool);
    if (!entry->tool || !buf_append_integer(&entry->durations, ms))
        abort();
    entry->bytes += size_of(tool);
}

struct run_entry *run_entry_of_event(const struct event *event)
{
    struct run_entry head = { .kind = RUN_ENTRY_EVENTS,
                              .time_ms = event->time_ms,
                              .last_number = event->number,
                              .lines = print_line(event) };
    struct run_entry *entry = make_entry(head, (struct entry_texts){ .run_id = event->run_id });
    if (event->kind == EVENT_TOOL_RESULT)
        note_call(entry, event->data);
    return entry;
}

struct run_entry *run_entry_of_begin(const struct run *run)
{
    struct run_entry head = { .kind = RUN_ENTRY_BEGIN,
                              .status = run->status,
                              .time_ms = run->started_at_ms,
                              .meta = json_print(run->meta) };
    return make_entry(head, (struct entry_texts){ run->id, run->kind, run->session_id,
                                                  run->title ? run->title : "" });
}

struct run_entry *run_entry_of_finish(const struct run *run)
{
    struct run_entry head = { .kind = RUN_ENTRY_FINISH,
                              .status = run->status,
                              .time_ms = run->finished_at_ms,
                              .meta = run->stats ? json_print(run->stats) : NULL };
    return make_entry(head, (struct entry_texts){ .run_id = run->id });
}

static void free_entry(struct run_entry *entry)
{
    buf_finish(&entry->lines);
    buf_finish(&entry->durations);
    free(entry->meta);
    free(entry->tool);
    free(entry);
}

void run_entries_free(struct run_entry *first)
{
    while (first) {
        struct run_entry *next = first->next;
        free_entry(first);
        first = next;
    }
}

/* Medians are asked for by tool, so a group has calls of one. */
static bool belong_together(const struct run_entry *group, const struct run_entry *more)
{
    return group->kind == RUN_ENTRY_EVENTS && more->kind == RUN_ENTRY_EVENTS &&
           group->lines.length < RUN_GROUP_BYTES && strcmp(group->run_id, more->run_id) == 0 &&
           (!group->tool || !more->tool || strcmp(group->tool, more->tool) == 0);
}

bool run_entry_join(struct run_entry *group, struct run_entry *more)
{
    if (group->was_sent || !belong_together(group, more))
        return false;
    if (!buf_append(&group->lines, more->lines.bytes, more->lines.length))
        abort();
    if (more->tool) {
        if ((group->tool && !buf_puts(&group->durations, " ")) ||
            !buf_puts(&group->durations, buf_string(&more->durations)))
            abort();
        group->time_ms = more->time_ms;
    }
    if (!group->tool) {
        group->tool = more->tool;
        more->tool = NULL;
    }
    group->last_number = more->last_number;
    group->bytes += more->bytes;
    free_entry(more);
    return true;
}
