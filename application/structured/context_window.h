/* Holds a request to the context of the model, so that no server has to cut it in silence.
 *
 * An answer may have max_tokens, but at most half of the context is kept free for it; what is left
 * is the prompt's. A prompt that is larger loses parts in the order of enum prompt_keep, and that
 * is told (event prompt_trimmed, a warning). When even the parts that stay need more, the answer
 * gets what they leave, down to CONTEXT_WINDOW_MIN_ANSWER tokens; below that the request is
 * refused. Tokens are estimated; where the estimate comes near the budget the endpoint counts, if
 * it can, and the ratio of the two serves the requests after it. A context nobody knows bounds
 * nothing. */
#ifndef APPLICATION_STRUCTURED_CONTEXT_WINDOW_H
#define APPLICATION_STRUCTURED_CONTEXT_WINDOW_H

#include "application/structured/engine.h"

#define CONTEXT_WINDOW_MIN_ANSWER 128  /* tokens; an answer that asks for fewer gets its fewer */
#define CONTEXT_WINDOW_COUNT_FROM 0.7  /* of the budget: from here on the endpoint counts */
#define CONTEXT_WINDOW_CUT_BELOW 0.6   /* of the estimate: fewer evaluated tokens mean a cut */
#define CONTEXT_WINDOW_CUT_TOKENS 500  /* a shorter prompt proves nothing */
#define CONTEXT_WINDOW_NEARLY_FULL 0.8 /* of a known context */
/* Where the count has cached tokens as well, even a short prompt that keeps plenty of room can be
 * seen to have lost most of itself, as in a chat template that leaves out what it does not know. */
#define CONTEXT_WINDOW_LOST_BELOW (1.0 / 3) /* of the estimate; vocabularies differ by less */
#define CONTEXT_WINDOW_LOST_TOKENS 100
/* An endpoint's count may differ from the estimate by so much; beyond it is not believed. */
#define CONTEXT_WINDOW_MIN_SCALE 0.25
#define CONTEXT_WINDOW_MAX_SCALE 4.0

struct fitted_prompt {
    struct prompt prompt;
    int max_tokens;         /* of the answer */
    int64_t tokens;         /* of the prompt, estimated */
    int64_t context_tokens; /* -1 unknown */
};

/* ERR_LIMIT when not even the parts that stay fit. A model that cannot be reached bounds nothing
 * either: the request itself will tell. */
awaits MUST_CHECK enum err_code context_window_fit(struct engine *engine, struct scope *scope,
                                                   struct arena *arena, const char *purpose,
                                                   const struct prompt *prompt, int max_tokens,
                                                   struct fitted_prompt *out, struct err *err);
/* Warns when the endpoint evaluated clearly fewer tokens than it was sent: it cut the prompt, or
 * its chat template left most of it out. */
void context_window_check_reply(struct engine *engine, const char *purpose,
                                const struct fitted_prompt *fitted,
                                const struct model_reply *reply);

#endif
