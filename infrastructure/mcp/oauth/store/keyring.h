/* The keyring of the person's desktop (the Secret Service, through libsecret), loaded when the
 * first login is looked for, as libcurl is (curl_library.h): nothing is linked, and nothing of it
 * is needed to build. It keeps one text for each store, a folder's path; where there is no keyring,
 * or one that does not open, the caller has a file.
 *
 * Everything here blocks: it is called in jobs of a worker. A service that does not answer is given
 * up by D-Bus after 25 seconds; one that asks the person to unlock it waits for as long as
 * that takes. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_STORE_KEYRING_H
#define INFRASTRUCTURE_MCP_OAUTH_STORE_KEYRING_H

#include "domain/base/buf.h"
#include "domain/base/err.h"

/* The longest text that is given to it: it goes over D-Bus whole, into a service that keeps all
 * secrets in one file. */
#define KEYRING_MAX_BYTES (256 << 10)

/* Appends the text to out. ERR_NOT_FOUND: it has none, or the person did not open it.
 * ERR_UNAVAILABLE: no libsecret, no session bus, or a service that refuses. ERR_LIMIT: more than
 * out takes. */
MUST_CHECK
enum err_code keyring_read(const char *store, struct buf *out, struct err *err);
/* In place of what it had. ERR_LIMIT above KEYRING_MAX_BYTES; else as above. */
MUST_CHECK
enum err_code keyring_write(const char *store, const char *text, struct err *err);
/* A keyring without a text is not an error. */
MUST_CHECK
enum err_code keyring_remove(const char *store, struct err *err);

#endif
