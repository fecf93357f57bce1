/* The file of logins (login_book.h): `logins.json` in a folder of its own, 0600 in 0700, replaced
 * as a whole under the folder's lock (stored_file.h). It is the user's, never a project's. Beside
 * that lock there are turns, for what must be done by one process at a time and takes longer than
 * writing a file, such as using a refresh token that is good for once. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_TOKEN_STORE_H
#define INFRASTRUCTURE_MCP_OAUTH_TOKEN_STORE_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>

struct token_store;
struct uv_runtime;

/* How often somebody looks whether it is his turn, and how long he does. */
#define TOKEN_STORE_TURN_LOOK_MS 50
#define TOKEN_STORE_TURN_WAIT_MS 60000

/* folder is copied; nothing is opened yet. NULL: the book is kept in memory and ends with
 * the store. */
struct token_store *token_store_create(struct uv_runtime *runtime, const char *folder);
/* NULL is fine. */
awaits void token_store_destroy(struct token_store *store);

/* The book as it is now; owned by the caller. A file that cannot be read is an empty one. */
json_t *token_store_read(const struct token_store *store);
/* change is called, without waiting, with the book as it is on disk; what it made of it is kept. */
awaits MUST_CHECK enum err_code token_store_change(struct token_store *store,
                                                   const struct scope *scope,
                                                   void (*change)(void *context, json_t *book),
                                                   void *context, struct err *err);
/* Waits until no other process has the turn for this key. *out_turn is a descriptor (auto_fd). */
awaits MUST_CHECK enum err_code token_store_take_turn(struct token_store *store,
                                                      const struct scope *scope, const char *key,
                                                      int *out_turn, struct err *err);

#endif
