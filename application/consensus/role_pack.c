#include "application/consensus/role_sets.h"
#include "application/tools/lookup.h"
#include "domain/base/text.h"
#include <string.h>

#define PACKS "config/rolesets/packs"

/* "# Physicist (physics)": what stands before and within the brackets. */
static void read_heading(struct arena *arena, const char *line, size_t length,
                         struct role_pack *out)
{
    const char *role = line + 1, *end = line + length;
    role += strspn(role, " ");
    const char *open = memchr(role, '(', (size_t)(end - role));
    const char *close = open ? memchr(open, ')', (size_t)(end - open)) : NULL;
    const char *role_end = close ? open : end;
    while (role_end > role && (role_end[-1] == ' ' || role_end[-1] == '\r'))
        role_end--;
    if (role_end > role)
        out->role = arena_strndup(arena, role, (size_t)(role_end - role));
    if (close && close > open + 1)
        out->domain = arena_strndup(arena, open + 1, (size_t)(close - open - 1));
}

static struct role_pack read_pack(struct arena *arena, const char *text)
{
    struct role_pack pack = { .text = text };
    if (*text != '#')
        return pack;
    size_t length = strcspn(text, "\n");
    read_heading(arena, text, length, &pack);
    pack.text = text + length + strspn(text + length, "\r\n");
    return pack;
}

static enum err_code no_pack(struct arena *arena, struct assets *assets, const char *name,
                             struct err *err)
{
    const char **files = NULL;
    size_t n = 0;
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "there is no pack %s/%.100s.md", PACKS, name);
    err_about(err, r, "pack");
    if (assets_list(assets, PACKS, arena, &files, &n, NULL))
        return r;
    for (size_t i = 0; i < n; i++)
        if (text_ends_with(files[i], ".md"))
            files[i] = arena_strndup(arena, files[i], strlen(files[i]) - strlen(".md"));
    return lookup_hint(err, r, name, files, files, n);
}

enum err_code role_pack_load(struct arena *arena, struct assets *assets, const char *name,
                             struct role_pack *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    struct err why = { 0 };
    if (!role_set_name_is_valid(name))
        return err_set(err, ERR_INVALID, 0, "\"%.100s\" is no name of a pack", name);
    const char *path = arena_printf(arena, "%s/%s.md", PACKS, name);
    enum err_code r = assets_get(assets, path, arena, &text, &origin, &why);
    if (r == ERR_NOT_FOUND)
        return no_pack(arena, assets, name, err);
    if (r)
        return err_set(err, r, why.origin, "%s", why.message);
    size_t length = strlen(text);
    if (length > ROLE_PACK_MAX_BYTES)
        return err_set(err, ERR_LIMIT, 0, "%s (%.100s) has %zu bytes, at most %d are allowed", path,
                       origin, length, ROLE_PACK_MAX_BYTES);
    if (!text_is_utf8(text, length))
        return err_set(err, ERR_INVALID, 0, "%s (%.100s) is no valid UTF-8", path, origin);
    *out = read_pack(arena, text);
    return ERR_NONE;
}
