/* A weak model, made of a perfect one: every answer of the inner model is damaged with a seeded
 * probability, in one of the ways in which small models fail. What was damaged, and how, is
 * counted, so that recovery is a number. Wraps any model port; waits only as the inner one does. */
#ifndef TESTS_SUPPORT_NOISY_MODEL_H
#define TESTS_SUPPORT_NOISY_MODEL_H

#include "application/ports/model.h"
#include <stdint.h>

/* X(kind, name, weight): the table; no weight is below 2 % of the sum. What Mistral is known for
 * (other names and notations, wrappings, control tokens) weighs as much as chatter and fences. */
#define NOISE_KINDS(X)                                                                             \
    X(CHATTER, "chatter before and behind", 12)                                                    \
    X(FENCE, "code fence around it", 12)                                                           \
    X(TRUNCATION, "cut off", 12)                                                                   \
    X(BAD_ENUM, "a word that is not in the enum", 8)                                               \
    X(MISSING_FIELD, "a required member missing", 10)                                              \
    X(WRONG_TYPE, "a member of another type", 10)                                                  \
    X(WRONG_TOOL, "a tool that does not exist", 6)                                                 \
    X(NO_DELIMITER, "the delimiter missing", 8)                                                    \
    X(MIDLINE_DELIMITER, "the delimiter within a line", 8)                                         \
    X(EMPTY, "nothing at all", 7)                                                                  \
    X(BLANKS, "endless blanks", 7)                                                                 \
    X(ESCAPES, "escaped underscores", 12)                                                          \
    X(COMMENTS, "comments between members", 12)                                                    \
    X(RENAMED, "members under other names", 12)                                                    \
    X(FLAT, "arguments beside the tool", 12)                                                       \
    X(OBJECT_AS_TEXT, "an object as JSON text", 12)                                                \
    X(WRAPPED, "an object around the object", 12)                                                  \
    X(NULL_LIST, "null for a list", 12)                                                            \
    X(VALUE_IN_WORDS, "a word for a number", 12)                                                   \
    X(TWO_OBJECTS, "two objects that differ", 7)                                                   \
    X(CONTROL_TOKENS, "control tokens behind it", 12)                                              \
    X(JSON_ANSWER, "an object around words", 12)                                                   \
    X(INVENTED_TURN, "an invented turn behind it", 12)

enum noise_kind {
#define X(kind, name, weight) NOISE_##kind,
    NOISE_KINDS(X)
#undef X
        NOISE_KIND_COUNT
};

struct noisy_model {
    struct model base;
    struct model *inner;  /* borrowed */
    uint64_t random;      /* state of the generator */
    double damage;        /* share of answers, 0 to 1 */
    bool just_damaged;    /* the last answer was */
    enum noise_kind last; /* and how */
    uint64_t answers, damaged[NOISE_KIND_COUNT];
};

const char *noise_kind_name(enum noise_kind kind);
/* Damage that makes no sense for an answer (a delimiter in one that has none) is drawn again.
 * Words for a person have no shape that could be broken: they get chatter, fences, blanks, control
 * tokens, an object around them, an invented turn, or are missing; what was cut off of them are
 * words as well. */
void noisy_model_init(struct noisy_model *noisy, struct model *inner, uint64_t seed, double share);

#endif
