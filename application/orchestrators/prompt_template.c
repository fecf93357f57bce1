#include "application/orchestrators/prompt_template.h"
#include "application/structured/defuse.h"
#include "domain/base/buf.h"
#include <string.h>

struct filling {
    struct arena *arena;
    const struct prompt_template *template;
    const struct prompt_value *values;
    size_t n_values;
    struct buf text;
};

/* Length of the name in "{name}", or 0. */
static size_t placeholder_length(const char *brace)
{
    size_t length = strspn(brace + 1, "abcdefghijklmnopqrstuvwxyz_");
    return brace[1 + length] == '}' ? length : 0;
}

static const struct prompt_value *find_value(const struct filling *filling, const char *name,
                                             size_t length)
{
    for (size_t i = 0; i < filling->n_values; i++) {
        const char *candidate = filling->values[i].name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return &filling->values[i];
    }
    return NULL;
}

static enum err_code append(struct filling *filling, const char *text, size_t length,
                            struct err *err)
{
    if (buf_append(&filling->text, text, length))
        return ERR_NONE;
    return err_set(err, ERR_LIMIT, 0, "a prompt is longer than %d bytes", PROMPT_MAX_BYTES);
}

static enum err_code append_value(struct filling *filling, const char *name, size_t length,
                                  struct err *err)
{
    const struct prompt_value *value = find_value(filling, name, length);
    if (value) {
        const char *text = defuse_text(filling->arena, value->text ? value->text : "");
        return append(filling, text, strlen(text), err);
    }
    enum err_code r = err_set(err, ERR_INVALID, 0, "prompt %.200s: unknown placeholder {%.*s}",
                              filling->template->origin, (int)(length > 60 ? 60 : length), name);
    return err_hint(err, r, "write {{ for a brace that starts no placeholder");
}

/* Appends what stands at a brace and moves behind it. */
static enum err_code append_brace(struct filling *filling, const char **at, struct err *err)
{
    const char *brace = *at;
    size_t length = placeholder_length(brace);
    if (length) {
        *at = brace + length + 2;
        return append_value(filling, brace + 1, length, err);
    }
    *at = brace + (brace[1] == '{' ? 2 : 1);
    return append(filling, "{", 1, err);
}

static enum err_code fill(struct filling *filling, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (const char *at = filling->template->text; !r && *at;) {
        size_t plain = strcspn(at, "{");
        r = append(filling, at, plain, err);
        at += plain;
        if (!r && *at)
            r = append_brace(filling, &at, err);
    }
    return r;
}

enum err_code prompt_fill(struct arena *arena, const struct prompt_template *template,
                          const struct prompt_value *values, size_t n, const char **out,
                          struct err *err)
{
    struct filling filling = { arena, template, values, n, { 0 } };
    buf_init(&filling.text, PROMPT_MAX_BYTES);
    enum err_code r = fill(&filling, err);
    if (!r)
        *out = arena_strndup(arena, buf_string(&filling.text), filling.text.length);
    buf_finish(&filling.text);
    return r;
}

enum err_code prompt_print(struct arena *arena, struct assets *assets, const char *path,
                           const struct prompt_value *values, size_t n, const char **out,
                           struct err *err)
{
    struct prompt_template template = { 0 };
    const char *origin = NULL;
    enum err_code r = assets_get(assets, path, arena, &template.text, &origin, err);
    if (r)
        return err_prefix(err, r, "prompt");
    bool is_built_in = strcmp(origin, "built in") == 0;
    template.origin = is_built_in ? path : origin;
    return prompt_fill(arena, &template, values, n, out, err);
}
