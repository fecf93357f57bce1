#include "domain/base/character_joiner.h"
#include <stdbool.h>
#include <string.h>

/* Length of a character by its first byte. */
static size_t character_length(char first)
{
    unsigned char byte = (unsigned char)first;
    return byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0u) == 0x80u;
}

/* How many bytes at the end are a character whose rest is missing. */
static size_t cut_character(const char *bytes, size_t length)
{
    for (size_t n = 1; n <= 3 && n <= length; n++)
        if (!continues_character(bytes[length - n]))
            return character_length(bytes[length - n]) > n ? n : 0;
    return 0;
}

void character_joiner_end(struct character_joiner *joiner)
{
    if (joiner->n_partial)
        joiner->on_text(joiner->context, joiner->partial, joiner->n_partial);
    joiner->n_partial = 0;
}

/* Takes from the bytes what completes the character that is waiting; returns how many. */
static size_t complete_partial(struct character_joiner *joiner, const char *bytes, size_t length)
{
    size_t n = 0;
    while (n < length && joiner->n_partial < character_length(joiner->partial[0]) &&
           continues_character(bytes[n]))
        joiner->partial[joiner->n_partial++] = bytes[n++];
    if (n < length || joiner->n_partial == character_length(joiner->partial[0]))
        character_joiner_end(joiner);
    return n;
}

void character_joiner_feed(struct character_joiner *joiner, const char *bytes, size_t length)
{
    size_t taken = joiner->n_partial ? complete_partial(joiner, bytes, length) : 0;
    bytes += taken;
    length -= taken;
    if (!length)
        return;
    size_t cut = cut_character(bytes, length);
    if (length > cut)
        joiner->on_text(joiner->context, bytes, length - cut);
    memcpy(joiner->partial, bytes + length - cut, cut);
    joiner->n_partial = cut;
}
