#include "infrastructure/mcp/client/url_visit.h"
#include "application/ports/runtime.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/client/client_internal.h"

static void leave(struct client *client, const struct url_visit *visit)
{
    struct url_visit **at = &client->visits;
    while (*at != visit)
        at = &(*at)->next;
    *at = visit->next;
}

enum err_code url_visit_make(struct client *client, struct scope *scope,
                             const struct answerer *answerer,
                             const struct server_question *question, struct err *err)
{
    struct scope visiting = scope_child(scope, SCOPE_NO_DEADLINE);
    struct url_visit visit = { .id = json_get_string(question->params, "elicitationId"),
                               .scope = &visiting,
                               .next = client->visits };
    json_auto_t *answer = NULL;
    client->visits = &visit;
    enum err_code r = question_put(answerer, &visiting, question, &answer, err);
    leave(client, &visit);
    if (visit.is_over && r == ERR_CANCELLED)
        return scope_check(scope, runtime_now_ms(client->runtime), err);
    if (r || text_equal(json_get_string(answer, "action"), "accept"))
        return r;
    return err_set(err, ERR_DENIED, 0,
                   "the server wants somebody to go to a url first, which was declined");
}

void url_visit_complete(struct client *client, const json_t *params)
{
    const char *id = json_get_string(params, "elicitationId");
    for (struct url_visit *visit = client->visits; id && visit; visit = visit->next)
        if (text_equal(visit->id, id) && !visit->is_over) {
            visit->is_over = true;
            runtime_cancel(client->runtime, visit->scope);
        }
}
