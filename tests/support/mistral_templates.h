/* What the chat templates of Mistral's models make of the messages of a request, as the published
 * layouts have it: which of them refuse what, and where a system text ends up, or is lost. */
#ifndef TESTS_SUPPORT_MISTRAL_TEMPLATES_H
#define TESTS_SUPPORT_MISTRAL_TEMPLATES_H

#include "domain/base/arena.h"
#include <jansson.h>

/* X(layout) */
#define MISTRAL_LAYOUTS(X)                                                                         \
    X(V1)        /* the system text in the first user turn */                                      \
    X(V1_STRICT) /* 7B v0.1 and v0.2: refuses a system role */                                     \
    X(V3)        /* 7B v0.3: the system text only in the last turn, if that is the user's */       \
    X(V7)        /* Small 24B: a part of its own */                                                \
    X(OLLAMA)    /* mistral:7b of Ollama: neighbours joined, then as V3 */

enum mistral_layout {
#define X(layout) MISTRAL_##layout,
    MISTRAL_LAYOUTS(X)
#undef X
        MISTRAL_LAYOUT_COUNT
};

/* messages: [{"role":…,"content":text}, …]. In the arena; NULL where the template raises an
 * exception, and *out_error is its text. */
const char *mistral_render(struct arena *arena, enum mistral_layout layout, const json_t *messages,
                           const char **out_error);

#endif
