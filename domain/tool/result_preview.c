#include "domain/tool/result_preview.h"
#include "domain/base/json.h"
#include <stdio.h>

/* The first characters that a string says, and how long it is when that is not all. */
static json_t *beginning(struct json_slice string)
{
    char text[RESULT_PREVIEW_TEXT_BYTES + 64];
    struct json_string_reader reader = json_string_read(string);
    size_t length = json_string_next(&reader, text, RESULT_PREVIEW_TEXT_BYTES);
    if (reader.at < reader.end)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "… [%zu bytes of JSON in all]", string.length);
    return json_stringn(text, length);
}

json_t *result_preview(const struct step_result *result)
{
    const json_t *whole =
        result->length <= RESULT_PREVIEW_WHOLE_BYTES ? step_result_value(result) : NULL;
    if (whole)
        return json_share(whole);
    struct json_slice text = step_result_first_text(result);
    json_t *preview = text.length ? json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text",
                                              beginning(text))
                                  : json_pack("{s:[]}", "content");
    if (result->is_error)
        json_object_set_new(preview, "isError", json_true());
    json_object_set_new(preview, "cut", json_true());
    return preview;
}
