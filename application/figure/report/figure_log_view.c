#include "application/figure/report/figure_log_view.h"
#include "application/figure/stages/figure.h"
#include "domain/base/json.h"

/* What the log is made of, while the events are read in their order. */
struct reading {
    const json_t *started, *ended;
    const char *description; /* of the round that is next */
    json_t *rounds;
    json_t *open; /* the round whose critique is not there yet; NULL: none */
};

static void close_round(struct reading *r, const json_t *critique)
{
    if (!r->open)
        return;
    if (critique)
        json_object_set_new(r->open, "critique", json_share(critique));
    json_array_append_new(r->rounds, r->open);
    r->open = NULL;
}

static void on_drawn(struct reading *r, const json_t *data)
{
    const json_t *artifact = json_object_get(json_object_get(data, "output"), "artifact");
    close_round(r, NULL);
    r->open = json_pack("{s:I, s:s}", "round", (json_int_t)json_get_int(data, "round", 0),
                        "description_t", r->description ? r->description : "");
    if (artifact)
        json_object_set_new(r->open, "artifact", json_share(artifact));
}

static void on_stage(struct reading *r, const json_t *data)
{
    const json_t *output = json_object_get(data, "output");
    const char *stage = json_get_string(data, "stage"), *text = NULL;
    enum figure_stage which;
    if (!stage || !figure_stage_parse(stage, &which))
        return;
    if (which == STAGE_PLANNER)
        text = json_get_string(output, "initial_description");
    if (which == STAGE_STYLIST)
        text = json_get_string(output, "optimized_description");
    if (which == STAGE_VISUALIZER)
        on_drawn(r, data);
    if (which == STAGE_CRITIC) {
        text = json_get_string(output, "revised_description");
        close_round(r, output);
    }
    if (text && *text)
        r->description = text;
}

static void on_event(struct reading *r, const struct event *event)
{
    if (event->kind == EVENT_FIGURE_STARTED)
        r->started = event->data;
    else if (event->kind == EVENT_FIGURE_ENDED)
        r->ended = event->data;
    else if (event->kind == EVENT_FIGURE_FINDINGS && r->open)
        json_object_set(r->open, "findings", json_object_get(event->data, "findings"));
    else if (event->kind == EVENT_STAGE_FINISHED)
        on_stage(r, event->data);
}

json_t *figure_log_from_events(const struct event *events, size_t n)
{
    struct reading r = { .rounds = json_array() };
    for (size_t i = 0; i < n; i++)
        on_event(&r, &events[i]);
    close_round(&r, NULL);
    json_auto_t *rounds = r.rounds;
    const char *end = json_get_string(r.ended, "end"), *mode = json_get_string(r.started, "mode");
    if (!end || !mode)
        return NULL;
    int64_t max_rounds = json_get_int(r.started, "max_rounds", 0);
    bool early = (int64_t)json_array_size(rounds) < max_rounds;
    return json_pack("{s:I, s:s, s:b, s:s, s:O}", "max_rounds", (json_int_t)max_rounds, "mode",
                     mode, "terminated_early", (int)early, "termination_reason", early ? end : "",
                     "rounds", rounds);
}
