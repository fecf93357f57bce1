/* The user port on a terminal: approvals, confirmations and forms as questions on stderr, answers
 * from stdin. Present only when both are terminals; otherwise everything that needs a person fails
 * closed. What others wrote is escaped and set behind a bar, so that it cannot pass for our words.
 */
#ifndef PRESENTATION_CLI_TERMINAL_TERMINAL_USER_H
#define PRESENTATION_CLI_TERMINAL_TERMINAL_USER_H

#include "application/ports/console.h"
#include "application/ports/user.h"
#include "domain/base/buf.h"
#include "presentation/cli/style.h"

struct event_lines;

struct terminal_user {
    struct user base;
    struct console *console;
    struct style style;
    struct event_lines *lines; /* paused while a question stands; may be NULL */
    struct buf pending;
};

void terminal_user_init(struct terminal_user *user, struct console *console, struct style style);
void terminal_user_finish(struct terminal_user *user);

#endif
