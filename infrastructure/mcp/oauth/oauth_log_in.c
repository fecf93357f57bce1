/* A login with the help of a person, in the order of this file: the server is asked once how it
 * refuses a request without a token; from there the authorization server is found (discovery.c);
 * mistro becomes a client there; the person is sent to the authorization server and comes back to a
 * page on this machine (authorization.h) with a code; the code is traded for tokens.
 *
 * A client and the port of that page belong together, because a registration names the URL that
 * leads back. */
#include "application/ports/runtime.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/authorization.h"
#include "infrastructure/mcp/oauth/metadata/www_authenticate.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/random_token.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/mcp/oauth/token_request.h"
#include "infrastructure/mcp/wire/era.h"
#include "infrastructure/mcp/wire/http_headers.h"
#include "infrastructure/net/http_address.h"
#include "infrastructure/net/http_client.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

#define CONNECT_MS 10000
#define PROBE_BYTES 4096

/* One login under way. */
struct visit {
    struct oauth *oauth;
    const struct scope *scope;
    const struct login *login;
    struct arena arena; /* of all text below */
    struct oauth_target target;
    struct client_identity client;
    bool is_dynamic; /* the client registered itself, in this login or earlier */
    bool is_kept;    /* earlier */
    struct callback_listener *listener;
    const char *redirect_uri;
    struct authorization authorization;
    const char *verifier, *code;
};

struct probe {
    struct arena arena;
    struct challenge challenge;
};

static void on_header(void *context, const char *name, size_t name_length, const char *value,
                      size_t value_length)
{
    struct probe *probe = context;
    if (http_header_is(name, name_length, "WWW-Authenticate"))
        www_authenticate_read(&probe->challenge, &probe->arena, value, value_length);
}

/* The content of the answer does not matter. */
static bool on_bytes(void *context, const char *bytes, size_t length)
{
    (void)context;
    (void)bytes;
    (void)length;
    return false;
}

/* A person may log in before any request was refused: so the server is asked something without a
 * token. Afterwards the refusal is known, if it was one. ERR_UNAVAILABLE, ERR_TIMEOUT: no answer.
 */
awaits MUST_CHECK static enum err_code send_probe(struct oauth *oauth, const struct scope *scope,
                                                  struct err *err)
{
    static const char *const headers[] = { "MCP-Protocol-Version: " ERA_MODERN_VERSION,
                                           "Mcp-Method: server/discover" };
    struct probe probe = { 0 };
    AUTO(buf) body;
    buf_init(&body, PROBE_BYTES);
    if (!buf_puts(&body, "{\"jsonrpc\":\"2.0\",\"id\":\"login-1\",\"method\":"
                         "\"server/discover\",\"params\":{\"_meta\":{") ||
        !era_append_meta(&body, ERA_NO_OFFER) || !buf_puts(&body, "}}}"))
        return err_set(err, ERR_INTERNAL, 0, "the probe is too long");
    struct http_request request = { .url = oauth->options.config->url,
                                    .body = buf_string(&body),
                                    .body_length = body.length,
                                    .accept = "application/json, text/event-stream",
                                    .headers = headers,
                                    .n_headers = ARRAY_LENGTH(headers),
                                    .connect_timeout_ms = CONNECT_MS,
                                    .silence_ms = OAUTH_REQUEST_MS,
                                    .max_bytes = SIZE_MAX,
                                    .on_header = on_header,
                                    .on_bytes = on_bytes,
                                    .context = &probe };
    struct http_response response;
    struct scope bounded =
        runtime_scope(uv_runtime_port(oauth->options.runtime), scope, OAUTH_REQUEST_MS);
    enum err_code r = http_client_perform(oauth->http.client, &bounded, &request, &response, err);
    if (!r && oauth_is_challenge(response.status, &probe.challenge))
        oauth_refused(oauth, response.status, &probe.challenge, oauth->generation);
    arena_finish(&probe.arena);
    return r;
}

struct client_change {
    const char *issuer;
    json_t *client; /* stolen; NULL forgets the one below */
    const char *id;
};

static void change_client(void *context, json_t *book)
{
    struct client_change *change = context;
    const char *kept = oauth_member(login_book_client(book, change->issuer), "client_id");
    if (!change->client && !text_equal(kept, change->id)) /* another process replaced it */
        return;
    login_book_put_client(book, change->issuer, change->client);
}

/* The issuer does not know the client any more, or perhaps not: the next login registers another
 * one. Logins that were made with this one go on. */
awaits static void forget_client(struct visit *visit)
{
    struct client_change change = { .issuer = visit->target.server.issuer, .id = visit->client.id };
    (void)!token_store_change(visit->oauth->options.store, NULL, change_client, &change, NULL);
}

/* port 0: any. */
static enum err_code listen_on(struct visit *visit, int64_t port, struct err *err)
{
    enum err_code r =
        callback_listener_create(visit->oauth->options.runtime, port, &visit->listener, err);
    if (!r)
        visit->redirect_uri = arena_printf(&visit->arena, "http://127.0.0.1:%d" OAUTH_CALLBACK_PATH,
                                           callback_listener_port(visit->listener));
    return r;
}

/* A client that was registered with a port that is free again. */
static bool use_kept_client(struct visit *visit)
{
    const struct oauth *oauth = visit->oauth;
    const json_t *book = arena_keep_json(&visit->arena, token_store_read(oauth->options.store));
    const json_t *kept = login_book_client(book, visit->target.server.issuer);
    struct http_address url;
    int64_t wanted = oauth->options.config->oauth.callback_port;
    if (!client_identity_kept(kept, oauth_now_ms(oauth), &visit->client) ||
        !visit->client.redirect_uri || !http_address_read(visit->client.redirect_uri, &url) ||
        (wanted && url.port != wanted))
        return false;
    return listen_on(visit, url.port, NULL) == ERR_NONE;
}

awaits MUST_CHECK static enum err_code request_client(struct visit *visit, json_t **out,
                                                      struct err *err)
{
    const struct authorization_server *server = &visit->target.server;
    json_auto_t *request = client_registration_request(server, visit->redirect_uri);
    const char *body = json_print_in(&visit->arena, request);
    struct oauth_request post = { .url = server->registration_endpoint,
                                  .type = OAUTH_JSON,
                                  .body = body,
                                  .body_length = strlen(body) };
    struct oauth_reply reply;
    enum err_code r =
        oauth_http_send(&visit->oauth->http, visit->scope, &post, &visit->arena, &reply, err);
    if (!r && !oauth_reply_is_success(&reply))
        r = err_set(err, ERR_AUTH, reply.status, "refused (HTTP %d)", reply.status);
    if (!r)
        r = client_registration_read(reply.value, request, out, err);
    return r ? err_prefix(err, r, "registration") : ERR_NONE;
}

awaits MUST_CHECK static enum err_code register_client(struct visit *visit, struct err *err)
{
    const struct oauth *oauth = visit->oauth;
    json_t *kept = NULL;
    enum err_code r = listen_on(visit, oauth->options.config->oauth.callback_port, err);
    if (!r)
        r = request_client(visit, &kept, err);
    if (r)
        return r;
    arena_keep_json(&visit->arena, kept);
    struct client_change change = { .issuer = visit->target.server.issuer,
                                    .client = json_incref(kept) };
    r = token_store_change(oauth->options.store, visit->scope, change_client, &change, err);
    if (r) {
        json_decref(kept);
        return r;
    }
    return client_identity_kept(kept, oauth_now_ms(oauth), &visit->client)
               ? ERR_NONE
               : err_set(err, ERR_PROTOCOL, 0, "the registration is over already");
}

/* The client is a configured one, one kept from an earlier login, or one that registers itself.
 * ERR_AUTH, with what to configure: there is no way to become a client there. */
awaits MUST_CHECK static enum err_code find_client(struct visit *visit, struct err *err)
{
    const struct server_config *config = visit->oauth->options.config;
    const struct authorization_server *server = &visit->target.server;
    bool is_configured = false;
    enum err_code r =
        client_identity_configured(&config->oauth, server, &visit->client, &is_configured, err);
    if (r)
        return r;
    if (is_configured)
        return listen_on(visit, config->oauth.callback_port, err);
    visit->is_dynamic = true;
    visit->is_kept = use_kept_client(visit);
    if (visit->is_kept)
        return ERR_NONE;
    if (server->registration_endpoint)
        return register_client(visit, err);
    r = err_set(err, ERR_AUTH, 0, "its authorization server takes no client that it does not know");
    return err_hint(err, r,
                    "register mistro there by hand, and write into %s: \"oauth\": {\"client_id\": "
                    "…}",
                    config->file ? config->file : "mcp.json");
}

/* The S256 challenge of the verifier (RFC 7636): its SHA-256 as base64url. */
static const char *challenge_of(struct visit *visit)
{
    enum { BYTES = (DIGEST_HEX_SIZE - 1) / 2 };
    char hex[DIGEST_HEX_SIZE];
    unsigned char bytes[BYTES];
    digest_sha256(visit->oauth->options.digest, visit->verifier, strlen(visit->verifier), hex);
    for (size_t i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)((unsigned)text_hex_digit(hex[2 * i]) << 4 |
                                   (unsigned)text_hex_digit(hex[2 * i + 1]));
    return base64url_text(&visit->arena, bytes, BYTES);
}

static void prepare_authorization(struct visit *visit)
{
    struct oauth *oauth = visit->oauth;
    const struct authorization_server *server = &visit->target.server;
    json_t *book = arena_keep_json(&visit->arena, token_store_read(oauth->options.store));
    const char *wanted = login_book_wanted(book, oauth->options.config->url);
    visit->verifier = random_token(&visit->arena);
    visit->authorization = (struct authorization){
        .endpoint = server->authorization_endpoint,
        .issuer = server->issuer,
        .client_id = visit->client.id,
        .redirect_uri = visit->redirect_uri,
        .state = random_token(&visit->arena),
        .challenge = challenge_of(visit),
        .resource = visit->target.resource,
        .scope =
            oauth_choose_scope(oauth, &visit->target, oauth->login.asked, wanted, &visit->arena),
        .must_name_issuer = server->names_itself,
    };
}

static bool is_answer(void *context, const char *query, size_t length)
{
    const struct visit *visit = context;
    return authorization_is_answer(&visit->authorization, query, length);
}

/* Shows the URL, and waits until the browser comes back. When it does not, the person may have been
 * shown that the client is unknown there: then the next login is made with another one. */
awaits MUST_CHECK static enum err_code send_person(struct visit *visit, struct err *err)
{
    struct oauth *oauth = visit->oauth;
    struct callback_listener *listener = visit->listener;
    int64_t seconds = oauth->options.settings->mcp_login_seconds;
    struct runtime *runtime = uv_runtime_port(oauth->options.runtime);
    struct scope bounded = runtime_scope(runtime, visit->scope, seconds * 1000);
    const char *url = authorization_url(&visit->arena, &visit->authorization), *query = NULL;
    if (!url)
        return err_set(err, ERR_LIMIT, 0, "the url of the login is too long");
    callback_listener_expect(listener, is_answer, visit);
    if (visit->login->on_url)
        visit->login->on_url(visit->login->context, url);
    enum err_code r = callback_listener_await(listener, &bounded, &visit->arena, &query, err);
    if (r && visit->is_kept)
        forget_client(visit);
    if (r == ERR_TIMEOUT)
        return err_hint(
            err, err_set(err, r, 0, "no browser came back within %lld s", (long long)seconds),
            "try again, or raise mcp.login_seconds");
    if (r)
        return r;
    return authorization_code(&visit->authorization, query, strlen(query), &visit->arena,
                              &visit->code, err);
}

awaits MUST_CHECK static enum err_code trade_code(struct visit *visit, struct token_answer *out,
                                                  struct err *err)
{
    const struct authorization_server *server = &visit->target.server;
    struct token_request request = { .endpoint = server->token_endpoint,
                                     .issuer = server->issuer,
                                     .client = &visit->client,
                                     .now_ms = oauth_now_ms(visit->oauth),
                                     .fields = { { "grant_type", "authorization_code" },
                                                 { "resource", visit->target.resource },
                                                 { "code", visit->code },
                                                 { "redirect_uri", visit->redirect_uri },
                                                 { "code_verifier", visit->verifier } } };
    enum err_code r =
        token_request(&visit->oauth->http, visit->scope, &request, &visit->arena, out, err);
    if (r == ERR_AUTH && visit->is_dynamic)
        forget_client(visit);
    return r;
}

awaits MUST_CHECK static enum err_code get_tokens(struct visit *visit, struct err *err)
{
    struct token_answer answer;
    enum err_code r = find_client(visit, err);
    if (r && visit->target.is_assumed)
        return err_hint(err, r,
                        "it publishes nothing on logins; perhaps it wants a token among "
                        "\"headers\" instead");
    if (r)
        return r;
    prepare_authorization(visit);
    r = send_person(visit, err);
    if (!r)
        r = trade_code(visit, &answer, err);
    if (r)
        return r;
    struct kept_login login =
        oauth_login_of(&visit->target, &visit->client, visit->authorization.scope, &answer);
    login.client_secret = visit->is_dynamic ? visit->client.secret : NULL;
    login.refresh_token = answer.refresh_token;
    return oauth_keep(visit->oauth, &login, err);
}

static enum err_code check_target(const struct visit *visit, struct err *err)
{
    const struct authorization_server *server = &visit->target.server;
    if (visit->target.is_assumed && !visit->oauth->refused_status)
        return err_set(err, ERR_INVALID, 0, "it asks for no login");
    if (!server->authorization_endpoint)
        return err_set(err, ERR_PROTOCOL, 0,
                       "the authorization server has no authorization_endpoint");
    if (!server->has_s256)
        return err_set(err, ERR_PROTOCOL, 0,
                       "the authorization server does not say that it checks codes with S256 "
                       "(PKCE), so a login there is not safe");
    return ERR_NONE;
}

awaits MUST_CHECK static enum err_code visit_server(struct visit *visit, struct err *err)
{
    struct oauth *oauth = visit->oauth;
    (void)oauth_look_again(oauth, visit->scope);
    enum err_code r = oauth->refused_status ? ERR_NONE : send_probe(oauth, visit->scope, err);
    if (r)
        return r;
    if (oauth->options.config->oauth.is_machine)
        return oauth_grant_to_machine(oauth, visit->scope, err);
    r = oauth_discover(oauth, visit->scope, &visit->arena, &visit->target, err);
    if (!r)
        r = check_target(visit, err);
    if (!r)
        r = oauth_http_check(&oauth->http, visit->scope,
                             visit->target.server.authorization_endpoint, err);
    return r ? r : get_tokens(visit, err);
}

enum err_code oauth_log_in(struct oauth *oauth, const struct scope *scope,
                           const struct login *login, struct err *err)
{
    struct visit visit = { .oauth = oauth, .scope = scope, .login = login };
    enum err_code r = task_lock_take(&oauth->lock, oauth->options.runtime, scope, err);
    if (r)
        return r;
    r = visit_server(&visit, err);
    callback_listener_destroy(visit.listener);
    arena_finish(&visit.arena);
    task_lock_release(&oauth->lock);
    return r ? err_prefix(err, r, "login") : ERR_NONE;
}
