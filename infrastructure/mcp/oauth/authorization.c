#include "infrastructure/mcp/oauth/authorization.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/oauth/form.h"
#include <string.h>

#define MAX_URL_BYTES 16384

const char *authorization_url(struct arena *arena, const struct authorization *authorization)
{
    const struct authorization *a = authorization;
    AUTO(buf) form;
    buf_init(&form, MAX_URL_BYTES);
    bool fits =
        form_add(&form, "response_type", "code") && form_add(&form, "client_id", a->client_id) &&
        form_add(&form, "redirect_uri", a->redirect_uri) &&
        form_add(&form, "code_challenge", a->challenge) &&
        form_add(&form, "code_challenge_method", "S256") && form_add(&form, "state", a->state) &&
        form_add(&form, "resource", a->resource) && form_add(&form, "scope", a->scope);
    const char *between = strchr(a->endpoint, '?') ? "&" : "?";
    return fits ? arena_printf(arena, "%s%s%s", a->endpoint, between, buf_string(&form)) : NULL;
}

bool authorization_is_answer(const struct authorization *authorization, const char *query,
                             size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *state = form_find(&scratch, query, length, "state");
    return state && strcmp(state, authorization->state) == 0;
}

/* Compared as it was sent: a URL that means the same is another one. */
static bool is_from_issuer(const struct authorization *authorization, const char *query,
                           size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *iss = form_find(&scratch, query, length, "iss");
    if (iss)
        return strcmp(iss, authorization->issuer) == 0;
    return !authorization->must_name_issuer && !form_has(query, length, "iss");
}

enum err_code authorization_code(const struct authorization *authorization, const char *query,
                                 size_t length, struct arena *arena, const char **out_code,
                                 struct err *err)
{
    if (!is_from_issuer(authorization, query, length))
        return err_set(err, ERR_AUTH, 0,
                       "the answer does not come from the authorization server that was asked");
    const char *error = form_find(arena, query, length, "error");
    if (error)
        return err_set(err, ERR_AUTH, 0, "the authorization server refuses: %s",
                       text_one_line(arena, error, strlen(error), 60));
    const char *code = form_find(arena, query, length, "code");
    if (!code || !*code)
        return err_set(err, ERR_AUTH, 0, "the authorization server answered without a code");
    *out_code = code;
    return ERR_NONE;
}
