/* `read SERVER URI --watch`: what a resource holds, now and again whenever its server says that it
 * changed. Where a change may have been missed - the server died, a subscription broke off - it is
 * read as well, but only told when it differs. */
#ifndef APPLICATION_USE_CASES_TOOLS_WATCH_RESOURCE_H
#define APPLICATION_USE_CASES_TOOLS_WATCH_RESOURCE_H

#include "application/services.h"
#include "domain/tool/offering.h"

struct resource_watch {
    const char *server, *uri;
    /* What it holds now; must not keep it. False: that is enough. */
    bool (*on_content)(void *context, const struct offering_result *content);
    void *context;
};

/* ERR_NONE when it was enough; ERR_CANCELLED or ERR_TIMEOUT when the scope ended, which is how a
 * watch usually ends. ERR_NOT_FOUND: there is no such server or resource, or the server announces
 * no changes. */
awaits MUST_CHECK enum err_code watch_resource(struct services *services, struct scope *scope,
                                               const struct resource_watch *wanted,
                                               struct err *err);

#endif
