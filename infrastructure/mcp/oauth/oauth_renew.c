/* Tokens without the help of a person. A refused request asks for another token: by client
 * credentials where the client is a machine, else with the refresh token, which one process uses
 * while the others wait for what it got. Where neither helps, the error says that a person must log
 * in. Logging out gives the tokens back. */
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/mcp/oauth/token_request.h"
#include "infrastructure/repositories/stored_file.h"
#include <string.h>

/* A refresh token that was refused is of no use any more; the challenge is remembered. */
awaits MUST_CHECK static enum err_code give_up_tokens(struct oauth *oauth, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct kept_login spent = oauth->login;
    spent.access_token = spent.refresh_token = NULL;
    int status = oauth->refused_status;
    struct challenge before = { .resource_metadata =
                                    arena_strdup(&arena, oauth->challenge.resource_metadata),
                                .scope = arena_strdup(&arena, oauth->challenge.scope) };
    enum err_code r = oauth_keep(oauth, &spent, err);
    oauth_refused(oauth, status, &before, oauth->generation);
    return r ? r : oauth_needs_person(oauth, "its login is over", err);
}

awaits MUST_CHECK static enum err_code use_refresh_token(struct oauth *oauth,
                                                         const struct scope *scope, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct kept_login login = oauth->login;
    struct client_identity client;
    struct token_answer answer;
    if (!oauth_find_client(oauth, &client))
        return oauth_needs_person(oauth, "its login belongs to a client that is not known any more",
                                  err);
    struct token_request request = { .endpoint = login.token_endpoint,
                                     .issuer = login.issuer,
                                     .client = &client,
                                     .now_ms = oauth_now_ms(oauth),
                                     .fields = { { "grant_type", "refresh_token" },
                                                 { "resource", login.resource },
                                                 { "refresh_token", login.refresh_token } } };
    enum err_code r = token_request(&oauth->http, scope, &request, &arena, &answer, err);
    if (r)
        return r == ERR_AUTH ? give_up_tokens(oauth, err) : r;
    login.access_token = answer.access_token;
    login.refresh_token = answer.refresh_token ? answer.refresh_token : login.refresh_token;
    login.scope = answer.scope ? answer.scope : login.scope;
    login.until_ms = answer.until_ms;
    return oauth_keep(oauth, &login, err);
}

/* A refresh token may be good for one use only: one process uses it, and the others find what it
 * got. */
awaits MUST_CHECK static enum err_code refresh(struct oauth *oauth, const struct scope *scope,
                                               struct err *err)
{
    AUTO(arena) scratch = { 0 };
    auto_fd turn = -1;
    const char *key = arena_printf(&scratch, "%s %s", oauth->login.issuer, oauth->login.resource);
    enum err_code r = token_store_take_turn(oauth->options.store, scope, key, &turn, err);
    if (r || oauth_look_again(oauth, scope))
        return r;
    if (!oauth->login.refresh_token)
        return oauth_needs_person(oauth, "its login is over", err);
    return use_refresh_token(oauth, scope, err);
}

enum err_code oauth_grant_to_machine(struct oauth *oauth, const struct scope *scope,
                                     struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct oauth_target target;
    struct client_identity client;
    struct token_answer answer;
    bool is_known = false;
    enum err_code r = oauth_discover(oauth, scope, &arena, &target, err);
    if (!r)
        r = client_identity_configured(&oauth->options.config->oauth, &target.server, &client,
                                       &is_known, err);
    if (r)
        return r;
    if (!is_known || client.method == CLIENT_NONE)
        return err_hint(err, err_set(err, ERR_AUTH, 0, "client credentials need a client"),
                        "give \"oauth\" a client_id, and a client_secret or private_key_file");
    const char *before = arena_strdup(&arena, oauth->login.asked);
    const char *asked = oauth_choose_scope(oauth, &target, before, NULL, &arena);
    struct token_request request = { .endpoint = target.server.token_endpoint,
                                     .issuer = target.server.issuer,
                                     .client = &client,
                                     .now_ms = oauth_now_ms(oauth),
                                     .fields = { { "grant_type", "client_credentials" },
                                                 { "resource", target.resource },
                                                 { "scope", asked } } };
    r = token_request(&oauth->http, scope, &request, &arena, &answer, err);
    if (r)
        return r;
    struct kept_login login = oauth_login_of(&target, &client, asked, &answer);
    return oauth_keep(oauth, &login, err);
}

struct wanting {
    const char *server, *scope;
};

static void want(void *context, json_t *book)
{
    const struct wanting *wanting = context;
    login_book_want(book, wanting->server, wanting->scope);
}

/* The server wants more scopes than the token has: the next login asks for them, once. */
awaits MUST_CHECK static enum err_code step_up(struct oauth *oauth, const struct scope *scope,
                                               struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *wanted = arena_strdup(&scratch, oauth->challenge.scope);
    bool was_asked = wanted && scope_set_includes(oauth->login.asked, wanted);
    if (oauth->is_in && was_asked)
        return err_hint(
            err,
            err_set(err, ERR_AUTH, 403,
                    "it wants scopes that were asked for at the last login and do not help"),
            "the operator of the server must grant them to you");
    if (oauth->options.config->oauth.is_machine)
        return oauth_grant_to_machine(oauth, scope, err);
    if (wanted) {
        struct wanting wanting = { oauth->options.config->url, wanted };
        enum err_code r = token_store_change(oauth->options.store, scope, want, &wanting, err);
        if (r)
            return r;
    }
    return oauth_needs_person(oauth, "it wants a login with more scopes", err);
}

awaits MUST_CHECK static enum err_code renew(struct oauth *oauth, const struct scope *scope,
                                             struct err *err)
{
    if (!oauth_is_refused(oauth) || oauth_look_again(oauth, scope))
        return ERR_NONE;
    if (oauth->refused_status == 403)
        return step_up(oauth, scope, err);
    if (oauth->options.config->oauth.is_machine)
        return oauth_grant_to_machine(oauth, scope, err);
    if (oauth->is_in && oauth->login.refresh_token)
        return refresh(oauth, scope, err);
    return oauth_needs_person(oauth, oauth->is_in ? "its login is over" : "it needs a login", err);
}

enum err_code oauth_renew(struct oauth *oauth, const struct scope *scope, struct err *err)
{
    enum err_code r = task_lock_take(&oauth->lock, oauth->options.runtime, scope, err);
    if (r)
        return r;
    r = renew(oauth, scope, err);
    task_lock_release(&oauth->lock);
    return r;
}

static void remove_login(void *context, json_t *book)
{
    const struct oauth *oauth = context;
    (void)login_book_remove(book, oauth->options.config->url);
}

awaits MUST_CHECK static enum err_code revoke(struct oauth *oauth, const struct scope *scope,
                                              const struct client_identity *client,
                                              const char *token, const char *kind, struct err *err)
{
    const struct kept_login *login = &oauth->login;
    struct token_request request = { .endpoint = login->revocation_endpoint,
                                     .issuer = login->issuer,
                                     .client = client,
                                     .now_ms = oauth_now_ms(oauth),
                                     .fields = { { "token", token },
                                                 { "token_type_hint", kind } } };
    return token_revoke(&oauth->http, scope, &request, err);
}

/* Many servers end the access tokens of a refresh token with it, but not all of them do. */
awaits MUST_CHECK static enum err_code revoke_all(struct oauth *oauth, const struct scope *scope,
                                                  struct err *err)
{
    const struct kept_login *login = &oauth->login;
    struct client_identity client;
    if (!login->revocation_endpoint || !oauth_find_client(oauth, &client))
        return ERR_NONE;
    enum err_code r = ERR_NONE;
    if (login->refresh_token)
        r = revoke(oauth, scope, &client, login->refresh_token, "refresh_token", err);
    if (!r && login->access_token)
        r = revoke(oauth, scope, &client, login->access_token, "access_token", err);
    return r;
}

/* Tokens that the authorization server does not take back are forgotten here all the same, and the
 * error says so. */
awaits MUST_CHECK static enum err_code log_out(struct oauth *oauth, const struct scope *scope,
                                               bool *out_was_in, struct err *err)
{
    (void)oauth_look_again(oauth, scope);
    *out_was_in = oauth->login.access_token || oauth->login.refresh_token;
    if (!oauth->is_in)
        return ERR_NONE;
    struct err why = { 0 };
    enum err_code revoked = revoke_all(oauth, scope, &why);
    enum err_code r = token_store_change(oauth->options.store, scope, remove_login, oauth, err);
    oauth->is_unsaved = oauth->is_unsaved && r;
    (void)oauth_recall(oauth);
    if (r || !revoked)
        return r;
    if (err)
        *err = why;
    return err_prefix(err, revoked,
                      "the tokens are forgotten here, but the authorization server keeps them");
}

enum err_code oauth_log_out(struct oauth *oauth, const struct scope *scope, bool *out_was_in,
                            struct err *err)
{
    enum err_code r = task_lock_take(&oauth->lock, oauth->options.runtime, scope, err);
    if (r)
        return r;
    r = log_out(oauth, scope, out_was_in, err);
    task_lock_release(&oauth->lock);
    return r ? err_prefix(err, r, "logout") : ERR_NONE;
}
