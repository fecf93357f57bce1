#include "application/use_cases/figure_options.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

enum {
    SHOWN_COLUMNS = 60,
    MAX_STYLES = 200,
    FEW_NAMES = 12,
    MIN_INCHES = 1,
    MAX_INCHES = 100,
};

#define POINTS_PER_INCH 72.0
#define STYLE_SUFFIX ".yml"
#define SLIDES "slides"   /* a style and a page */
#define DEFAULT_WIDTH "7" /* inches between the margins of a page */

/* Control characters, which only files have that are not text. */
static bool has_control_bytes(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' && !strchr("\t\n\r\f\v", *text))
            return true;
    return false;
}

static enum err_code check_text(const char *text, const char *what, int64_t max_bytes,
                                struct err *err)
{
    size_t length = strlen(text);
    if ((int64_t)length > max_bytes)
        return err_set(err, ERR_LIMIT, 0, "the %s has %zu bytes, at most %lld are allowed", what,
                       length, (long long)max_bytes);
    if (!text_is_utf8(text, length) || has_control_bytes(text))
        return err_set(err, ERR_INVALID, 0, "the %s is not text", what);
    if (text[strspn(text, " \t\r\n\f\v")] == '\0')
        return err_set(err, ERR_INVALID, 0, "the %s is empty", what);
    return ERR_NONE;
}

/* The log names the files, so their names must be text. */
static enum err_code check_place(const char *place, const char *what, struct err *err)
{
    if (!place || (text_is_utf8(place, strlen(place)) && !strpbrk(place, "\t\n\r\f\v\x7f") &&
                   !has_control_bytes(place)))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "the name of the %s is not text", what);
    return err_hint(err, r, "name it in UTF-8, without control characters");
}

static enum err_code check_mode(const struct figure_request *request, struct err *err)
{
    if (request->mode != FIGURE_MODE_PLOT_CODE || (request->data && request->data->n_columns))
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "plot_code draws data, and there are none");
    return err_hint(err, r, "name them: --data FILE.csv, FILE.json or server/tool");
}

static const struct {
    const char *name;
    struct figure_page page;
} pages[] = {
    { SLIDES, { 13 * POINTS_PER_INCH, 7.5 * POINTS_PER_INCH } },
    { "column", { 3.5 * POINTS_PER_INCH, 0 } },
};

/* Without a width: the words do not say one. */
static struct figure_page read_page(const char *width)
{
    struct figure_page page = { 0 };
    for (size_t i = 0; i < ARRAY_LENGTH(pages); i++)
        if (strcmp(pages[i].name, width) == 0)
            return pages[i].page;
    double inches = 0;
    if (text_to_double(width, &inches) && inches >= MIN_INCHES && inches <= MAX_INCHES)
        page.width = inches * POINTS_PER_INCH;
    return page;
}

struct figure_page figure_page_of(const char *width, const char *style)
{
    return read_page(width ? width : strcmp(style, SLIDES) == 0 ? SLIDES : DEFAULT_WIDTH);
}

static enum err_code check_width(const char *width, struct err *err)
{
    if (!width || read_page(width).width > 0)
        return ERR_NONE;
    enum err_code r = err_set(err, ERR_INVALID, 0, "the width \"%.60s\" is not known", width);
    return err_hint(err, r, "say it in inches, %d to %d, or slides or column", MIN_INCHES,
                    MAX_INCHES);
}

enum err_code figure_request_check(const struct services *services,
                                   const struct figure_request *request, struct err *err)
{
    int64_t most = services->settings->figure_max_context_bytes;
    enum err_code r = check_text(request->source_context, "context", most, err);
    if (r == ERR_LIMIT)
        (void)err_hint(err, r, "the bound is figure.max_context_bytes");
    if (!r)
        r = check_text(request->caption, "caption", FIGURE_MAX_CAPTION_BYTES, err);
    if (!r && request->communicative_intent)
        r = check_text(request->communicative_intent, "intent", FIGURE_MAX_CAPTION_BYTES, err);
    if (!r && request->feedback)
        r = check_text(request->feedback, "feedback", FIGURE_MAX_CAPTION_BYTES, err);
    if (!r && request->max_rounds > FIGURE_MAX_ROUNDS)
        r = err_set(err, ERR_INVALID, 0, "at most %d rounds can be made", FIGURE_MAX_ROUNDS);
    if (!r && request->n_refs > FIGURE_MAX_REFS)
        r = err_set(err, ERR_INVALID, 0, "%zu references are named, at most %d can be",
                    request->n_refs, FIGURE_MAX_REFS);
    if (!r)
        r = check_width(request->width, err);
    if (!r)
        r = check_place(request->out, "folder", err);
    if (!r)
        r = check_place(request->name, "case", err);
    return r ? r : check_mode(request, err);
}

/* The nearest name is the hint, or, where none is near, the few that there are. */
static enum err_code unknown(struct arena *arena, const char *what, const char *name,
                             const char *const *names, size_t n, struct err *err)
{
    const char *shown = text_one_line(arena, name, strlen(name), SHOWN_COLUMNS), *list = "";
    size_t near = 0;
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "there is no %s \"%s\"", what, shown);
    (void)err_about(err, r, what);
    if (n && text_nearest(name, names, n, &near, 1))
        return err_hint(err, r, "did you mean %s?",
                        text_one_line(arena, names[near], strlen(names[near]), SHOWN_COLUMNS));
    if (n == 0 || n > FEW_NAMES)
        return r;
    for (size_t i = 0; i < n; i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "",
                            text_one_line(arena, names[i], strlen(names[i]), SHOWN_COLUMNS));
    return err_hint(err, r, "there are: %s", list);
}

enum err_code figure_refs_check(struct arena *arena, const struct reference_pool *pool,
                                const struct figure_request *request, struct err *err)
{
    const char **ids = arena_array(arena, const char *, pool->n + 1);
    for (size_t i = 0; i < pool->n; i++)
        ids[i] = pool->entries[i].id;
    for (size_t i = 0; i < request->n_refs; i++) {
        bool is_known = false;
        for (size_t k = 0; k < pool->n; k++)
            is_known = is_known || strcmp(ids[k], request->refs[i]) == 0;
        if (!is_known)
            return unknown(arena, "reference", request->refs[i], ids, pool->n, err);
        for (size_t k = 0; k < i; k++)
            if (strcmp(request->refs[i], request->refs[k]) == 0)
                return err_set(err, ERR_INVALID, 0, "the reference \"%.60s\" is named twice",
                               request->refs[i]);
    }
    return ERR_NONE;
}

/* A plain name, not a path: only styles are looked for. */
static bool is_plain_name(const char *name)
{
    return *name && strlen(name) <= FIGURE_MAX_ID_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
               strlen(name);
}

static enum err_code unknown_style(struct arena *arena, const struct services *services,
                                   const char *name, struct err *err)
{
    const char **names = NULL;
    size_t n = 0;
    if (assets_list(services->assets, "config/styles", arena, &names, &n, NULL))
        n = 0;
    for (size_t i = 0; i < n; i++)
        if (text_ends_with(names[i], STYLE_SUFFIX))
            names[i] = arena_strndup(arena, names[i], strlen(names[i]) - strlen(STYLE_SUFFIX));
    return unknown(arena, "style", name, names, n, err);
}

enum err_code figure_style_load(struct arena *arena, const struct services *services,
                                const char *name, struct figure_style *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    struct document document = { 0 };
    struct problems problems = { .arena = arena };
    if (!name)
        name = services->settings->figure_style;
    if (!is_plain_name(name))
        return unknown_style(arena, services, name, err);
    const char *path = arena_printf(arena, FIGURE_STYLE_ASSET, name);
    enum err_code r = assets_get(services->assets, path, arena, &text, &origin, err);
    if (r == ERR_NOT_FOUND)
        return unknown_style(arena, services, name, err);
    if (!r)
        r = documents_parse(services->documents, text, strlen(text), arena, &document, err);
    if (r)
        return err_prefix(err, r, "style %s", name);
    if (figure_style_from_json(arena, name, document.value, out, &problems))
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "style %s (%s): %s", name, origin,
                   problem_print(&problems, &problems.list[0]));
}

const char *figure_case_name(struct arena *arena, const char *caption)
{
    char name[FIGURE_CASE_NAME_BYTES + 1];
    size_t n = 0;
    for (; *caption && n < FIGURE_CASE_NAME_BYTES; caption++) {
        bool is_plain = isalnum((unsigned char)*caption);
        if (is_plain)
            name[n++] = (char)tolower((unsigned char)*caption);
        else if (n && name[n - 1] != '_')
            name[n++] = '_';
    }
    while (n && name[n - 1] == '_')
        n--;
    return n ? arena_strndup(arena, name, n) : "figure";
}

bool figure_is_usable(const struct figure_result *result)
{
    if (result->end == FIGURE_END_STAGE_FAILED || result->log.n_rounds == 0)
        return false;
    const struct figure_round *best = &result->log.rounds[result->best];
    return best->rendered && !figure_critical_findings(best);
}
