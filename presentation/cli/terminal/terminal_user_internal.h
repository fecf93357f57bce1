/* What terminal_user.c and terminal_form.c share. Private to this room. */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_USER_INTERNAL_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_USER_INTERNAL_H

#include "presentation/cli/terminal/terminal_user.h"

void terminal_print(struct terminal_user *user, const char *format, ...) PRINTF_LIKE(2, 3);
/* Foreign text on one line, safe for a terminal; in the arena. */
const char *terminal_shown(struct arena *arena, const char *text, size_t columns);

enum terminal_choice { CHOICE_YES, CHOICE_NO, CHOICE_CANCEL, CHOICE_EDIT, N_CHOICES };

/* Asks until a key is pressed that is one of those, and alone; *out is that one, in lower case.
 * Other keys, and what is pasted, mean nothing. ERR_CANCELLED at the end of input. */
awaits MUST_CHECK enum err_code terminal_key(struct terminal_user *user, struct scope *scope,
                                             const char *question, const char *keys, char *out,
                                             struct err *err);
/* One of the first n choices by the key of its first letter. */
awaits MUST_CHECK enum err_code terminal_choose(struct terminal_user *user, struct scope *scope,
                                                const char *question, enum terminal_choice n,
                                                enum terminal_choice *out, struct err *err);
/* What a choice other than yes means to the caller: ERR_DENIED or ERR_UNAVAILABLE. */
enum err_code terminal_choice_error(enum terminal_choice choice, struct err *err);
/* The outcome of a question. The end of input leaves the question unanswered; unless the scope has
 * ended as well, it does not cancel the work. */
enum err_code terminal_question_end(const struct scope *scope, enum err_code r, struct err *err);

/* A form as questions, one field after the other. A form whose answers go to a recipient is framed
 * by two more: whether to answer at all, before anything is typed, and whether to send what was
 * typed, which is shown once more. As user_ask. */
awaits MUST_CHECK enum err_code terminal_form_ask(struct terminal_user *user, struct scope *scope,
                                                  const struct form *form, struct arena *arena,
                                                  json_t **out_answers, struct err *err);

#endif
