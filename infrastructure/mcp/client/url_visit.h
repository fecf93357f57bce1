/* A person is at a page that a legacy server wants them to have been at first (-32042). They say
 * when they are done there; the server may say it before them (notifications/elicitation/complete),
 * and then their word is not needed any more. */
#ifndef INFRASTRUCTURE_MCP_CLIENT_URL_VISIT_H
#define INFRASTRUCTURE_MCP_CLIENT_URL_VISIT_H

#include "infrastructure/mcp/wire/question.h"

struct client;

struct url_visit {
    const char *id; /* elicitationId, or NULL */
    struct scope *scope;
    bool is_over; /* by the server's account */
    struct url_visit *next;
};

/* Sends the answerer to the page of the question. ERR_DENIED: they do not go, or leave. */
awaits MUST_CHECK enum err_code url_visit_make(struct client *client, struct scope *scope,
                                               const struct answerer *answerer,
                                               const struct server_question *question,
                                               struct err *err);
/* notifications/elicitation/complete; ids that nobody visits are ignored. */
void url_visit_complete(struct client *client, const json_t *params);

#endif
