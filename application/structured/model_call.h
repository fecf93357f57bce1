/* One request to the model, held to its context, with what every request owes the run log: the
 * prompt as it was sent, the tokens as they come, the reply as it came. Only a transport that fails
 * before the first token is tried again (settings.model_attempts, with back-off); afterwards the
 * model may have been paid for, and what was shown cannot be taken back.
 *
 * The context. An answer may have max_tokens, but at most half of the context is kept free for it;
 * the rest is the prompt's. A prompt that is larger loses parts in the order of enum prompt_keep,
 * and the event prompt_trimmed and a warning report it. When even the parts that stay need more,
 * the answer gets what they leave, down to CONTEXT_WINDOW_MIN_ANSWER tokens; below that the request
 * is refused. Tokens are estimated; where the estimate comes near the budget the endpoint counts,
 * if it can, and the ratio of the two serves the requests after it. An unknown context bounds
 * nothing. */
#ifndef APPLICATION_STRUCTURED_MODEL_CALL_H
#define APPLICATION_STRUCTURED_MODEL_CALL_H

#include "application/structured/engine.h"
#include "application/structured/stream_watch.h"

#define MODEL_CALL_FIRST_DELAY_MS 250
#define MODEL_CALL_MAX_DELAY_MS 4000

#define CONTEXT_WINDOW_MIN_ANSWER 128  /* tokens; an answer that asks for fewer gets its fewer */
#define CONTEXT_WINDOW_COUNT_FROM 0.7  /* of the budget: from here on the endpoint counts */
#define CONTEXT_WINDOW_CUT_BELOW 0.6   /* of the estimate: fewer evaluated tokens mean a cut */
#define CONTEXT_WINDOW_CUT_TOKENS 500  /* a shorter prompt proves nothing */
#define CONTEXT_WINDOW_NEARLY_FULL 0.8 /* of a known context */
/* Where the count has cached tokens as well, even a short prompt that keeps plenty of room can be
 * seen to have lost most of itself, as in a chat template that leaves out what it does not know. */
#define CONTEXT_WINDOW_LOST_BELOW (1.0 / 3) /* of the estimate; vocabularies differ by less */
#define CONTEXT_WINDOW_LOST_TOKENS 100
/* An endpoint's count may differ from the estimate by these factors; beyond them it is not
 * believed. */
#define CONTEXT_WINDOW_MIN_SCALE 0.25
#define CONTEXT_WINDOW_MAX_SCALE 4.0

struct model_call {
    const char *purpose, *rung;
    const struct prompt *prompt;
    const json_t *schema; /* NULL: free text */
    double temperature;   /* < 0: the model's own default */
    int max_tokens;
    enum contract_shape shape;      /* how the tokens are reported, and when there are enough */
    bool is_bare;                   /* the object alone, whatever the shape */
    const struct stop_words *stops; /* of CONTRACT_TEXT that is not for the person; or NULL */
    unsigned attempt;               /* 1, 2, …: each has a seed of its own; 0 as 1 */
    const char *working;            /* as in struct contract */
    /* out */
    unsigned calls;       /* how many requests were made */
    bool is_kept;         /* an earlier process of the run made the one request */
    const char *reply_id; /* of the reply in the state of the run, or NULL */
    int most_tokens;      /* of the answer: max_tokens, or what the context had left */
    struct heard heard;
};

struct fitted_prompt {
    const char *purpose;
    struct prompt prompt;
    int max_tokens;         /* of the answer */
    int64_t tokens;         /* out: of the prompt, estimated */
    int64_t context_tokens; /* out: -1 unknown */
};

/* Makes prompt and max_tokens of *fitted fit the context. ERR_LIMIT when not even the parts that
 * stay fit. A model that cannot be reached bounds nothing: the request itself will tell. */
awaits MUST_CHECK enum err_code context_window_fit(struct engine *engine, struct scope *scope,
                                                   struct arena *arena,
                                                   struct fitted_prompt *fitted, struct err *err);
/* Warns when the endpoint evaluated clearly fewer tokens than it was sent: it cut the prompt, or
 * its chat template left most of it out. */
void context_window_check_reply(struct engine *engine, const struct fitted_prompt *fitted,
                                const struct model_reply *reply);

/* What the failure of a model means to its caller: an endpoint that does not have the model is as
 * good as none (exit 3). Returns the code, which *err has as well. */
enum err_code model_failure(enum err_code code, struct err *err);

awaits MUST_CHECK enum err_code model_call(struct engine *engine, struct scope *scope,
                                           struct arena *arena, struct model_call *call,
                                           struct model_reply *out, struct err *err);

#endif
