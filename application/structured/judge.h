/* Whether a reply is what the contract asks, and if not, in which way not. What does not fit as it
 * came is tried again mended, with the contract's own words, and at last as tool calls that the
 * model wrote instead; the verdict says what was needed. Pure. */
#ifndef APPLICATION_STRUCTURED_JUDGE_H
#define APPLICATION_STRUCTURED_JUDGE_H

#include "application/structured/engine.h"
#include "application/structured/stream_watch.h"
#include "domain/schema/json_schema.h"

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
    const struct json_schema *schema; /* the contract's, compiled; NULL for CONTRACT_TEXT */
    const struct model_reply *reply;
    const struct heard *heard;
    bool is_bare; /* an object without text and delimiter was asked for (X16) */
};

struct verdict judge_reply(struct arena *arena, const struct judged *judged);
/* The same for a value that no reply had: the last rung's. */
struct verdict judge_value(struct arena *arena, const struct contract *contract,
                           const struct json_schema *schema, const json_t *value);
/* "extract", "repair", "synonym" or "calls": the last thing without which there were no value;
 * NULL when it was fine as it came. */
const char *verdict_saved_by(const struct verdict *verdict);

#endif
