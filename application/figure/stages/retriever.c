/* Which figures of the pool the Planner is shown: those that the person chose, or a choice of the
 * model among the nearest by full-text search, or simply the nearest. */
#include "application/figure/references/reference_pool.h"
#include "application/figure/stages/stage.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { SHOWN_CANDIDATES = 20 }; /* of the pool, nearest first, that a model chooses from */

/* What a model chooses from. */
struct retrieval {
    struct figure_work *work;
    struct reference_hit *hits; /* nearest first */
    size_t n_hits;
};

static const struct figure_reference *find(const struct figure_input *input, const char *id)
{
    for (size_t i = 0; id && i < input->n_pool; i++)
        if (strcmp(input->pool[i].id, id) == 0)
            return &input->pool[i];
    return NULL;
}

static const struct figure_reference *candidate(const struct retrieval *retrieval, size_t i)
{
    return &retrieval->work->input->pool[retrieval->hits[i].reference];
}

static const char *candidates_in_words(const struct retrieval *retrieval)
{
    json_auto_t *list = json_array();
    for (size_t i = 0; i < retrieval->n_hits; i++) {
        const struct figure_reference *entry = candidate(retrieval, i);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "id", entry->id, "summary",
                                              entry->summary, "domain", entry->domain,
                                              "diagram_type", entry->diagram_type));
    }
    return json_print_in(retrieval->work->arena, list);
}

/* Every reference is one of the candidates, and stands there once. */
static bool check_refs(void *context, const json_t *value, struct problems *problems)
{
    const struct retrieval *retrieval = context;
    const json_t *refs = json_object_get(value, "top_refs");
    stage_want_words(value, "selection_rationale", problems);
    for (size_t i = 0; i < json_array_size(refs); i++) {
        const char *id = json_string_value(json_array_get(refs, i));
        const char *path = json_path_element(problems->arena, "/top_refs", i);
        bool is_shown = false;
        for (size_t k = 0; k < retrieval->n_hits && !is_shown; k++)
            is_shown = text_equal(candidate(retrieval, k)->id, id);
        if (!is_shown)
            problems_add(problems, NULL, path, "there is no candidate \"%.60s\"", id ? id : "")
                ->fix = "use ids of the candidates, as they are written";
        for (size_t k = 0; k < i; k++)
            if (text_equal(id, json_string_value(json_array_get(refs, k))))
                problems_add(problems, NULL, path, "\"%.60s\" is there twice", id)->fix =
                    "name each candidate once";
    }
    return problems->n == 0;
}

static json_t *by_rank(const struct retrieval *retrieval)
{
    size_t n = (size_t)work_settings(retrieval->work)->figure_references;
    json_t *refs = json_array();
    for (size_t i = 0; i < retrieval->n_hits && i < n; i++)
        json_array_append_new(refs, json_string(candidate(retrieval, i)->id));
    bool is_near = retrieval->n_hits && retrieval->hits[0].score >= 1;
    return json_pack("{s:o, s:s, s:s}", "top_refs", refs, "selection_rationale",
                     "nearest to caption, intent and text by full-text search, those of the same "
                     "type of diagram first",
                     "retrieval_confidence", is_near ? "medium" : "low");
}

static json_t *by_person(const struct figure_work *work)
{
    json_t *refs = json_array();
    for (size_t i = 0; i < work->figure->n_refs; i++)
        json_array_append_new(refs, json_string(work->figure->refs[i]));
    return json_pack("{s:o, s:s, s:s}", "top_refs", refs, "selection_rationale",
                     "chosen by the person", "retrieval_confidence", "high");
}

/* What the rest of the figure goes by; a small pool, or few references that the person chose, make
 * the confidence low whatever was said. */
static void keep(struct stage_run *run, json_t *output)
{
    struct figure_work *work = run->work;
    const json_t *refs = json_object_get(output, "top_refs");
    /* figure.references bounds what the Planner reads; a person's choice is read whole. */
    size_t most =
        work->figure->n_refs ? FIGURE_MAX_REFS : (size_t)work_settings(work)->figure_references;
    work->examples = arena_array(work->arena, const struct figure_reference *, FIGURE_MAX_REFS);
    for (size_t i = 0; i < json_array_size(refs) && i < most; i++) {
        const struct figure_reference *entry =
            find(work->input, json_string_value(json_array_get(refs, i)));
        if (entry)
            work->examples[work->n_examples++] = entry;
    }
    size_t n_refs = work->figure->n_refs, n_pool = n_refs ? n_refs : work->input->n_pool;
    if (n_pool < FIGURE_SMALL_POOL) {
        json_object_set_new(output, "retrieval_confidence", json_string("low"));
        stage_note(run, n_refs
                            ? arena_printf(work->arena, "--refs names only %zu", n_refs)
                            : arena_printf(work->arena, "the pool has only %zu entries", n_pool));
    }
    work->retrieval_confidence =
        arena_strdup(work->arena, json_get_string(output, "retrieval_confidence"));
}

static enum err_code choose(struct stage_run *run, struct scope *scope, struct retrieval *retrieval,
                            json_t **out, struct err *err)
{
    const struct figure_input *input = run->work->input;
    const json_t *value = NULL;
    const struct stage_question question = {
        .contract = "figure_retriever",
        .values = { { .name = "source",
                      .text = fence_text(run->work->arena, input->source_context) },
                    { .name = "intent", .text = input->communicative_intent },
                    { .name = "caption", .text = input->caption },
                    { .name = "candidates", .text = candidates_in_words(retrieval) } },
        .n_values = 4,
        .may_be_too_long = true,
        .instead = "the nearest by full-text search were taken",
        .cross_check = check_refs,
        .context = retrieval,
    };
    enum err_code r = retrieval->n_hits ? stage_ask(run, scope, &question, &value, err) : ERR_NONE;
    if (!r)
        *out = value ? json_deep_copy(value) : by_rank(retrieval);
    return r;
}

enum err_code retriever_run(struct figure_work *work, struct scope *scope, struct err *err)
{
    struct retrieval retrieval = { .work = work };
    json_t *output = NULL;
    struct stage_run run = stage_begin(work, STAGE_RETRIEVER, 0, figure_input_to_json(work->input));
    if (work->figure->n_refs) {
        output = by_person(work);
    } else {
        enum err_code r =
            reference_pool_search(work->figure->index, work->arena, work->input, SHOWN_CANDIDATES,
                                  &retrieval.hits, &retrieval.n_hits, err);
        if (!r)
            r = choose(&run, scope, &retrieval, &output, err);
        if (r)
            return r;
    }
    keep(&run, output);
    stage_end(&run, output);
    return ERR_NONE;
}
