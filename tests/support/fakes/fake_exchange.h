/* A request over HTTP that a test makes, and what it is answered. Header-only. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_EXCHANGE_H
#define TESTS_SUPPORT_FAKES_FAKE_EXCHANGE_H

#include "application/ports/web.h"
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include <string.h>
#include <strings.h>

struct fake_exchange {
    struct web_exchange base; /* hand this to the code under test */
    const char *cookie, *content_type,
        *last_event_id; /* headers of the request; NULL: it has none */
    struct arena arena;
    unsigned status; /* of the answer; 0: there is none */
    const char *type;
    struct web_header headers[16];
    size_t n_headers;
    struct buf body;
    size_t goes_after; /* so many sent pieces; 0: the client stays */
    size_t n_sent;
};

static inline const char *fake_exchange_header(const struct web_exchange *x, const char *name)
{
    const struct fake_exchange *f = (const struct fake_exchange *)x;
    return strcasecmp(name, "Cookie") == 0          ? f->cookie
           : strcasecmp(name, "Content-Type") == 0  ? f->content_type
           : strcasecmp(name, "Last-Event-ID") == 0 ? f->last_event_id
                                                    : NULL;
}

static inline void fake_exchange_answer(struct web_exchange *x, const struct web_answer *answer)
{
    struct fake_exchange *f = (struct fake_exchange *)x;
    if (x->is_answered)
        return;
    x->is_answered = true;
    f->status = answer->status;
    f->type = arena_strdup(&f->arena, answer->type);
    for (size_t i = 0; i < answer->n_headers && f->n_headers < 16; i++)
        f->headers[f->n_headers++] =
            (struct web_header){ arena_strdup(&f->arena, answer->headers[i].name),
                                 arena_strdup(&f->arena, answer->headers[i].value) };
    if (answer->bytes && !buf_append(&f->body, answer->bytes, answer->length))
        f->status = 0;
}

static inline void fake_exchange_send(struct web_exchange *x, const char *bytes, size_t length)
{
    struct fake_exchange *f = (struct fake_exchange *)x;
    if (!buf_append(&f->body, bytes, length) || ++f->n_sent == f->goes_after)
        x->is_gone = true;
}

/* path_and_query: "/runs?state=failed"; body: NULL for none. */
static inline void fake_exchange_init(struct fake_exchange *f, const char *method,
                                      const char *path_and_query, const char *body)
{
    static const struct web_exchange_ops ops = { fake_exchange_header, fake_exchange_answer,
                                                 fake_exchange_send };
    size_t length = strcspn(path_and_query, "?");
    *f = (struct fake_exchange){ 0 };
    buf_init(&f->body, SIZE_MAX);
    f->base = (struct web_exchange){
        .ops = &ops,
        .method = method,
        .path = arena_strndup(&f->arena, path_and_query, length),
        .query = path_and_query[length] ? path_and_query + length + 1 : "",
        .body = body ? body : "",
        .length = body ? strlen(body) : 0,
    };
    f->content_type = body ? "application/x-www-form-urlencoded" : NULL;
}

static inline void fake_exchange_finish(struct fake_exchange *f)
{
    buf_finish(&f->body);
    arena_finish(&f->arena);
}

/* Of the answer; NULL: it has none of that name. */
static inline const char *fake_exchange_got(const struct fake_exchange *f, const char *name)
{
    for (size_t i = 0; i < f->n_headers; i++)
        if (strcasecmp(f->headers[i].name, name) == 0)
            return f->headers[i].value;
    return NULL;
}

#endif
