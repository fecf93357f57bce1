/* Which proxy of the environment a request goes through, read as libcurl reads it: the variable of
 * the scheme before `all_proxy`, small letters before capitals (and for http small letters only,
 * since HTTP_PROXY may come from a request), and none for a host that `no_proxy` names. Needed
 * where it must be certain beforehand whether a proxy connects for us. */
#ifndef INFRASTRUCTURE_NET_HTTP_PROXY_H
#define INFRASTRUCTURE_NET_HTTP_PROXY_H

#include <stdbool.h>

/* Value of a variable, or NULL; getenv, or what a test puts in its place. */
typedef const char *http_variable_fn(const char *name);

/* Borrowed from the environment; NULL: none. An address with a mask in `no_proxy` fits no host. */
const char *http_proxy_choose(http_variable_fn *variable, bool is_secure, const char *host);

#endif
