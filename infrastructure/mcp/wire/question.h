/* What a server asks in the middle of a request: something of a person (elicitation), an answer of
 * mistro's own model (sampling), or for its folders (roots). Legacy servers ask by requests of
 * their own, modern ones within an answer; what is asked, and what goes back, is the same. */
#ifndef INFRASTRUCTURE_MCP_WIRE_QUESTION_H
#define INFRASTRUCTURE_MCP_WIRE_QUESTION_H

#include "application/ports/tool_server.h"

enum question_kind { QUESTION_UNKNOWN, QUESTION_ELICITATION, QUESTION_SAMPLING, QUESTION_ROOTS };

struct server_question {
    enum question_kind kind;
    const json_t *params;
    bool must_finish; /* as in struct elicitation */
};

/* method may be NULL. */
enum question_kind question_kind_of(const char *method);
/* Whether the answerer takes questions of this kind; roots need no answerer and are not among them.
 * answerer may be NULL. */
bool question_is_taken(const struct answerer *answerer, enum question_kind kind);
/* Before anyone is asked. ERR_INVALID: a mode of elicitation that does not exist, no message,
 * schema or URL, or no messages to sample from. */
MUST_CHECK
enum err_code question_check(const struct server_question *question, struct err *err);
/* Puts a question to the answerer, who takes it. *out_result is what goes back, owned by the
 * caller. ERR_INVALID: it cannot be asked; ERR_DENIED: refused, of sampling only, because a person
 * who declines has answered. */
awaits MUST_CHECK enum err_code question_put(const struct answerer *answerer, struct scope *scope,
                                             const struct server_question *question,
                                             json_t **out_result, struct err *err);
/* The result for an elicitation that no one answered; owned by the caller. */
json_t *elicitation_cancelled(void);

#endif
