/* Hands text on without cutting a character in half: what UTF-8 a piece ends in the middle of
 * waits for the next piece. Bytes that are no UTF-8 pass as they are. Pure. */
#ifndef DOMAIN_BASE_CHARACTER_JOINER_H
#define DOMAIN_BASE_CHARACTER_JOINER_H

#include <stddef.h>

/* Borrowed for the time of the call; never empty. */
typedef void joined_text_fn(void *context, const char *text, size_t length);

struct character_joiner {
    joined_text_fn *on_text;
    void *context;
    char partial[4]; /* the beginning of a character */
    size_t n_partial;
};

void character_joiner_feed(struct character_joiner *joiner, const char *bytes, size_t length);
/* What still waits is handed on, incomplete as it is. */
void character_joiner_end(struct character_joiner *joiner);

#endif
