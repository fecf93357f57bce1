#include "application/use_cases/tools/batch_line.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include <stdlib.h>
#include <string.h>

void batch_line_free(struct batch_line *line)
{
    if (!line)
        return;
    arena_finish(&line->arena);
    free(line->text);
    free(line);
}

enum err_code batch_line_parse(struct batch_line *line, const json_t **out)
{
    json_t *value = NULL;
    enum err_code r = json_parse(line->text, line->length, JSON_OURS, &value, &line->err);
    if (r)
        return err_prefix(&line->err, r, "line %zu", line->number);
    *out = arena_keep_json(&line->arena, value);
    if (!json_is_object(value))
        return err_set(&line->err, ERR_INVALID, 0, "line %zu: the arguments are no JSON object",
                       line->number);
    return ERR_NONE;
}

bool batch_line_print(const struct batch_line *line, struct buf *text)
{
    const struct step_result *result = &line->outcome.result;
    if (!buf_puts(text, "{\"line\":") || !buf_append_integer(text, (int64_t)line->number) ||
        !buf_puts(text, line->err.code ? ",\"ok\":false," : ",\"ok\":true,"))
        return false;
    if (!line->err.code) {
        return buf_puts(text, "\"result\":") &&
               json_append_on_one_line(text, result->bytes, result->length) &&
               buf_puts(text, "}\n");
    }
    json_auto_t *error = err_to_json(&line->err);
    auto_str printed = json_print(error);
    return buf_printf(text, "\"error\":%s}\n", printed);
}
