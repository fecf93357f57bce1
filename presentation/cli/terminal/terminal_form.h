/* A form as questions on a terminal, one field after the other. A form whose answers go to
 * somebody else is framed by two more: whether to answer at all, before anything is typed, and
 * whether to send what was typed, which is shown once more. The words of others are escaped and
 * set behind a bar, so that they cannot pass for ours. */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_FORM_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_FORM_H

#include "presentation/cli/terminal/terminal_user.h"

/* Of a message; the rest is cut off, with a mark. */
#define TERMINAL_FORM_MAX_LINES 40

/* As user_ask. */
awaits MUST_CHECK enum err_code terminal_form_ask(struct terminal_user *user, struct scope *scope,
                                                  const struct form *form, struct arena *arena,
                                                  json_t **out_answers, struct err *err);

#endif
