/* What endpoints say when they do not answer: every server has its own shape and words for it. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include <string.h>

enum { SHOWN_COLUMNS = 200 };

const char *endpoint_error_text(const json_t *body)
{
    const json_t *error = json_object_get(body, "error");
    if (json_is_string(error))
        return json_string_value(error);
    const char *message = json_get_string(error, "message");
    return message ? message : json_get_string(body, "message");
}

static bool mentions(const char *text, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

static bool is_overflow(const char *text)
{
    static const char *const words[] = { "exceed_context_size", "context length", "context size",
                                         "context window", "max_total_tokens" };
    return mentions(text, words, ARRAY_LENGTH(words));
}

static bool is_missing_model(int status, const char *text)
{
    static const char *const words[] = { "not found", "does not exist", "no such model" };
    return (status == 404 || status == 400) && strcasestr(text, "model") &&
           mentions(text, words, ARRAY_LENGTH(words));
}

bool endpoint_error_is_loading(int status, const char *body)
{
    return status == 503 && strcasestr(body, "loading");
}

bool endpoint_error_is_about_schema(int status, const char *body)
{
    static const char *const words[] = { "schema", "grammar", "response_format", "format" };
    return (status == 400 || status == 422 || status == 501) && !is_overflow(body) &&
           !is_missing_model(status, body) && mentions(body, words, ARRAY_LENGTH(words));
}

bool endpoint_error_is_about_roles(int status, const char *body)
{
    static const char *const words[] = { "system role", "must alternate", "assistant roles",
                                         "system message" };
    return (status == 400 || status == 422 || status == 500) && !is_overflow(body) &&
           mentions(body, words, ARRAY_LENGTH(words));
}

static enum err_code code_of(int status, const char *body)
{
    if (is_overflow(body))
        return ERR_LIMIT;
    if (status == 401 || status == 403)
        return ERR_AUTH;
    if (is_missing_model(status, body))
        return ERR_NOT_FOUND;
    if (status == 400 || status == 413 || status == 422)
        return ERR_INVALID;
    if (status == 200 || status == 429 || status == 502 || status == 503 || status == 504)
        return ERR_UNAVAILABLE;
    return ERR_PROTOCOL;
}

static enum err_code hint_for(enum err_code code, int status, struct err *err)
{
    if (status < 400 && status >= 300)
        return err_hint(err, code,
                        "redirects are not followed: name the address they lead to with "
                        "model.base_url");
    if (code == ERR_PROTOCOL && status == 404)
        return err_hint(err, code, "is model.base_url the address of a model server?");
    if (status == 200 && code == ERR_UNAVAILABLE)
        return err_hint(err, code, ENDPOINT_GAVE_UP_HINT);
    if (status == 429 || status == 503)
        return err_hint(err, code, "it is busy or still loading: try again in a while");
    if (code == ERR_LIMIT)
        return err_hint(err, code, "ask for less, or raise model.context_tokens");
    if (code == ERR_AUTH)
        return err_hint(err, code,
                        "set OPENAI_API_KEY, or model.api_key beside model.base_url; an address "
                        "that a project folder names gets no key but the folder's own");
    return code;
}

enum err_code endpoint_error(int status, const char *body, size_t length, struct err *err)
{
    AUTO(arena) arena = { 0 };
    json_auto_t *json = NULL;
    if (json_parse(body, length, JSON_FOREIGN, &json, NULL))
        json = NULL;
    const char *text = endpoint_error_text(json);
    const char *shown =
        text_one_line(&arena, text ? text : body, text ? strlen(text) : length, SHOWN_COLUMNS);
    enum err_code code = code_of(status, body);
    if (status == 200)
        err_set(err, code, 0, "it gave up: %s", shown);
    else
        err_set(err, code, status, "status %d%s%s", status, shown[0] ? ": " : "", shown);
    err_about(err, code, "model");
    return hint_for(code, status, err);
}
