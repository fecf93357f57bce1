/* Where secrets are in running text. Used by redact.c only. */
#ifndef DOMAIN_RULES_REDACT_TEXT_H
#define DOMAIN_RULES_REDACT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#define REDACTED "[redacted]"

struct secret_span {
    size_t start, end;
};

/* Whether something starts at `at` that holds a secret: a name with its value, credentials of a
 * header or a URL, a key of a known shape. *out is the secret itself, at or behind `at`. */
bool redact_find_at(const char *text, size_t length, size_t at, struct secret_span *out);

#endif
