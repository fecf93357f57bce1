/* The clarification that waits in a conversation's context, as a value. */
#ifndef APPLICATION_ORCHESTRATORS_PENDING_H
#define APPLICATION_ORCHESTRATORS_PENDING_H

#include "domain/entities/conversation.h"
#include "domain/plan/intent.h"

#define PENDING_VERSION 1

struct pending {
    const char *message;  /* the request the questions are about */
    struct intent intent; /* as far as it was understood; its questions are the ones that wait */
};

/* NULL when nothing waits, or what is stored is none of ours. In the arena. */
struct pending *pending_load(struct arena *arena, const struct conversation *conversation);
void pending_store(struct conversation *conversation, const char *message,
                   const struct intent *intent);
void pending_drop(struct conversation *conversation);

#endif
