#include "application/figure/stages/figure.h"
#include "application/figure/stages/figure_work.h"
#include "application/figure/stages/verdict.h"
#include "domain/base/err_json.h"

const char *figure_end_name(enum figure_end end)
{
    static const char *const names[] = {
#define X(end, name) name,
        FIGURE_ENDS(X)
#undef X
    };
    return names[end];
}

const char *figure_picture_path(struct arena *arena, const char *folder, unsigned round,
                                const char *suffix)
{
    return arena_printf(arena, "%s%sround_%u.%s", folder, *folder ? "/" : "", round, suffix);
}

static void tell_start(const struct figure_work *work)
{
    const struct figure *figure = work->figure;
    const struct figure_input *input = work->input;
    json_t *seen =
        json_pack("{s:s, s:s, s:s}", "source_context", input->source_context,
                  "communicative_intent", input->communicative_intent, "caption", input->caption);
    json_t *shown = journal_value(figure->journal, seen);
    json_decref(seen);
    journal_emit(figure->journal, EVENT_FIGURE_STARTED,
                 json_pack("{s:o, s:s, s:s, s:i, s:I, s:s, s:s*}", "input", shown, "mode",
                           figure_mode_name(input->mode), "style", figure->style->name,
                           "max_rounds", (int)figure->max_rounds, "pool", (json_int_t)input->n_pool,
                           "by", figure->engine ? "model" : "rules", "model", figure->model));
}

static void tell_end(const struct figure_work *work, const struct figure_result *result)
{
    journal_emit(work_journal(work), EVENT_FIGURE_ENDED,
                 json_pack("{s:s, s:I, s:I, s:b, s:s, s:o*}", "end", figure_end_name(result->end),
                           "rounds", (json_int_t)result->log.n_rounds, "best",
                           (json_int_t)result->best, "manual_review_required",
                           (int)result->manual_review_required, "unresolved", result->unresolved,
                           "error", result->err.code ? err_to_json(&result->err) : NULL));
}

/* Whether a failure ends the figure as a result, and not as an error: there is a round that a
 * person may want, and nobody has cancelled. */
static bool is_an_end(const struct figure_work *work, const struct scope *scope)
{
    return work->n_rounds > 0 && !scope_check(scope, runtime_now_ms(work->figure->runtime), NULL);
}

static enum err_code run_round(struct figure_work *work, struct scope *scope, unsigned round,
                               struct err *err)
{
    enum err_code r = visualizer_run(work, scope, round, err);
    if (r)
        return r;
    work->n_rounds = round + 1;
    r = critic_run(work, scope, round, err);
    work->description = work->rounds[round].critique.revised_description;
    return r;
}

/* Draws and criticises until one of the ends. */
static enum err_code run_rounds(struct figure_work *work, struct scope *scope,
                                enum figure_end *out_end, struct err *out_why)
{
    for (unsigned round = 0;; round++) {
        enum err_code r = run_round(work, scope, round, out_why);
        if (r && !is_an_end(work, scope))
            return r;
        *out_end = FIGURE_END_STAGE_FAILED;
        if (r || verdict_is_over(work, round, out_end))
            return ERR_NONE;
    }
}

static enum err_code run_stages(struct figure_work *work, struct scope *scope,
                                enum figure_end *out_end, struct err *out_why)
{
    enum err_code r = retriever_run(work, scope, out_why);
    if (!r)
        r = planner_run(work, scope, out_why);
    if (r == ERR_FAILED && work->n_stages > 0) {
        *out_end = FIGURE_END_STAGE_FAILED;
        return ERR_NONE;
    }
    if (!r)
        r = stylist_run(work, scope, out_why);
    return r ? r : run_rounds(work, scope, out_end, out_why);
}

enum err_code figure_run(struct figure *figure, struct scope *scope, struct arena *arena,
                         const struct figure_input *input, struct figure_result *out,
                         struct err *err)
{
    int64_t started_ms = runtime_now_ms(figure->runtime);
    struct figure_work work = { .figure = figure, .arena = arena, .input = input };
    struct figure_result result = { 0 };
    enum figure_end end = FIGURE_END_STAGE_FAILED;
    work.rounds = arena_array(arena, struct figure_round, figure->max_rounds);
    work.pictures = arena_array(arena, struct picture, figure->max_rounds);
    tell_start(&work);
    enum err_code r = run_stages(&work, scope, &end, &result.err);
    if (r) {
        if (err)
            *err = result.err;
        return r;
    }
    if (end != FIGURE_END_STAGE_FAILED)
        result.err = (struct err){ 0 };
    verdict_fill(&work, end, &result);
    result.duration_ms = runtime_now_ms(figure->runtime) - started_ms;
    tell_end(&work, &result);
    *out = result;
    return ERR_NONE;
}
