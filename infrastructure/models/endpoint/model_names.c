#include "infrastructure/models/endpoint/model_names.h"
#include "domain/base/text.h"
#include <string.h>

enum { SHOWN_NAMES = 8, SHOWN_COLUMNS = 40 };

static const char *find(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return names[i];
    return NULL;
}

/* The name itself, or its :latest. */
static const char *find_tagged(const char *const *names, size_t n, const char *name,
                               struct arena *arena)
{
    const char *found = find(names, n, name);
    return found || strchr(name, ':') ? found
                                      : find(names, n, arena_printf(arena, "%s:latest", name));
}

static const struct model_alias *find_alias(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n_aliases; i++)
        if (strcmp(settings->aliases[i].name, settings->model_name) == 0)
            return &settings->aliases[i];
    return NULL;
}

bool model_name_resolve(const struct settings *settings, const char *const *names, size_t n,
                        struct arena *arena, struct model_name *out)
{
    const char *wanted = settings->model_name;
    const char *found = find_tagged(names, n, wanted, arena);
    if (found) {
        bool exact = strcmp(found, wanted) == 0;
        *out = (struct model_name){ found, exact ? "as written" : "as written, :latest" };
        return true;
    }
    const struct model_alias *alias = find_alias(settings);
    found = alias ? find_tagged(names, n, alias->target, arena) : NULL;
    *out = (struct model_name){ found   ? found
                                : alias ? alias->target
                                        : wanted,
                                alias ? arena_printf(arena, "alias %s", alias->name) : "" };
    return found != NULL;
}

const char *model_names_print(const char *const *names, size_t n, struct arena *arena)
{
    const char *list = n ? "" : "nothing";
    for (size_t i = 0; i < n && i < SHOWN_NAMES; i++)
        list = arena_printf(arena, "%s%s%s", list, i ? ", " : "",
                            text_one_line(arena, names[i], strlen(names[i]), SHOWN_COLUMNS));
    return n > SHOWN_NAMES ? arena_printf(arena, "%s, …", list) : list;
}
