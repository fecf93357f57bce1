/* Text as bytes with rules: UTF-8, names people mistype, globs, numbers, and the escaping that
 * makes foreign text safe to show. Pure functions; strings are NUL-terminated unless a length is
 * given. */
#ifndef DOMAIN_BASE_TEXT_H
#define DOMAIN_BASE_TEXT_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool text_equal(const char *a, const char *b); /* NULL equals only NULL */
/* The index of the word that equals the text; -1 when there is none. NULL equals no word. */
int text_find(const char *text, const char *const *words, size_t n);
static inline bool text_is_one_of(const char *text, const char *const *words, size_t n)
{
    return text_find(text, words, n) >= 0;
}
/* Whether the word is in a list with one blank around each, ignoring case. */
bool text_is_listed(const char *list, const char *word, size_t length);
bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);

/* Length of the valid UTF-8 sequence at bytes (1-4), or 0. Surrogates and overlong forms are
 * invalid. *out_code may be NULL. */
size_t text_utf8_next(const char *bytes, size_t length, uint32_t *out_code);
bool text_is_utf8(const char *bytes, size_t length);
/* Number of code points; each invalid byte counts as one. */
size_t text_code_points(const char *bytes, size_t length);
/* Columns on a terminal, roughly: combining marks 0, wide characters 2. */
size_t text_columns(const char *text);
/* The bytes of the longest prefix of at most so many of them. */
size_t text_cut_columns(const char *text, size_t max_columns);
/* The longest prefix of at most max_bytes that does not cut a character. */
size_t text_cut(const char *bytes, size_t length, size_t max_bytes);
/* How much of the text goes on one line of at most max_bytes (4 or more): where it has to be
 * folded, up to and with a blank in the second half of the line, if there is one. */
size_t text_fold(const char *text, size_t max_bytes);
/* Removes a character that snprintf cut in half at the end of a buffer. */
void text_trim_broken_end(char *text);

/* A letter, a digit, or part of a character beyond ASCII. */
static inline bool text_is_word_byte(char byte)
{
    unsigned char lower = (unsigned char)byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') ||
           (unsigned char)byte >= 0x80;
}
/* Bytes of the word that begins here; 0 where none does. */
static inline size_t text_word_length(const char *text)
{
    size_t length = 0;
    while (text_is_word_byte(text[length]))
        length++;
    return length;
}
/* With one blank for each run of blanks and line breaks, and none at the start; in the arena. */
const char *text_with_single_blanks(struct arena *arena, const char *text, size_t length);

/* Shell-like glob over the whole text: * ? [abc] [!a-z] and backslash; `*` also matches '/'. */
bool text_matches_glob(const char *glob, const char *text);

/* Strict decimal numbers: the whole text, no blanks, no overflow. */
bool text_to_int64(const char *text, int64_t *out_value);
bool text_to_double(const char *text, double *out_value);

/* The value of a hexadecimal digit; -1 for any other character. */
static inline int text_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* 12345 as "12,345"; in the arena. */
const char *text_grouped(struct arena *arena, size_t number);

/* Edit distance (insert, delete, replace, swap of neighbours), ignoring case; stops above max. */
unsigned text_distance(const char *a, const char *b, unsigned max);
/* Indices of the candidates nearest to name, best first; at most `room`. A candidate counts when
 * it shares more than half of its words with name (of what is behind the last '/' or "__"), when it
 * contains name (or the other way round), or its distance is at most a third of its length. */
size_t text_nearest(const char *name, const char *const *candidates, size_t n, size_t *out_indices,
                    size_t room);

enum text_sight {
    TEXT_SEEN,
    TEXT_HIDDEN,  /* takes no place on a screen: zero width, bidi control, selector, tag, filler */
    TEXT_CONTROL, /* C0 but \n and \t, DEL and C1 */
};

/* What a person sees of a character that follows the text shown so far. An invisible character
 * counts as seen where it shapes what is directly before it: a joiner or non-joiner after a letter
 * of a script that joins (Arabic, Indic), a joiner after an emoji, a selector after an emoji, a
 * keycap or a Han or Mongolian letter. */
enum text_sight text_sight(uint32_t code, const char *shown, size_t length);

/* Appends foreign text so that a terminal shows it and obeys none of it: what is not seen
 * (text_sight) and invalid bytes become visible escapes (\x1b, \u{202e}). A text may come in pieces
 * that are appended to the same buffer. False when the buffer is full. */
MUST_CHECK
bool text_append_escaped(struct buf *buf, const char *bytes, size_t length);
/* For a person who has to decide on the text: characters that shape others become visible as well,
 * so that two texts that differ never look alike for that. */
MUST_CHECK
bool text_append_visible(struct buf *buf, const char *bytes, size_t length);
/* What text_append_escaped appends, on one line (\n and \t escaped as well), cut to max_columns
 * with "…"; in the arena. */
char *text_one_line(struct arena *arena, const char *bytes, size_t length, size_t max_columns);
/* A text as one word of a shell (POSIX 2.2.2), in quotes where it needs them; in the arena. */
const char *text_shell_word(struct arena *arena, const char *text);

#endif
