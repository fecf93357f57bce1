/* Where a request is about to go, and whether it may go there (enum http_reach). A name is judged
 * by the addresses it leads to, each at the moment of the connection. Where a proxy of the
 * environment connects for us, only what is known beforehand can be judged: the scheme, and a host
 * that is an address or this machine. */
#ifndef INFRASTRUCTURE_NET_HTTP_DESTINATION_H
#define INFRASTRUCTURE_NET_HTTP_DESTINATION_H

#include "infrastructure/net/curl_library.h"
#include "infrastructure/net/http_client.h"
#include <sys/socket.h>

/* What an IP address is good for: whether it is on the public internet, on this machine, or in one
 * of the ranges that lead into a private network or nowhere (the special-purpose registries of
 * IANA, RFC 6890). An IPv6 address that carries an IPv4 address is judged by that. */
enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,
    ADDRESS_PRIVATE,     /* RFC 1918, unique local, site-local */
    ADDRESS_SHARED,      /* behind a provider's NAT, RFC 6598 */
    ADDRESS_LINK_LOCAL,  /* among them the metadata services of clouds */
    ADDRESS_UNSPECIFIED, /* which connects to this machine all the same */
    ADDRESS_MULTICAST,
    ADDRESS_RESERVED, /* broadcast, documentation, benchmarks, tunnels, unassigned */
};

enum address_class address_class_v4(const uint8_t bytes[4]);
enum address_class address_class_v6(const uint8_t bytes[16]);
/* "a private address" */
const char *address_class_words(enum address_class class);

/* Value of a variable, or NULL; getenv, or what a test puts in its place. */
typedef const char *http_variable_fn(const char *name);

/* Which proxy of the environment a request goes through, read as libcurl reads it: the variable of
 * the scheme before `all_proxy`, small letters before capitals (and for http small letters only,
 * since HTTP_PROXY may come from a request), and none for a host that `no_proxy` names. Needed
 * where it must be certain beforehand whether a proxy connects for us. Borrowed from the
 * environment; NULL: none. An address with a mask in `no_proxy` fits no host. */
const char *http_proxy_choose(http_variable_fn *variable, bool is_secure, const char *host);

#define HTTP_MAX_HOST_BYTES 255
#define HTTP_ADDRESS_SIZE 46

struct http_destination {
    enum http_reach reach;
    bool is_secure; /* https */
    bool is_here;   /* the host's name can only mean this machine */
    char host[HTTP_MAX_HOST_BYTES + 1];
    const char *proxy; /* where the reach is bounded: that of the environment, or NULL */
    char refused[HTTP_ADDRESS_SIZE]; /* an address it may not be connected to, or "" */
    enum address_class refused_class;
};

/* ERR_DENIED: it may not go there, whatever the name leads to. ERR_INVALID: a bounded reach, and no
 * URL. */
MUST_CHECK
enum err_code http_destination_init(struct http_destination *destination,
                                    const struct curl_library *curl, const char *url,
                                    enum http_reach reach, struct err *err);
/* Sets what the judgement of an address relies on: no connection is shared with requests of a
 * longer reach, and the proxy is the one that was reckoned with, or none. */
void http_destination_set_options(const struct http_destination *destination,
                                  const struct curl_library *curl, CURL *easy);
/* Whether a connection to this address may be made. An address that is refused is kept. */
bool http_destination_admits(struct http_destination *destination, const struct sockaddr *address);
/* Says which address was refused. ERR_DENIED. */
enum err_code http_destination_explain(const struct http_destination *destination, struct err *err);

#endif
