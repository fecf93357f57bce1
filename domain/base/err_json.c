#include "domain/base/err_json.h"
#include "domain/base/text.h"
#include <string.h>

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
