#include "tests/support/fakes/fake_rpc_exchange.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_SENT_BYTES = 1 << 20 };

static struct fake_rpc_exchange *fake_of(const struct web_exchange *x)
{
    return (struct fake_rpc_exchange *)(uintptr_t)x;
}

static const char *header(const struct web_exchange *base, const char *name)
{
    const struct fake_rpc_exchange *x = fake_of(base);
    for (size_t i = 0; i < x->n_headers; i++)
        if (strcasecmp(x->headers[i].name, name) == 0)
            return x->headers[i].value;
    return NULL;
}

static void answer(struct web_exchange *base, const struct web_answer *with)
{
    struct fake_rpc_exchange *x = fake_of(base);
    if (base->is_answered)
        return;
    base->is_answered = true;
    x->status = with->status;
    snprintf(x->type, sizeof x->type, "%s", with->type ? with->type : "");
    for (size_t i = 0; i < with->n_headers; i++) {
        const struct web_header *h = &with->headers[i];
        if (strcmp(h->name, "Mcp-Session-Id") == 0)
            snprintf(x->session_id, sizeof x->session_id, "%s", h->value);
        if (strcmp(h->name, "Allow") == 0)
            snprintf(x->allow, sizeof x->allow, "%s", h->value);
    }
    if (with->bytes && !buf_append(&x->sent, with->bytes, with->length))
        assert(false && "the answer is too long for a fake");
}

static void send_bytes(struct web_exchange *base, const char *bytes, size_t length)
{
    if (!buf_append(&fake_of(base)->sent, bytes, length))
        assert(false && "the stream is too long for a fake");
}

void fake_rpc_exchange_set(struct fake_rpc_exchange *x, const char *name, const char *value)
{
    size_t i = 0;
    while (i < x->n_headers && strcasecmp(x->headers[i].name, name) != 0)
        i++;
    assert(i < FAKE_RPC_EXCHANGE_MAX_HEADERS);
    x->headers[i] = (struct web_header){ name, value };
    x->n_headers += i == x->n_headers;
}

void fake_rpc_exchange_init(struct fake_rpc_exchange *x, const char *method, const char *body)
{
    static const struct web_exchange_ops ops = { .header = header,
                                                 .answer = answer,
                                                 .send = send_bytes };
    *x = (struct fake_rpc_exchange){ .base = { .ops = &ops,
                                               .method = method,
                                               .path = "/mcp",
                                               .query = "",
                                               .body = body,
                                               .length = strlen(body) },
                                     .scope = scope_child(NULL, SCOPE_NO_DEADLINE) };
    x->base.scope = &x->scope;
    buf_init(&x->sent, MAX_SENT_BYTES);
    fake_rpc_exchange_set(x, "Accept", "application/json, text/event-stream");
    fake_rpc_exchange_set(x, "Content-Type", "application/json");
}

void fake_rpc_exchange_finish(struct fake_rpc_exchange *x)
{
    buf_finish(&x->sent);
}

const char *fake_rpc_exchange_text(struct fake_rpc_exchange *x)
{
    return buf_string(&x->sent);
}
