/* A tool's texts as the words that the index compares. A name with humps counts in pieces and whole
 * ("getUserName": get, user, name and getusername), so that "user" and "getusername" find it and
 * "github" still finds "GitHub". Pure functions. */
#ifndef INFRASTRUCTURE_REPOSITORIES_TOOL_WORDS_H
#define INFRASTRUCTURE_REPOSITORIES_TOOL_WORDS_H

#include "application/ports/tool_index.h"
#include "domain/base/buf.h"

#define TOOL_WORDS_MAX_BYTES (32 * 1024) /* of one field of one tool; the rest is not searched */
#define TOOL_WORDS_MAX_DEPTH 4           /* of nested parameters */

/* What is indexed of one tool: words with a blank behind each. */
struct tool_words {
    struct buf fields[N_TOOL_FIELDS];
};

void tool_words_init(struct tool_words *words, const struct tool *tool);
void tool_words_finish(struct tool_words *words);

/* Appends the text with its humps split. The rest is left out when the buffer is full. */
void tool_words_append(struct buf *out, const char *text);

#endif
