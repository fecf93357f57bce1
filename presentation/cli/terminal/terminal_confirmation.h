/* A question with yes or no about the words of somebody else, or about a page of theirs, on a
 * terminal. They are shown in full, escaped and behind a bar on every line of the screen, so that
 * they cannot pass for ours; of a URL the host stands out. */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_CONFIRMATION_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_CONFIRMATION_H

#include "presentation/cli/terminal/terminal_user.h"

/* Bytes of the words of others in one line of the screen. */

/* As user_confirm. */
awaits MUST_CHECK enum err_code terminal_confirmation_ask(struct terminal_user *user,
                                                          struct scope *scope,
                                                          const struct confirmation *confirmation,
                                                          struct err *err);

#endif
