/* Secrets that are known by their value, as those which a plan is given: wherever one stands in a
 * text, it is masked for the rest of the process, also as JSON writes it, and where a text was cut
 * within it. redact.h masks what is logged, and the console what is printed.
 *
 * One list for the process, because a secret that is known in one place and not in another is no
 * secret. Not for use from two threads. */
#ifndef DOMAIN_TEXT_KNOWN_SECRETS_H
#define DOMAIN_TEXT_KNOWN_SECRETS_H

#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include <jansson.h>
#include <stdbool.h>

#define KNOWN_SECRET_MIN_BYTES 6 /* a shorter one would be found everywhere */
#define KNOWN_SECRETS_MAX 1000

/* False: it is too short, or there are too many. */
MUST_CHECK bool known_secrets_add(const char *secret);
/* For tests: none is known. */
void known_secrets_forget(void);

/* Appends the text without secrets to *out. False, and nothing was appended: there is none in it.
 */
bool known_secrets_mask_bytes(const char *text, size_t length, struct buf *out);
/* In the arena; the text itself when nothing was found. */
const char *known_secrets_mask(struct arena *arena, const char *text);
/* Of names of members and numbers as well. Owned by the caller; the value itself while no secret is
 * known. */
json_t *known_secrets_mask_json(const json_t *value);

#endif
