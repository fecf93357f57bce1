/* What the status of an HTTP answer means to whoever wanted something of an MCP server: which error
 * it is, and what a person does about it. Nothing that the server wrote is repeated, since it may
 * repeat what it was given. */
#ifndef INFRASTRUCTURE_MCP_HTTP_HTTP_STATUS_H
#define INFRASTRUCTURE_MCP_HTTP_HTTP_STATUS_H

#include "application/settings.h"
#include "domain/base/err.h"

/* For an answer without a message. ERR_AUTH: 401 and 403. ERR_UNAVAILABLE: it may go away (408,
 * 429, 502 and beyond), or leads elsewhere. ERR_PROTOCOL: everything else. err->origin is the
 * status. */
enum err_code http_status_explain(int status, const struct server_config *config, struct err *err);

#endif
