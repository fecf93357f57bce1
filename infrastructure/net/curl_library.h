/* libcurl, loaded when the first request is made or to be expected: linking it would cost every
 * command some 10 ms and 8 MB before main. This is the one table of its symbols; the headers are
 * used for types and constants only. */
#ifndef INFRASTRUCTURE_NET_CURL_LIBRARY_H
#define INFRASTRUCTURE_NET_CURL_LIBRARY_H

#define CURL_DISABLE_TYPECHECK 1
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <curl/curl.h>

#define CURL_SYMBOLS(X)                                                                            \
    X(global_init)                                                                                 \
    X(easy_init)                                                                                   \
    X(easy_setopt)                                                                                 \
    X(easy_getinfo)                                                                                \
    X(easy_strerror)                                                                               \
    X(easy_cleanup)                                                                                \
    X(multi_init)                                                                                  \
    X(multi_setopt)                                                                                \
    X(multi_add_handle)                                                                            \
    X(multi_remove_handle)                                                                         \
    X(multi_socket_action)                                                                         \
    X(multi_info_read)                                                                             \
    X(multi_assign)                                                                                \
    X(multi_cleanup)                                                                               \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(url)                                                                                         \
    X(url_set)                                                                                     \
    X(url_get)                                                                                     \
    X(url_cleanup)                                                                                 \
    X(free)

struct curl_library {
#define X(name) __typeof__(curl_##name) *name;
    CURL_SYMBOLS(X)
#undef X
};

struct uv_runtime;

/* All three only from the loop's thread.
 *
 * Loads it on a worker, for a command that will make requests: it takes some 10 ms, in which
 * servers start. */
void curl_library_begin(struct uv_runtime *runtime);
/* Waits until that is done, as it has to be before the runtime ends. */
awaits void curl_library_end(void);

/* Always one and the same table. ERR_UNAVAILABLE, with the package to install, when there is no
 * libcurl. */
MUST_CHECK
enum err_code curl_library_get(const struct curl_library **out, struct err *err);

#endif
