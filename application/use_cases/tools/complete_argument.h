/* What an argument of a prompt, or a variable of a resource template, could be, by the suggestion
 * of the server: for Tab in a chat and `--complete` on the command line. */
#ifndef APPLICATION_USE_CASES_TOOLS_COMPLETE_ARGUMENT_H
#define APPLICATION_USE_CASES_TOOLS_COMPLETE_ARGUMENT_H

#include "application/services.h"

/* None where the server suggests nothing, or says of itself that it never does. ERR_NOT_FOUND: no
 * such server. The values are the server's: untrusted, and in the arena. */
awaits MUST_CHECK enum err_code complete_argument(struct services *services, struct scope *scope,
                                                  struct arena *arena, const char *server,
                                                  const struct completion_request *request,
                                                  struct completion_values *out, struct err *err);

#endif
