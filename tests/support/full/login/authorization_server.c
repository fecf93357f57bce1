#include "tests/support/full/login/authorization_server.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/form_encoding.h"
#include "infrastructure/mcp/oauth/metadata/scope_set.h"
#include "infrastructure/runtime/system_ports.h"
#include <stdio.h>
#include <string.h>

static const char *base(const struct auth_server *server)
{
    return mock_endpoint_url(server->endpoint);
}

static const char *reply(struct auth_server *server, int status, const char *headers,
                         const char *body)
{
    return arena_printf(&server->arena,
                        "HTTP/1.1 %d Answer\r\nContent-Type: application/json\r\n%s"
                        "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                        status, headers, strlen(body), body);
}

static const char *refuse(struct auth_server *server, const char *error, const char *problem)
{
    if (!server->problem)
        server->problem = problem;
    return reply(server, 400, "", arena_printf(&server->arena, "{\"error\":\"%s\"}", error));
}

static const char *method_of(const struct auth_server *server)
{
    return server->options.auth_method ? server->options.auth_method : "none";
}

static const char *issuer_path(const struct auth_server *server)
{
    return server->options.issuer_path ? server->options.issuer_path : "/as";
}

static const char *resource_metadata(struct auth_server *server)
{
    return reply(server, 200, "",
                 arena_printf(&server->arena,
                              "{\"resource\":\"%s/mcp\",\"authorization_servers\":[\"%s%s\"]}",
                              base(server), base(server), issuer_path(server)));
}

static const char *server_metadata(struct auth_server *server)
{
    const char *at = base(server);
    json_auto_t *value = json_pack(
        "{s:o, s:o, s:o, s:o, s:[s], s:[s], s:b}", "issuer",
        json_sprintf("%s%s", at, issuer_path(server)), "authorization_endpoint",
        server->options.page ? json_string(server->options.page)
                             : json_sprintf("%s/as/authorize", at),
        "token_endpoint", json_sprintf("%s/as/token", at), "revocation_endpoint",
        json_sprintf("%s/as/revoke", at), "code_challenge_methods_supported",
        server->options.no_s256 ? "plain" : "S256", "token_endpoint_auth_methods_supported",
        method_of(server), "authorization_response_iss_parameter_supported", true);
    if (!server->options.no_registration)
        json_object_set_new(value, "registration_endpoint", json_sprintf("%s/as/register", at));
    return reply(server, 200, "", json_print_in(&server->arena, value));
}

static const char *registration(struct auth_server *server, const struct mock_request *request)
{
    json_auto_t *asked = NULL;
    if (json_parse(request->body, strlen(request->body), JSON_OURS, &asked, NULL) ||
        strcmp(json_get_string(asked, "application_type"), "native") != 0)
        return refuse(server, "invalid_client_metadata", "a registration that is none");
    json_auto_t *answer = json_deep_copy(asked);
    json_object_set_new(answer, "client_id", json_sprintf("c%u", ++server->n_registered));
    if (strcmp(method_of(server), "none") != 0)
        json_object_set_new(answer, "client_secret", json_string("hush hush:%"));
    return reply(server, 201, "", json_print_in(&server->arena, answer));
}

static void keep(char *into, size_t size, const char *text)
{
    snprintf(into, size, "%s", text ? text : "");
}

static const char *page(struct auth_server *server, const struct mock_request *request)
{
    struct arena *arena = &server->arena;
    const char *query = strchr(request->head, '?');
    size_t length = query ? strcspn(++query, " \r\n") : 0;
    const char *state = form_find(arena, query, length, "state");
    const char *redirect = form_find(arena, query, length, "redirect_uri");
    const char *resource = form_find(arena, query, length, "resource");
    if (!state || !redirect || !resource ||
        strcmp(resource, arena_printf(arena, "%s/mcp", base(server))) != 0)
        return refuse(server, "invalid_request", "a page that is asked for in the wrong way");
    keep(server->redirect_uri, sizeof server->redirect_uri, redirect);
    keep(server->challenge, sizeof server->challenge,
         form_find(arena, query, length, "code_challenge"));
    keep(server->asked, sizeof server->asked, form_find(arena, query, length, "scope"));
    snprintf(server->code, sizeof server->code, "code-%u", ++server->n_authorized);
    const char *iss =
        server->options.iss ? server->options.iss : arena_printf(arena, "%s/as", base(server));
    const char *word = server->options.error ? "error" : "code";
    const char *value = server->options.error ? server->options.error : server->code;
    const char *location =
        arena_printf(arena, "Location: %s?%s=%s&state=%s&iss=%s\r\n", redirect, word, value,
                     form_encode(arena, state), form_encode(arena, iss));
    return reply(server, 302, location, "");
}

static const char *give_tokens(struct auth_server *server, const char *scope, bool may_refresh)
{
    unsigned n = ++server->n_tokens;
    struct as_tokens *tokens = &server->current;
    snprintf(tokens->access, sizeof tokens->access, "access-%u", n);
    snprintf(tokens->refresh, sizeof tokens->refresh, "refresh-%u", n);
    keep(tokens->scope, sizeof tokens->scope, scope);
    json_auto_t *answer =
        json_pack("{s:s, s:s}", "access_token", tokens->access, "token_type", "Bearer");
    if (may_refresh && !server->options.no_refresh)
        json_object_set_new(answer, "refresh_token", json_string(tokens->refresh));
    if (server->options.expires_in)
        json_object_set_new(answer, "expires_in", json_integer(server->options.expires_in));
    if (scope && *scope)
        json_object_set_new(answer, "scope", json_string(scope));
    return reply(server, 200, "", json_print_in(&server->arena, answer));
}

static bool proves_itself(struct auth_server *server, const struct mock_request *request,
                          const char *client_id)
{
    struct arena *arena = &server->arena;
    const char *form = request->body, *method = method_of(server);
    size_t length = strlen(form);
    const char *secret = form_find(arena, form, length, "client_secret");
    if (strcmp(method, "client_secret_post") == 0)
        return client_id && secret && strcmp(secret, "hush hush:%") == 0;
    if (strcmp(method, "client_secret_basic") == 0)
        return text_starts_with(request->authorization, "Basic ") && !client_id && !secret;
    if (strcmp(method, "private_key_jwt") == 0)
        return form_has(form, length, "client_assertion") && !client_id && !secret;
    return client_id && !secret && !*request->authorization;
}

static bool fits_challenge(struct auth_server *server, const char *verifier)
{
    char hex[DIGEST_HEX_SIZE];
    unsigned char bytes[32];
    digest_sha256(system_digest(), verifier, strlen(verifier), hex);
    for (size_t i = 0; i < sizeof bytes; i++) {
        unsigned byte;
        sscanf(hex + 2 * i, "%2x", &byte);
        bytes[i] = (unsigned char)byte;
    }
    return strcmp(base64url_text(&server->arena, bytes, sizeof bytes), server->challenge) == 0;
}

static const char *trade_code(struct auth_server *server, const char *form, size_t length)
{
    struct arena *arena = &server->arena;
    const char *code = form_find(arena, form, length, "code");
    const char *redirect = form_find(arena, form, length, "redirect_uri");
    const char *verifier = form_find(arena, form, length, "code_verifier");
    bool is_right = code && *server->code && strcmp(code, server->code) == 0 && redirect &&
                    strcmp(redirect, server->redirect_uri) == 0;
    server->code[0] = '\0';
    if (!is_right || !verifier || !fits_challenge(server, verifier))
        return refuse(server, "invalid_grant", "a code that is none, or not the page's");
    return give_tokens(server, server->asked, true);
}

static const char *refresh(struct auth_server *server, const char *form, size_t length)
{
    const char *token = form_find(&server->arena, form, length, "refresh_token");
    if (server->options.refresh_error)
        return reply(
            server, server->options.refresh_status ? server->options.refresh_status : 400, "",
            arena_printf(&server->arena, "{\"error\":\"%s\"}", server->options.refresh_error));
    if (!token || strcmp(token, server->current.refresh) != 0)
        return refuse(server, "invalid_grant", "a refresh token that was used before");
    server->n_refreshed++;
    const char *scope = arena_strdup(&server->arena, server->current.scope);
    return give_tokens(server, scope, true);
}

static const char *tokens(struct auth_server *server, const struct mock_request *request)
{
    struct arena *arena = &server->arena;
    const char *form = request->body;
    size_t length = strlen(form);
    const char *grant = form_find(arena, form, length, "grant_type");
    const char *resource = form_find(arena, form, length, "resource");
    if (!proves_itself(server, request, form_find(arena, form, length, "client_id")))
        return refuse(server, "invalid_client", "a client that does not prove itself");
    if (!resource || strcmp(resource, arena_printf(arena, "%s/mcp", base(server))) != 0)
        return refuse(server, "invalid_target", "a token for another resource");
    if (text_equal(grant, "authorization_code"))
        return trade_code(server, form, length);
    if (text_equal(grant, "refresh_token"))
        return refresh(server, form, length);
    if (text_equal(grant, "client_credentials"))
        return give_tokens(server, form_find(arena, form, length, "scope"), false);
    return refuse(server, "unsupported_grant_type", "an unknown grant");
}

static const char *challenge(struct auth_server *server, int status, const char *error,
                             const char *scope)
{
    const char *header = arena_printf(
        &server->arena,
        "WWW-Authenticate: Bearer realm=\"x, y\", %s%s%sresource_metadata=\"%s/prm\"%s%s%s\r\n",
        error ? "error=\"" : "", error ? error : "", error ? "\", " : "", base(server),
        scope ? ", scope=\"" : "", scope ? scope : "", scope ? "\"" : "");
    return reply(server, status, header, "{}");
}

static const char *mcp(struct auth_server *server, const struct mock_request *request)
{
    struct arena *arena = &server->arena;
    const char *wanted = arena_printf(arena, "Bearer %s", server->current.access);
    json_auto_t *message = NULL;
    if (!*server->current.access || strcmp(request->authorization, wanted) != 0)
        return challenge(server, 401, *request->authorization ? "invalid_token" : NULL,
                         server->options.scope);
    if (server->options.redirect)
        return reply(server, 307, arena_printf(arena, "Location: %s\r\n", server->options.redirect),
                     "");
    if (json_parse(request->body, strlen(request->body), JSON_OURS, &message, NULL))
        return reply(server, 400, "", "{}");
    auto_str id = json_dumps(json_object_get(message, "id"), JSON_ENCODE_ANY);
    const char *method = json_get_string(message, "method");
    const char *result = "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}";
    if (server->options.announces)
        result = "\"supportedVersions\":[\"2026-07-28\"],"
                 "\"capabilities\":{\"tools\":{\"listChanged\":true}}";
    if (text_equal(method, "subscriptions/listen")) {
        server->n_listens++;
        return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 0\r\n"
               "Connection: close\r\n\r\n";
    }
    if (text_equal(method, "tools/list"))
        result = "\"tools\":[{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]";
    bool is_call = text_equal(method, "tools/call");
    const char *more = server->options.call_scope;
    if (is_call && more &&
        (server->options.never_enough || !scope_set_includes(server->current.scope, more)))
        return challenge(server, 403, "insufficient_scope", more);
    if (is_call)
        result = "\"content\":[{\"type\":\"text\",\"text\":\"let in\"}]";
    if (is_call && server->options.makes_tasks) {
        auth_server_expire(server);
        result = "\"resultType\":\"task\",\"taskId\":\"t1\",\"status\":\"working\","
                 "\"pollIntervalMs\":10";
    }
    if (text_equal(method, "tasks/get"))
        result = "\"taskId\":\"t1\",\"status\":\"completed\",\"result\":{\"content\":[{"
                 "\"type\":\"text\",\"text\":\"let in\"}]}";
    server->n_calls += is_call;
    return reply(server, 200, "",
                 arena_printf(arena, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{%s}}",
                              id ? id : "null", result));
}

static const char *respond(void *context, const struct mock_request *request)
{
    struct auth_server *server = context;
    const char *path = request->path;
    if (text_starts_with(path, "/mcp"))
        return mcp(server, request);
    if (text_starts_with(path, "/moved"))
        return reply(server, 200, "", "{}");
    if (strcmp(path, "/prm") == 0)
        return resource_metadata(server);
    if (text_starts_with(path, "/.well-known/oauth-authorization-server/"))
        return server_metadata(server);
    if (strcmp(path, "/as/register") == 0)
        return registration(server, request);
    if (text_starts_with(path, "/as/authorize?"))
        return page(server, request);
    if (strcmp(path, "/as/token") == 0)
        return tokens(server, request);
    if (strcmp(path, "/as/revoke") == 0) {
        server->n_revoked++;
        server->current = (struct as_tokens){ 0 };
        return reply(server, 200, "", "");
    }
    return reply(server, 404, "", "{}");
}

void auth_server_init(struct auth_server *server, struct uv_runtime *runtime,
                      const struct authorization_server_options *options)
{
    *server = (struct auth_server){ 0 };
    if (options)
        server->options = *options;
    server->endpoint = mock_endpoint_create(runtime);
    mock_endpoint_add(server->endpoint,
                      (struct mock_answer){ .path = "/", .respond = respond, .context = server });
}

void auth_server_finish(struct auth_server *server)
{
    mock_endpoint_destroy(server->endpoint);
    arena_finish(&server->arena);
}

const char *auth_server_url(struct auth_server *server)
{
    return arena_printf(&server->arena, "%s/mcp", base(server));
}

void auth_server_expire(struct auth_server *server)
{
    keep(server->current.access, sizeof server->current.access, "");
}
