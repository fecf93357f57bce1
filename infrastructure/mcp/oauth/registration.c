#include "infrastructure/mcp/oauth/registration.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/authorization.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/net/http_address.h"
#include <string.h>

struct client_change {
    const char *issuer;
    json_t *client; /* stolen; NULL forgets … */
    const char *id; /* … this one */
};

static void change_client(void *context, json_t *book)
{
    struct client_change *change = context;
    const char *kept = oauth_member(login_book_client(book, change->issuer), "client_id");
    if (!change->client && !text_equal(kept, change->id)) /* somebody was faster */
        return;
    login_book_put_client(book, change->issuer, change->client);
}

void registration_forget(struct oauth *oauth, const char *issuer,
                         const struct registration *registration)
{
    struct client_change change = { .issuer = issuer, .id = registration->client.id };
    (void)!token_store_change(oauth->options.store, NULL, change_client, &change, NULL);
}

/* *port 0: any. */
static enum err_code listen(struct oauth *oauth, int64_t port, struct arena *arena,
                            struct registration *out, struct err *err)
{
    enum err_code r = callback_listener_create(oauth->options.runtime, port, &out->listener, err);
    if (r)
        return r;
    out->redirect_uri = arena_printf(arena, "http://127.0.0.1:%d" OAUTH_CALLBACK_PATH,
                                     callback_listener_port(out->listener));
    return ERR_NONE;
}

/* One that was registered with a port that can be had again. */
static bool use_kept(struct oauth *oauth, const struct authorization_server *server,
                     struct arena *arena, struct registration *out)
{
    const json_t *book = arena_keep_json(arena, token_store_read(oauth->options.store));
    const json_t *kept = login_book_client(book, server->issuer);
    struct http_address url;
    int64_t wanted = oauth->options.config->oauth.callback_port;
    if (!client_identity_kept(kept, oauth_now_ms(oauth), &out->client) ||
        !out->client.redirect_uri || !http_address_read(out->client.redirect_uri, &url) ||
        (wanted && url.port != wanted))
        return false;
    return listen(oauth, url.port, arena, out, NULL) == ERR_NONE;
}

static enum err_code no_way(struct oauth *oauth, struct err *err)
{
    const char *file = oauth->options.config->file;
    enum err_code r =
        err_set(err, ERR_AUTH, 0, "its authorization server takes no client that it does not know");
    return err_hint(err, r,
                    "register mistro there by hand, and write into %s: \"oauth\": {\"client_id\": "
                    "…}",
                    file ? file : "mcp.json");
}

awaits MUST_CHECK static enum err_code ask_for_client(struct oauth *oauth,
                                                      const struct scope *scope,
                                                      const struct authorization_server *server,
                                                      struct arena *arena, const char *redirect_uri,
                                                      json_t **out, struct err *err)
{
    json_auto_t *request = client_registration_request(server, redirect_uri);
    const char *body = json_print_in(arena, request);
    struct oauth_post post = { .url = server->registration_endpoint,
                               .type = OAUTH_JSON,
                               .body = body,
                               .body_length = strlen(body) };
    struct oauth_reply reply;
    enum err_code r = oauth_http_post(&oauth->http, scope, &post, arena, &reply, err);
    if (!r && !oauth_reply_is_success(&reply))
        r = err_set(err, ERR_AUTH, reply.status, "refused (HTTP %d)", reply.status);
    if (!r)
        r = client_registration_read(reply.value, request, out, err);
    return r ? err_prefix(err, r, "registration") : ERR_NONE;
}

awaits MUST_CHECK static enum err_code register_now(struct oauth *oauth, const struct scope *scope,
                                                    const struct authorization_server *server,
                                                    struct arena *arena, struct registration *out,
                                                    struct err *err)
{
    json_t *kept = NULL;
    enum err_code r = listen(oauth, oauth->options.config->oauth.callback_port, arena, out, err);
    if (!r)
        r = ask_for_client(oauth, scope, server, arena, out->redirect_uri, &kept, err);
    if (r)
        return r;
    arena_keep_json(arena, kept);
    struct client_change change = { .issuer = server->issuer, .client = json_incref(kept) };
    r = token_store_change(oauth->options.store, scope, change_client, &change, err);
    if (r) {
        json_decref(kept);
        return r;
    }
    return client_identity_kept(kept, oauth_now_ms(oauth), &out->client)
               ? ERR_NONE
               : err_set(err, ERR_PROTOCOL, 0, "the registration is over already");
}

enum err_code registration_get(struct oauth *oauth, const struct scope *scope,
                               const struct authorization_server *server, struct arena *arena,
                               struct registration *out, struct err *err)
{
    const struct server_oauth *config = &oauth->options.config->oauth;
    bool is_known = false;
    enum err_code r = client_identity_configured(config, server, &out->client, &is_known, err);
    if (r)
        return r;
    if (is_known)
        return listen(oauth, config->callback_port, arena, out, err);
    out->is_dynamic = true;
    out->is_kept = use_kept(oauth, server, arena, out);
    if (out->is_kept)
        return ERR_NONE;
    if (!server->registration_endpoint)
        return no_way(oauth, err);
    return register_now(oauth, scope, server, arena, out, err);
}
