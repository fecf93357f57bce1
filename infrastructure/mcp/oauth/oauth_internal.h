/* The inside of a login, shared by the files that make it up: oauth.c (the token and refusals),
 * oauth_grant.c (what every way to a token has in common), oauth_renew.c (without a person),
 * oauth_log_in.c (with one) and oauth_log_out.c. */
#ifndef INFRASTRUCTURE_MCP_OAUTH_OAUTH_INTERNAL_H
#define INFRASTRUCTURE_MCP_OAUTH_OAUTH_INTERNAL_H

#include "infrastructure/mcp/oauth/client_identity.h"
#include "infrastructure/mcp/oauth/discovery.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "infrastructure/mcp/oauth/token_request.h"
#include "infrastructure/runtime/task_lock.h"

struct oauth {
    struct oauth_options options;
    struct oauth_http http;
    struct task_lock lock; /* of whoever gets another token */
    struct arena kept;     /* what the login below is made of */
    struct kept_login login;
    bool was_prepared, was_read, is_in;
    bool is_unsaved; /* the store has an older one */
    unsigned generation;

    /* The last refusal. */
    struct arena refusal;
    struct challenge challenge;
    int refused_status; /* 0: none */
    unsigned refused_generation;
};

int64_t oauth_now_ms(const struct oauth *oauth); /* wall clock */
/* Takes what the store has now, unless it could not be given what came later. True: another access
 * token than before. */
bool oauth_recall(struct oauth *oauth);
/* The same after a look into the keyring. */
awaits bool oauth_look_again(struct oauth *oauth, const struct scope *scope);
/* Goes on with a login that is not in the store. */
void oauth_hold(struct oauth *oauth, const struct kept_login *login);
/* Whether what was refused was refused with the present token, or without any. */
bool oauth_is_refused(const struct oauth *oauth);
void oauth_forget_refusal(struct oauth *oauth);
/* "ISSUER RESOURCE", what a token belongs to; in the arena. */
const char *oauth_turn_key(struct arena *arena, const struct kept_login *login);
/* ERR_AUTH with what a person is to do. why is formatted. */
enum err_code oauth_needs_person(const struct oauth *oauth, const char *why, struct err *err);

/* Who the login was given to; as borrowed as the login is. */
bool oauth_find_client(const struct oauth *oauth, struct client_identity *out);
/* Which scopes to ask for, in the arena; NULL: the server decides. `before`: asked for earlier. */
const char *oauth_choose_scope(const struct oauth *oauth, const struct oauth_target *target,
                               const char *before, const char *wanted, struct arena *arena);
/* A form begun with the kind of grant and what it is for. */
MUST_CHECK
bool oauth_begin_form(struct buf *form, const char *grant, const char *resource);
/* Keeps the answer in the store, whoever gave up meanwhile, and uses it from now on: also when it
 * could not be written, for a refresh token may be good for once. */
awaits MUST_CHECK enum err_code oauth_keep(struct oauth *oauth, const struct kept_login *login,
                                           struct err *err);
/* ERR_AUTH: a configured client, and another authorization server than at the last login. */
awaits MUST_CHECK enum err_code oauth_discover_target(struct oauth *oauth,
                                                      const struct scope *scope,
                                                      struct arena *arena, struct oauth_target *out,
                                                      struct err *err);
/* Client credentials: the caller has the lock. */
awaits MUST_CHECK enum err_code oauth_grant_to_machine(struct oauth *oauth,
                                                       const struct scope *scope, struct err *err);

#endif
