/* What is known of a login. The store has the book of all logins; a copy of the part that serves
 * this server is in `kept`, taken again whenever another process may have changed it. A generation
 * counts the tokens, so that the refusal of an earlier one is told from that of the present one. */
#include "infrastructure/mcp/oauth/oauth.h"
#include "application/ports/runtime.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/metadata/oauth_url.h"
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/mcp/oauth/token_request.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <stdlib.h>
#include <string.h>

static bool has_authorization(const struct server_config *config)
{
    for (size_t i = 0; i < config->n_headers; i++)
        if (http_header_is(config->headers[i], strcspn(config->headers[i], ":"), "Authorization"))
            return true;
    return false;
}

struct oauth *oauth_create(const struct oauth_options *options)
{
    if (has_authorization(options->config))
        return NULL;
    struct oauth *oauth = calloc(1, sizeof *oauth);
    if (!oauth)
        abort();
    oauth->options = *options;
    oauth->http = (struct oauth_http){ .runtime = options->runtime,
                                       .client = options->http,
                                       .server = options->config->url,
                                       .issuer = options->config->oauth.issuer };
    return oauth;
}

void oauth_destroy(struct oauth *oauth)
{
    if (!oauth)
        return;
    arena_finish(&oauth->kept);
    arena_finish(&oauth->refusal);
    free(oauth);
}

int64_t oauth_now_ms(const struct oauth *oauth)
{
    return runtime_wall_ms(uv_runtime_port(oauth->options.runtime));
}

/* Steals the book: it lives as long as the arena, and so do the texts of the login. True: there is
 * another access token than before. */
static bool take(struct oauth *oauth, json_t *book)
{
    struct arena before = oauth->kept;
    const char *token = oauth->is_in ? oauth->login.access_token : NULL;
    oauth->kept = (struct arena){ 0 };
    arena_keep_json(&oauth->kept, book);
    oauth->was_read = true;
    oauth->is_in = login_book_find(book, oauth->options.config->url, &oauth->login);
    if (!oauth->is_in)
        oauth->login = (struct kept_login){ 0 };
    bool is_other = !text_equal(oauth->login.access_token, token);
    arena_finish(&before);
    oauth->generation += is_other;
    return is_other && oauth->login.access_token;
}

bool oauth_recall(struct oauth *oauth)
{
    return !oauth->is_unsaved && take(oauth, token_store_read(oauth->options.store));
}

bool oauth_look_again(struct oauth *oauth, const struct scope *scope)
{
    token_store_load(oauth->options.store, scope);
    return oauth_recall(oauth);
}

void oauth_prepare(struct oauth *oauth, const struct scope *scope)
{
    if (!oauth || oauth->was_prepared)
        return;
    oauth->was_prepared = true;
    (void)oauth_look_again(oauth, scope);
}

const char *oauth_bearer(struct oauth *oauth, const char *url)
{
    if (!oauth)
        return NULL;
    if (!oauth->was_read)
        (void)oauth_recall(oauth);
    bool may_go = oauth->login.access_token && oauth_url_is_private(url) &&
                  oauth_url_covers(oauth->login.resource, url);
    return may_go ? oauth->login.access_token : NULL;
}

unsigned oauth_generation(const struct oauth *oauth)
{
    return oauth ? oauth->generation : 0;
}

bool oauth_is_challenge(int status, const struct challenge *challenge)
{
    return status == 401 || (status == 403 && challenge->is_bearer &&
                             text_equal(challenge->error, "insufficient_scope"));
}

void oauth_refused(struct oauth *oauth, int status, const struct challenge *challenge,
                   unsigned generation)
{
    if (!oauth)
        return;
    struct arena *arena = &oauth->refusal;
    arena_finish(arena);
    oauth->challenge = (struct challenge){
        .is_bearer = challenge->is_bearer,
        .resource_metadata = arena_strdup(arena, challenge->resource_metadata),
        .scope = arena_strdup(arena, challenge->scope),
        .error = arena_strdup(arena, challenge->error),
    };
    oauth->refused_status = status;
    oauth->refused_generation = generation;
}

bool oauth_is_refused(const struct oauth *oauth)
{
    return oauth->refused_status && oauth->refused_generation == oauth->generation;
}

enum err_code oauth_needs_person(const struct oauth *oauth, const char *why, struct err *err)
{
    enum err_code r = err_set(err, ERR_AUTH, oauth->refused_status, "%s", why);
    const char *file = oauth->options.config->file;
    if (oauth->is_in || oauth->challenge.resource_metadata)
        return err_hint(err, r, "log in with: mistro servers login %s",
                        oauth->options.config->name);
    return err_hint(err, r,
                    "log in with: mistro servers login %s; or give it a token in %s: \"headers\": "
                    "{\"Authorization\": \"Bearer ${TOKEN}\"}",
                    oauth->options.config->name, file ? file : "mcp.json");
}

/* A client that registered itself stays the login's, whatever was registered later. */
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

const char *oauth_choose_scope(const struct oauth *oauth, const struct oauth_target *target,
                               const char *before, const char *wanted, struct arena *arena)
{
    const struct server_oauth *config = &oauth->options.config->oauth;
    const char *scope = config->scope           ? config->scope
                        : oauth->refused_status ? oauth->challenge.scope
                                                : NULL;
    if (!scope && !wanted)
        scope = scope_set_of(arena, target->scopes);
    bool is_step_up = oauth->refused_status == 403 || wanted;
    scope = scope_set_union(arena, is_step_up ? before : NULL, scope);
    scope = scope_set_union(arena, scope, wanted);
    bool may_stay = scope && !config->is_machine && !config->scope &&
                    oauth_lists(target->server.scopes, "offline_access");
    return may_stay ? scope_set_union(arena, scope, "offline_access") : scope;
}

struct kept_login oauth_login_of(const struct oauth_target *target,
                                 const struct client_identity *client, const char *asked,
                                 const struct token_answer *answer)
{
    return (struct kept_login){ .issuer = target->server.issuer,
                                .resource = target->resource,
                                .client_id = client->id,
                                .auth_method = client_method_name(client->method),
                                .token_endpoint = target->server.token_endpoint,
                                .revocation_endpoint = target->server.revocation_endpoint,
                                .access_token = answer->access_token,
                                .scope = answer->scope,
                                .asked = asked,
                                .until_ms = answer->until_ms };
}

/* Goes on with a login that is not in the store. */
static void hold(struct oauth *oauth, const struct kept_login *login)
{
    json_t *book = login_book_of(NULL);
    login_book_put(book, oauth->options.config->url, login);
    (void)take(oauth, book);
    oauth->is_unsaved = true;
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
        hold(oauth, login);
    else
        oauth->is_unsaved = false;
    (void)oauth_recall(oauth);
    arena_finish(&oauth->refusal);
    oauth->challenge = (struct challenge){ 0 };
    oauth->refused_status = 0;
    return r;
}

void oauth_get_status(struct oauth *oauth, struct oauth_status *out)
{
    *out = (struct oauth_status){ .issuer = "", .scope = "" };
    if (!oauth)
        return;
    if (!oauth->was_read)
        (void)oauth_recall(oauth);
    if (!oauth->is_in)
        return;
    const struct kept_login *login = &oauth->login;
    *out = (struct oauth_status){ .is_in = login->access_token || login->refresh_token,
                                  .issuer = login->issuer,
                                  .scope = login->scope   ? login->scope
                                           : login->asked ? login->asked
                                                          : "",
                                  .until_ms = login->until_ms };
}
