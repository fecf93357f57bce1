/* The questions that wait in the context of a conversation, with the request that they are about
 * and what was understood of it. A conversation has room for those of one request. */
#ifndef APPLICATION_ORCHESTRATORS_PENDING_QUESTIONS_H
#define APPLICATION_ORCHESTRATORS_PENDING_QUESTIONS_H

#include "domain/entities/conversation.h"
#include "domain/plan/intent.h"

#define PENDING_CONTEXT_KEY "clarification"
#define PENDING_VERSION 1

struct pending {
    const char *message;  /* the request the questions are about */
    struct intent intent; /* as far as it was understood; its questions are the ones that wait */
    bool is_dropped;      /* messages do not answer them, only --answer does */
};

/* NULL when nothing waits, or what is stored is none of ours. In the arena. */
struct pending *pending_load(struct arena *arena, const struct conversation *conversation);
void pending_store(struct conversation *conversation, const char *message,
                   const struct intent *intent);
void pending_forget(struct conversation *conversation);
/* The questions of a list as questions_to_json makes it; what is none is left out. In the arena. */
void pending_read_questions(struct arena *arena, const json_t *values, struct intent *intent);
/* Marks the questions as dropped. The sentence that tells it, in the arena; NULL: nothing waits.
 * command: "ask" or "plan". */
const char *pending_drop(struct arena *arena, struct conversation *conversation,
                         const char *command);

#endif
