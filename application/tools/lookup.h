/* What people name and mistype: servers, and whatever has a list of candidates. */
#ifndef APPLICATION_TOOLS_LOOKUP_H
#define APPLICATION_TOOLS_LOOKUP_H

#include "application/services.h"

#define LOOKUP_BUILT_IN_SERVER "files" /* the workspace */
#define LOOKUP_DATA_SERVER "data"      /* the tools for plans */

/* Hints "did you mean a or b?", or nothing when no candidate is near. `shown` is how each
 * candidate is written out. Returns code. */
enum err_code lookup_hint(struct err *err, enum err_code code, const char *name,
                          const char *const *candidates, const char *const *shown, size_t n);

/* What the settings say of a server; NULL: nothing. */
const struct server_config *lookup_config(const struct settings *settings, const char *server);
/* NULL when there is none. The name need not end with a NUL. */
struct tool_server *lookup_server(struct tool_server *const *servers, size_t n, const char *name,
                                  size_t length);
/* ERR_NOT_FOUND with the nearest of the servers; ERR_DENIED: the folder's own has this name and
 * waits for approval. */
enum err_code lookup_no_server(const struct settings *settings, struct tool_server *const *servers,
                               size_t n, const char *name, size_t length, struct err *err);

/* The one of the configured servers that a person named. ERR_NOT_FOUND as above, or why the servers
 * cannot be had. */
awaits MUST_CHECK enum err_code lookup_configured(struct services *services, struct scope *scope,
                                                  const char *name, struct tool_server **out,
                                                  struct err *err);

#endif
