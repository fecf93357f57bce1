/* The book of logins (login_book.h), the user's and never a project's. It is in the keyring of the
 * desktop (keyring.h) where there is one that opens, and else in `logins.json` in a folder of its
 * own, 0600 in 0700, replaced as a whole. Both are written under the folder's lock (stored_file.h).
 *
 * An empty file `keyring` says that the keyring has a book: without it no person is asked to open
 * one before there is a login to keep. A book in the file beside it was written when the keyring
 * did not open, so it counts for more; the next change that finds the keyring open brings the two
 * together there and removes the file. A keyring that refused is left alone until the process ends.
 *
 * Beside the lock there are turns, for what must be done by one process at a time and takes longer
 * than writing a file, such as using a refresh token that is good for once. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_STORE_TOKEN_STORE_H
#define INFRASTRUCTURE_MCP_OAUTH_STORE_TOKEN_STORE_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>

struct token_store;
struct uv_runtime;

/* How often a process looks whether it is its turn, and for how long. */
#define TOKEN_STORE_TURN_LOOK_MS 50
#define TOKEN_STORE_TURN_WAIT_MS 60000

enum token_store_kind { TOKEN_STORE_FILE, TOKEN_STORE_KEYRING };

/* folder is copied; nothing is opened yet. NULL: the book is kept in memory and ends with
 * the store. */
struct token_store *token_store_create(struct uv_runtime *runtime, enum token_store_kind kind,
                                       const char *folder);
/* NULL is fine. */
awaits void token_store_destroy(struct token_store *store);

/* Looks into the keyring if it has a book; may wait for the person who opens it. */
awaits void token_store_load(struct token_store *store, const struct scope *scope);
/* The book: of the file as it is now, and of the keyring as it was when it was last loaded or
 * changed. Owned by the caller. A store that cannot be read counts as empty. */
json_t *token_store_read(const struct token_store *store);
/* change is called with the book as it is on disk, must not wait, and its result is kept. */
awaits MUST_CHECK enum err_code token_store_change(struct token_store *store,
                                                   const struct scope *scope,
                                                   void (*change)(void *context, json_t *book),
                                                   void *context, struct err *err);
/* Waits until no other process has the turn for this key. *out_turn is a descriptor (auto_fd). */
awaits MUST_CHECK enum err_code token_store_take_turn(struct token_store *store,
                                                      const struct scope *scope, const char *key,
                                                      int *out_turn, struct err *err);

#endif
