#include "application/consensus/controller.h"
#include "application/consensus/controller_internal.h"
#include "domain/base/text.h"
#include <assert.h>
#include <string.h>

#define PROBLEM_COLUMNS 400

/* One of the two. */
struct seat {
    struct standing standing;
    struct envelope *latest;       /* as it counts; NULL: none yet */
    bool answered;                 /* in this round */
    bool counts;                   /* the latest turn gave what it stands for */
    bool echoes;                   /* the peer stood for the same text when it did */
    const char *problem;           /* for its own next turn, or NULL */
    const char *error;             /* its last turn could not be read, or NULL */
    const struct envelope *unread; /* what the peer is shown of that turn */
};

struct seen_pair {
    char sha256[ROLE_SET_AGENTS][DIGEST_HEX_SIZE];
    unsigned times;
};

struct controller {
    struct arena *arena;
    struct digest *digest;
    struct controller_rules rules;
    struct seat seats[ROLE_SET_AGENTS];
    unsigned round;
    unsigned unreadable; /* turns in a row up to the last one */
    enum consensus_end end;
    bool promoted;
    const char *hint;     /* for the turns of this round, or NULL */
    const char *new_hint; /* that was not taken yet, or NULL */
    struct seen_pair pairs[CONTROLLER_MAX_ROUNDS];
    size_t n_pairs;
    struct controller_tally tally;
};

struct controller *controller_create(struct arena *arena, struct digest *digest,
                                     const struct controller_rules *rules)
{
    assert(rules->max_rounds >= 1 && rules->max_rounds <= CONTROLLER_MAX_ROUNDS);
    struct controller *c = arena_new(arena, struct controller);
    c->arena = arena;
    c->digest = digest;
    c->rules = *rules;
    c->round = 1;
    return c;
}

enum consensus_end controller_end(const struct controller *c)
{
    return c->end;
}

unsigned controller_round(const struct controller *c)
{
    return c->round;
}

bool controller_was_promoted(const struct controller *c)
{
    return c->promoted;
}

struct controller_tally controller_tally(const struct controller *c)
{
    return c->tally;
}

const struct standing *controller_standing(const struct controller *c, unsigned agent)
{
    return &c->seats[agent].standing;
}

const struct envelope *controller_latest(const struct controller *c, unsigned agent)
{
    return c->seats[agent].latest;
}

/* In round 1 neither is shown anything of the other. */
static struct controller_turn turn_of(const struct controller *c, unsigned agent)
{
    static const struct standing nothing;
    const struct seat *own = &c->seats[agent], *peer = &c->seats[1 - agent];
    bool is_first = c->round == 1;
    return (struct controller_turn){
        .agent = agent,
        .round = c->round,
        .peer = is_first      ? NULL
                : peer->error ? peer->unread
                              : peer->latest,
        .own = &own->standing,
        .peers = is_first ? &nothing : &peer->standing,
        .hint = c->hint,
        .problem = own->problem,
        .peer_error = is_first ? NULL : peer->error,
    };
}

struct controller_turn controller_next(const struct controller *c)
{
    assert(c->end == CONSENSUS_RUNNING);
    return turn_of(c, c->seats[0].answered ? 1 : 0);
}

struct controller_turn controller_first(const struct controller *c, unsigned agent)
{
    assert(c->end == CONSENSUS_RUNNING && c->round == 1 && !c->seats[agent].answered);
    return turn_of(c, agent);
}

const char *controller_candidate(const struct controller *c, const struct envelope *envelope)
{
    return controller_allowed(c->arena, &c->rules, envelope_candidate(envelope), NULL);
}

const char *controller_take_hint(struct controller *c)
{
    return steal(&c->new_hint);
}

static bool is_standing_for(const struct standing *standing, const char *canonical)
{
    return standing->exists && strcmp(standing->canonical, canonical) == 0;
}

/* Makes the candidate what the agent stands for, if it may become that. */
static void settle_standing(const struct controller *c, unsigned agent, const struct envelope *said,
                            struct seat *seat, struct judged *judged)
{
    struct controller_verdict *verdict = &judged->verdict;
    const struct standing *peers = &c->seats[1 - agent].standing;
    seat->counts = seat->echoes = false;
    if (!judged->canonical)
        return;
    bool is_peers = c->round > 1 && is_standing_for(peers, judged->canonical);
    bool is_same = is_standing_for(&seat->standing, judged->canonical);
    bool is_change = seat->standing.exists && !is_same;
    if (is_change && !is_peers && !*said->change_reason) {
        controller_lower(c->arena, &verdict->envelope, ENVELOPE_PROPOSED);
        controller_remark(verdict, NOTE_CHANGE_REFUSED,
                          "your answer is another one than before: keep the earlier one, or say "
                          "in meta.change_reason what was wrong with it");
        return;
    }
    if (is_change)
        controller_remark(verdict, NOTE_FLIPPED,
                          is_peers ? "another answer, which is the peer's"
                                   : "another answer, with a reason");
    if (!is_same && is_peers)
        controller_remark(verdict, NOTE_ADOPTED, "the peer's answer is its own now");
    if (!is_same) {
        seat->standing = (struct standing){ .exists = true,
                                            .text = arena_strdup(c->arena, judged->text),
                                            .canonical = judged->canonical,
                                            .round = c->round,
                                            .adopted = is_peers };
        memcpy(seat->standing.sha256, judged->sha256, sizeof judged->sha256);
    }
    seat->counts = verdict->counts = true;
    seat->echoes = is_peers;
}

static bool is_ready(const struct controller *c, const struct seat *seat)
{
    if (!seat->counts)
        return false;
    enum envelope_status status = seat->latest->status;
    if (c->round == 1)
        return status != ENVELOPE_NEED_PEER;
    return status >= ENVELOPE_READY_TO_SOLVE || (status == ENVELOPE_PROPOSED && seat->echoes);
}

static bool is_equal(const struct controller *c)
{
    const struct standing *a = &c->seats[0].standing, *b = &c->seats[1].standing;
    return a->exists && b->exists && strcmp(a->canonical, b->canonical) == 0 &&
           strcmp(a->sha256, b->sha256) == 0;
}

/* Equal first answers are both promoted, SOLVED or not: what ends the run is that they are equal,
 * and not what their authors say of them. */
static void promote(struct controller *c)
{
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        struct envelope *envelope = c->seats[i].latest;
        if (c->round > 1 && envelope->status == ENVELOPE_SOLVED && envelope->solved)
            continue;
        envelope->status = ENVELOPE_SOLVED;
        envelope->solved = envelope->promoted = true;
        c->promoted = true;
    }
}

/* The condition of the halt, asked of what is there and not of how it came to be. */
static bool halts(const struct controller *c)
{
    for (size_t i = 0; i < ROLE_SET_AGENTS; i++) {
        const struct seat *seat = &c->seats[i];
        const char *canonical =
            controller_allowed(c->arena, &c->rules, seat->latest->canonical_text, NULL);
        if (seat->latest->status != ENVELOPE_SOLVED || !seat->latest->solved || !canonical ||
            !is_standing_for(&seat->standing, canonical) ||
            strcmp(seat->latest->sha256, seat->standing.sha256) != 0)
            return false;
    }
    return is_equal(c);
}

static void look_for_agreement(struct controller *c)
{
    bool both_answered = c->seats[0].answered && c->seats[1].answered;
    if ((c->round == 1 && !both_answered) || !is_equal(c) || !is_ready(c, &c->seats[0]) ||
        !is_ready(c, &c->seats[1]))
        return;
    promote(c);
    assert(halts(c));
    c->end = CONSENSUS_CONSENSUS;
}

/* How often the two have stood for this pair at the end of a round, this time included. */
static unsigned remember_pair(struct controller *c)
{
    const char *a = c->seats[0].standing.sha256, *b = c->seats[1].standing.sha256;
    for (size_t i = 0; i < c->n_pairs; i++)
        if (strcmp(c->pairs[i].sha256[0], a) == 0 && strcmp(c->pairs[i].sha256[1], b) == 0)
            return ++c->pairs[i].times;
    struct seen_pair *pair = &c->pairs[c->n_pairs++];
    memcpy(pair->sha256[0], a, DIGEST_HEX_SIZE);
    memcpy(pair->sha256[1], b, DIGEST_HEX_SIZE);
    return pair->times = 1;
}

static const char *hint_for(const struct controller *c)
{
    if (is_equal(c))
        return "Both of you stand for the same text. Whoever holds it final says so: status "
               "SOLVED, [SOLVED] in public_message, and the whole text in "
               "final_solution.canonical_text.";
    return "You have both given the same two answers again. Hold them against each other point "
           "by point: copy the better one verbatim, or mend yours, and say why in "
           "meta.change_reason. If nothing changes, the run ends without agreement.";
}

static void finish_round(struct controller *c)
{
    /* Who could not be read has not given the same answer again. */
    bool both_stand = c->seats[0].standing.exists && c->seats[1].standing.exists &&
                      !c->seats[0].error && !c->seats[1].error;
    unsigned times = both_stand ? remember_pair(c) : 0;
    if (times == CONTROLLER_LOOP_AT)
        c->end = CONSENSUS_LOOP;
    else if (c->round == c->rules.max_rounds)
        c->end = CONSENSUS_MAX_ROUNDS;
    if (c->end != CONSENSUS_RUNNING)
        return;
    c->hint = c->new_hint = times == CONTROLLER_HINT_AT ? hint_for(c) : NULL;
    c->round++;
    c->seats[0].answered = c->seats[1].answered = false;
}

static void continue_run(struct controller *c)
{
    look_for_agreement(c);
    if (c->end == CONSENSUS_RUNNING && c->seats[0].answered && c->seats[1].answered)
        finish_round(c);
}

static void count(struct controller *c, enum controller_note note)
{
    switch (note) {
    case NOTE_CONTACT_COERCED:
    case NOTE_SOLVED_WITHOUT_TEXT:
    case NOTE_SOLVED_WITHOUT_TAG:
    case NOTE_TAG_WITHOUT_SOLVED:
    case NOTE_WORKING_WITH_TEXT:
        c->tally.coercions++;
        break;
    case NOTE_CANDIDATE_REFUSED:
    case NOTE_CHECK_FAILED:
    case NOTE_CHANGE_REFUSED:
        c->tally.refused++;
        break;
    case NOTE_FLIPPED:
        c->tally.flips++;
        break;
    case NOTE_ADOPTED:
        c->tally.adoptions++;
        break;
    case NOTE_UNREADABLE:
        c->tally.unreadable++;
        break;
    case NOTE_WRONG_HASH:
    case NOTE_PROMOTED:
        break;
    }
}

/* Everything the agent has to mend, in one text. */
static const char *problem_of(const struct controller *c, const struct controller_verdict *verdict)
{
    const char *problem = NULL;
    for (size_t i = 0; i < verdict->n_remarks; i++) {
        const struct controller_remark *remark = &verdict->remarks[i];
        if (controller_note_is_problem(remark->note))
            problem =
                problem ? arena_printf(c->arena, "%s; %s", problem, remark->text) : remark->text;
    }
    return problem;
}

bool controller_may_speak(const struct controller *c, unsigned agent)
{
    return c->end == CONSENSUS_RUNNING && agent < ROLE_SET_AGENTS && !c->seats[agent].answered &&
           (c->round == 1 || agent == 0 || c->seats[0].answered);
}

struct controller_verdict controller_take(struct controller *c, unsigned agent,
                                          const struct envelope *envelope,
                                          const char *check_failure)
{
    struct judged judged;
    struct seat *seat = &c->seats[agent];
    struct controller_verdict *verdict = &judged.verdict;
    assert(controller_may_speak(c, agent));
    controller_judge(c->arena, c->digest, &c->rules, envelope, check_failure, &judged);
    settle_standing(c, agent, envelope, seat, &judged);
    seat->latest = arena_new(c->arena, struct envelope);
    *seat->latest = verdict->envelope;
    seat->answered = true;
    seat->error = NULL;
    c->unreadable = 0;
    seat->problem = problem_of(c, verdict);
    continue_run(c);
    if (seat->latest->promoted)
        controller_remark(verdict, NOTE_PROMOTED, "both gave the same text: it is SOLVED");
    verdict->envelope = *seat->latest;
    for (size_t i = 0; i < verdict->n_remarks; i++)
        count(c, verdict->remarks[i].note);
    return *verdict;
}

struct controller_verdict controller_take_nothing(struct controller *c, unsigned agent,
                                                  const char *error, bool lost)
{
    struct seat *seat = &c->seats[agent];
    assert(controller_may_speak(c, agent));
    struct controller_verdict verdict = { .envelope = controller_error_envelope(c->arena) };
    struct envelope *unread = arena_new(c->arena, struct envelope);
    *unread = verdict.envelope;
    const char *line = text_one_line(c->arena, error, strlen(error), PROBLEM_COLUMNS);
    controller_remark(&verdict, NOTE_UNREADABLE, line);
    count(c, NOTE_UNREADABLE);
    seat->answered = true;
    seat->counts = seat->echoes = false;
    seat->error = line;
    seat->unread = unread;
    seat->problem = arena_printf(c->arena,
                                 "your last answer could not be read (%s): answer with exactly "
                                 "one JSON object and nothing else",
                                 line);
    if (lost)
        c->end = CONSENSUS_AGENTS_LOST;
    else if (++c->unreadable == c->rules.max_unreadable)
        c->end = CONSENSUS_UNREADABLE;
    else
        continue_run(c);
    return verdict;
}

const char *consensus_end_name(enum consensus_end end)
{
#define X(end, name) [CONSENSUS_##end] = name,
    static const char *const names[] = { CONSENSUS_ENDS(X) };
#undef X
    return names[end];
}

const char *controller_note_name(enum controller_note note)
{
#define X(note, name) [NOTE_##note] = name,
    static const char *const names[] = { CONTROLLER_NOTES(X) };
#undef X
    return names[note];
}
