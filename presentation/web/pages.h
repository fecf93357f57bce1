/* The pages of a mistro that is served: the runs of a person, each run as it goes on, what waits
 * for the person, answered by forms, and what waits for workers. They are whole without script; a
 * small one keeps the page of a run that is under way up to date by server-sent events.
 *
 * An answer is carried out as `runs resume ID --answer` or `ask --session ID --answer` would, and
 * leaves the same record. It is work of the server, not of the request that brought it: at most
 * PAGES_MAX_ANSWERS at once. Each form carries a token that only the pages of the same visitor
 * have. That Host and Origin are right is seen to before a request gets here.
 *
 * Nobody learns of the runs of others: they are as little there as those that do not exist. */
#ifndef PRESENTATION_WEB_PAGES_H
#define PRESENTATION_WEB_PAGES_H

#include "application/ports/web.h"
#include "presentation/web/visitor.h"

#define PAGES_COOKIE "__Host-mistro"
#define PAGES_MAX_ANSWERS 16    /* carried out at once */
#define PAGES_MAX_STREAMS 100   /* open at once */
#define PAGES_POLL_MS 500       /* how often the log is looked at for a page that is live */
#define PAGES_COMMENT_MS 15000  /* how long a stream is silent at most */
#define PAGES_FORM_BYTES 100000 /* of a form that comes in */
#define PAGES_ROWS 100          /* of a list */

struct pages;

/* Everything is borrowed. */
struct pages_options {
    struct runtime *runtime;
    struct scope *scope; /* of the server: answers are carried out under it */
    struct digest *digest;
    struct ids *ids;
    const struct visitors *visitors;
};

struct pages *pages_create(const struct pages_options *options);
/* Ends what is still being carried out, and waits for that. NULL is fine. */
awaits void pages_destroy(struct pages *pages);

/* Answers a request for a page: "/", "/runs" and what is below it, "/queues", "/login", "/logout",
 * "/style.css" and "/script.js". False: the path is none of these, and nothing was answered.
 * visitor: NULL where nobody is known, who may only log in. */
awaits bool pages_answer(struct pages *pages, struct scope *scope, struct web_exchange *exchange,
                         const struct visitor *visitor);

/* The token in the cookie of a request, or NULL. In the arena. */
const char *pages_cookie_token(struct web_exchange *exchange, struct arena *arena);

#endif
