/* A question on a terminal that is answered with one word of a few. */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_WORDS_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_WORDS_H

#include "presentation/cli/terminal/terminal_user.h"

enum terminal_word { WORD_YES, WORD_NO, WORD_CANCEL, WORD_EDIT, N_WORDS };

/* Asks until the line is one of the first n words, whole or by its letter. */
awaits MUST_CHECK enum err_code terminal_words_ask(struct terminal_user *user, struct scope *scope,
                                                   const char *question, enum terminal_word n,
                                                   enum terminal_word *out, struct err *err);
/* What a word other than yes means to whoever wanted an answer. */
enum err_code terminal_words_left(enum terminal_word word, struct err *err);
/* The outcome of a question: the end of input is no end of the work, only of this question. */
enum err_code terminal_words_end(const struct scope *scope, enum err_code r, struct err *err);

#endif
