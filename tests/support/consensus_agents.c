#include "tests/support/consensus_agents.h"
#include "domain/base/attributes.h"
#include "domain/base/json.h"
#include "domain/consensus/canonical_text.h"
#include <string.h>

enum { ANSWERS = 3, SPELLINGS = 3 };

/* Three answers of each kind, each spelt in three ways that mean the same. */
static const char *const answers[][ANSWERS][SPELLINGS] = {
    [CANONICAL_TEXT] = { { "four", " four", "four\r\n" },
                         { "It is\nfive.", "It is five.", "It\tis  five.\xEF\xBB\xBF" },
                         { "Six, or so", "Six,  or so", "Six, or\xC2\xA0so" } },
    [CANONICAL_CODE] = { { "if a:\n    b()\n    c()", "if a:\r\n    b()\r\n    c()\r\n",
                           "```python\nif a:\n    b()\n    c()\n```" },
                         { "if a:\n    b()\nc()", "if a:\n    b()\nc()\n",
                           "```\nif a:\n    b()\nc()\n```\n" },
                         { "\tx = 'a  b' ", "\tx = 'a  b' \n", "```\r\n\tx = 'a  b' \r\n```" } },
    [CANONICAL_JSON] = { { "{\"sum\":4}", "{ \"sum\" : 4.0 }", "```json\n{\"sum\":4e0}\n```" },
                         { "[1,{\"b\":2,\"a\":1}]", "[1, {\"a\":1, \"b\":2}]",
                           "[1e0,{\"a\":1,\"b\":2}]" },
                         { "\"five\"", " \"five\"", "\"f\\u0069ve\"" } },
    [CANONICAL_NUMBER] = { { "4", "+4.0", "4e0" },
                           { "1000", "1,000", "1 000.00" },
                           { "0.1", ".1", "1e-1" } },
    [CANONICAL_REGEX] = { { "^a+$", "/^a+$/", "```\n^a+$\n```" },
                          { "(?i)b", "/b/i", " /b/gi" },
                          { "<c>", "/<c>/", "\n<c>\n" } },
    [CANONICAL_SQL] = { { "select a from t", "SELECT a\nFROM t;", "select a -- all\nfrom t" },
                        { "select 'X'", "SELECT  'X' ;", "/* x */ select 'X'" },
                        { "select f(a,b)", "select f( a , b )", "SELECT F(A, B)" } },
};
static const char *const gaps[] = { "<NUMBER>",
                                    "{answer}",
                                    "[your answer here]",
                                    "...",
                                    "SOLVED",
                                    "READY_TO_SOLVE",
                                    "turn_1",
                                    "required when SOLVED; the complete final text",
                                    "",
                                    " \n ",
                                    "<FINAL TEXT>",
                                    "TIE" };

uint64_t chance_below(struct chance *chance, uint64_t n)
{
    uint64_t z = chance->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % n;
}

bool chance_of(struct chance *chance, unsigned percent)
{
    return chance_below(chance, 100) < percent;
}

const char *pair_task(enum canonical_kind kind)
{
    static const char *const tasks[] = {
        [CANONICAL_TEXT] = "How much is two and two?",
        [CANONICAL_CODE] = "Call b when a holds, then c.",
        [CANONICAL_JSON] = "Give the sum of 3 and 1 as JSON.",
        [CANONICAL_NUMBER] = "Compute 3+1",
        [CANONICAL_REGEX] = "Match one or more letters a",
        [CANONICAL_SQL] = "Select column a of table t",
    };
    return tasks[kind];
}

bool pair_is_answer(struct arena *arena, enum canonical_kind kind, const char *canonical)
{
    for (size_t i = 0; i < ANSWERS; i++) {
        const char *answer;
        if (canonical_text(arena, kind, answers[kind][i][0], &answer, NULL) == ERR_NONE &&
            strcmp(answer, canonical) == 0)
            return true;
    }
    return false;
}

/* "..." is a regular expression. */
static const char *gap_of(struct chance *chance, enum canonical_kind kind)
{
    const char *gap = gaps[chance_below(chance, ARRAY_LENGTH(gaps))];
    return kind == CANONICAL_REGEX && strcmp(gap, "...") == 0 ? "<NUMBER>" : gap;
}

static struct envelope envelope_of(struct arena *arena, enum envelope_status status,
                                   const char *text)
{
    return (struct envelope){ .role = "Agent",
                              .domain = "",
                              .task_understanding = "",
                              .public_message = status == ENVELOPE_SOLVED ? "done [SOLVED]" : "",
                              .artifact = ENVELOPE_ARTIFACT_RESULTS,
                              .content = arena_keep_json(arena, json_object()),
                              .handoff_to = "",
                              .status = status,
                              .solved = status == ENVELOPE_SOLVED,
                              .canonical_text = text,
                              .sha256 = "",
                              .change_reason = "" };
}

static const char *spell(struct chance *chance, enum canonical_kind kind, unsigned answer)
{
    return answers[kind][answer][chance_below(chance, SPELLINGS)];
}

static enum envelope_status status_of_answer(struct chance *chance)
{
    static const enum envelope_status statuses[] = { ENVELOPE_PROPOSED, ENVELOPE_READY_TO_SOLVE,
                                                     ENVELOPE_SOLVED, ENVELOPE_SOLVED };
    return statuses[chance_below(chance, ARRAY_LENGTH(statuses))];
}

/* The peer's answer is taken over half of the time it is another one. */
static struct envelope answer_validly(struct arena *arena, struct chance *chance,
                                      enum canonical_kind kind, const struct character *character,
                                      const struct controller_turn *turn)
{
    const char *text = spell(chance, kind, character->answer);
    if (turn->own->exists && turn->own->adopted)
        text = turn->own->text;
    if (turn->peers->exists && chance_of(chance, 50))
        text = turn->peers->text;
    struct envelope envelope = envelope_of(arena, status_of_answer(chance), text);
    envelope.change_reason = "it is better";
    return envelope;
}

static struct envelope answer_by_adopting(struct arena *arena, const struct controller_turn *turn)
{
    if (!turn->peers->exists)
        return envelope_of(arena, ENVELOPE_WORKING, "");
    struct envelope envelope = envelope_of(arena, ENVELOPE_SOLVED, turn->peers->text);
    envelope.change_reason = "the peer is right";
    return envelope;
}

static struct envelope answer_flipping(struct arena *arena, struct chance *chance,
                                       enum canonical_kind kind)
{
    unsigned answer = (unsigned)chance_below(chance, ANSWERS);
    struct envelope envelope =
        envelope_of(arena, status_of_answer(chance), spell(chance, kind, answer));
    envelope.change_reason = chance_of(chance, 70) ? "another thought" : "";
    return envelope;
}

static struct envelope answer_in_chaos(struct arena *arena, struct chance *chance,
                                       enum canonical_kind kind, const struct controller_turn *turn)
{
    unsigned answer = (unsigned)chance_below(chance, ANSWERS);
    const char *text = spell(chance, kind, answer);
    if (chance_of(chance, 30))
        text = gap_of(chance, kind);
    if (turn->peers->exists && chance_of(chance, 30))
        text = turn->peers->text;
    struct envelope envelope =
        envelope_of(arena, (enum envelope_status)chance_below(chance, ENVELOPE_SOLVED + 1), text);
    envelope.solved = chance_of(chance, 50);
    envelope.contact = chance_of(chance, 20);
    envelope.promoted = chance_of(chance, 20);
    envelope.sha256 = chance_of(chance, 30) ? "beef" : "";
    envelope.change_reason = chance_of(chance, 50) ? "no reason at all" : "";
    if (chance_of(chance, 20)) {
        envelope.canonical_text = "";
        envelope.content = arena_keep_json(arena, json_pack("{s:s}", "answer", text));
    }
    return envelope;
}

static struct envelope answer_lying(struct arena *arena, struct chance *chance,
                                    enum canonical_kind kind, const struct character *character,
                                    const struct controller_turn *turn)
{
    struct envelope envelope = answer_validly(arena, chance, kind, character, turn);
    envelope.sha256 = "0000";
    envelope.solved = envelope.solved && chance_of(chance, 50);
    return envelope;
}

struct move pair_answer(struct arena *arena, struct chance *chance, enum canonical_kind kind,
                        struct character *character, const struct controller_turn *turn)
{
    struct move move = { .agent = turn->agent, .is_envelope = true };
    const char *own = spell(chance, kind, character->answer);
    switch (character->kind) {
    case PAIR_VALID:
        move.envelope = answer_validly(arena, chance, kind, character, turn);
        break;
    case PAIR_STUBBORN:
        move.envelope = envelope_of(arena, ENVELOPE_SOLVED, own);
        break;
    case PAIR_ADOPTING:
        move.envelope = answer_by_adopting(arena, turn);
        break;
    case PAIR_WAITING:
        move.envelope = envelope_of(arena, ENVELOPE_NEED_PEER, own);
        move.envelope.contact = true;
        break;
    case PAIR_FLIPPING:
        move.envelope = answer_flipping(arena, chance, kind);
        break;
    case PAIR_PLACEHOLDER:
        move.envelope = envelope_of(arena, ENVELOPE_SOLVED, gap_of(chance, kind));
        break;
    case PAIR_ECHOING:
        move.envelope = envelope_of(arena, ENVELOPE_SOLVED, pair_task(kind));
        break;
    case PAIR_HASH_LYING:
        move.envelope = answer_lying(arena, chance, kind, character, turn);
        break;
    case PAIR_SILENT:
        move.envelope =
            envelope_of(arena, chance_of(chance, 50) ? ENVELOPE_WORKING : ENVELOPE_NEED_PEER, "");
        break;
    case PAIR_GARBAGE:
        move.is_envelope = chance_of(chance, 40);
        move.lost = !move.is_envelope && chance_of(chance, 5);
        move.envelope = answer_validly(arena, chance, kind, character, turn);
        break;
    case PAIR_CHAOS:
        move.is_envelope = chance_of(chance, 95);
        move.envelope = answer_in_chaos(arena, chance, kind, turn);
        break;
    }
    if (move.is_envelope && chance_of(chance, 3))
        move.check_failure = "it must match \"a1\" and does not";
    return move;
}

const char *pair_character_name(enum pair_character character)
{
#define X(character, name) [PAIR_##character] = name,
    static const char *const names[] = { PAIR_CHARACTERS(X) };
#undef X
    return names[character];
}
