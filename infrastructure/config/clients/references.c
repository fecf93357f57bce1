#include "infrastructure/config/clients/references.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

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

static const char *file_reference(struct arena *arena, const struct reference_style *style,
                                  const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = variable_name(arena, slash ? slash + 1 : path);
    json_object_set_new(style->origins, name, json_string(path));
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
        return arena_printf(arena, "${%s}", variable_name(arena, inside + strlen("input:")));
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
        return file_reference(arena, style, inside + strlen("file:"));
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
        size_t open = has_dollar ? 2 : *text == '{', length = strcspn(text + open, "}");
        const char *instead = NULL;
        size_t n = 1;
        if (open && text[open + length]) {
            instead =
                reference(arena, style, arena_strndup(arena, text + open, length), has_dollar);
            n = open + length + 1;
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
