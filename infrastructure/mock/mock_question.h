/* What a scripted reply asks the client before it is given: `elicit` (a person, with a form or for
 * a visit to a URL) and `sample` (a model). What comes back can be named in the reply: {elicited.…}
 * is what was filled in, {sampled} the model's text. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_QUESTION_H
#define INFRASTRUCTURE_MOCK_MOCK_QUESTION_H

#include "application/ports/tool_server.h"

/* spec: a reply; ERR_INVALID names the faulty member. */
MUST_CHECK
enum err_code mock_check_questions(const char *path, const json_t *spec, struct err *err);

/* Asks what the reply wants to know, in order, and adds it to known. *out_refused: a person or a
 * client refused, and *out is the result that says so. Fails where the client takes no such
 * questions. */
awaits MUST_CHECK enum err_code mock_ask(const json_t *spec, const struct answerer *answerer,
                                         struct scope *scope, json_t *known, struct arena *arena,
                                         bool *out_refused, struct step_result *out,
                                         struct err *err);

#endif
