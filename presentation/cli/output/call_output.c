#include "presentation/cli/output/call_output.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/entities/event.h"
#include "presentation/cli/output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool call_output_block(struct cli *cli, const json_t *block)
{
    const json_t *text = content_block_text(block);
    if (text)
        return output_text(cli, json_string_value(text), json_string_length(text));
    return output_line(cli, "%s", content_block_label(cli->arena, block));
}

static enum err_code write_bytes(struct cli *cli, const struct step_result *result, struct err *err)
{
    size_t length = 0;
    auto_str bytes = step_result_bytes(result, &length);
    if (bytes)
        return output_bytes(cli, bytes, length, err);
    const char *text = step_result_text(cli->arena, result);
    return output_bytes(cli, text, strlen(text), err);
}

/* The object as the server sent it. Its bytes are one JSON value, which was checked when the result
 * came in. */
static void print_event(struct cli *cli, const struct step_result *result, const char *bytes,
                        size_t length)
{
    json_t *value = NULL;
    if (!json_parse_message(bytes, length, step_result_max_values(result), &value, NULL)) {
        output_result_event(cli, value);
        return;
    }
    AUTO(buf) event;
    buf_init(&event, length + 64);
    if (buf_printf(&event, "{\"v\":%d,\"event\":\"result\",\"result\":", EVENT_VERSION) &&
        json_append_on_one_line(&event, bytes, length) && buf_puts(&event, "}"))
        (void)output_text(cli, buf_string(&event), event.length);
}

/* The tool's own error in full: unlike the message of an err it may be as long as a result. */
static void print_tool_error(struct cli *cli, const char *text)
{
    AUTO(buf) shown;
    buf_init(&shown, strlen(text) * 8 + 64);
    if (buf_puts(&shown, "mistro: the tool says: ") &&
        text_append_escaped(&shown, text, strlen(text)) && buf_puts(&shown, "\n"))
        (void)!console_write(cli->console, CONSOLE_ERR, buf_string(&shown), shown.length);
}

/* Long text is printed while it is decoded. Only a block without text is made a value. */
static bool show_block(struct cli *cli, const struct content_block *block)
{
    struct json_slice text = block->text;
    json_auto_t *value = NULL;
    if (!text.length)
        text = json_slice_member(json_slice_member(block->whole, "resource"), "text");
    if (json_slice_is_string(text))
        return output_string(cli, text);
    return json_parse(block->whole.text, block->whole.length, JSON_FOREIGN, &value, NULL) ||
           call_output_block(cli, value);
}

/* The blocks of a result that is not an error. */
static int show_blocks(struct cli *cli, const struct step_result *result)
{
    struct err err = { 0 };
    struct content_block block;
    struct json_scan blocks = step_result_blocks(result);
    bool has_blocks = false;
    if (cli->args->output)
        return write_bytes(cli, result, &err) ? output_error(cli, &err) : 0;
    while (content_block_next(&blocks, &block)) {
        has_blocks = true;
        if (!show_block(cli, &block))
            return 0;
    }
    const json_t *structured = has_blocks ? NULL : step_result_structured(result);
    struct json_slice all = { result->bytes, result->length };
    struct json_slice text = json_slice_member(all, "structuredContent");
    if (structured)
        (void)output_json(cli, structured);
    else if (!has_blocks && text.length) /* has too many values to be parsed */
        (void)output_text(cli, text.text, text.length);
    return 0;
}

int call_output_as(struct cli *cli, const struct step_result *result, const char *bytes,
                   size_t length)
{
    struct err err = { 0 };
    if (cli->args->events) {
        print_event(cli, result, bytes, length);
        return result->is_error;
    }
    if (cli->args->json) {
        if (output_result_text(cli, bytes, &err))
            return output_error(cli, &err);
        return result->is_error;
    }
    if (result->is_error) {
        print_tool_error(cli, step_result_text(cli->arena, result));
        return err_exit_status(ERR_FAILED);
    }
    return show_blocks(cli, result);
}

int call_output(struct cli *cli, const struct step_result *result)
{
    return call_output_as(cli, result, result->bytes, result->length);
}
