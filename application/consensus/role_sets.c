#include "application/consensus/role_sets.h"
#include "application/tools/lookup.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>

#define FOLDER "config/rolesets"
#define PACKS FOLDER "/packs"

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
        return err_set(err, ERR_INVALID, 0, "\"%.100s\" is not the name of a pack", name);
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
        return err_set(err, ERR_INVALID, 0, "%s (%.100s) is not valid UTF-8", path, origin);
    *out = (struct role_pack){ .text = text };
    if (*text == '#') {
        size_t heading = strcspn(text, "\n");
        read_heading(arena, text, heading, out);
        out->text = text + heading + strspn(text + heading, "\r\n");
    }
    return ERR_NONE;
}

bool role_set_name_is_valid(const char *name)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strspn(name, allowed);
    return length && length <= ROLE_SET_NAME_MAX && !name[length];
}

enum err_code role_sets_read(struct arena *arena, const char *name, const char *text,
                             struct role_set *out, struct err *err)
{
    json_t *value = NULL;
    struct problems problems = { .arena = arena };
    enum err_code r = json_parse(text, strlen(text), JSON_OURS, &value, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "role set %.100s", name);
    arena_keep_json(arena, value);
    if (role_set_from_json(arena, name, value, out, &problems))
        return ERR_NONE;
    const struct problem *first = problems.n ? &problems.list[0] : NULL;
    r = err_set(err, ERR_INVALID, 0, "role set %.100s: %.300s", name,
                first ? problem_print(&problems, first) : "it is none");
    err_about(err, r, "role set");
    return first && first->fix ? err_hint(err, r, "%.200s", first->fix) : r;
}

/* Loads a role that may be one of a pair; false when the pack has no domain or is broken. */
static bool load_role(struct arena *arena, struct assets *assets, const char *name,
                      struct role_pack *out)
{
    return !role_pack_load(arena, assets, name, out, NULL) && out->role && out->domain;
}

static bool compose_of(struct arena *arena, struct assets *assets, const char *name,
                       const char *first, const char *second, struct role_set *out)
{
    struct role_pack packs[ROLE_SET_AGENTS];
    if (strcmp(first, second) == 0 || !load_role(arena, assets, first, &packs[0]) ||
        !load_role(arena, assets, second, &packs[1]))
        return false;
    *out = (struct role_set){
        .name = arena_strdup(arena, name),
        .description = arena_printf(arena, "%s and %s", packs[0].role, packs[1].role),
        .agents = { { .role = packs[0].role, .domain = packs[0].domain, .pack = first },
                    { .role = packs[1].role,
                      .domain = packs[1].domain,
                      .pack = second,
                      .is_auditor = true } },
        .kind = CANONICAL_TEXT,
    };
    return true;
}

/* The name of a role may itself have the '_' that stands between two of them, so every '_' is
 * tried. */
static bool compose(struct arena *arena, struct assets *assets, const char *name,
                    struct role_set *out)
{
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
        const char *first = arena_strndup(arena, name, (size_t)(at - name));
        if (*first && at[1] &&
            compose_of(arena, assets, name, first, arena_strdup(arena, at + 1), out))
            return true;
    }
    return false;
}

static enum err_code no_role_set(struct arena *arena, struct assets *assets, const char *name,
                                 struct err *err)
{
    const char **names = NULL;
    size_t n = 0;
    const char *shown = text_one_line(arena, name, strlen(name), 60);
    enum err_code r = err_set(err, ERR_INVALID, 0, "no role set is named \"%s\"", shown);
    err_about(err, r, "role set");
    if (role_sets_list(arena, assets, &names, &n, NULL))
        return r;
    lookup_hint(err, r, name, names, names, n);
    return err_hint(err, r, "two roles make one, for example writer_physicist");
}

enum err_code role_sets_find(struct arena *arena, struct assets *assets, const char *name,
                             struct role_set *out, struct err *err)
{
    const char *text = NULL, *origin = NULL;
    struct err why = { 0 };
    if (!role_set_name_is_valid(name))
        return no_role_set(arena, assets, name, err);
    const char *path = arena_printf(arena, FOLDER "/%s.json", name);
    enum err_code r = assets_get(assets, path, arena, &text, &origin, &why);
    if (!r)
        return role_sets_read(arena, name, text, out, err);
    if (r == ERR_NOT_FOUND)
        return compose(arena, assets, name, out) ? ERR_NONE : no_role_set(arena, assets, name, err);
    if (err)
        *err = why;
    return r;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the names and drops duplicates: a pair may have a file of its own as well. */
static size_t in_order(const char **names, size_t n)
{
    size_t kept = 0;
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++)
        if (!kept || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    return kept;
}

/* The names of the files of a folder with this ending, without the ending. */
static enum err_code list_files(struct arena *arena, struct assets *assets, const char *folder,
                                const char *ending, const char ***out, size_t *out_n,
                                struct err *err)
{
    const char **files = NULL;
    size_t n_files = 0, n = 0;
    enum err_code r = assets_list(assets, folder, arena, &files, &n_files, err);
    if (r)
        return r;
    const char **names = arena_array(arena, const char *, n_files + 1);
    for (size_t i = 0; i < n_files; i++) {
        size_t length = strlen(files[i]);
        if (!text_ends_with(files[i], ending))
            continue;
        const char *name = arena_strndup(arena, files[i], length - strlen(ending));
        if (role_set_name_is_valid(name))
            names[n++] = name;
    }
    *out = names;
    *out_n = n;
    return ERR_NONE;
}

static size_t keep_roles(struct arena *arena, struct assets *assets, const char **packs, size_t n)
{
    size_t kept = 0;
    struct role_pack pack;
    for (size_t i = 0; i < n && kept < ROLE_SETS_MAX_ROLES; i++)
        if (load_role(arena, assets, packs[i], &pack))
            packs[kept++] = packs[i];
    return kept;
}

enum err_code role_sets_list(struct arena *arena, struct assets *assets, const char ***out_names,
                             size_t *out_n, struct err *err)
{
    const char **files = NULL, **roles = NULL;
    size_t n_files = 0, n_roles = 0;
    enum err_code r = list_files(arena, assets, FOLDER, ".json", &files, &n_files, err);
    if (!r)
        r = list_files(arena, assets, PACKS, ".md", &roles, &n_roles, err);
    if (r)
        return r;
    n_roles = keep_roles(arena, assets, roles, n_roles);
    const char **names = arena_array(arena, const char *, n_files + n_roles * n_roles + 1);
    size_t n = n_files;
    if (n_files)
        memcpy(names, files, n_files * sizeof *names);
    for (size_t i = 0; i < n_roles; i++)
        for (size_t j = 0; j < n_roles; j++)
            if (i != j)
                names[n++] = arena_printf(arena, "%s_%s", roles[i], roles[j]);
    *out_n = in_order(names, n);
    *out_names = names;
    return ERR_NONE;
}
