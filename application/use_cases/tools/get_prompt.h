/* `prompt SERVER/NAME k=v`, and `/server:prompt k=v` in a chat: the messages of a server's prompt.
 */
#ifndef APPLICATION_USE_CASES_TOOLS_GET_PROMPT_H
#define APPLICATION_USE_CASES_TOOLS_GET_PROMPT_H

#include "application/services.h"
#include "domain/tool/offering.h"

/* The answerer of the request is not read: questions are answered as for a call. Only that server
 * is started. ERR_NOT_FOUND with the nearest of its prompts; ERR_INVALID for arguments that it
 * refuses, naming the required ones left out. */
awaits MUST_CHECK enum err_code get_prompt(struct services *services, struct scope *scope,
                                           struct arena *arena, const char *server,
                                           const struct prompt_request *request,
                                           struct offering_result *out, struct err *err);

/* The messages as one text: that of a single one alone, those of several each under its role.
 * Content that is not text becomes a line in brackets that says what it was. In the arena.
 * ERR_LIMIT above max_bytes. */
MUST_CHECK
enum err_code prompt_text(struct arena *arena, const struct offering_result *prompt,
                          size_t max_bytes, const char **out, struct err *err);

#endif
