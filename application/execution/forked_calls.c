#include "application/execution/forked_calls.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

struct forked_call {
    const struct call_record *record;
    const char *args; /* JSON text, members in order */
    bool is_taken;
};

bool forked_call_counts(const struct call_record *call)
{
    return call->state == CALL_DONE || call_is_uncertain(call) || call_was_settled_as_failed(call);
}

/* A call that was taken over has the effect id of the call that was made. */
static struct forked_call *find(struct forked_calls *calls, const char *effect_id)
{
    for (size_t i = 0; i < calls->n; i++)
        if (strcmp(calls->list[i].record->effect_id, effect_id) == 0)
            return &calls->list[i];
    return NULL;
}

static void add(struct forked_calls *calls, const struct call_record *record)
{
    json_t *args = NULL;
    if (json_parse(record->args, strlen(record->args), JSON_OURS, &args, NULL))
        return;
    auto_str text = json_print_sorted(args);
    *arena_push(calls->arena, calls->list, calls->n, calls->capacity) =
        (struct forked_call){ .record = record, .args = arena_strdup(calls->arena, text) };
    json_decref(args);
}

void forked_calls_init(struct forked_calls *calls, struct arena *arena,
                       const struct run_contents *contents, const char *run_id)
{
    *calls = (struct forked_calls){ .arena = arena, .run_id = run_id };
    for (size_t i = 0; i < contents->n_calls; i++) {
        const struct call_record *record = &contents->calls[i];
        bool is_own = !run_id && !strchr(record->path, FORKED_PATH_SEPARATOR);
        struct forked_call *known = find(calls, record->effect_id);
        if (known)
            known->is_taken = known->is_taken || is_own;
        else if (!is_own && forked_call_counts(record))
            add(calls, record);
    }
}

const struct call_record *forked_calls_take(struct forked_calls *calls, const char *tool,
                                            const json_t *args)
{
    auto_str text = calls->n ? json_print_sorted(args) : NULL;
    for (size_t i = 0; i < calls->n; i++) {
        struct forked_call *call = &calls->list[i];
        if (call->is_taken || strcmp(call->record->tool, tool) != 0 ||
            strcmp(call->args, text) != 0)
            continue;
        call->is_taken = call->record->state == CALL_DONE;
        calls->n_taken += call->is_taken;
        return call->record;
    }
    return NULL;
}

const char *forked_calls_remedy(const struct forked_calls *calls, const struct call_record *call)
{
    const char *step = strrchr(call->path, FORKED_PATH_SEPARATOR), *run_id = calls->run_id;
    if (step) { /* a fork of a fork has the path of the first one behind the id of the second */
        run_id = arena_strndup(calls->arena, call->path, (size_t)(step - call->path));
        const char *last = strrchr(run_id, FORKED_PATH_SEPARATOR);
        run_id = last ? last + 1 : run_id;
    }
    return arena_printf(calls->arena, "mistro runs resume %.40s --answer uncertain.%.80s=…", run_id,
                        step ? step + 1 : call->path);
}
