#include "domain/base/text.h"
#include "infrastructure/config/config_internal.h"
#include <ctype.h>
#include <string.h>

#define EXPANDED_MAX_BYTES 65536

/* The value for what stands between the braces, or NULL. */
static const char *value_of(struct arena *arena, const char *inside, const char **out_name)
{
    static const char env[] = "env:";
    if (text_starts_with(inside, env))
        inside += sizeof env - 1;
    const char *otherwise = strstr(inside, ":-");
    const char *name =
        otherwise ? arena_strndup(arena, inside, (size_t)(otherwise - inside)) : inside;
    *out_name = name;
    if (strcmp(name, "workspaceFolder") == 0)
        return config_current_folder(arena);
    const char *value = getenv(name);
    if (otherwise && (!value || !*value))
        return otherwise + 2;
    return value;
}

static enum err_code unset(const char *name, struct err *err)
{
    bool is_input = text_starts_with(name, "input:");
    enum err_code r = err_set(err, ERR_INVALID, 0,
                              is_input ? "${%.60s} would need a person to ask"
                                       : "the variable ${%.60s} is not set",
                              name);
    return err_hint(err, r, "set it, or give a default: ${NAME:-default}");
}

enum err_code config_expand(struct arena *arena, const char *text, const char **out_text,
                            struct err *err)
{
    AUTO(buf) out;
    buf_init(&out, EXPANDED_MAX_BYTES);
    bool fits = true;
    while (fits && *text) {
        const char *start = strstr(text, "${");
        const char *end = start ? strchr(start, '}') : NULL;
        if (!end) {
            fits = buf_puts(&out, text);
            break;
        }
        const char *name = NULL;
        const char *value =
            value_of(arena, arena_strndup(arena, start + 2, (size_t)(end - start - 2)), &name);
        if (!value)
            return unset(name, err);
        fits = buf_append(&out, text, (size_t)(start - text)) && buf_puts(&out, value);
        text = end + 1;
    }
    if (!fits)
        return err_set(err, ERR_LIMIT, 0, "longer than %d bytes once expanded", EXPANDED_MAX_BYTES);
    *out_text = arena_strdup(arena, buf_string(&out));
    return ERR_NONE;
}
