/* Whether a reply is what the contract asks for, and if it is not, what is wrong with it. What does
 * not fit as it came is tried again mended by the schema (argument_value.h) and out of an object or
 * a list around it, with the contract's own words, and at last as tool calls that the model wrote
 * instead; the verdict says what was needed. Two objects that both would do and differ are no
 * answer. Pure. */
#ifndef APPLICATION_STRUCTURED_JUDGE_H
#define APPLICATION_STRUCTURED_JUDGE_H

#include "application/structured/engine.h"
#include "application/structured/stream_watch.h"
#include "domain/schema/json_schema.h"

#define JUDGE_MAX_OBJECTS 4 /* behind the first, looked at for one that contradicts it */

struct verdict {
    enum attempt_class class;
    const json_t *value;      /* in the arena; NULL unless class is ATTEMPT_OK */
    const char *text;         /* for people, without blanks at its end; NULL for CONTRACT_OBJECT */
    bool extracted;           /* there was text around the value */
    bool repaired;            /* it was mended without loss */
    bool from_calls;          /* tool calls became the value */
    unsigned synonyms;        /* words that were replaced */
    struct problems problems; /* why it does not fit; the first one decided the class */
};

/* What there is to judge. */
struct judged {
    const struct contract *contract;
    const struct json_schema *schema; /* judged_schema, compiled; NULL for CONTRACT_TEXT */
    const struct model_reply *reply;
    const struct heard *heard;
    bool is_bare; /* an object without text and delimiter was asked for */
};

/* What values are held against: the contract's schema, but for the member that is for thinking. In
 * the arena. */
const json_t *judged_schema(struct arena *arena, const struct contract *contract);
struct verdict judge_reply(struct arena *arena, const struct judged *judged);
/* Judges a value that did not come in a reply: the one of the last rung. */
struct verdict judge_value(struct arena *arena, const struct contract *contract,
                           const struct json_schema *schema, const json_t *value);
/* "extract", "repair", "synonym" or "calls": the last thing without which there would be no value;
 * NULL when it was fine as it came. */
const char *verdict_saved_by(const struct verdict *verdict);

/* Puts the contract's own word where a model wrote another one for the same thing ("done" for
 * "SOLVED"), as the contract's table says and nowhere else; never in silence, because the verdict
 * counts them. A copy of the value in the arena; NULL when there is nothing to replace. */
const json_t *synonyms_apply(struct arena *arena, const struct contract *contract,
                             const json_t *value, unsigned *out_n);

#define PLACEHOLDER_MAX_BYTES 64

/* A model that copies the example may copy its gaps as well: "<prompt>" where a prompt should
 * stand. Only what the contract's own examples have in that form counts; other text in angle
 * brackets may be meant. True when a text in the value is one; the problem names its path. */
bool placeholder_find(const struct contract *contract, const json_t *value,
                      struct problems *problems);

#endif
