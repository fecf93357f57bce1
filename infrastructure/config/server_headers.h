/* Headers that were given for this run only, beside those of mcp.json. They may hold a token, so
 * they go to one server and no other: where several have a URL, it must be said which. */
#ifndef INFRASTRUCTURE_CONFIG_SERVER_HEADERS_H
#define INFRASTRUCTURE_CONFIG_SERVER_HEADERS_H

#include "application/settings.h"

/* lines are "Name: value" and borrowed; a name takes the place of a configured one. The servers of
 * the settings are replaced by copies in the arena. ERR_INVALID, which does not repeat the line,
 * when it is no header, or when not exactly one enabled server has a URL. */
MUST_CHECK
enum err_code server_headers_add(struct arena *arena, struct settings *settings,
                                 const char *const *lines, size_t n, struct err *err);

#endif
