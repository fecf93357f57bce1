/* A request's messages as chat templates take them. Those of Mistral refuse turns that do not
 * alternate, and drop a system text that does not stand where they look for it: before the last
 * turn in one version, in the first in another, in a turn of its own in a third.
 *
 * So a request becomes one system and one user turn; what was said before is printed into the
 * user's, which also keeps the beginning of a growing conversation the same and its evaluation
 * cached. Where real turns are wanted (model.turns: chat) neighbours of one role become one, and
 * the list begins and ends with a user turn. Either way a system message that comes after what
 * was said stands at the end of the last user turn, where every template shows it, and a request
 * of system messages only is a user turn. Pure. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_MESSAGES_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_CHAT_MESSAGES_H

#include "application/ports/model.h"

#define CHAT_MESSAGES_MAX_IMAGES 8 /* of a request; further ones are left out */

struct chat_style {
    bool real_turns;
    bool no_system; /* the template refuses the role: its text begins the first user turn */
};

struct chat_turn {
    enum model_role role;
    const char *text; /* never empty */
    const struct model_part *images[CHAT_MESSAGES_MAX_IMAGES];
    size_t n_images;
};

struct chat_messages {
    const struct chat_turn *turns; /* the system's first, unless the style has none */
    size_t n;
};

/* "system", "user", "assistant" */
const char *chat_turn_role(const struct chat_turn *turn);

struct chat_messages chat_messages_make(struct arena *arena, const struct model_request *request,
                                        struct chat_style style);

#endif
