#include "domain/tool/result_outline.h"

static void note(struct result_outline *outline, enum result_flaw flaw, size_t block)
{
    if (outline->flaw)
        return;
    outline->flaw = flaw;
    outline->flawed_block = block;
}

/* An element that is not an object has no type. */
bool content_block_next(struct json_scan *content, struct content_block *out)
{
    struct json_slice key, other;
    struct content_block block = { 0 };
    if (!json_scan_element(content))
        return false;
    (void)json_scan_peek(content);
    const char *from = content->at;
    if (!json_scan_enter(content, '{'))
        json_scan_value(content, &other);
    else
        while (json_scan_member(content, &key))
            json_scan_value(content, json_string_is(key, "type")   ? &block.type
                                     : json_string_is(key, "text") ? &block.text
                                                                   : &other);
    block.whole = (struct json_slice){ from, (size_t)(content->at - from) };
    *out = block;
    return true;
}

bool content_block_is_text(const struct content_block *block)
{
    return json_string_is(block->type, "text");
}

static void scan_content(struct json_scan *scan, struct result_outline *out)
{
    struct content_block block;
    (void)json_scan_peek(scan);
    const char *from = scan->at;
    out->flaw = RESULT_WELL_FORMED; /* of duplicates the last one counts */
    out->first_text = (struct json_slice){ 0 };
    if (!json_scan_enter(scan, '[')) {
        json_scan_value(scan, &out->content);
        note(out, RESULT_CONTENT_NO_ARRAY, 0);
        return;
    }
    for (size_t i = 0; content_block_next(scan, &block); i++) {
        if (!json_slice_is_string(block.type))
            note(out, RESULT_BLOCK_WITHOUT_TYPE, i);
        else if (content_block_is_text(&block) && !json_slice_is_string(block.text))
            note(out, RESULT_TEXT_WITHOUT_TEXT, i);
        else if (content_block_is_text(&block) && !out->first_text.length)
            out->first_text = block.text;
    }
    out->content = (struct json_slice){ from, (size_t)(scan->at - from) };
}

static void judge_is_error(struct result_outline *out, struct json_slice is_error)
{
    if (!is_error.length)
        return;
    out->is_error = *is_error.text == 't';
    if (*is_error.text == 't' || *is_error.text == 'f' || out->flaw == RESULT_CONTENT_NO_ARRAY)
        return;
    out->flaw = RESULT_IS_ERROR_NO_BOOLEAN;
}

void result_outline_scan(struct json_scan *scan, struct result_outline *out)
{
    struct json_slice key, other, is_error = { 0 };
    *out = (struct result_outline){ 0 };
    (void)json_scan_peek(scan);
    const char *from = scan->at;
    if (!json_scan_enter(scan, '{')) {
        json_scan_value(scan, &out->text);
        note(out, RESULT_NO_OBJECT, 0);
        return;
    }
    while (json_scan_member(scan, &key)) {
        if (json_string_is(key, "content"))
            scan_content(scan, out);
        else
            json_scan_value(scan, json_string_is(key, "structuredContent") ? &out->structured
                                  : json_string_is(key, "resultType")      ? &out->type
                                  : json_string_is(key, "isError")         ? &is_error
                                                                           : &other);
    }
    out->text = (struct json_slice){ from, (size_t)(scan->at - from) };
    judge_is_error(out, is_error);
}

enum err_code result_outline_check_tool(const struct result_outline *outline, struct err *err)
{
    switch (outline->flaw) {
    case RESULT_WELL_FORMED:
        return ERR_NONE;
    case RESULT_NO_OBJECT:
        return err_set(err, ERR_PROTOCOL, 0, "the result of a tool is not an object");
    case RESULT_CONTENT_NO_ARRAY:
        return err_set(err, ERR_PROTOCOL, 0, "content is not an array");
    case RESULT_IS_ERROR_NO_BOOLEAN:
        return err_set(err, ERR_PROTOCOL, 0, "isError is not a boolean");
    case RESULT_BLOCK_WITHOUT_TYPE:
        return err_set(err, ERR_PROTOCOL, 0, "content block %zu has no type",
                       outline->flawed_block);
    case RESULT_TEXT_WITHOUT_TEXT:
        return err_set(err, ERR_PROTOCOL, 0, "text block %zu has no text", outline->flawed_block);
    }
    return ERR_NONE;
}
