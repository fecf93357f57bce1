#include "infrastructure/net/http_destination.h"
#include "domain/text/web_url.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ONLY_PUBLIC "where a server sends mistro to must be public, and https"

struct range {
    uint8_t bytes[16];
    unsigned bits;
    enum address_class class;
};

/* Everything else is public. */
static const struct range v4_ranges[] = {
    { { 0 }, 8, ADDRESS_UNSPECIFIED },         { { 10 }, 8, ADDRESS_PRIVATE },
    { { 100, 64 }, 10, ADDRESS_SHARED },       { { 127 }, 8, ADDRESS_LOOPBACK },
    { { 169, 254 }, 16, ADDRESS_LINK_LOCAL },  { { 172, 16 }, 12, ADDRESS_PRIVATE },
    { { 192, 0, 0 }, 24, ADDRESS_RESERVED },   { { 192, 0, 2 }, 24, ADDRESS_RESERVED },
    { { 192, 88, 99 }, 24, ADDRESS_RESERVED }, { { 192, 168 }, 16, ADDRESS_PRIVATE },
    { { 198, 18 }, 15, ADDRESS_RESERVED },     { { 198, 51, 100 }, 24, ADDRESS_RESERVED },
    { { 203, 0, 113 }, 24, ADDRESS_RESERVED }, { { 224 }, 4, ADDRESS_MULTICAST },
    { { 240 }, 4, ADDRESS_RESERVED },
};

/* The first range that fits counts; an address that fits none is not assigned. */
static const struct range v6_ranges[] = {
    { { 0 }, 128, ADDRESS_UNSPECIFIED },
    { { [15] = 1 }, 128, ADDRESS_LOOPBACK },
    { { 0x20, 0x01, 0x0d, 0xb8 }, 32, ADDRESS_RESERVED },
    { { 0x20, 0x01 }, 23, ADDRESS_RESERVED },
    { { 0x3f, 0xff }, 20, ADDRESS_RESERVED },
    { { 0x20 }, 3, ADDRESS_PUBLIC },
    { { 0xfc }, 7, ADDRESS_PRIVATE },
    { { 0xfe, 0x80 }, 10, ADDRESS_LINK_LOCAL },
    { { 0xfe, 0xc0 }, 10, ADDRESS_PRIVATE },
    { { 0xff }, 8, ADDRESS_MULTICAST },
};

/* Prefixes behind which an IPv4 address stands: 6to4 and NAT64. */
static const struct carrier {
    uint8_t prefix[16];
    unsigned bits;
    size_t at;
} carriers[] = {
    { { 0x20, 0x02 }, 16, 2 },
    { { 0x00, 0x64, 0xff, 0x9b }, 96, 12 },
};

static bool starts_with(const uint8_t *bytes, const uint8_t *prefix, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    for (unsigned i = 0; i < whole; i++)
        if (bytes[i] != prefix[i])
            return false;
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0;
}

static enum address_class find_class(const struct range *ranges, size_t n, const uint8_t *bytes,
                                     enum address_class otherwise)
{
    for (size_t i = 0; i < n; i++)
        if (starts_with(bytes, ranges[i].bytes, ranges[i].bits))
            return ranges[i].class;
    return otherwise;
}

enum address_class address_class_v4(const uint8_t bytes[4])
{
    return find_class(v4_ranges, ARRAY_LENGTH(v4_ranges), bytes, ADDRESS_PUBLIC);
}

/* A loopback address behind a translator is the translator's, not ours. */
static enum address_class class_of_carried(const uint8_t *bytes)
{
    enum address_class class = address_class_v4(bytes);
    return class == ADDRESS_LOOPBACK ? ADDRESS_RESERVED : class;
}

enum address_class address_class_v6(const uint8_t bytes[16])
{
    static const uint8_t mapped[16] = { [10] = 0xff, [11] = 0xff };
    if (starts_with(bytes, mapped, 96))
        return address_class_v4(bytes + 12);
    for (size_t i = 0; i < ARRAY_LENGTH(carriers); i++)
        if (starts_with(bytes, carriers[i].prefix, carriers[i].bits))
            return class_of_carried(bytes + carriers[i].at);
    return find_class(v6_ranges, ARRAY_LENGTH(v6_ranges), bytes, ADDRESS_RESERVED);
}

const char *address_class_words(enum address_class class)
{
    static const char *const words[] = {
        [ADDRESS_PUBLIC] = "a public address",
        [ADDRESS_LOOPBACK] = "an address of this machine",
        [ADDRESS_PRIVATE] = "an address of a private network",
        [ADDRESS_SHARED] = "an address of a provider's network",
        [ADDRESS_LINK_LOCAL] = "an address of this machine's network",
        [ADDRESS_UNSPECIFIED] = "no address of a server",
        [ADDRESS_MULTICAST] = "an address of many machines",
        [ADDRESS_RESERVED] = "a reserved address",
    };
    return words[class];
}

static const char *first_set(http_variable_fn *variable, const char *small, const char *capital)
{
    const char *value = variable(small);
    if ((!value || !*value) && capital)
        value = variable(capital);
    return value && *value ? value : NULL;
}

/* The host itself, or a host of that domain. */
static bool names(const char *entry, size_t length, const char *host)
{
    size_t host_length = strlen(host);
    if (length == 1 && *entry == '*')
        return true;
    while (length && *entry == '.') {
        entry++;
        length--;
    }
    if (length == 0 || length > host_length)
        return false;
    const char *end = host + host_length - length;
    return strncasecmp(end, entry, length) == 0 && (end == host || end[-1] == '.');
}

static bool is_excepted(const char *list, const char *host)
{
    static const char separators[] = ", \t";
    while (list && *list) {
        list += strspn(list, separators);
        size_t length = strcspn(list, separators);
        if (names(list, length, host))
            return true;
        list += length;
    }
    return false;
}

const char *http_proxy_choose(http_variable_fn *variable, bool is_secure, const char *host)
{
    const char *proxy = is_secure ? first_set(variable, "https_proxy", "HTTPS_PROXY")
                                  : first_set(variable, "http_proxy", NULL);
    if (!proxy)
        proxy = first_set(variable, "all_proxy", "ALL_PROXY");
    return proxy && !is_excepted(first_set(variable, "no_proxy", "NO_PROXY"), host) ? proxy : NULL;
}

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

bool http_destination_admits(struct http_destination *destination, const struct sockaddr *address)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    const void *bytes = &v4.sin_addr;
    enum address_class class;
    if (destination->reach == HTTP_ANYWHERE || destination->proxy)
        return true;
    if (address->sa_family == AF_INET) {
        memcpy(&v4, address, sizeof v4);
        class = address_class_v4(bytes);
    } else if (address->sa_family == AF_INET6) {
        memcpy(&v6, address, sizeof v6);
        bytes = v6.sin6_addr.s6_addr;
        class = address_class_v6(bytes);
    } else {
        return false;
    }
    if (class == ADDRESS_PUBLIC && destination->is_secure)
        return true;
    if (class == ADDRESS_LOOPBACK && destination->reach == HTTP_HERE_TOO)
        return true;
    inet_ntop(address->sa_family, bytes, destination->refused, sizeof destination->refused);
    destination->refused_class = class;
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
        return err_hint(err, r, "mistro does not go where others on the way may read along");
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
