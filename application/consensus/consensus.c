#include "application/consensus/consensus.h"
#include "application/consensus/agent_usage.h"
#include "application/consensus/consensus_events.h"
#include "application/consensus/consensus_internal.h"

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
    struct err err; /* none came */
};

static int64_t now_ms(const struct play *play)
{
    return runtime_now_ms(play->consensus->runtime);
}

static enum err_code ask_once(struct asked *asked, struct scope *scope, struct err *err)
{
    const struct play *play = asked->play;
    return consensus_agent_answer(play->consensus->agents[asked->turn.agent], scope, play->arena,
                                  &asked->turn, &asked->envelope, &asked->usage, err);
}

/* Who was silent once may have been loading: all the rounds before are not thrown away for that.
 * Silent twice in one turn it is gone. */
static void ask(struct asked *asked, struct scope *scope)
{
    const struct consensus *consensus = asked->play->consensus;
    int64_t started_ms = now_ms(asked->play);
    struct err err = { 0 };
    enum err_code r = ask_once(asked, scope, &err);
    if (r == ERR_TIMEOUT && !scope_check(scope, now_ms(asked->play), NULL)) {
        journal_warn(consensus->journal, "the %.60s is asked once more: %s",
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

enum err_code consensus_check(const struct consensus *consensus, struct scope *scope,
                              const char *candidate, struct arena *arena, const char **out_failure,
                              struct err *err)
{
    *out_failure = NULL;
    if (!consensus->checker || !candidate)
        return ERR_NONE;
    return candidate_check(consensus->checker, scope, consensus->roles->kind, candidate,
                           consensus->examples, arena, out_failure, err);
}

/* A model that gave nothing readable may do better next time; one that is gone is gone. */
static bool is_lost(const struct asked *asked)
{
    return asked->err.code && asked->err.code != ERR_FAILED;
}

static struct controller_verdict take_nothing(struct play *play, const struct asked *asked)
{
    if (is_lost(asked))
        play->result.err = asked->err;
    const char *why = arena_strdup(play->arena, asked->err.message);
    return controller_take_nothing(play->controller, asked->turn.agent, why, is_lost(asked));
}

static void tell(struct play *play, const struct asked *asked,
                 const struct controller_verdict *verdict, const char *check_failure)
{
    const struct standing *standing = controller_standing(play->controller, asked->turn.agent);
    const struct consensus_turn_told told = { .round = asked->turn.round,
                                              .agent = asked->turn.agent,
                                              .said = asked->err.code ? NULL : &asked->envelope,
                                              .verdict = verdict,
                                              .canonical = verdict->counts && standing->exists
                                                               ? standing->canonical
                                                               : NULL,
                                              .check_failure = check_failure,
                                              .usage = &asked->usage,
                                              .ms = asked->ms };
    consensus_tell_turn(play->consensus, &told);
    const char *hint = controller_take_hint(play->controller);
    if (hint)
        consensus_tell_hint(play->consensus, asked->turn.round, hint);
}

/* The controller's verdict on what was said, or on that nothing was. */
static enum err_code take(struct play *play, const struct asked *asked, struct err *err)
{
    struct controller_verdict verdict;
    const char *failure = NULL;
    agent_usage_add(&play->result.usage[asked->turn.agent], &asked->usage);
    enum err_code r = scope_check(play->scope, now_ms(play), err);
    if (!r && !asked->err.code)
        r = consensus_check(play->consensus, play->scope,
                            controller_candidate(play->controller, &asked->envelope), play->arena,
                            &failure, err);
    if (r)
        return r;
    if (asked->err.code)
        verdict = take_nothing(play, asked);
    else
        verdict = controller_take(play->controller, asked->turn.agent, &asked->envelope, failure);
    play->result.rounds = asked->turn.round;
    tell(play, asked, &verdict, failure);
    return ERR_NONE;
}

static enum err_code play_turn(struct play *play, struct err *err)
{
    struct asked asked = { .play = play, .turn = controller_next(play->controller) };
    ask(&asked, play->scope);
    return take(play, &asked, err);
}

/* Both are waited for, and taken in their order, whoever was first; but who was lost ends the run,
 * so that the answer of the other is taken before. */
static enum err_code play_first_round_side_by_side(struct play *play, struct err *err)
{
    struct runtime *runtime = play->consensus->runtime;
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

static enum err_code play_rounds(struct play *play, struct err *err)
{
    enum err_code r = ERR_NONE;
    if (play->consensus->side_by_side)
        r = play_first_round_side_by_side(play, err);
    while (!r && controller_end(play->controller) == CONSENSUS_RUNNING)
        r = play_turn(play, err);
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

enum err_code consensus_play(struct consensus *consensus, struct scope *scope, struct arena *arena,
                             struct consensus_result *out, struct err *err)
{
    const struct controller_rules rules = { .kind = consensus->roles->kind,
                                            .task = consensus->task,
                                            .max_rounds = consensus->max_rounds };
    struct play play = { .consensus = consensus, .scope = scope, .arena = arena };
    play.controller = controller_create(arena, consensus->digest, &rules);
    int64_t started_ms = now_ms(&play);
    consensus_tell_started(consensus);
    enum err_code r = play_rounds(&play, err);
    if (r)
        return r;
    finish(&play, started_ms);
    consensus_tell_ended(consensus, &play.result);
    *out = play.result;
    return ERR_NONE;
}
