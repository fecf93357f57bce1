/* Where a request is about to go, and whether it may go there (enum http_reach). A name is judged
 * by the addresses it leads to, each at the moment of the connection; where a proxy connects for
 * us, what can be told beforehand is all there is: the scheme and a host that is an address or
 * this machine. */
#ifndef INFRASTRUCTURE_NET_HTTP_DESTINATION_H
#define INFRASTRUCTURE_NET_HTTP_DESTINATION_H

#include "infrastructure/net/address_class.h"
#include "infrastructure/net/curl_library.h"
#include "infrastructure/net/http_client.h"
#include <sys/socket.h>

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
/* What must be the case for the judgement of an address to hold: no connection of somebody with a
 * longer reach, and the proxy, or none, that was reckoned with. */
void http_destination_set_options(const struct http_destination *destination,
                                  const struct curl_library *curl, CURL *easy);
/* Whether it may be connected to this address. One that it may not be is kept. */
bool http_destination_admits(struct http_destination *destination, const struct sockaddr *address);
/* Says which address was refused. ERR_DENIED. */
enum err_code http_destination_explain(const struct http_destination *destination, struct err *err);

#endif
