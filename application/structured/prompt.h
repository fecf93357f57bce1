/* A prompt as the parts it is made of, so that what does not fit the context of the model leaves it
 * in a known order and with an event, instead of being cut by a server in silence; and a prompt as
 * the messages of a request. Pure. */
#ifndef APPLICATION_STRUCTURED_PROMPT_H
#define APPLICATION_STRUCTURED_PROMPT_H

#include "application/ports/model.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROMPT_REPLY_RESERVE_TOKENS 64 /* beside max_tokens: what a chat template adds */

/* Which parts leave first. Within a kind the oldest, which is the first, leaves first. */
enum prompt_keep {
    PROMPT_KEEP_ALWAYS,
    PROMPT_DROP_LAST,  /* results of tools: the answer is made of them */
    PROMPT_DROP_SOON,  /* tools beyond the ones that are needed */
    PROMPT_DROP_FIRST, /* what was said before */
};

/* Where a part stands in a request. Who said it in an earlier turn, as a chat template may show it
 * (model.turns: chat); a part without a speaker belongs to the present request, and is sent behind
 * all that was said. The opening goes on from the system text. The task says what is asked for, in
 * front of the request; like the opening it is on every rung of the ladder. */
enum prompt_speaker {
    PROMPT_NOBODY,
    PROMPT_USER,
    PROMPT_ASSISTANT,
    PROMPT_SYSTEM,
    PROMPT_OPENING,
    PROMPT_TASK,
};

struct prompt_part {
    const char *text;
    enum prompt_keep keep;
    const char *what;    /* "history", "result", "tools": for the event; NULL where it is kept */
    const char *instead; /* stands in its place when it has left: what was cut; or NULL */
    enum prompt_speaker speaker;
};

struct prompt {
    const char *system; /* static: the same bytes on every call, so that its cache stays warm; may
                           be NULL */
    const struct prompt_part *parts;
    size_t n_parts;
    /* Pictures of the present request, for a model that sees; they never leave it. */
    const struct model_part *images;
    size_t n_images;
};

/* What left a prompt. */
struct prompt_trim {
    size_t dropped;
    const char *what;              /* "history, result"; in the arena; "" when nothing was */
    int64_t tokens_before, tokens; /* estimates, of system and parts */
};

/* The system text with the opening, which is made harmless; in the arena. */
const char *prompt_system_text(struct arena *arena, const struct prompt *prompt);
/* All parts but the opening joined; in the arena. */
const char *prompt_user_text(struct arena *arena, const struct prompt *prompt);
/* Tokens of system and parts by the estimate (domain/contract/token_estimate.h) times `scale` (1,
 * or what the endpoint's own count says). */
int64_t prompt_tokens(const struct prompt *prompt, double scale);
/* *out: the prompt with so many parts dropped that it has at most max_tokens by that estimate.
 * False when even the parts that always stay have more; *out is then without every other part. */
bool prompt_fit(struct arena *arena, const struct prompt *prompt, int64_t max_tokens, double scale,
                struct prompt *out, struct prompt_trim *out_trim);
/* The messages of a request: the system text, what was said before as messages of its speakers, and
 * the present request last. Every text for a model passes here, so everything but the system text,
 * which is mistro's own, is made harmless (sanitize_text) whether or not its author did that. *out
 * in the arena; at least two: a system and, at the end, a user message. */
size_t prompt_messages(struct arena *arena, const struct prompt *prompt,
                       const struct model_message **out);

#endif
