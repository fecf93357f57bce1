/* What Tab offers behind '@': files below the folder that is typed, and with "server:" resources of
 * that server. A name that a message could not have, because of a blank in it, is left out. */
#include "application/use_cases/tools/list_offerings.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/files.h"
#include <string.h>
#include <sys/stat.h>

static bool is_one_word(const char *name)
{
    return !strpbrk(name, " \t\r\n\"") && text_columns(name) && !strchr(name, '\033');
}

/* word: "@notes/a"; hidden files are left out, as by a shell. */
static void suggest_files(struct candidates *found, const char *word)
{
    static const char *const any[] = { "" };
    struct arena *arena = found->arena;
    const char *slash = strrchr(word, '/');
    const char *folder = slash ? arena_strndup(arena, word + 1, (size_t)(slash - word)) : "";
    const char **names = NULL;
    size_t n = 0;
    if (files_list(arena, *folder ? folder : ".", any, 1, &names, &n, NULL))
        return;
    for (size_t i = 0; i < n; i++) {
        struct stat info;
        const char *path = arena_printf(arena, "%s%s", folder, names[i]);
        bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        if (is_one_word(path))
            candidates_add(found, arena_printf(arena, "@%s%s", path, is_folder ? "/" : ""), word);
    }
}

static void suggest_servers(const struct dialogue *dialogue, struct candidates *found,
                            const char *word)
{
    const struct settings *settings = dialogue->cli->services->settings;
    for (size_t i = 0; word[1] && i < settings->n_servers; i++)
        if (settings->servers[i].enabled)
            candidates_add(found, arena_printf(found->arena, "@%s:", settings->servers[i].name),
                           word);
}

static void suggest_resources(const struct dialogue *dialogue, struct candidates *found,
                              const char *word)
{
    struct services *services = dialogue->cli->services;
    struct arena *arena = found->arena;
    struct offering_listing listing;
    const char *server = arena_strndup(arena, word + 1, strcspn(word + 1, ":"));
    struct scope scope = runtime_scope(services->runtime, dialogue->turn, SLASH_COMPLETE_MS);
    if (list_offerings(services, &scope, arena, OFFERED_RESOURCES, server, &listing, NULL))
        return;
    for (size_t i = 0; i < listing.n; i++) {
        const char *uri = listing.list[i].offering.key;
        if (is_one_word(uri) && !strchr(uri, '{')) /* not a template */
            candidates_add(found, arena_printf(arena, "@%s:%s", server, uri), word);
    }
}

void slash_suggest_attachments(struct dialogue *dialogue, struct candidates *found,
                               const char *word)
{
    suggest_files(found, word);
    if (strchr(word, ':'))
        suggest_resources(dialogue, found, word);
    else
        suggest_servers(dialogue, found, word);
}
