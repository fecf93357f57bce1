#include "infrastructure/net/http_destination.h"
#include "domain/text/web_url.h"
#include "infrastructure/net/http_proxy.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define ONLY_PUBLIC "where a server sends mistro to must be public, and https"

/* Without the brackets of an IPv6 address and the dot at the end of a full name. */
static void read_host(struct http_destination *destination, const char *host)
{
    size_t length = strlen(host);
    bool is_bracketed = length >= 2 && host[0] == '[' && host[length - 1] == ']';
    if (is_bracketed) {
        host++;
        length -= 2;
    } else if (length > 1 && host[length - 1] == '.') {
        length--;
    }
    if (length > HTTP_MAX_HOST_BYTES)
        length = 0;
    memcpy(destination->host, host, length);
    destination->is_here = web_host_is_here(destination->host, length);
}

static void read_url(struct http_destination *destination, const struct curl_library *curl,
                     const char *url)
{
    char *host = NULL, *scheme = NULL;
    CURLU *parts = curl->url();
    bool is_read = parts && curl->url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                   curl->url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                   curl->url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK;
    if (is_read) {
        destination->is_secure = strcmp(scheme, "https") == 0;
        read_host(destination, host);
    }
    curl->free(host);
    curl->free(scheme);
    curl->url_cleanup(parts);
}

static bool class_of(const struct sockaddr *address, enum address_class *out)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    uint8_t bytes[4];
    if (address->sa_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        memcpy(bytes, &v4.sin_addr, sizeof bytes);
        *out = address_class_v4(bytes);
        return true;
    }
    if (address->sa_family != AF_INET6)
        return false;
    memcpy(&v6, address, sizeof v6);
    *out = address_class_v6(v6.sin6_addr.s6_addr);
    return true;
}

static void keep_refused(struct http_destination *destination, const struct sockaddr *address,
                         enum address_class class)
{
    struct sockaddr_in v4 = { 0 };
    struct sockaddr_in6 v6 = { 0 };
    bool is_v4 = address->sa_family == AF_INET;
    if (is_v4)
        memcpy(&v4, address, sizeof v4);
    else
        memcpy(&v6, address, sizeof v6);
    const void *bytes = is_v4 ? (const void *)&v4.sin_addr : (const void *)&v6.sin6_addr;
    inet_ntop(address->sa_family, bytes, destination->refused, sizeof destination->refused);
    destination->refused_class = class;
}

bool http_destination_admits(struct http_destination *destination, const struct sockaddr *address)
{
    enum address_class class = ADDRESS_RESERVED;
    if (destination->reach == HTTP_ANYWHERE || destination->proxy)
        return true;
    if (!class_of(address, &class))
        return false;
    if (class == ADDRESS_PUBLIC && destination->is_secure)
        return true;
    if (class == ADDRESS_LOOPBACK && destination->reach == HTTP_HERE_TOO)
        return true;
    keep_refused(destination, address, class);
    return false;
}

enum err_code http_destination_explain(const struct http_destination *destination, struct err *err)
{
    enum err_code r =
        destination->refused_class == ADDRESS_PUBLIC
            ? err_set(err, ERR_DENIED, 0, "%s is public, and is reached over https only",
                      destination->refused)
            : err_set(err, ERR_DENIED, 0, "%s is %s", destination->refused,
                      address_class_words(destination->refused_class));
    return err_hint(err, r, ONLY_PUBLIC);
}

/* A host that is an address needs no connection to be judged. */
static bool host_is_admitted(struct http_destination *destination)
{
    struct sockaddr_in v4 = { .sin_family = AF_INET };
    struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };
    if (inet_pton(AF_INET, destination->host, &v4.sin_addr) == 1)
        return http_destination_admits(destination, (const struct sockaddr *)&v4);
    if (inet_pton(AF_INET6, destination->host, &v6.sin6_addr) == 1)
        return http_destination_admits(destination, (const struct sockaddr *)&v6);
    return !destination->is_here || destination->reach == HTTP_HERE_TOO;
}

static const char *variable(const char *name)
{
    return getenv(name);
}

static enum err_code check(struct http_destination *destination, struct err *err)
{
    if (!destination->is_secure && destination->reach == HTTP_PUBLIC) {
        enum err_code r = err_set(err, ERR_DENIED, 0, "a url that a server names must be https");
        return err_hint(err, r, "mistro does not go where anybody on the way may read along");
    }
    if (host_is_admitted(destination))
        return ERR_NONE;
    if (destination->refused[0])
        return http_destination_explain(destination, err);
    enum err_code r = err_set(err, ERR_DENIED, 0, "it leads to this machine");
    return err_hint(err, r, ONLY_PUBLIC);
}

enum err_code http_destination_init(struct http_destination *destination,
                                    const struct curl_library *curl, const char *url,
                                    enum http_reach reach, struct err *err)
{
    *destination = (struct http_destination){ .reach = reach };
    read_url(destination, curl, url);
    if (reach == HTTP_ANYWHERE) /* libcurl reads it, and more generously */
        return ERR_NONE;
    if (!destination->host[0])
        return err_set(err, ERR_INVALID, 0, "not an http or https URL");
    enum err_code r = check(destination, err);
    if (r == ERR_NONE && !destination->is_here)
        destination->proxy = http_proxy_choose(variable, destination->is_secure, destination->host);
    return r;
}

void http_destination_set_options(const struct http_destination *destination,
                                  const struct curl_library *curl, CURL *easy)
{
    if (destination->is_here)
        curl->easy_setopt(easy, CURLOPT_NOPROXY, "*");
    if (destination->reach == HTTP_ANYWHERE)
        return;
    curl->easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl->easy_setopt(easy, CURLOPT_PROXY, destination->proxy ? destination->proxy : "");
    if (destination->proxy) /* chosen with a look at no_proxy already */
        curl->easy_setopt(easy, CURLOPT_NOPROXY, "");
}
