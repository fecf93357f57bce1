/* Words made comparable: in lower case and without the accents of Latin letters. Pure. */
#ifndef DOMAIN_BASE_TEXT_WORDS_H
#define DOMAIN_BASE_TEXT_WORDS_H

#include "domain/base/arena.h"

/* "Größe" is "grosse", "Œuvre" is "oeuvre"; other scripts stay as they are. In the arena. */
char *text_unaccented(struct arena *arena, const char *bytes, size_t length);

#endif
