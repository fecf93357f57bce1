/* `read SERVER URI`, and `@server:uri` in a message: what a resource holds now. */
#ifndef APPLICATION_USE_CASES_TOOLS_READ_RESOURCE_H
#define APPLICATION_USE_CASES_TOOLS_READ_RESOURCE_H

#include "application/services.h"
#include "domain/tool/offering.h"

/* Only that server is started. ERR_NOT_FOUND with the nearest of what it lists. */
awaits MUST_CHECK enum err_code read_resource(struct services *services, struct scope *scope,
                                              struct arena *arena, const char *server,
                                              const char *uri, struct offering_result *out,
                                              struct err *err);

/* The text of a resource that a person named as "server:uri", or as a URI alone: then it is of the
 * one server that lists it or has a template for it. ERR_INVALID for one that several have, and
 * for one that is not all text; ERR_LIMIT above max_bytes. In the arena. */
awaits MUST_CHECK enum err_code read_resource_text(struct services *services, struct scope *scope,
                                                   struct arena *arena, const char *name,
                                                   size_t max_bytes, const char **out_text,
                                                   struct err *err);

/* Whether a word can name a resource: it has a ':' with something on both sides. */
bool is_resource_name(const char *name);

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
