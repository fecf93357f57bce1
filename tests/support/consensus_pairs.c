#include "tests/support/consensus_pairs.h"
#include "domain/consensus/canonical_text.h"
#include "tests/support/consensus_agents.h"
#include <string.h>

enum { MAX_UNREADABLE = 4 };

struct transcript {
    struct move *moves;
    size_t n, capacity;
};

static void take(struct controller *c, const struct move *move)
{
    if (move->is_envelope)
        (void)controller_take(c, move->agent, &move->envelope, move->check_failure);
    else
        (void)controller_take_nothing(c, move->agent, "no JSON object", move->lost);
}

/* Both first answers in any order, then as the controller says. */
static void play(struct controller *c, struct arena *arena, struct chance *chance,
                 enum canonical_kind kind, struct character characters[static ROLE_SET_AGENTS],
                 struct transcript *transcript)
{
    unsigned first = (unsigned)chance_below(chance, ROLE_SET_AGENTS);
    size_t n_most = 2 * CONTROLLER_MAX_ROUNDS;
    while (controller_end(c) == CONSENSUS_RUNNING && transcript->n < n_most) {
        bool is_first = transcript->n == 0;
        struct controller_turn turn = is_first ? controller_first(c, first) : controller_next(c);
        struct move *move =
            arena_push(arena, transcript->moves, transcript->n, transcript->capacity);
        *move = pair_answer(arena, chance, kind, &characters[turn.agent], &turn);
        take(c, move);
    }
}

static const struct move *last_move(const struct transcript *transcript, unsigned agent)
{
    const struct move *last = NULL;
    for (size_t i = 0; i < transcript->n; i++)
        if (transcript->moves[i].agent == agent)
            last = &transcript->moves[i];
    return last;
}

/* What one agent said last makes it a party to the text; judged by what it said, not by what the
 * controller made of it. */
static const char *find_no_party(struct arena *arena, const struct controller *c,
                                 enum canonical_kind kind, const struct transcript *transcript,
                                 unsigned agent)
{
    const struct move *last = last_move(transcript, agent);
    const struct standing *standing = controller_standing(c, agent);
    const struct envelope *latest = controller_latest(c, agent);
    const char *said = last && last->is_envelope ? envelope_candidate(&last->envelope) : NULL;
    const char *canonical;
    if (!said || canonical_text(arena, kind, said, &canonical, NULL) != ERR_NONE)
        return "consensus on a text that one of them did not give last";
    if (strcmp(canonical, standing->canonical) != 0)
        return "consensus on another text than was given last";
    if (!pair_is_answer(arena, kind, canonical))
        return "consensus on what is nobody's answer";
    if (last->envelope.contact || last->envelope.status == ENVELOPE_NEED_PEER)
        return "consensus while one of them asks for help";
    if (last->check_failure)
        return "consensus on a text that failed its check";
    if (latest->status != ENVELOPE_SOLVED || !latest->solved)
        return "consensus without SOLVED and its tag";
    return NULL;
}

static const char *find_false_consensus(struct arena *arena, const struct controller *c,
                                        enum canonical_kind kind,
                                        const struct transcript *transcript)
{
    const struct standing *a = controller_standing(c, 0), *b = controller_standing(c, 1);
    if (!a->exists || !b->exists || strcmp(a->canonical, b->canonical) != 0)
        return "consensus on unequal texts";
    if (strcmp(a->sha256, b->sha256) != 0)
        return "consensus on unequal hashes";
    const char *violation = find_no_party(arena, c, kind, transcript, 0);
    return violation ? violation : find_no_party(arena, c, kind, transcript, 1);
}

static bool ends_unread(const struct transcript *transcript)
{
    size_t unread = 0;
    while (unread < transcript->n && !transcript->moves[transcript->n - 1 - unread].is_envelope)
        unread++;
    return unread >= MAX_UNREADABLE;
}

static const char *find_violation(struct arena *arena, const struct controller *c,
                                  const struct controller_rules *rules,
                                  const struct transcript *transcript)
{
    enum consensus_end end = controller_end(c);
    bool both_stand = controller_standing(c, 0)->exists && controller_standing(c, 1)->exists;
    if (end == CONSENSUS_RUNNING)
        return "it does not halt";
    if (controller_round(c) > rules->max_rounds || transcript->n > 2 * (size_t)rules->max_rounds)
        return "more rounds than it may have";
    if (end == CONSENSUS_LOOP && (!both_stand || controller_round(c) < CONTROLLER_LOOP_AT))
        return "a loop of no answers";
    if (end == CONSENSUS_AGENTS_LOST && !transcript->moves[transcript->n - 1].lost)
        return "lost, and nobody was";
    if ((end == CONSENSUS_UNREADABLE) != (end != CONSENSUS_AGENTS_LOST && ends_unread(transcript)))
        return "ended by what could not be read, or not ended by it";
    return end == CONSENSUS_CONSENSUS ? find_false_consensus(arena, c, rules->kind, transcript)
                                      : NULL;
}

static const char *find_other_end(const struct controller *a, const struct controller *b)
{
    struct controller_tally of_a = controller_tally(a), of_b = controller_tally(b);
    if (controller_end(a) != controller_end(b) || controller_round(a) != controller_round(b) ||
        controller_was_promoted(a) != controller_was_promoted(b))
        return "the transcript replays to another end";
    for (unsigned agent = 0; agent < ROLE_SET_AGENTS; agent++)
        if (strcmp(controller_standing(a, agent)->sha256, controller_standing(b, agent)->sha256) !=
            0)
            return "the transcript replays to another hash";
    return memcmp(&of_a, &of_b, sizeof of_a) ? "the transcript replays to other figures" : NULL;
}

static const char *replay(struct arena *arena, struct digest *digest,
                          const struct controller_rules *rules, const struct controller *played,
                          const struct transcript *transcript)
{
    struct controller *c = controller_create(arena, digest, rules);
    for (size_t i = 0; i < transcript->n; i++) {
        if (controller_end(c) != CONSENSUS_RUNNING)
            return "the transcript replays to an earlier end";
        take(c, &transcript->moves[i]);
    }
    return find_other_end(played, c);
}

void pair_play(uint64_t seed, struct digest *digest, struct pair_result *out)
{
    AUTO(arena) arena = { 0 };
    struct chance chance = { seed };
    struct transcript transcript = { 0 };
    struct character characters[ROLE_SET_AGENTS];
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++)
        characters[i] = (struct character){
            .kind = (enum pair_character)chance_below(&chance, PAIR_CHARACTER_COUNT),
            .answer = (unsigned)chance_below(&chance, 3),
        };
    struct controller_rules rules = {
        .kind = (enum canonical_kind)chance_below(&chance, CANONICAL_SQL + 1),
        .max_rounds = chance_of(&chance, 80) ? 8 : 1 + (unsigned)chance_below(&chance, 20),
        .max_unreadable = MAX_UNREADABLE,
    };
    rules.task = pair_task(rules.kind);
    struct controller *c = controller_create(&arena, digest, &rules);
    play(c, &arena, &chance, rules.kind, characters, &transcript);

    const char *violation = find_violation(&arena, c, &rules, &transcript);
    *out = (struct pair_result){
        .agents = { characters[0].kind, characters[1].kind },
        .end = controller_end(c),
        .rounds = controller_round(c),
        .turns = (unsigned)transcript.n,
        .promoted = controller_was_promoted(c),
        .tally = controller_tally(c),
        .violation = violation ? violation : replay(&arena, digest, &rules, c, &transcript),
    };
}
