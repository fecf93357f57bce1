#include "application/ports/runtime.h"
#include "domain/base/base64.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/authorization.h"
#include "infrastructure/mcp/oauth/chance.h"
#include "infrastructure/mcp/oauth/form.h"
#include "infrastructure/mcp/oauth/login_probe.h"
#include "infrastructure/mcp/oauth/oauth_internal.h"
#include "infrastructure/mcp/oauth/registration.h"
#include "infrastructure/mcp/oauth/store/token_store.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <string.h>

/* One login on its way, from finding out who is asked to the tokens. */
struct visit {
    struct oauth *oauth;
    const struct scope *scope;
    const struct login *login;
    struct arena arena;
    struct oauth_target target;
    struct registration registration;
    struct authorization authorization;
    const char *verifier, *code;
};

/* SHA-256 as base64url. */
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

static void describe(struct visit *visit)
{
    struct oauth *oauth = visit->oauth;
    const struct authorization_server *server = &visit->target.server;
    json_t *book = arena_keep_json(&visit->arena, token_store_read(oauth->options.store));
    const char *wanted = login_book_wanted(book, oauth->options.config->url);
    visit->verifier = chance_text(&visit->arena);
    visit->authorization = (struct authorization){
        .endpoint = server->authorization_endpoint,
        .issuer = server->issuer,
        .client_id = visit->registration.client.id,
        .redirect_uri = visit->registration.redirect_uri,
        .state = chance_text(&visit->arena),
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

/* Shows the way, and waits until somebody comes back from there. A person who does not may have
 * been shown that nobody knows the client there any more: then the next login is made with another.
 */
awaits MUST_CHECK static enum err_code send_person(struct visit *visit, struct err *err)
{
    struct oauth *oauth = visit->oauth;
    struct callback_listener *listener = visit->registration.listener;
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
    if (r && visit->registration.is_kept)
        registration_forget(oauth, visit->authorization.issuer, &visit->registration);
    if (r == ERR_TIMEOUT)
        return err_hint(err,
                        err_set(err, r, 0, "nobody came back within %lld s", (long long)seconds),
                        "try again, or raise mcp.login_seconds");
    if (r)
        return r;
    return authorization_code(&visit->authorization, query, strlen(query), &visit->arena,
                              &visit->code, err);
}

awaits MUST_CHECK static enum err_code trade_code(struct visit *visit, struct token_answer *out,
                                                  struct err *err)
{
    AUTO(buf) form = { 0 };
    const struct authorization_server *server = &visit->target.server;
    struct token_request request = { .endpoint = server->token_endpoint,
                                     .issuer = server->issuer,
                                     .client = &visit->registration.client,
                                     .form = &form,
                                     .now_ms = oauth_now_ms(visit->oauth) };
    if (!oauth_begin_form(&form, "authorization_code", visit->target.resource) ||
        !form_add(&form, "code", visit->code) ||
        !form_add(&form, "redirect_uri", visit->registration.redirect_uri) ||
        !form_add(&form, "code_verifier", visit->verifier))
        return err_set(err, ERR_LIMIT, 0, "a token request is too long");
    enum err_code r =
        token_request(&visit->oauth->http, visit->scope, &request, &visit->arena, out, err);
    if (r == ERR_AUTH && visit->registration.is_dynamic)
        registration_forget(visit->oauth, server->issuer, &visit->registration);
    return r;
}

awaits MUST_CHECK static enum err_code get_tokens(struct visit *visit, struct err *err)
{
    const struct authorization_server *server = &visit->target.server;
    struct token_answer answer;
    enum err_code r = registration_get(visit->oauth, visit->scope, server, &visit->arena,
                                       &visit->registration, err);
    if (r && visit->target.is_assumed)
        return err_hint(err, r,
                        "it publishes nothing on logins; perhaps it wants a token among "
                        "\"headers\" instead");
    if (r)
        return r;
    describe(visit);
    r = send_person(visit, err);
    if (!r)
        r = trade_code(visit, &answer, err);
    if (r)
        return r;
    struct kept_login login = {
        .issuer = server->issuer,
        .resource = visit->target.resource,
        .client_id = visit->registration.client.id,
        .auth_method = client_method_name(visit->registration.client.method),
        .client_secret = visit->registration.is_dynamic ? visit->registration.client.secret : NULL,
        .token_endpoint = server->token_endpoint,
        .revocation_endpoint = server->revocation_endpoint,
        .access_token = answer.access_token,
        .refresh_token = answer.refresh_token,
        .scope = answer.scope,
        .asked = visit->authorization.scope,
        .until_ms = answer.until_ms,
    };
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
    enum err_code r = oauth->refused_status ? ERR_NONE : login_probe(oauth, visit->scope, err);
    if (r)
        return r;
    if (oauth->options.config->oauth.is_machine)
        return oauth_grant_to_machine(oauth, visit->scope, err);
    r = oauth_discover_target(oauth, visit->scope, &visit->arena, &visit->target, err);
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
    callback_listener_destroy(visit.registration.listener);
    arena_finish(&visit.arena);
    task_lock_release(&oauth->lock);
    return r ? err_prefix(err, r, "login") : ERR_NONE;
}
