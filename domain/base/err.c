#define ERR_IMPLEMENTATION
#include "domain/base/err.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum err_code err_set(struct err *err, enum err_code code, int origin, const char *format, ...)
{
    if (!err)
        return code;
    va_list args;
    va_start(args, format);
    err->code = code;
    err->origin = origin;
    err->hint[0] = '\0';
    err->what[0] = '\0';
    err->is_outcome_unknown = false;
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    text_trim_broken_end(err->message);
    return code;
}

enum err_code err_prefix(struct err *err, enum err_code code, const char *format, ...)
{
    if (!err)
        return code;
    char inner[sizeof err->message];
    memcpy(inner, err->message, sizeof inner);
    err->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    size_t used = strlen(err->message);
    snprintf(err->message + used, sizeof err->message - used, ": %s", inner);
    text_trim_broken_end(err->message);
    return code;
}

enum err_code err_hint(struct err *err, enum err_code code, const char *format, ...)
{
    if (!err || err->hint[0])
        return code;
    va_list args;
    va_start(args, format);
    vsnprintf(err->hint, sizeof err->hint, format, args);
    va_end(args);
    text_trim_broken_end(err->hint);
    return code;
}

enum err_code err_about(struct err *err, enum err_code code, const char *what)
{
    if (err)
        snprintf(err->what, sizeof err->what, "%s", what);
    return code;
}

enum err_code err_ambiguous(struct err *err, const char *what, const char *typed,
                            const char *const *ids, size_t n)
{
    static const char more[] = " and others";
    char list[sizeof err->hint - sizeof "give more of it: " - sizeof more] = "";
    size_t used = 0, shown = 0;
    for (; shown < n && used + strlen(ids[shown]) + sizeof ", " <= sizeof list; shown++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", shown ? ", " : "",
                                 ids[shown]);
    err_set(err, ERR_INVALID, 0, "several %s begin with \"%.64s\"", what, typed);
    return err_hint(err, ERR_INVALID, "give more of it: %s%s", list, shown < n ? more : "");
}

/* The closing parenthesis stays, however long the reason is. */
enum err_code err_outcome_unknown(struct err *err, enum err_code code)
{
    static const char known[] = "sent, no answer: it may have taken effect";
    enum { REASON_BYTES = sizeof err->message - sizeof known - sizeof " ()" };
    if (!err || err->is_outcome_unknown)
        return code;
    char why[REASON_BYTES];
    snprintf(why, sizeof why, "%.*s", REASON_BYTES - 1, err->message);
    text_trim_broken_end(why);
    err->is_outcome_unknown = true;
    snprintf(err->message, sizeof err->message, "%s (%s)", known, why);
    return code;
}

static const struct {
    const char *name;
    bool retry;
    int status;
} codes[] = {
#define X(code, name, retry, status) { name, retry, status },
    ERR_CODES(X)
#undef X
};

const char *err_name(enum err_code code)
{
    return codes[code].name;
}

enum err_code err_code_named(const char *name)
{
    for (size_t code = ERR_NONE + 1; code < ARRAY_LENGTH(codes); code++)
        if (text_equal(name, codes[code].name))
            return (enum err_code)code;
    return ERR_NONE;
}

bool err_worth_retrying(enum err_code code)
{
    return codes[code].retry;
}

int err_exit_status(enum err_code code)
{
    return codes[code].status;
}

/* Messages quote foreign text; JSON holds UTF-8 only. */
static json_t *text_value(const char *text)
{
    return json_string(text_is_utf8(text, strlen(text)) ? text : "(not UTF-8)");
}

json_t *err_to_json(const struct err *err)
{
    json_t *value =
        json_pack("{s:s, s:o}", "code", err_name(err->code), "message", text_value(err->message));
    if (err->hint[0])
        json_object_set_new(value, "hint", text_value(err->hint));
    if (err->what[0])
        json_object_set_new(value, "details", json_pack("{s:s}", "what", err->what));
    if (err->is_outcome_unknown)
        json_object_set_new(value, "outcome", json_string("unknown"));
    return value;
}

enum err_code err_from_json(const json_t *value, const char *message, struct err *err)
{
    const char *hint = json_string_value(json_object_get(value, "hint"));
    const char *what =
        json_string_value(json_object_get(json_object_get(value, "details"), "what"));
    const char *outcome = json_string_value(json_object_get(value, "outcome"));
    enum err_code code = err_code_named(json_string_value(json_object_get(value, "code")));
    if (!message)
        message = json_string_value(json_object_get(value, "message"));
    if (!code)
        return ERR_NONE;
    (void)err_set(err, code, 0, "%s", message ? message : "");
    if (hint)
        (void)err_hint(err, code, "%s", hint);
    if (what)
        (void)err_about(err, code, what);
    if (err)
        err->is_outcome_unknown = outcome && strcmp(outcome, "unknown") == 0;
    return code;
}
