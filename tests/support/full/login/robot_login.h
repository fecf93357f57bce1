/* A login without a person: the authorization server of a conformance scenario sends whoever opens
 * its page straight back, so the "browser" is a request for the page and one for the address it
 * redirects to, which is the callback that the login opened. */
#ifndef TESTS_SUPPORT_FULL_LOGIN_ROBOT_LOGIN_H
#define TESTS_SUPPORT_FULL_LOGIN_ROBOT_LOGIN_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "infrastructure/net/http_client.h"

/* As tool_server_log_in. */
awaits MUST_CHECK enum err_code robot_login(struct runtime *runtime, struct http_client *http,
                                            struct tool_server *server, struct scope *scope,
                                            struct err *err);

#endif
