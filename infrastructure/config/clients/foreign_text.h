/* Texts as other programs write them, as values: TOML 1.0, and JSON with what editors allow. What
 * is wrong with one is said with its place, in words of ours that say nothing of what the text
 * holds, which may be a secret. */
#ifndef INFRASTRUCTURE_CONFIG_CLIENTS_FOREIGN_TEXT_H
#define INFRASTRUCTURE_CONFIG_CLIENTS_FOREIGN_TEXT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct text_flaw {
    int line, column; /* from 1, in characters; 0: of the whole */
    const char *why;  /* static; NULL: there is none */
};

/* The flaw at a byte of the text. */
struct text_flaw text_flaw_at(const char *text, const char *at, const char *why);
/* False with *out where a byte is not UTF-8, or is NUL, so that the text ends where it ends. */
MUST_CHECK
bool text_flaw_check_bytes(const char *text, size_t length, struct text_flaw *out);

#define TOML_MAX_DEPTH 128 /* tables and arrays in each other */
#define FOREIGN_MAX_VALUES 200000

/* Tables are objects; dates, times, inf and nan are their text. Harmless faults pass: control
 * characters, days that do not exist. text ends with a NUL behind its length. Owned by the caller.
 * NULL, with *out_flaw, where it is not TOML or is beyond the bounds. */
json_t *toml_read(const char *text, size_t length, struct text_flaw *out_flaw);

/* JSON with comments, commas before a closing bracket, a BOM, and the same key twice, of which the
 * last one counts; a blank text is null. Likewise; nested at most JSON_MAX_DEPTH deep, and of at
 * most FOREIGN_MAX_VALUES values. */
json_t *jsonc_read(const char *text, size_t length, struct text_flaw *out_flaw);
/* The text with blanks in place of comments and of commas before a closing bracket, so that every
 * line and column stays where it was; in the arena. */
char *jsonc_blanked(struct arena *arena, const char *text, size_t length);

#endif
