/* The inside of a login, shared by the files that make it up: oauth.c (what is known of it: tokens,
 * refusals, the client), discovery.c (who gives out tokens), oauth_log_in.c (tokens with the help
 * of a person) and oauth_renew.c (tokens without, and logging out). */
#ifndef INFRASTRUCTURE_MCP_OAUTH_OAUTH_INTERNAL_H
#define INFRASTRUCTURE_MCP_OAUTH_OAUTH_INTERNAL_H

#include "infrastructure/mcp/oauth/client_identity.h"
#include "infrastructure/mcp/oauth/oauth.h"
#include "infrastructure/mcp/oauth/oauth_http.h"
#include "infrastructure/mcp/oauth/store/login_book.h"
#include "infrastructure/runtime/task_lock.h"

struct token_answer;

struct oauth {
    struct oauth_options options;
    struct oauth_http http;
    struct task_lock lock; /* of the task that gets another token */
    struct arena kept;     /* holds the texts of the login below */
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

/* Who gives out tokens for the server. */
struct oauth_target {
    const char *resource; /* what a token is for, as published */
    const json_t *scopes; /* all that the resource knows; or NULL */
    struct authorization_server server;
    bool is_assumed; /* nothing was published */
};

int64_t oauth_now_ms(const struct oauth *oauth); /* wall clock */
/* Takes what the store has now, unless what came later could not be given to it. True: another
 * access token than before. */
bool oauth_recall(struct oauth *oauth);
/* As oauth_recall, after a look into the keyring. */
awaits bool oauth_look_again(struct oauth *oauth, const struct scope *scope);
/* Whether the last refusal was one of the present token, or of a request without any. */
bool oauth_is_refused(const struct oauth *oauth);
/* ERR_AUTH, with a hint that says what a person is to do. */
enum err_code oauth_needs_person(const struct oauth *oauth, const char *why, struct err *err);

/* The client that the login was given to; borrowed for as long as the login is. */
bool oauth_find_client(const struct oauth *oauth, struct client_identity *out);
/* The scopes to ask for, in the arena; NULL: the server decides. `before`: asked for earlier. */
const char *oauth_choose_scope(const struct oauth *oauth, const struct oauth_target *target,
                               const char *before, const char *wanted, struct arena *arena);
/* What is kept of an answer, without the client's secret and the refresh token; all borrowed. */
struct kept_login oauth_login_of(const struct oauth_target *target,
                                 const struct client_identity *client, const char *asked,
                                 const struct token_answer *answer);
/* Keeps the login in the store, even when the caller's scope has ended, and uses it from then on,
 * also when it could not be written: a refresh token may be good for one use only. */
awaits MUST_CHECK enum err_code oauth_keep(struct oauth *oauth, const struct kept_login *login,
                                           struct err *err);

/* Finds the target, beginning at the metadata that the last refusal named, if any. Everything in
 * *out lives in the arena. ERR_PROTOCOL: what was found does not hold, and nothing of it was used.
 * ERR_AUTH: the client is a configured one, and the authorization server another than at the last
 * login. */
awaits MUST_CHECK enum err_code oauth_discover(struct oauth *oauth, const struct scope *scope,
                                               struct arena *arena, struct oauth_target *out,
                                               struct err *err);
/* A token by client credentials; the caller has the lock. */
awaits MUST_CHECK enum err_code oauth_grant_to_machine(struct oauth *oauth,
                                                       const struct scope *scope, struct err *err);

#endif
