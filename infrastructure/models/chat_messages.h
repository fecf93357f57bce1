/* A request's messages as every chat template takes them: one system and one user turn. Templates
 * of Mistral refuse turns that do not alternate and drop a system text that does not stand where
 * they look for it; so whatever was said is folded into those two. Pure. */
#ifndef INFRASTRUCTURE_MODELS_CHAT_MESSAGES_H
#define INFRASTRUCTURE_MODELS_CHAT_MESSAGES_H

#include "application/ports/model.h"

struct chat_messages {
    const char *system, *user; /* never empty */
    const struct model_part *images[8];
    size_t n_images; /* further ones are left out */
};

struct chat_messages chat_messages_fold(struct arena *arena, const struct model_request *request);

#endif
