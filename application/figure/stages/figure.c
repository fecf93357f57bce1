/* The order of the stages, when the rounds of drawing and criticising end and why, which round is
 * the best, and what a person still has to look at. */
#include "application/figure/stages/figure.h"
#include "application/figure/stages/stage.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/figure/figure_words.h"
#include <string.h>

enum {
    USELESS_ROUNDS = 2,   /* of a critic in a row end the figure */
    UNCHANGED_ROUNDS = 2, /* descriptions in a row end it; without a model one does, as rules would
                             only repeat themselves */
};

const char *figure_end_name(enum figure_end end)
{
    static const char *const names[] = {
#define X(end, name) name,
        FIGURE_ENDS(X)
#undef X
    };
    return names[end];
}

const char *figure_picture_path(struct arena *arena, unsigned round, const char *suffix)
{
    return arena_printf(arena, "round_%u.%s", round, suffix);
}

static void log_start(const struct figure_work *work)
{
    const struct figure *figure = work->figure;
    const struct figure_input *input = work->input;
    json_t *seen = json_pack("{s:s, s:s, s:s, s:s*}", "source_context", input->source_context,
                             "communicative_intent", input->communicative_intent, "caption",
                             input->caption, "feedback", figure->feedback);
    json_t *shown = journal_value(&figure->session->journal, seen);
    json_decref(seen);
    journal_emit(&figure->session->journal, EVENT_FIGURE_STARTED,
                 json_pack("{s:o, s:s, s:s, s:i, s:I, s:s, s:s*, s:s*}", "input", shown, "mode",
                           figure_mode_name(input->mode), "style", figure->style->name,
                           "max_rounds", (int)figure->max_rounds, "pool", (json_int_t)input->n_pool,
                           "by", figure->engine ? "model" : "rules", "model", figure->model,
                           "folder", figure->folder));
}

static void log_end(const struct figure_work *work, const struct figure_result *result)
{
    journal_emit(&work->figure->session->journal, EVENT_FIGURE_ENDED,
                 json_pack("{s:s, s:I, s:I, s:b, s:s, s:o*}", "end", figure_end_name(result->end),
                           "rounds", (json_int_t)result->log.n_rounds, "best",
                           (json_int_t)result->best, "manual_review_required",
                           (int)result->manual_review_required, "unresolved", result->unresolved,
                           "error", result->err.code ? err_to_json(&result->err) : NULL));
}

size_t figure_critical_findings(const struct figure_round *round)
{
    size_t n = 0;
    for (size_t i = 0; i < round->n_findings; i++)
        n += round->findings[i].is_critical;
    return n;
}

static bool passes_gates(const struct figure_round *round)
{
    return round->critique.faithfulness_ok && round->critique.readability_ok;
}

/* Approved by a critic that read it. What is shown has to be what was approved, so nothing that the
 * checks found weighs more. */
static bool is_approved(const struct figure_round *round)
{
    return round->critique.reviewed && round->critique.stop_flag && passes_gates(round);
}

static bool is_better(const struct figure_round *a, const struct figure_round *b)
{
    size_t critical_a = figure_critical_findings(a), critical_b = figure_critical_findings(b);
    if (a->rendered != b->rendered)
        return a->rendered;
    if (is_approved(a) != is_approved(b))
        return is_approved(a);
    if (critical_a != critical_b)
        return critical_a < critical_b;
    if (passes_gates(a) != passes_gates(b))
        return passes_gates(a);
    return a->n_findings < b->n_findings;
}

static size_t best_round(const struct figure_round *rounds, size_t first, size_t n)
{
    size_t best = first;
    for (size_t i = first + 1; i < n; i++)
        if (is_better(&rounds[i], &rounds[best]))
            best = i;
    return best;
}

/* After the critic of this round: whether it was the last one, with *out_end. Counts rounds in a
 * row in the work. */
static bool is_last_round(struct figure_work *work, unsigned round, enum figure_end *out_end)
{
    const struct figure_round *now = &work->rounds[round];
    const struct figure_critique *critique = &now->critique;
    bool is_useless = work->figure->engine && !critique->reviewed;
    bool is_unchanged = figure_same_words(critique->revised_description, now->description_t);
    bool would_repeat = is_unchanged && !work->figure->engine;
    work->useless = is_useless ? work->useless + 1 : 0;
    work->unchanged = is_unchanged && !is_useless ? work->unchanged + 1 : 0;
    bool is_lost =
        round > 0 && !now->rendered && work->rounds[best_round(work->rounds, 0, round)].rendered;
    if (is_lost)
        *out_end = FIGURE_END_RENDER_LOST;
    else if (critique->stop_flag && passes_gates(now))
        *out_end = critique->reviewed ? FIGURE_END_APPROVED : FIGURE_END_CHECKED;
    else if (work->useless == USELESS_ROUNDS)
        *out_end = FIGURE_END_CRITIC_LOST;
    else if (would_repeat || work->unchanged == UNCHANGED_ROUNDS)
        *out_end = FIGURE_END_NO_PROGRESS;
    else if (round + 1 == work->figure->max_rounds)
        *out_end = FIGURE_END_MAX_ROUNDS;
    else
        return false;
    return true;
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
    for (unsigned round = (unsigned)work->first_round;; round++) {
        enum err_code r = run_round(work, scope, round, out_why);
        /* Once there is a round that a person may want, a failure is an end and not an error. */
        if (r &&
            (work->n_rounds == work->first_round || run_session_check(work->figure->session, NULL)))
            return r;
        *out_end = FIGURE_END_STAGE_FAILED;
        if (r || is_last_round(work, round, out_end))
            return ERR_NONE;
    }
}

/* What there is of the figure that is continued. */
static void take_before(struct figure_work *work, const struct figure_result *before)
{
    size_t n = before->log.n_rounds;
    memcpy(work->rounds, before->log.rounds, n * sizeof *work->rounds);
    memcpy(work->pictures, before->pictures, n * sizeof *work->pictures);
    work->n_rounds = work->first_round = n;
    work->retrieval_confidence = before->retrieval_confidence;
    work->assumption_block =
        json_string_value(json_path_find(before->stages_before, "/1/output/assumption_block"));
}

static enum err_code run_stages(struct figure_work *work, struct scope *scope,
                                enum figure_end *out_end, struct err *out_why)
{
    if (work->figure->before) {
        take_before(work, work->figure->before);
        enum err_code r = critic_take_feedback(work, scope, out_why);
        return r ? r : run_rounds(work, scope, out_end, out_why);
    }
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

/* What a person has to look at, one line each. */
static const char *unresolved(struct arena *arena, const struct figure_result *result)
{
    bool is_checked = result->end == FIGURE_END_CHECKED;
    const char *text = is_checked ? "checked by rules; no model has reviewed it\n" : "";
    if (!is_checked && result->end != FIGURE_END_APPROVED)
        text = arena_printf(arena, "not approved: %s\n", figure_end_name(result->end));
    if (result->log.n_rounds == 0)
        return text;
    const struct figure_round *round = &result->log.rounds[result->best];
    if (!round->critique.reviewed && !is_checked)
        text = arena_printf(arena, "%sround %u was reviewed by no model\n", text, round->round);
    if (!round->rendered)
        text = arena_printf(arena, "%sround %u was not drawn\n", text, round->round);
    for (int critical = 1; critical >= 0; critical--) /* those first */
        for (size_t i = 0; i < round->n_findings; i++)
            if (round->findings[i].is_critical == critical)
                text = arena_printf(arena, "%s%s%s\n", text, critical ? "critical: " : "",
                                    round->findings[i].message);
    if (round->before_feedback || (round->critique.reviewed && !round->critique.stop_flag))
        text =
            arena_printf(arena, "%s%s: %s\n", text,
                         round->before_feedback ? "a person asked for a change" : "the critic asks",
                         round->critique.critic_suggestions);
    return text;
}

void figure_show_round(struct arena *arena, struct figure_result *result, size_t round,
                       bool by_person)
{
    result->best = round;
    result->chosen_by_person = by_person;
    result->unresolved = unresolved(arena, result);
    result->manual_review_required = result->end != FIGURE_END_APPROVED || *result->unresolved;
}

/* What is shown: the round before the feedback only where none was drawn since. */
static size_t shown_round(const struct figure_work *work)
{
    size_t best = best_round(work->rounds, work->first_round, work->n_rounds);
    bool has_new = !work->figure->before || work->rounds[best].rendered;
    return has_new ? best : work->figure->before->best;
}

/* Everything of the result but err and duration_ms. */
static void fill_result(const struct figure_work *work, enum figure_end end,
                        struct figure_result *out)
{
    bool was_full = work->n_rounds == work->figure->max_rounds;
    out->end = end;
    out->input = *work->input;
    out->stages = work->stages;
    out->n_stages = work->n_stages;
    out->stages_before = work->figure->before ? work->figure->before->stages_before : NULL;
    out->pictures = work->pictures;
    out->data = work->figure->data;
    out->retrieval_confidence = work->retrieval_confidence ? work->retrieval_confidence : "low";
    out->model_calls = work->model_calls;
    out->log = (struct figure_round_log){
        .max_rounds = work->figure->max_rounds,
        .mode = work->input->mode,
        .terminated_early = !was_full,
        .termination_reason = end == FIGURE_END_MAX_ROUNDS ? "" : figure_end_name(end),
        .rounds = work->rounds,
        .n_rounds = work->n_rounds,
    };
    figure_show_round(work->arena, out, shown_round(work), /* by_person= */ false);
}

enum err_code figure_run(struct figure *figure, const struct figure_input *input,
                         struct figure_result *out, struct err *err)
{
    int64_t started_ms = run_session_now_ms(figure->session);
    struct arena *arena = figure->session->arena;
    struct figure_work work = { .figure = figure, .arena = arena, .input = input };
    struct figure_result result = { 0 };
    enum figure_end end = FIGURE_END_STAGE_FAILED;
    work.rounds = arena_array(arena, struct figure_round, figure->max_rounds);
    work.pictures = arena_array(arena, struct picture, figure->max_rounds);
    log_start(&work);
    enum err_code r = run_stages(&work, &figure->session->scope, &end, &result.err);
    if (r) {
        if (err)
            *err = result.err;
        return r;
    }
    if (end != FIGURE_END_STAGE_FAILED)
        result.err = (struct err){ 0 };
    fill_result(&work, end, &result);
    result.duration_ms = run_session_now_ms(figure->session) - started_ms;
    log_end(&work, &result);
    *out = result;
    return ERR_NONE;
}
