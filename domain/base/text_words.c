#include "domain/base/text_words.h"
#include <ctype.h>
#include <string.h>

bool text_is_word_byte(char byte)
{
    return isalnum((unsigned char)byte) || (unsigned char)byte >= 0x80;
}

const char *text_with_single_blanks(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_strndup(arena, text, length), *to = copy;
    for (const char *at = copy; *at; at++) {
        bool is_blank = isspace((unsigned char)*at);
        if (!is_blank)
            *to++ = *at;
        else if (to > copy && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
    return copy;
}

bool text_is_one_of(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], text) == 0)
            return true;
    return false;
}
