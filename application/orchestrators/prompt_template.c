#include "application/orchestrators/prompt_template.h"
#include "application/structured/sanitize.h"
#include "domain/base/buf.h"
#include <string.h>

struct filling {
    struct arena *arena;
    const struct prompt_template *template;
    const struct prompt_value *values;
    size_t n_values;
    struct buf text; /* of the part that is being written */
    size_t bytes;    /* of the parts before it */
    struct prompt_part *parts;
    size_t n_parts, capacity;
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

static enum err_code too_long(struct err *err)
{
    return err_set(err, ERR_LIMIT, 0, "a prompt is longer than %d bytes", PROMPT_MAX_BYTES);
}

static enum err_code append(struct filling *filling, const char *text, size_t length,
                            struct err *err)
{
    bool fits = length <= PROMPT_MAX_BYTES - filling->bytes - filling->text.length;
    return fits && buf_append(&filling->text, text, length) ? ERR_NONE : too_long(err);
}

static void push(struct filling *filling, struct prompt_part part)
{
    filling->bytes += strlen(part.text);
    *arena_push(filling->arena, filling->parts, filling->n_parts, filling->capacity) = part;
}

/* What was written since the last part becomes one that stays. */
static void end_part(struct filling *filling)
{
    const struct buf *text = &filling->text;
    if (text->length == 0)
        return;
    push(filling, (struct prompt_part){
                      .text = arena_strndup(filling->arena, buf_string(text), text->length) });
    buf_clear(&filling->text);
}

static enum err_code append_parts(struct filling *filling, const struct prompt_value *value,
                                  struct err *err)
{
    end_part(filling);
    for (size_t i = 0; i < value->n_parts; i++) {
        struct prompt_part part = value->parts[i];
        part.text = sanitize_text(filling->arena, part.text);
        part.instead = part.instead ? sanitize_text(filling->arena, part.instead) : NULL;
        if (strlen(part.text) > PROMPT_MAX_BYTES - filling->bytes)
            return too_long(err);
        push(filling, part);
    }
    return ERR_NONE;
}

static enum err_code unknown_placeholder(const struct filling *filling, const char *name,
                                         size_t length, struct err *err)
{
    enum err_code r = err_set(err, ERR_INVALID, 0, "prompt %.200s: unknown placeholder {%.*s}",
                              filling->template->origin, (int)(length > 60 ? 60 : length), name);
    return err_hint(err, r, "write {{ for a brace that starts no placeholder");
}

static enum err_code append_value(struct filling *filling, const char *name, size_t length,
                                  struct err *err)
{
    const struct prompt_value *value = find_value(filling, name, length);
    if (!value)
        return unknown_placeholder(filling, name, length, err);
    if (value->n_parts)
        return append_parts(filling, value, err);
    const char *text = sanitize_text(filling->arena, value->text ? value->text : "");
    return append(filling, text, strlen(text), err);
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
    end_part(filling);
    return r;
}

enum err_code prompt_fill(struct arena *arena, const struct prompt_template *template,
                          const struct prompt_value *values, size_t n, struct prompt *out,
                          struct err *err)
{
    struct filling filling = {
        .arena = arena, .template = template, .values = values, .n_values = n
    };
    buf_init(&filling.text, PROMPT_MAX_BYTES);
    enum err_code r = fill(&filling, err);
    buf_finish(&filling.text);
    if (r)
        return r;
    out->parts = filling.parts;
    out->n_parts = filling.n_parts;
    return ERR_NONE;
}

enum err_code prompt_load(struct arena *arena, struct assets *assets, const char *path,
                          const struct prompt_value *values, size_t n, struct prompt *out,
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

enum err_code prompt_load_text(struct arena *arena, struct assets *assets, const char *path,
                               const struct prompt_value *values, size_t n, const char **out,
                               struct err *err)
{
    struct prompt prompt = { 0 };
    enum err_code r = prompt_load(arena, assets, path, values, n, &prompt, err);
    if (!r)
        *out = prompt_user_text(arena, &prompt);
    return r;
}
