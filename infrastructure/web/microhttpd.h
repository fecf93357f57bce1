/* libmicrohttpd, loaded when something is served over HTTP: no other command needs it. This is the
 * one table of its symbols; the header is used for types and constants only. */
#ifndef INFRASTRUCTURE_WEB_MICROHTTPD_H
#define INFRASTRUCTURE_WEB_MICROHTTPD_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <microhttpd.h>

#define MICROHTTPD_SYMBOLS(X)                                                                      \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(quiesce_daemon)                                                                              \
    X(run)                                                                                         \
    X(get_timeout)                                                                                 \
    X(get_daemon_info)                                                                             \
    X(suspend_connection)                                                                          \
    X(resume_connection)                                                                           \
    X(get_connection_values)                                                                       \
    X(get_connection_info)                                                                         \
    X(create_response_from_buffer)                                                                 \
    X(create_response_from_callback)                                                               \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

struct microhttpd {
#define X(name) __typeof__(MHD_##name) *name;
    MICROHTTPD_SYMBOLS(X)
#undef X
};

/* Always one and the same table. ERR_UNAVAILABLE, with the package to install, when there is no
 * libmicrohttpd. */
MUST_CHECK
enum err_code microhttpd_get(const struct microhttpd **out, struct err *err);

#endif
