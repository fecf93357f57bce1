/* Whether a reply is what the contract asks, and if not, in which way not. Pure. */
#ifndef APPLICATION_STRUCTURED_JUDGE_H
#define APPLICATION_STRUCTURED_JUDGE_H

#include "application/structured/engine.h"
#include "domain/rules/json_schema.h"

struct verdict {
    enum attempt_class class;
    const json_t *value;      /* in the arena; NULL unless class is ATTEMPT_OK */
    bool extracted;           /* there was text around the value */
    struct problems problems; /* why it does not fit; the first one decided the class */
};

/* schema: the contract's, compiled. */
struct verdict judge_reply(struct arena *arena, const struct contract *contract,
                           const struct json_schema *schema, const struct model_reply *reply);

#endif
