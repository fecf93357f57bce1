#include "application/figure/report/figure_scorecard_text.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { TEXT_MAX_BYTES = 4 * 1024 * 1024, LINE_COLUMNS = 500 };

static const char *const dimensions[] = { "faithfulness", "conciseness", "readability",
                                          "aesthetics" };

/* Foreign text in Markdown: one line, and nothing in it is markup. */
static const char *plain(struct arena *arena, const char *text)
{
    AUTO(buf) out;
    buf_init(&out, TEXT_MAX_BYTES);
    const char *line =
        text_one_line(arena, text ? text : "", text ? strlen(text) : 0, LINE_COLUMNS);
    for (const char *at = line; *at; at++) {
        bool is_markup = strchr("\\`*_{}[]<>()#+!|~&", *at) != NULL;
        if (!buf_append(&out, is_markup ? "\\" : "", is_markup ? 1 : 0) || !buf_append(&out, at, 1))
            break;
    }
    return arena_strdup(arena, buf_string(&out));
}

static bool add_table(struct buf *out, struct arena *arena, const json_t *scorecard)
{
    bool fits = buf_puts(out, "| dimension | score | severity | evidence |\n"
                              "| --- | ---: | --- | --- |\n");
    for (size_t i = 0; i < ARRAY_LENGTH(dimensions) && fits; i++) {
        const json_t *one = json_object_get(scorecard, dimensions[i]);
        fits = buf_printf(out, "| %s | %d | %s | %s |\n", dimensions[i],
                          (int)json_get_int(one, "score", 0), json_get_string(one, "severity"),
                          plain(arena, json_get_string(one, "evidence")));
    }
    return fits;
}

static bool add_issues(struct buf *out, struct arena *arena, const json_t *scorecard)
{
    bool fits = buf_puts(out, "\n## Issues\n\n");
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(dimensions); i++) {
        const json_t *issues = json_object_get(json_object_get(scorecard, dimensions[i]), "issues");
        for (size_t k = 0; k < json_array_size(issues) && fits; k++, n++)
            fits = buf_printf(out, "- %s: %s\n", dimensions[i],
                              plain(arena, json_string_value(json_array_get(issues, k))));
    }
    return fits && (n || buf_puts(out, "none\n"));
}

static bool add_unresolved(struct buf *out, struct arena *arena, const char *lines)
{
    if (!lines || !*lines)
        return true;
    bool fits = buf_puts(out, "\n## For the review\n\n");
    for (const char *line = lines; *line && fits; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        if (length)
            fits = buf_printf(out, "- %s\n", plain(arena, arena_strndup(arena, line, length)));
        line += length;
    }
    return fits;
}

const char *figure_scorecard_text(struct arena *arena, const struct figure_result *result,
                                  const json_t *scorecard)
{
    AUTO(buf) out;
    buf_init(&out, TEXT_MAX_BYTES);
    const json_t *all = json_object_get(scorecard, "overall");
    bool fits = buf_printf(&out, "# Scorecard: %s\n\n", plain(arena, result->input.caption)) &&
                buf_printf(&out,
                           "Rounds: %zu, chosen: round %zu (the first is 0). Ready for publishing: "
                           "**%s**. Review by a person: **%s**.\n\n",
                           result->log.n_rounds, result->best,
                           json_get_bool(all, "ready_for_publish", false) ? "yes" : "no",
                           result->manual_review_required ? "required" : "not required") &&
                add_table(&out, arena, scorecard) && add_issues(&out, arena, scorecard) &&
                add_unresolved(&out, arena, result->unresolved) &&
                buf_printf(&out, "\n%s\n", plain(arena, json_get_string(all, "notes")));
    return arena_strdup(arena, fits ? buf_string(&out) : "# Scorecard\n\ntoo long to print\n");
}
