#include "infrastructure/config/clients/references.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#define REFERENCE_MAX_BYTES 1024

const char *variable_name(struct arena *arena, const char *text)
{
    char *name = arena_printf(arena, "%s%s", isdigit((unsigned char)*text) ? "_" : "", text);
    for (char *at = name; *at; at++)
        *at = isalnum((unsigned char)*at) && (unsigned char)*at < 0x80
                  ? (char)toupper((unsigned char)*at)
                  : '_';
    return *name ? name : "VALUE";
}

const char *reference_to(struct arena *arena, const char *name)
{
    char *out = arena_printf(arena, "${%s}", name);
    size_t end = (size_t)(strstr(out, ":-") ? strstr(out, ":-") - out : (long)strlen(out) - 1);
    for (size_t i = 2; i < end; i++)
        if (!isalnum((unsigned char)out[i]) || (unsigned char)out[i] >= 0x80)
            out[i] = '_';
    return out;
}

static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length && !isdigit((unsigned char)*text) &&
           (!text[length] || text_starts_with(text + length, ":-"));
}

/* origin: "file:PATH" or "input:ID". */
static const char *made_up_reference(struct arena *arena, const struct reference_style *style,
                                     const char *origin)
{
    const char *path = strchr(origin, ':') + 1, *slash = strrchr(path, '/');
    const char *name = arena_printf(
        arena, "%s_%s_%s", variable_name(arena, style->server), *origin == 'f' ? "FILE" : "INPUT",
        variable_name(arena, slash && *origin == 'f' ? slash + 1 : path));
    json_object_set_new(style->origins, name, json_string(origin));
    return arena_printf(arena, "${%s}", name);
}

static const char *editor_reference(struct arena *arena, const struct reference_style *style,
                                    const char *inside)
{
    const char *folder = style->folder ? style->folder : "${workspaceFolder}";
    const char *slash = strrchr(folder, '/');
    if (strcmp(inside, "workspaceFolder") == 0 || strcmp(inside, "workspaceRoot") == 0)
        return folder;
    if (strcmp(inside, "workspaceFolderBasename") == 0)
        return slash ? slash + 1 : folder;
    if (strcmp(inside, "userHome") == 0)
        return "${HOME}";
    if (strcmp(inside, "/") == 0 || strcmp(inside, "pathSeparator") == 0)
        return "/";
    if (text_starts_with(inside, "input:"))
        return made_up_reference(arena, style, inside);
    return NULL;
}

/* What stands between the braces as mcp.json has it; NULL: no reference for this client. */
static const char *reference(struct arena *arena, const struct reference_style *style,
                             const char *inside, bool has_dollar)
{
    unsigned kinds = style->kinds;
    unsigned env = has_dollar ? REFERENCE_ENV : REFERENCE_CURLY;
    unsigned file = has_dollar ? REFERENCE_FILE : REFERENCE_CURLY;
    if (kinds & env && text_starts_with(inside, "env:") && inside[strlen("env:")])
        return reference_to(arena, inside + strlen("env:"));
    if (kinds & file && text_starts_with(inside, "file:"))
        return made_up_reference(arena, style, inside);
    if (has_dollar && kinds & REFERENCE_BRACES && is_name(inside))
        return arena_printf(arena, "${%s}", inside);
    return has_dollar && kinds & REFERENCE_EDITOR ? editor_reference(arena, style, inside) : NULL;
}

const char *references_translated(struct arena *arena, const struct reference_style *style,
                                  const char *text)
{
    AUTO(buf) out;
    bool fits = true;
    buf_init(&out, SIZE_MAX);
    while (fits && *text) {
        bool has_dollar = text_starts_with(text, "${");
        size_t open = has_dollar ? 2 : *text == '{', n = 1, length;
        const char *instead = NULL;
        const char *end = open ? memchr(text, '}', strnlen(text, REFERENCE_MAX_BYTES)) : NULL;
        if (end) {
            instead = reference(arena, style,
                                arena_strndup(arena, text + open, (size_t)(end - text) - open),
                                has_dollar);
            n = (size_t)(end - text) + 1;
        } else if (*text == '$' && style->kinds & REFERENCE_DOLLAR) {
            length =
                strspn(text + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
            if (length && !isdigit((unsigned char)text[1]))
                instead = arena_printf(arena, "${%.*s}", (int)length, text + 1);
            n = 1 + length;
        }
        if (!instead)
            n = has_dollar ? 2 : 1;
        fits = instead      ? buf_puts(&out, instead)
               : has_dollar ? buf_puts(&out, REFERENCE_LITERAL)
                            : buf_append(&out, text, 1);
        text += n;
    }
    return arena_strdup(arena, buf_string(&out));
}
