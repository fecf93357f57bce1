/* Names and prose as the words that a full-text search compares. FTS5 splits at every
 * character that is not a letter or digit; it cannot see the humps of camelCase. A name with humps
 * is written in pieces and whole ("getUserName get User Name"), so that both "user" and
 * "getusername" find it and "GitHub" is still found by "github". Pure functions. */
#ifndef INFRASTRUCTURE_REPOSITORIES_TOOL_WORDS_H
#define INFRASTRUCTURE_REPOSITORIES_TOOL_WORDS_H

#include "domain/base/buf.h"
#include "domain/tool/tool.h"
#include <stddef.h>

#define TOOL_WORDS_MAX_BYTES (32 * 1024) /* of one column of one tool; the rest is not searched */
#define TOOL_WORDS_MAX_DEPTH 4           /* of nested parameters */

/* What is indexed of one tool, by column. */
struct tool_words {
    struct buf name, about, parameters, parameter_about;
};

void tool_words_init(struct tool_words *words, const struct tool *tool);
void tool_words_finish(struct tool_words *words);

/* Appends the text with its humps split. The rest is left out when the buffer is full. */
void tool_words_append(struct buf *out, const char *text);

/* Appends to an FTS5 expression what matches the word or any piece of it: `userName` becomes
 * "userName" OR "user" OR "Name". Only letters and digits get between the quotes, so no text
 * becomes syntax. False when there are none, or the buffer is full. */
bool tool_words_append_query(struct buf *out, const char *word);

#endif
