#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/form.h"
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include <string.h>

/* A client that registered itself stays the login's, whatever has been registered since. */
bool oauth_find_client(const struct oauth *oauth, struct client_identity *out)
{
    const struct kept_login *login = &oauth->login;
    struct authorization_server server = { .issuer = login->issuer, .takes_urls = true };
    struct client_identity kept = { .id = login->client_id, .secret = login->client_secret };
    bool is_known = false;
    if (client_identity_configured(&oauth->options.config->oauth, &server, out, &is_known, NULL))
        return false;
    if (is_known && strcmp(out->id, login->client_id) == 0) {
        (void)client_method_find(login->auth_method, &out->method);
        return true;
    }
    if (!client_method_find(login->auth_method, &kept.method) || kept.method == CLIENT_KEY ||
        (kept.method != CLIENT_NONE && !kept.secret))
        return false;
    *out = kept;
    return true;
}

/* Of the refusal that stands: the scopes it asks for. */
static const char *challenged(const struct oauth *oauth)
{
    return oauth->refused_status ? oauth->challenge.scope : NULL;
}

const char *oauth_choose_scope(const struct oauth *oauth, const struct oauth_target *target,
                               const char *before, const char *wanted, struct arena *arena)
{
    const struct server_oauth *config = &oauth->options.config->oauth;
    const char *scope = config->scope ? config->scope : challenged(oauth);
    if (!scope && !wanted)
        scope = scope_set_of(arena, target->scopes);
    bool is_step_up = oauth->refused_status == 403 || wanted;
    scope = scope_set_union(arena, is_step_up ? before : NULL, scope);
    scope = scope_set_union(arena, scope, wanted);
    bool may_stay = scope && !config->is_machine && !config->scope &&
                    oauth_lists(target->server.scopes, "offline_access");
    return may_stay ? scope_set_union(arena, scope, "offline_access") : scope;
}

bool oauth_begin_form(struct buf *form, const char *grant, const char *resource)
{
    buf_init(form, OAUTH_MAX_FORM_BYTES);
    return form_add(form, "grant_type", grant) && form_add(form, "resource", resource);
}

struct keeping {
    const char *server;
    const struct kept_login *login;
};

static void put_login(void *context, json_t *book)
{
    const struct keeping *keeping = context;
    login_book_put(book, keeping->server, keeping->login);
}

enum err_code oauth_keep(struct oauth *oauth, const struct kept_login *login, struct err *err)
{
    struct keeping keeping = { oauth->options.config->url, login };
    enum err_code r = token_store_change(oauth->options.store, NULL, put_login, &keeping, err);
    if (r)
        oauth_hold(oauth, login);
    else
        oauth->is_unsaved = false;
    (void)oauth_recall(oauth);
    oauth_forget_refusal(oauth);
    return r;
}

/* A client that somebody registered by hand is known to one authorization server: its secret goes
 * to no other because the MCP server says so. */
static enum err_code check_issuer(const struct oauth *oauth, const char *issuer, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct server_config *config = oauth->options.config;
    const char *before = oauth->login.issuer;
    if (!config->oauth.client_id || config->oauth.issuer || !before || strcmp(before, issuer) == 0)
        return ERR_NONE;
    enum err_code r =
        err_set(err, ERR_AUTH, 0, "its authorization server was '%s', and now it names '%s'",
                text_one_line(&scratch, before, strlen(before), 120),
                text_one_line(&scratch, issuer, strlen(issuer), 120));
    return err_hint(err, r,
                    "check with whoever runs it, then write into %s: \"oauth\": {\"issuer\": …}",
                    config->file ? config->file : "mcp.json");
}

enum err_code oauth_discover_target(struct oauth *oauth, const struct scope *scope,
                                    struct arena *arena, struct oauth_target *out, struct err *err)
{
    const char *named =
        oauth->refused_status ? arena_strdup(arena, oauth->challenge.resource_metadata) : NULL;
    struct oauth_target target;
    enum err_code r = oauth_discover(&oauth->http, scope, named, arena, &target, err);
    if (!r)
        r = check_issuer(oauth, target.server.issuer, err);
    if (r)
        return r;
    *out = target;
    return ERR_NONE;
}

enum err_code oauth_grant_to_machine(struct oauth *oauth, const struct scope *scope,
                                     struct err *err)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) form = { 0 };
    struct oauth_target target;
    struct client_identity client;
    struct token_answer answer;
    bool is_known = false;
    enum err_code r = oauth_discover_target(oauth, scope, &arena, &target, err);
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
                                     .form = &form,
                                     .now_ms = oauth_now_ms(oauth) };
    if (!oauth_begin_form(&form, "client_credentials", target.resource) ||
        !form_add(&form, "scope", asked))
        return err_set(err, ERR_LIMIT, 0, "a token request is too long");
    r = token_request(&oauth->http, scope, &request, &arena, &answer, err);
    if (r)
        return r;
    struct kept_login login = { .issuer = target.server.issuer,
                                .resource = target.resource,
                                .client_id = client.id,
                                .auth_method = client_method_name(client.method),
                                .token_endpoint = target.server.token_endpoint,
                                .revocation_endpoint = target.server.revocation_endpoint,
                                .access_token = answer.access_token,
                                .scope = answer.scope,
                                .asked = asked,
                                .until_ms = answer.until_ms };
    return oauth_keep(oauth, &login, err);
}
