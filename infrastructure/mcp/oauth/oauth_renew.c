#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/form.h"
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/repositories/stored_file.h"
#include <string.h>

/* A refresh token that was refused is good for nothing; what was asked for is remembered. */
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
    AUTO(buf) form = { 0 };
    struct kept_login login = oauth->login;
    struct client_identity client;
    struct token_answer answer;
    if (!oauth_find_client(oauth, &client))
        return oauth_needs_person(oauth, "its login belongs to a client that is not known any more",
                                  err);
    struct token_request request = { .endpoint = login.token_endpoint,
                                     .issuer = login.issuer,
                                     .client = &client,
                                     .form = &form,
                                     .now_ms = oauth_now_ms(oauth) };
    if (!oauth_begin_form(&form, "refresh_token", login.resource) ||
        !form_add(&form, "refresh_token", login.refresh_token))
        return err_set(err, ERR_LIMIT, 0, "a token request is too long");
    struct err why = { 0 };
    enum err_code r = token_request(&oauth->http, scope, &request, &arena, &answer, &why);
    if (r == ERR_AUTH)
        return give_up_tokens(oauth, err);
    if (r) {
        if (err)
            *err = why;
        return r;
    }
    login.access_token = answer.access_token;
    login.refresh_token = answer.refresh_token ? answer.refresh_token : login.refresh_token;
    login.scope = answer.scope ? answer.scope : login.scope;
    login.until_ms = answer.until_ms;
    return oauth_keep(oauth, &login, err);
}

/* One process uses a refresh token, which may be good for once; the others find what it got. */
awaits MUST_CHECK static enum err_code refresh(struct oauth *oauth, const struct scope *scope,
                                               struct err *err)
{
    AUTO(arena) scratch = { 0 };
    auto_fd turn = -1;
    enum err_code r = token_store_take_turn(oauth->options.store, scope,
                                            oauth_turn_key(&scratch, &oauth->login), &turn, err);
    if (r || oauth_look_again(oauth, scope))
        return r;
    if (!oauth->login.refresh_token)
        return oauth_needs_person(oauth, "its login is over", err);
    return use_refresh_token(oauth, scope, err);
}

struct wanting {
    const char *server, *scope;
};

static void want(void *context, json_t *book)
{
    const struct wanting *wanting = context;
    login_book_want(book, wanting->server, wanting->scope);
}

static enum err_code was_asked_for(struct err *err)
{
    return err_hint(
        err,
        err_set(err, ERR_AUTH, 403,
                "it wants scopes that were asked for at the last login and do not help"),
        "whoever runs the server must grant them to you");
}

/* More scopes than the token has: the next login asks for them, once. */
awaits MUST_CHECK static enum err_code step_up(struct oauth *oauth, const struct scope *scope,
                                               struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *wanted = arena_strdup(&scratch, oauth->challenge.scope);
    bool was_asked = wanted && scope_set_includes(oauth->login.asked, wanted);
    if (oauth->is_in && was_asked)
        return was_asked_for(err);
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
