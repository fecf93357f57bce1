/* Where secrets are in running text. Used by redact.c only. */
#ifndef DOMAIN_TEXT_REDACT_TEXT_H
#define DOMAIN_TEXT_REDACT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define REDACTED "[redacted]"

struct secret_span {
    size_t start, end;
};

/* The first secret at or behind `from` that is told by what it looks like or stands behind: a name
 * with its value, credentials of a header or a URL, a key of a known shape. */
bool redact_find(const char *text, size_t length, size_t from, struct secret_span *out);

#endif
