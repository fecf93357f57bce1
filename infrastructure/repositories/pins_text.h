/* What is pinned for a server as text, wherever it is kept. JSON Lines: a head {"version","server",
 * "revision","folders","offers","tools"} (folders: has_folders; offers: fingerprints by name) and
 * one line {"name","hash","definition"} per tool. Definitions are byte for byte as they were
 * hashed. */
#ifndef INFRASTRUCTURE_REPOSITORIES_PINS_TEXT_H
#define INFRASTRUCTURE_REPOSITORIES_PINS_TEXT_H

#include "domain/base/buf.h"
#include "domain/repositories/pin_repository.h"

#define PINS_HEAD_MAX_BYTES 4096

/* With the revision that follows the one of the pins. False: it is longer than out may be. */
MUST_CHECK
bool pins_print(struct buf *out, const struct pins *pins);
/* Of a text that has at least its head; *out_tools is how many lines follow. NULL, or what is wrong
 * with it. */
MUST_CHECK
const char *pins_read_head(const char *bytes, size_t length, struct pins_head *out,
                           int64_t *out_tools);
/* Everything in the arena; server is "". NULL, or what is wrong with it. */
MUST_CHECK
const char *pins_read(const struct buf *text, const char *identity, struct arena *arena,
                      struct pins *out);
/* Whether it is a hash, as the names of what is pinned are. */
bool pins_identity_is_valid(const char *identity);

#endif
