#include "domain/base/text_words.h"
#include "domain/base/attributes.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* U+00C0 to U+00FF in ASCII; NULL for signs. */
static const char *const latin_1[64] = {
    "a", "a", "a", "a", "a", "a", "ae", "c",  "e", "e", "e", "e", "i", "i", "i",  "i",
    "d", "n", "o", "o", "o", "o", "o",  NULL, "o", "u", "u", "u", "u", "y", "th", "ss",
    "a", "a", "a", "a", "a", "a", "ae", "c",  "e", "e", "e", "e", "i", "i", "i",  "i",
    "d", "n", "o", "o", "o", "o", "o",  NULL, "o", "u", "u", "u", "u", "y", "th", "y",
};

/* What is left of a character of two bytes; NULL: all of it. */
static const char *plain_pair(unsigned char first, unsigned char second)
{
    if (first == 0xC3)
        return latin_1[second & 0x3F];
    if (first == 0xC5 && (second & 0xFE) == 0x92)
        return "oe";
    bool is_combining = first == 0xCC || (first == 0xCD && second < 0xB0);
    return is_combining ? "" : NULL;
}

char *text_unaccented(struct arena *arena, const char *bytes, size_t length)
{
    char *out = arena_alloc(arena, length + 1);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        unsigned char next = c >= 0x80 && i + 1 < length ? (unsigned char)bytes[i + 1] : 0;
        const char *plain = next >= 0x80 ? plain_pair(c, next) : NULL;
        if (!plain) {
            out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
            continue;
        }
        memcpy(out + n, plain, strlen(plain)); /* at most the two bytes it stands for */
        n += strlen(plain);
        i++;
    }
    out[n] = '\0';
    return out;
}

static const char *const numbers[] = {
    " zero null zéro cero ",
    " one ein eins eine einen un une uno una ",
    " two zwei deux dos due ",
    " three drei trois tres tre ",
    " four vier quatre cuatro quattro ",
    " five fünf cinq cinco cinque ",
    " six sechs seis sei ",
    " seven sieben sept siete sette ",
    " eight acht huit ocho otto ",
    " nine neun neuf nueve nove ",
    " ten zehn dix diez dieci ",
    " eleven elf onze once undici ",
    " twelve zwölf douze doce dodici ",
};

const char *text_number_words(double number)
{
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        if (number == (double)i)
            return numbers[i];
    return "";
}

int text_number_word(const char *word, size_t length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        if (text_is_listed(numbers[i], word, length))
            return (int)i;
    return -1;
}
