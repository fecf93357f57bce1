#include "infrastructure/mcp/oauth/form.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/store/token_store.h"

static void remove_login(void *context, json_t *book)
{
    const struct oauth *oauth = context;
    (void)login_book_remove(book, oauth->options.config->url);
}

awaits MUST_CHECK static enum err_code revoke(struct oauth *oauth, const struct scope *scope,
                                              const struct client_identity *client,
                                              const char *token, const char *kind, struct err *err)
{
    AUTO(buf) form;
    const struct kept_login *login = &oauth->login;
    struct token_request request = { .endpoint = login->revocation_endpoint,
                                     .issuer = login->issuer,
                                     .client = client,
                                     .form = &form,
                                     .now_ms = oauth_now_ms(oauth) };
    buf_init(&form, OAUTH_MAX_FORM_BYTES);
    if (!form_add(&form, "token", token) || !form_add(&form, "token_type_hint", kind))
        return err_set(err, ERR_LIMIT, 0, "a token is too long");
    return token_revoke(&oauth->http, scope, &request, err);
}

/* The refresh token takes the access tokens with it where the server is a good one. */
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

/* What cannot be taken back there is forgotten here all the same, and said. */
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
