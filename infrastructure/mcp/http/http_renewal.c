/* Another token for streams. A request that is refused gets one on the task that waits for it; for
 * a stream that listens or goes on where it broke off nobody waits, so there is a task of the
 * transport's own, from the first such refusal until it is closed. Once per stream: a fresh token
 * that is refused as well is no reason to ask for another. */
#include "infrastructure/mcp/http/http_exchange.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

static bool is_stream(const struct http_exchange *exchange)
{
    return exchange->kind == EXCHANGE_LISTEN || exchange->is_resumed ||
           (exchange->method && strcmp(exchange->method, "subscriptions/listen") == 0);
}

static void give_up(struct http_exchange *exchange, const struct err *why)
{
    exchange->is_inside = true;
    if (http_sse_is_stream(exchange))
        http_sse_end(exchange, why);
    else
        http_exchange_lose(exchange, exchange->is_resumed ? LOSS_UNKNOWN : LOSS_UNSEEN, why);
    exchange->is_inside = false;
    http_exchange_stop(exchange);
}

/* why: there is no other token; NULL: there is. What happens may end others of them. */
static void go_on(struct http_transport *t, const struct err *why)
{
    struct http_exchange *exchange = t->exchanges;
    while (exchange) {
        bool waits = exchange->waits_for_token;
        exchange->waits_for_token = false;
        if (waits && why)
            give_up(exchange, why);
        else if (waits)
            http_exchange_go_on(exchange);
        exchange = waits ? t->exchanges : exchange->next;
    }
}

static enum err_code renew(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct http_transport *t = argument;
    struct http_renewal *renewal = &t->renewal;
    (void)runtime;
    while (completion_await(&renewal->wanted, scope, NULL) == ERR_NONE) {
        struct err why;
        renewal->wanted = completion_of(t->runtime);
        enum err_code r = oauth_renew(t->oauth, scope, &why);
        go_on(t, r ? &why : NULL);
    }
    return ERR_NONE;
}

bool http_renewal_take(struct http_exchange *exchange)
{
    struct http_transport *t = exchange->transport;
    struct http_renewal *renewal = &t->renewal;
    const struct http_answer *answer = &exchange->answer;
    if (!t->oauth || !t->is_open || answer->status != 401 || exchange->was_renewed ||
        !is_stream(exchange))
        return false;
    oauth_refused(t->oauth, answer->status, &answer->challenge, exchange->token);
    http_answer_reset(&exchange->answer, (size_t)t->settings->mcp_max_message_bytes);
    exchange->was_renewed = exchange->waits_for_token = true;
    if (!renewal->task) {
        renewal->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
        renewal->wanted = completion_of(t->runtime);
        renewal->task = runtime_spawn(uv_runtime_port(t->runtime), &renewal->scope, renew, t);
    }
    completion_complete(&renewal->wanted);
    return true;
}

void http_renewal_end(struct http_transport *t)
{
    struct runtime *runtime = uv_runtime_port(t->runtime);
    if (!t->renewal.task)
        return;
    runtime_cancel(runtime, &t->renewal.scope);
    (void)runtime_wait(runtime, t->renewal.task);
    t->renewal.task = NULL;
}
