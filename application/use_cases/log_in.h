/* A person logs in to a server behind a URL, and out again. */
#ifndef APPLICATION_USE_CASES_LOG_IN_H
#define APPLICATION_USE_CASES_LOG_IN_H

#include "application/services.h"

struct log_in_request {
    const char *server;
    /* The page to open, before the browser is asked to; must not wait. */
    void (*on_page)(void *context, const char *url);
    /* The browser could not be had: the person must open it. May be NULL; must not wait. */
    void (*on_no_browser)(void *context, const struct err *why);
    void *context;
};

/* Who the login is with; in the arena. */
struct login_outcome {
    const char *server, *issuer;
    const char *scope; /* "" when nothing was said of it */
    int64_t until_ms;  /* of the token, wall clock; 0 = unknown */
};

/* ERR_NOT_FOUND with the nearest server; else as tool_server_log_in. */
awaits MUST_CHECK enum err_code log_in(struct services *services, struct scope *scope,
                                       struct arena *arena, const struct log_in_request *request,
                                       struct login_outcome *out, struct err *err);
json_t *login_outcome_to_json(const struct login_outcome *outcome);

awaits MUST_CHECK enum err_code log_out(struct services *services, struct scope *scope,
                                        const char *server, bool *out_was_in, struct err *err);

#endif
