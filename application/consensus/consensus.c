#include "application/consensus/consensus.h"
#include "application/consensus/consensus_internal.h"
#include <string.h>

/* A run on its way. */
struct play {
    const struct consensus *consensus;
    struct scope *scope;
    struct arena *arena;
    struct controller *controller;
    struct consensus_result result;
};

/* One agent's turn, while it is asked for and afterwards. */
struct asked {
    struct play *play;
    struct controller_turn turn;
    struct envelope envelope;
    struct agent_usage usage;
    int64_t ms;
    struct err err; /* why no envelope came */
};

static int64_t now_ms(const struct play *play)
{
    return run_session_now_ms(play->consensus->session);
}

static enum err_code ask_once(struct asked *asked, struct scope *scope, struct err *err)
{
    const struct play *play = asked->play;
    return consensus_agent_answer(play->consensus->agents[asked->turn.agent], scope, play->arena,
                                  &asked->turn, &asked->envelope, &asked->usage, err);
}

/* A model that was silent once may have been loading: all the rounds before are not thrown away for
 * that. One that is silent twice in one turn is gone. */
static void ask(struct asked *asked, struct scope *scope)
{
    const struct consensus *consensus = asked->play->consensus;
    int64_t started_ms = now_ms(asked->play);
    struct err err = { 0 };
    enum err_code r = ask_once(asked, scope, &err);
    if (r == ERR_TIMEOUT && !scope_check(scope, now_ms(asked->play), NULL)) {
        journal_warn(&consensus->session->journal, "the %.60s is asked once more: %s",
                     consensus->roles->agents[asked->turn.agent].role, err.message);
        err = (struct err){ 0 };
        r = ask_once(asked, scope, &err);
    }
    asked->ms = now_ms(asked->play) - started_ms;
    if (r)
        asked->err = err;
}

static enum err_code ask_beside(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    ask(argument, scope);
    return ERR_NONE;
}

/* What the checker has against a canonical candidate; *out_failure is NULL when it has nothing, or
 * when there is no checker or no candidate. */
awaits MUST_CHECK static enum err_code check(const struct consensus *consensus, struct scope *scope,
                                             const char *candidate, struct arena *arena,
                                             const char **out_failure, struct err *err)
{
    *out_failure = NULL;
    if (!consensus->session->services->checker || !candidate)
        return ERR_NONE;
    const struct candidate_trial trial = { consensus->roles->kind, candidate, consensus->examples };
    return candidate_check(consensus->session->services->checker, scope, &trial, arena, out_failure,
                           err);
}

/* A model that gave nothing readable may do better next time; one that is gone is gone. */
static bool is_lost(const struct asked *asked)
{
    return asked->err.code && asked->err.code != ERR_FAILED;
}

/* Hands what was said, or that nothing was, to the controller, and reports its verdict. */
static enum err_code take(struct play *play, const struct asked *asked, struct err *err)
{
    struct controller *controller = play->controller;
    struct controller_verdict verdict;
    unsigned agent = asked->turn.agent;
    const char *failure = NULL;
    agent_usage_add(&play->result.usage[agent], &asked->usage);
    enum err_code r = scope_check(play->scope, now_ms(play), err);
    if (!r && !asked->err.code)
        r = check(play->consensus, play->scope,
                  controller_candidate(play->controller, &asked->envelope), play->arena, &failure,
                  err);
    if (r)
        return r;
    if (asked->err.code)
        verdict = controller_take_nothing(
            controller, agent, arena_strdup(play->arena, asked->err.message), is_lost(asked));
    else
        verdict = controller_take(controller, agent, &asked->envelope, failure);
    enum consensus_end end = controller_end(controller);
    if (end == CONSENSUS_AGENTS_LOST || end == CONSENSUS_UNREADABLE)
        play->result.err = asked->err;
    play->result.rounds = asked->turn.round;
    const struct standing *standing = controller_standing(controller, agent);
    bool is_standing = verdict.counts && standing->exists;
    const struct consensus_turn_event event = { .round = asked->turn.round,
                                                .agent = agent,
                                                .said = asked->err.code ? NULL : &asked->envelope,
                                                .verdict = &verdict,
                                                .canonical =
                                                    is_standing ? standing->canonical : NULL,
                                                .check_failure = failure,
                                                .usage = &asked->usage,
                                                .ms = asked->ms };
    consensus_emit_turn(play->consensus, &event);
    const char *hint = controller_take_hint(controller);
    if (hint)
        consensus_emit_hint(play->consensus, asked->turn.round, hint);
    return ERR_NONE;
}

/* Waits for both and takes them in their order, whichever came first. But an agent that was lost
 * ends the run, so the answer of the other is taken before it. */
static enum err_code play_first_round_side_by_side(struct play *play, struct err *err)
{
    struct runtime *runtime = play->consensus->session->services->runtime;
    struct asked asked[ROLE_SET_AGENTS];
    struct task *tasks[ROLE_SET_AGENTS];
    for (unsigned i = 0; i < ROLE_SET_AGENTS; i++) {
        asked[i] = (struct asked){ .play = play, .turn = controller_first(play->controller, i) };
        tasks[i] = runtime_spawn(runtime, play->scope, ask_beside, &asked[i]);
    }
    for (unsigned i = 0; i < ROLE_SET_AGENTS; i++)
        (void)runtime_wait(runtime, tasks[i]);
    unsigned first = is_lost(&asked[0]) ? 1 : 0;
    enum err_code r = take(play, &asked[first], err);
    if (!r && controller_end(play->controller) == CONSENSUS_RUNNING)
        r = take(play, &asked[1 - first], err);
    return r;
}

static void finish(struct play *play, int64_t started_ms)
{
    struct consensus_result *result = &play->result;
    result->end = controller_end(play->controller);
    result->promoted = controller_was_promoted(play->controller);
    result->duration_ms = now_ms(play) - started_ms;
    const struct controller_tally tally = controller_tally(play->controller);
    result->flips = tally.flips;
    result->coercions = tally.coercions;
    result->refused = tally.refused;
    for (unsigned i = 0; i < ROLE_SET_AGENTS; i++) {
        result->candidates[i] = *controller_standing(play->controller, i);
        result->envelopes[i] = controller_latest(play->controller, i);
    }
    if (result->end != CONSENSUS_CONSENSUS)
        return;
    const struct standing *agreed = controller_standing(play->controller, 0);
    result->text = agreed->text;
    result->canonical = agreed->canonical;
    result->sha256 = arena_strdup(play->arena, agreed->sha256);
}

enum err_code consensus_play(struct consensus *consensus, struct consensus_result *out,
                             struct err *err)
{
    struct run_session *session = consensus->session;
    unsigned max_unreadable = (unsigned)session->services->settings->consensus_max_unreadable;
    const struct controller_rules rules = { .kind = consensus->roles->kind,
                                            .task = consensus->task,
                                            .max_rounds = consensus->max_rounds,
                                            .max_unreadable = max_unreadable };
    struct play play = { .consensus = consensus,
                         .scope = &session->scope,
                         .arena = session->arena };
    play.controller = controller_create(session->arena, session->services->digest, &rules);
    int64_t started_ms = now_ms(&play);
    consensus_emit_started(consensus);
    enum err_code r = ERR_NONE;
    if (consensus->side_by_side)
        r = play_first_round_side_by_side(&play, err);
    while (!r && controller_end(play.controller) == CONSENSUS_RUNNING) {
        struct asked asked = { .play = &play, .turn = controller_next(play.controller) };
        ask(&asked, play.scope);
        r = take(&play, &asked, err);
    }
    if (r)
        return r;
    finish(&play, started_ms);
    consensus_emit_ended(consensus, &play.result);
    *out = play.result;
    return ERR_NONE;
}

/* One answer and how many gave it. */
struct ballot {
    const char *text, *canonical;
    unsigned n;
};

struct poll {
    const struct consensus *consensus;
    struct arena *arena;
    struct controller *rules; /* judges candidates; it is never played */
    struct ballot ballots[CONSENSUS_MAX_VOTES];
    size_t n_ballots;
    struct consensus_vote vote;
};

static void count(struct poll *poll, const char *text, const char *canonical)
{
    size_t i = 0;
    while (i < poll->n_ballots && strcmp(poll->ballots[i].canonical, canonical) != 0)
        i++;
    if (i == poll->n_ballots)
        poll->ballots[poll->n_ballots++] = (struct ballot){ text, canonical, 0 };
    poll->ballots[i].n++;
    poll->vote.usable++;
}

/* A failure of the agent costs the sample; *out_is_lost: the agent cannot be asked any more. */
static enum err_code take_sample(struct poll *poll, struct consensus_agent *sampler,
                                 struct scope *scope, bool *out_is_lost, struct err *err)
{
    struct envelope envelope;
    struct agent_usage usage = { 0 };
    const struct controller_turn turn = controller_first(poll->rules, 0);
    const char *failure = NULL;
    enum err_code r =
        consensus_agent_answer(sampler, scope, poll->arena, &turn, &envelope, &usage, NULL);
    poll->vote.samples++;
    agent_usage_add(&poll->vote.usage, &usage);
    enum err_code over = run_session_check(poll->consensus->session, err);
    *out_is_lost = r && r != ERR_FAILED;
    if (over || r)
        return over;
    const char *canonical = controller_candidate(poll->rules, &envelope);
    r = check(poll->consensus, scope, canonical, poll->arena, &failure, err);
    if (!r && canonical && !failure)
        count(poll, envelope_candidate(&envelope), canonical);
    return r;
}

static void choose_winner(struct poll *poll)
{
    const struct ballot *best = NULL;
    char hash[DIGEST_HEX_SIZE];
    for (size_t i = 0; i < poll->n_ballots; i++)
        if (!best || poll->ballots[i].n > best->n)
            best = &poll->ballots[i];
    if (!best)
        return;
    digest_sha256(poll->consensus->session->services->digest, best->canonical,
                  strlen(best->canonical), hash);
    poll->vote.agree = best->n;
    poll->vote.text = best->text;
    poll->vote.sha256 = arena_strdup(poll->arena, hash);
}

enum err_code consensus_vote(const struct consensus *consensus, struct consensus_agent *sampler,
                             unsigned samples, struct consensus_vote *out, struct err *err)
{
    const struct controller_rules rules = { .kind = consensus->roles->kind,
                                            .task = consensus->task,
                                            .max_rounds = 1 };
    struct run_session *session = consensus->session;
    struct poll poll = { .consensus = consensus, .arena = session->arena };
    poll.rules = controller_create(session->arena, session->services->digest, &rules);
    int64_t started_ms = run_session_now_ms(session);
    enum err_code r = ERR_NONE;
    bool is_lost = false;
    for (unsigned i = 0; i < samples && i < CONSENSUS_MAX_VOTES && !r && !is_lost; i++)
        r = take_sample(&poll, sampler, &session->scope, &is_lost, err);
    if (r)
        return r;
    choose_winner(&poll);
    poll.vote.duration_ms = run_session_now_ms(session) - started_ms;
    consensus_emit_vote(consensus, &poll.vote);
    *out = poll.vote;
    return ERR_NONE;
}
