#include "application/consensus/vote.h"
#include "application/consensus/agent_usage.h"
#include "application/consensus/consensus_events.h"
#include "application/consensus/consensus_internal.h"
#include <string.h>

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

/* A failure of the agent costs the sample; *out_is_lost: there is nobody to ask any more. */
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
    enum err_code over = scope_check(scope, runtime_now_ms(poll->consensus->runtime), err);
    *out_is_lost = r && r != ERR_FAILED;
    if (over || r)
        return over;
    const char *canonical = controller_candidate(poll->rules, &envelope);
    r = consensus_check(poll->consensus, scope, canonical, poll->arena, &failure, err);
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
    digest_sha256(poll->consensus->digest, best->canonical, strlen(best->canonical), hash);
    poll->vote.agree = best->n;
    poll->vote.text = best->text;
    poll->vote.sha256 = arena_strdup(poll->arena, hash);
}

enum err_code consensus_vote(const struct consensus *consensus, struct consensus_agent *sampler,
                             unsigned samples, struct scope *scope, struct arena *arena,
                             struct consensus_vote *out, struct err *err)
{
    const struct controller_rules rules = { .kind = consensus->roles->kind,
                                            .task = consensus->task,
                                            .max_rounds = 1 };
    struct poll poll = { .consensus = consensus, .arena = arena };
    poll.rules = controller_create(arena, consensus->digest, &rules);
    int64_t started_ms = runtime_now_ms(consensus->runtime);
    enum err_code r = ERR_NONE;
    bool is_lost = false;
    for (unsigned i = 0; i < samples && i < CONSENSUS_MAX_VOTES && !r && !is_lost; i++)
        r = take_sample(&poll, sampler, scope, &is_lost, err);
    if (r)
        return r;
    choose_winner(&poll);
    poll.vote.duration_ms = runtime_now_ms(consensus->runtime) - started_ms;
    consensus_tell_vote(consensus, &poll.vote);
    *out = poll.vote;
    return ERR_NONE;
}
