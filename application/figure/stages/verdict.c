#include "application/figure/stages/verdict.h"
#include "domain/figure/figure_words.h"
#include <string.h>

static size_t critical_findings(const struct figure_round *round)
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

static bool is_better(const struct figure_round *a, const struct figure_round *b)
{
    size_t critical_a = critical_findings(a), critical_b = critical_findings(b);
    if (a->rendered != b->rendered)
        return a->rendered;
    if (critical_a != critical_b)
        return critical_a < critical_b;
    if (passes_gates(a) != passes_gates(b))
        return passes_gates(a);
    return a->n_findings < b->n_findings;
}

size_t verdict_best(const struct figure_round *rounds, size_t n)
{
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (is_better(&rounds[i], &rounds[best]))
            best = i;
    return best;
}

static bool is_lost(const struct figure_work *work, unsigned round)
{
    return round > 0 && !work->rounds[round].rendered &&
           work->rounds[verdict_best(work->rounds, round)].rendered;
}

bool verdict_is_over(struct figure_work *work, unsigned round, enum figure_end *out_end)
{
    const struct figure_round *now = &work->rounds[round];
    const struct figure_critique *critique = &now->critique;
    bool is_useless = work->figure->engine && !critique->reviewed;
    bool is_unchanged = figure_same_words(critique->revised_description, now->description_t);
    bool would_repeat = is_unchanged && !work->figure->engine;
    work->useless = is_useless ? work->useless + 1 : 0;
    work->unchanged = is_unchanged && !is_useless ? work->unchanged + 1 : 0;
    if (is_lost(work, round))
        *out_end = FIGURE_END_RENDER_LOST;
    else if (critique->stop_flag && passes_gates(now))
        *out_end = critique->reviewed ? FIGURE_END_APPROVED : FIGURE_END_CHECKED;
    else if (work->useless == FIGURE_USELESS_ROUNDS)
        *out_end = FIGURE_END_CRITIC_LOST;
    else if (would_repeat || work->unchanged == FIGURE_UNCHANGED_ROUNDS)
        *out_end = FIGURE_END_NO_PROGRESS;
    else if (round + 1 == work->figure->max_rounds)
        *out_end = FIGURE_END_MAX_ROUNDS;
    else
        return false;
    return true;
}

/* What a person has to look at, one line each. */
static const char *unresolved(const struct figure_work *work, enum figure_end end, size_t best)
{
    struct arena *arena = work->arena;
    const char *text = "";
    if (end != FIGURE_END_APPROVED)
        text = arena_printf(arena, "not approved: %s\n", figure_end_name(end));
    if (work->n_rounds == 0)
        return text;
    const struct figure_round *round = &work->rounds[best];
    if (!round->critique.reviewed)
        text = arena_printf(arena, "%sround %u was reviewed by no model\n", text, round->round);
    if (!round->rendered)
        text = arena_printf(arena, "%sround %u was not drawn\n", text, round->round);
    for (size_t i = 0; i < round->n_findings; i++)
        text = arena_printf(arena, "%s%s\n", text, round->findings[i].message);
    if (round->critique.reviewed && !round->critique.stop_flag)
        text = arena_printf(arena, "%sthe critic asks: %s\n", text,
                            round->critique.critic_suggestions);
    return text;
}

void verdict_fill(const struct figure_work *work, enum figure_end end, struct figure_result *out)
{
    bool was_full = work->n_rounds == work->figure->max_rounds;
    out->end = end;
    out->input = *work->input;
    out->stages = work->stages;
    out->n_stages = work->n_stages;
    out->best = verdict_best(work->rounds, work->n_rounds);
    out->pictures = work->pictures;
    out->data = work->figure->data;
    out->retrieval_confidence = work->retrieval_confidence ? work->retrieval_confidence : "low";
    out->model_calls = work->model_calls;
    out->unresolved = unresolved(work, end, out->best);
    out->manual_review_required = end != FIGURE_END_APPROVED || *out->unresolved;
    out->log = (struct figure_round_log){
        .max_rounds = work->figure->max_rounds,
        .mode = work->input->mode,
        .terminated_early = !was_full,
        .termination_reason = end == FIGURE_END_MAX_ROUNDS ? "" : figure_end_name(end),
        .rounds = work->rounds,
        .n_rounds = work->n_rounds,
    };
}
