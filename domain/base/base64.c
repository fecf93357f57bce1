#include "domain/base/base64.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* The digits of up to three bytes, one more than there are bytes. */
static size_t encode_group(const unsigned char *bytes, size_t n, const char *alphabet, char *out)
{
    uint32_t bits = (uint32_t)bytes[0] << 16;
    bits |= n > 1 ? (uint32_t)bytes[1] << 8 : 0;
    bits |= n > 2 ? bytes[2] : 0;
    for (size_t i = 0; i < n + 1; i++)
        out[i] = alphabet[bits >> (18 - 6 * i) & 63];
    return n + 1;
}

/* `out` has room for four characters of every three bytes, or of the last one or two. */
static size_t encode(const unsigned char *bytes, size_t length, const char *alphabet,
                     bool has_padding, char *out)
{
    char *at = out;
    for (size_t i = 0; i < length; i += 3) {
        size_t n = length - i < 3 ? length - i : 3;
        at += encode_group(bytes + i, n, alphabet, at);
        for (; n < 3 && has_padding; n++)
            *at++ = '=';
    }
    return (size_t)(at - out);
}

static size_t text_length(size_t length)
{
    return (length + 2) / 3 * 4;
}

bool base64_append(struct buf *out, const void *bytes, size_t length)
{
    size_t room = text_length(length);
    if (!buf_reserve(out, room))
        return false;
    encode(bytes, length, LETTERS_AND_DIGITS "+/", true, out->bytes + out->length);
    out->length += room;
    buf_terminate(out);
    return true;
}

char *base64_text(struct arena *arena, const void *bytes, size_t length)
{
    char *text = arena_alloc(arena, text_length(length) + 1);
    encode(bytes, length, LETTERS_AND_DIGITS "+/", true, text);
    return text;
}

char *base64url_text(struct arena *arena, const void *bytes, size_t length)
{
    char *text = arena_alloc(arena, text_length(length) + 1);
    encode(bytes, length, LETTERS_AND_DIGITS "-_", false, text);
    return text;
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

char *base64_decode(const char *text, size_t *out_length)
{
    char *bytes = malloc(strlen(text) / 4 * 3 + 4);
    unsigned bits = 0, n_bits = 0;
    size_t length = 0;
    if (!bytes)
        abort();
    for (; *text && *text != '='; text++) {
        int digit = digit_of(*text);
        if (strchr(" \r\n\t", *text))
            continue;
        if (digit < 0) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (unsigned)digit;
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            bytes[length++] = (char)(bits >> n_bits & 0xFF);
        }
    }
    *out_length = length;
    return bytes;
}
