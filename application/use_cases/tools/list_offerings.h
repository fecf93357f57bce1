/* `resources [SERVER]` and `prompts [SERVER]`: what the configured servers offer beside tools, in
 * the order of the servers and of each server's own list. */
#ifndef APPLICATION_USE_CASES_TOOLS_LIST_OFFERINGS_H
#define APPLICATION_USE_CASES_TOOLS_LIST_OFFERINGS_H

#include "application/services.h"
#include "application/use_cases/tools/list_tools.h"
#include "domain/tool/offering.h"

enum offering_group {
    OFFERED_RESOURCES, /* and their templates, which come behind them */
    OFFERED_PROMPTS,
};

struct listed_offering {
    const char *server;
    struct offering offering; /* untrusted */
};

struct offering_listing {
    struct listed_offering *list;
    size_t n, capacity;
    struct listed_failure *failures; /* servers that could not be had */
    size_t n_failures;
};

/* only: one server's name, or NULL for all. A server that has none of them counts as empty, unless
 * it is the one that was named: ERR_NOT_FOUND. Fails as well when that server is unknown or dead,
 * or when all are. Everything is in the arena. */
awaits MUST_CHECK enum err_code list_offerings(struct services *services, struct scope *scope,
                                               struct arena *arena, enum offering_group group,
                                               const char *only, struct offering_listing *out,
                                               struct err *err);

/* None where the server suggests nothing, or says of itself that it never does. ERR_NOT_FOUND: no
 * such server. The values are the server's: untrusted, and in the arena. */
awaits MUST_CHECK enum err_code complete_argument(struct services *services, struct scope *scope,
                                                  struct arena *arena, const char *server,
                                                  const struct completion_request *request,
                                                  struct completion_values *out, struct err *err);

#endif
