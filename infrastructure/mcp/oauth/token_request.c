#include "infrastructure/mcp/oauth/token_request.h"
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/client_assertion.h"
#include "infrastructure/mcp/oauth/form_encoding.h"
#include <string.h>
#include <strings.h>

/* Id and secret are form-encoded before they are joined (RFC 6749 2.3.1). */
static const char *basic_header(struct arena *arena, const struct client_identity *client)
{
    const char *both = arena_printf(arena, "%s:%s", form_encode(arena, client->id),
                                    form_encode(arena, client->secret));
    return arena_printf(arena, "Authorization: Basic %s", base64_text(arena, both, strlen(both)));
}

/* The form, and the client's proof of itself: in the form, or in a header. */
awaits MUST_CHECK static enum err_code post(const struct oauth_http *http,
                                            const struct scope *scope,
                                            const struct token_request *request,
                                            struct arena *arena, struct oauth_reply *out,
                                            struct err *err)
{
    AUTO(buf) form;
    const struct client_identity *client = request->client;
    const char *header = NULL, *assertion = NULL;
    bool fits = true;
    enum err_code r = ERR_NONE;
    buf_init(&form, OAUTH_MAX_FORM_BYTES);
    for (size_t i = 0; i < ARRAY_LENGTH(request->fields) && request->fields[i].name; i++)
        fits = fits && form_add(&form, request->fields[i].name, request->fields[i].value);
    switch (client->method) {
    case CLIENT_BASIC:
        header = basic_header(arena, client);
        break;
    case CLIENT_POST:
        fits = fits && form_add(&form, "client_secret", client->secret);
        __attribute__((fallthrough));
    case CLIENT_NONE:
        fits = fits && form_add(&form, "client_id", client->id);
        break;
    case CLIENT_KEY:
        r = client_assertion(client, request->issuer, request->now_ms / 1000, arena, &assertion,
                             err);
        fits = fits &&
               form_add(&form, "client_assertion_type",
                        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer") &&
               form_add(&form, "client_assertion", assertion);
        break;
    }
    if (r)
        return r;
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "a token request is too long");
    struct oauth_request message = {
        .url = request->endpoint,
        .type = OAUTH_FORM,
        .body = buf_string(&form),
        .body_length = form.length,
        .headers = &header,
        .n_headers = header != NULL,
    };
    return oauth_http_send(http, scope, &message, arena, out, err);
}

static bool cannot_answer_now(int status, const char *error)
{
    return status >= 500 || status == 408 || status == 429 ||
           text_equal(error, "temporarily_unavailable") || text_equal(error, "server_error") ||
           text_equal(error, "slow_down");
}

/* Of the server's own text only the error code is shown, which is a word of the protocol. */
static enum err_code explain_refusal(const struct oauth_reply *reply, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *error = oauth_member(reply->value, "error");
    if (cannot_answer_now(reply->status, error))
        return err_set(err, ERR_UNAVAILABLE, reply->status,
                       "the authorization server cannot answer now (HTTP %d)", reply->status);
    if (!error || reply->status < 400)
        return err_set(err, ERR_PROTOCOL, reply->status,
                       "HTTP %d instead of an answer of the authorization server", reply->status);
    return err_set(err, ERR_AUTH, reply->status, "the authorization server refuses: %s (HTTP %d)",
                   text_one_line(&scratch, error, strlen(error), 60), reply->status);
}

static enum err_code read_answer(const struct oauth_reply *reply, int64_t now_ms,
                                 struct token_answer *out, struct err *err)
{
    const char *type = oauth_member(reply->value, "token_type");
    double seconds = json_get_number(reply->value, "expires_in", 0);
    struct token_answer answer = { .access_token = oauth_member(reply->value, "access_token"),
                                   .refresh_token = oauth_member(reply->value, "refresh_token"),
                                   .scope = oauth_member(reply->value, "scope") };
    if (!oauth_reply_is_success(reply))
        return explain_refusal(reply, err);
    if (!answer.access_token || strchr(answer.access_token, ' ') ||
        (type && strcasecmp(type, "Bearer") != 0))
        return err_set(err, ERR_PROTOCOL, 0, "the authorization server gave no bearer token");
    if (seconds > 0 && seconds <= TOKEN_MAX_LIFE_SECONDS)
        answer.until_ms = now_ms + (int64_t)(seconds * 1000);
    *out = answer;
    return ERR_NONE;
}

enum err_code token_request(const struct oauth_http *http, const struct scope *scope,
                            const struct token_request *request, struct arena *arena,
                            struct token_answer *out, struct err *err)
{
    struct oauth_reply reply;
    enum err_code r = post(http, scope, request, arena, &reply, err);
    return r ? r : read_answer(&reply, request->now_ms, out, err);
}

enum err_code token_revoke(const struct oauth_http *http, const struct scope *scope,
                           const struct token_request *request, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct oauth_reply reply;
    enum err_code r = post(http, scope, request, &scratch, &reply, err);
    if (r)
        return r;
    return reply.status >= 200 && reply.status < 300 ? ERR_NONE : explain_refusal(&reply, err);
}
