/* One request to the model with what every request owes the run log: the prompt as it was sent,
 * the tokens as they come, the reply as it came. Only a transport that fails before the first
 * token is tried again (settings.model_attempts, with back-off); afterwards the model may have
 * been paid for, and what was shown cannot be taken back. */
#ifndef APPLICATION_STRUCTURED_MODEL_CALL_H
#define APPLICATION_STRUCTURED_MODEL_CALL_H

#include "application/structured/engine.h"
#include "application/structured/stream_watch.h"

#define MODEL_CALL_FIRST_DELAY_MS 250
#define MODEL_CALL_MAX_DELAY_MS 4000

struct model_call {
    const char *purpose, *rung;
    const struct prompt *prompt;
    const json_t *schema; /* NULL: free text */
    double temperature;   /* < 0: the model's own default */
    int max_tokens;
    enum contract_shape shape;      /* how the tokens are told, and when there are enough */
    bool is_bare;                   /* the object alone, whatever the shape */
    const struct stop_words *stops; /* of CONTRACT_TEXT that is not for the person; or NULL */
    unsigned attempt;               /* for the event token */
    /* out */
    unsigned calls;  /* how many requests were made */
    int most_tokens; /* of the answer: max_tokens, or what the context had left */
    struct heard heard;
};

/* What a failed model means to whoever asked for one: an endpoint that has not the model is as good
 * as none (exit 3). Returns the code, which *err has as well. */
enum err_code model_failure(enum err_code code, struct err *err);

awaits MUST_CHECK enum err_code model_call(struct engine *engine, struct scope *scope,
                                           struct arena *arena, struct model_call *call,
                                           struct model_reply *out, struct err *err);

#endif
