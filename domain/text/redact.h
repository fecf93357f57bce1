/* Secrets do not reach the run log, events or errors: values of members and `name=value` pairs
 * whose names say that they are secret (token, api_key, authorization, password, …), bearer and
 * basic credentials, well-known key shapes, and the secrets that are known by their value
 * (known_secrets.h) become "[redacted]". */
#ifndef DOMAIN_TEXT_REDACT_H
#define DOMAIN_TEXT_REDACT_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

#define REDACTED "[redacted]"

bool redact_is_secret_name(const char *name);
/* In the arena; the text itself when nothing was found. */
const char *redact_text(struct arena *arena, const char *text);
/* A new reference, owned by the caller: the value itself when nothing was found. */
json_t *redact_json(const json_t *value);

#endif
