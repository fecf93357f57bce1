/* The person's web browser: where a login, or what a server must not ask here, is done. A URL is
 * handed to a program as one argument, never to a shell, and only after the person saw it. */
#ifndef APPLICATION_PORTS_BROWSER_H
#define APPLICATION_PORTS_BROWSER_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"

struct browser;

struct browser_ops {
    /* Both mandatory. */
    enum err_code (*open)(struct browser *b, struct scope *sc, const char *url, struct err *err);
    void (*destroy)(struct browser *b);
};

struct browser {
    const struct browser_ops *ops;
};

/* ERR_NOT_FOUND: there is no browser, and the person must open the URL by hand. ERR_INVALID: not
 * the URL of a page (domain/text/web_url.h); whether an unencrypted one may be opened is for the
 * caller to decide. Returns when the program was started, not when the page is there. */
awaits MUST_CHECK static inline enum err_code browser_open(struct browser *b, struct scope *sc,
                                                           const char *url, struct err *err)
{
    return b->ops->open(b, sc, url, err);
}
static inline void browser_destroy(struct browser *b)
{
    if (b)
        b->ops->destroy(b);
}

#endif
