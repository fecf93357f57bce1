#include "domain/entities/call_record.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(state, name) name,
    CALL_STATES(X)
#undef X
};

const char *call_state_name(enum call_state state)
{
    return names[state];
}

enum call_state call_state_parse(const char *name)
{
    int found = text_find(name, names, ARRAY_LENGTH(names));
    return found < 0 ? CALL_UNCERTAIN : (enum call_state)found;
}

bool call_is_uncertain(const struct call_record *call)
{
    return call->state == CALL_SENT || call->state == CALL_UNCERTAIN;
}

bool call_was_settled_as_failed(const struct call_record *call)
{
    return call->state == CALL_FAILED && text_equal(call->error, CALL_SETTLED_AS_FAILED);
}

const char *run_contents_fact(const struct run_contents *contents, const char *name)
{
    for (size_t i = 0; i < contents->n_facts; i++)
        if (strcmp(contents->facts[i].name, name) == 0)
            return contents->facts[i].text;
    return NULL;
}

static int by_path(const void *a, const void *b)
{
    const struct call_record *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

struct call_record call_record_copy(struct arena *arena, const struct call_record *call)
{
    struct call_record copy = *call;
    copy.path = arena_strdup(arena, call->path);
    copy.tool = arena_strdup(arena, call->tool);
    copy.args = arena_strdup(arena, call->args);
    copy.effect_id = arena_strdup(arena, call->effect_id);
    copy.error = arena_strdup(arena, call->error);
    copy.task = arena_strdup(arena, call->task);
    copy.argument = arena_strdup(arena, call->argument);
    if (call->result)
        copy.result = arena_strndup(arena, call->result, call->result_length);
    return copy;
}

void run_contents_index(struct run_contents *contents, struct arena *arena)
{
    contents->by_path = arena_array(arena, struct call_record *, contents->n_calls + 1);
    for (size_t i = 0; i < contents->n_calls; i++)
        contents->by_path[i] = &contents->calls[i];
    qsort(contents->by_path, contents->n_calls, sizeof *contents->by_path, by_path);
}

struct call_record *run_contents_call(const struct run_contents *contents, const char *path)
{
    const struct call_record wanted = { .path = path }, *key = &wanted;
    struct call_record **found = contents->n_calls
                                     ? bsearch(&key, contents->by_path, contents->n_calls,
                                               sizeof *contents->by_path, by_path)
                                     : NULL;
    return found ? *found : NULL;
}
