#include "infrastructure/mcp/client/roots.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What RFC 3986 lets stand as it is in a path. */
static bool stands_for_itself(char byte)
{
    return isascii((unsigned char)byte) &&
           (isalnum((unsigned char)byte) || strchr("/-._~", byte) != NULL);
}

static const char *file_uri(struct arena *arena, const char *path)
{
    size_t length = strlen(path);
    char *uri = arena_alloc(arena, sizeof "file://" + 3 * length);
    char *at = stpcpy(uri, "file://");
    for (size_t i = 0; i < length; i++) {
        if (stands_for_itself(path[i]))
            *at++ = path[i];
        else
            at += sprintf(at, "%%%02X", (unsigned char)path[i]);
    }
    *at = '\0';
    return uri;
}

static const char *last_part(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash && slash[1] ? slash + 1 : path;
    size_t length = strlen(name);
    return text_is_utf8(name, length) ? name : text_one_line(arena, name, length, 4 * length + 1);
}

const char *roots_result(struct arena *arena, const struct server_config *config)
{
    if (!config->roots)
        return NULL;
    json_t *roots = json_array();
    json_auto_t *result = json_pack("{s:o}", "roots", roots);
    for (size_t i = 0; i < config->n_roots; i++)
        json_array_append_new(roots,
                              json_pack("{s:s, s:s}", "uri", file_uri(arena, config->roots[i]),
                                        "name", last_part(arena, config->roots[i])));
    return json_print_in(arena, result);
}
