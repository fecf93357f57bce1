#include "domain/figure/caption_doubt.h"
#include "domain/base/text.h"
#include "domain/figure/figure_words.h"
#include <string.h>

enum { SHORTEST_TELLING_WORD = 3 };

static bool shares_a_word(struct arena *arena, const char *caption, const char *source)
{
    struct figure_vocabulary known = figure_vocabulary_of(arena, &source, 1);
    struct figure_words words = figure_words_read(arena, caption);
    for (size_t i = 0; i < words.n; i++) {
        const char *word = words.list[i].text;
        if (text_code_points(word, strlen(word)) >= SHORTEST_TELLING_WORD &&
            !figure_word_is_common(word) && figure_vocabulary_knows(&known, word))
            return true;
    }
    return false;
}

const char *caption_doubt(struct arena *arena, const char *caption, const char *source_context)
{
    if (strchr(caption, '?') || strstr(caption, "؟") || strstr(caption, "？"))
        return "it asks instead of saying";
    if (strcasestr(caption, " either ") || strcasestr(caption, " and/or ") ||
        strcasestr(caption, " or maybe ") || strcasestr(caption, "tbd"))
        return "it leaves open what is meant";
    if (!shares_a_word(arena, caption, source_context))
        return "it names nothing that the text speaks of";
    return NULL;
}
