/* The URL of a page that a server wants a person to open: what cannot be such a URL is refused, and
 * what a person should know before they open one is found out. Pure. */
#ifndef DOMAIN_TEXT_WEB_URL_H
#define DOMAIN_TEXT_WEB_URL_H

#include <stdbool.h>
#include <stddef.h>

#define WEB_URL_MAX_BYTES 8192

struct web_url {
    size_t host_at, host_length; /* within the text; without user, brackets and port */
    bool is_https;
    bool is_here;     /* the host is this machine */
    bool is_punycode; /* the host's name is spelled for machines (xn--): it may look like another */
    bool has_user;    /* something stands before the host that could be taken for it */
};

/* False: another scheme than http and https, no host or a strange one, blanks, control characters,
 * quotes or backslashes, or too long. */
bool web_url_read(const char *text, struct web_url *out);
/* Whether the host, without brackets, can only mean this machine: localhost and names below it,
 * 127.* and ::1. */
bool web_host_is_here(const char *host, size_t length);

#endif
