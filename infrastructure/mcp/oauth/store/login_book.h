/* What is kept of logins, as one JSON object: which login serves which server, the tokens of each
 * issuer and resource with the client they were given to, the client that the next login at an
 * issuer is made with, and the scopes that a server asked for and that no login covers yet. Pure
 * functions over it.
 *
 *   {"version": 1,
 *    "servers": {"URL": {"issuer": …, "resource": …, "wanted": "scopes"}},
 *    "logins":  {"ISSUER RESOURCE": {"client_id": …, "access_token": …, …}},
 *    "clients": {"ISSUER": {"client_id": …, …}}} */
#ifndef INFRASTRUCTURE_MCP_OAUTH_STORE_LOGIN_BOOK_H
#define INFRASTRUCTURE_MCP_OAUTH_STORE_LOGIN_BOOK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOGIN_BOOK_MAX_ENTRIES 256 /* of each kind; then the oldest go */
#define LOGIN_BOOK_MAX_BYTES (16 << 20)

/* Texts are borrowed from the book, and not NULL unless a comment says so. */
struct kept_login {
    const char *issuer, *resource, *client_id;
    const char *auth_method;   /* of the client; or NULL */
    const char *client_secret; /* of one that registered itself; or NULL */
    const char *token_endpoint;
    const char *revocation_endpoint; /* or NULL */
    const char *access_token;        /* NULL: there was one, and it is spent */
    const char *refresh_token;       /* or NULL */
    const char *scope;               /* granted; or NULL */
    const char *asked;               /* for which scopes; or NULL */
    int64_t until_ms;                /* of the access token, wall clock; 0 = unknown */
};

/* The value if it is a book, else (NULL is fine) a new one. Steals it; the result is the caller's.
 */
json_t *login_book_of(json_t *value);

/* Entries of the later book take the place of those of the book. */
void login_book_merge(json_t *book, const json_t *later);

bool login_book_find(const json_t *book, const char *server, struct kept_login *out);
/* A login that served this server before and serves no other one is removed. */
void login_book_put(json_t *book, const char *server, const struct kept_login *login);
/* The login, for all servers it serves, and the client of its issuer when no other login is left
 * there. False when there was none. */
bool login_book_remove(json_t *book, const char *server);

/* Scopes that are to be asked for at the next login; NULL: none. */
const char *login_book_wanted(const json_t *book, const char *server);
void login_book_want(json_t *book, const char *server, const char *scope);

/* NULL when none is kept. */
const json_t *login_book_client(const json_t *book, const char *issuer);
/* Steals the client; NULL forgets it. */
void login_book_put_client(json_t *book, const char *issuer, json_t *client);

#endif
