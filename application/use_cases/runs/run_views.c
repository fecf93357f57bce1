#include "application/use_cases/runs/run_views.h"
#include "application/consensus/consensus_record.h"
#include "application/figure/report/figure_files.h"
#include "application/use_cases/runs/runs.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

static const char *const names[] = {
#define X(form, name) name,
    RUN_FORMS(X)
#undef X
};

struct recorded {
    struct run *run;
    struct event *events;
    size_t n;
};

bool run_form_parse(const char *name, enum run_form *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (!text_equal(names[i], name))
            continue;
        *out = (enum run_form)i;
        return true;
    }
    return false;
}

static const char *pretty(struct arena *arena, const json_t *value)
{
    auto_str text = json_print_pretty(value);
    return arena_printf(arena, "%s\n", text);
}

static const char *whole_run(struct arena *arena, const struct recorded *recorded)
{
    json_auto_t *value = run_to_json(recorded->run);
    json_t *events = json_array();
    for (size_t i = 0; i < recorded->n; i++)
        json_array_append_new(events, event_to_json(&recorded->events[i]));
    json_object_set_new(value, "events", events);
    return pretty(arena, value);
}

/* NULL: the run has none. */
static const char *form_text(struct arena *arena, const struct recorded *recorded,
                             enum run_form form)
{
    json_auto_t *value = NULL;
    switch (form) {
    case RUN_FORM_RUN:
        return whole_run(arena, recorded);
    case RUN_FORM_TRANSCRIPT:
        if (!consensus_event_data(recorded->events, recorded->n, EVENT_CONSENSUS_STARTED))
            return NULL;
        return consensus_transcript(arena, recorded->events, recorded->n);
    case RUN_FORM_FINAL:
        value = consensus_final(recorded->run->id, recorded->events, recorded->n);
        break;
    case RUN_FORM_ROUND_LOG:
        value = figure_log_from_events(recorded->events, recorded->n);
        break;
    }
    return value ? pretty(arena, value) : NULL;
}

static enum err_code has_no_form(const struct run *run, enum run_form form, struct err *err)
{
    bool is_consensus = text_equal(run->kind, "consensus"),
         is_figure = text_equal(run->kind, "figure");
    bool is_its_own = is_figure
                          ? form == RUN_FORM_ROUND_LOG
                          : is_consensus && (form == RUN_FORM_TRANSCRIPT || form == RUN_FORM_FINAL);
    enum err_code r = err_set(err, ERR_INVALID, 0, "the run %s of kind %s has no %s", run->id,
                              run->kind, names[form]);
    if (is_its_own)
        return err_hint(err, r, "it ended before that; --as run has it as far as it came");
    return err_hint(err, r, "it can be had as run%s, as far as it came",
                    is_consensus ? ", transcript or final"
                    : is_figure  ? " or round_log"
                                 : "");
}

enum err_code export_run(struct services *services, struct scope *scope, struct arena *arena,
                         const char *id, enum run_form form, const char **out_text, struct err *err)
{
    struct recorded recorded = { 0 };
    enum err_code r =
        show_run(services, scope, arena, id, &recorded.run, &recorded.events, &recorded.n, err);
    if (r)
        return r;
    const char *text = form_text(arena, &recorded, form);
    if (!text)
        return has_no_form(recorded.run, form, err);
    *out_text = text;
    return ERR_NONE;
}

enum err_code replay_run(struct services *services, struct scope *scope, struct arena *arena,
                         const char *id, struct consensus_replay *out, struct err *err)
{
    struct recorded recorded = { 0 };
    enum err_code r =
        show_run(services, scope, arena, id, &recorded.run, &recorded.events, &recorded.n, err);
    if (!r)
        r = consensus_replay(arena, services->digest, recorded.events, recorded.n, out, err);
    return r ? err_prefix(err, r, "replay") : ERR_NONE;
}
