#include "application/structured/stop_words.h"
#include <string.h>

size_t stop_words_find(const struct stop_words *words, const char *text, size_t from)
{
    size_t first = STOP_WORDS_NONE;
    for (size_t i = 0; i < words->n; i++) {
        size_t before = strlen(words->list[i]) - 1;
        const char *found = strstr(text + (from > before ? from - before : 0), words->list[i]);
        if (found && (size_t)(found - text) < first)
            first = (size_t)(found - text);
    }
    return first;
}
