#include "application/use_cases/tools/complete_argument.h"
#include "application/use_cases/tools/list_offerings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include <string.h>

/* What a line on a terminal can hold as it is. */
static bool is_plain(const char *name)
{
    while (*name > ' ' && *name < 0x7f)
        name++;
    return !*name;
}

size_t slash_prompts_by_server(struct dialogue *dialogue, struct arena *arena, const char *line,
                               const char ***out)
{
    const struct settings *settings = dialogue->cli->services->settings;
    const char **found = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; line[1] && i < settings->n_servers; i++) {
        const char *word = arena_printf(arena, "/%s:", settings->servers[i].name);
        const char **prompts;
        size_t n_prompts = settings->servers[i].enabled && text_starts_with(word, line)
                               ? slash_server_prompts(dialogue, arena, word, &prompts)
                               : 0;
        for (size_t prompt = 0; prompt < n_prompts; prompt++)
            *arena_push(arena, found, n, capacity) = prompts[prompt];
    }
    *out = found;
    return n;
}

size_t slash_server_prompts(struct dialogue *dialogue, struct arena *arena, const char *line,
                            const char ***out)
{
    struct offering_listing listing;
    const char **found = NULL;
    size_t n = 0, capacity = 0;
    const char *server = arena_strndup(arena, line + 1, strcspn(line + 1, ":"));
    struct services *services = dialogue->cli->services;
    struct scope scope = runtime_scope(services->runtime, dialogue->turn, SLASH_COMPLETE_MS);
    if (list_offerings(services, &scope, arena, OFFERED_PROMPTS, server, &listing, NULL))
        return 0;
    for (size_t i = 0; i < listing.n; i++) {
        const char *key = listing.list[i].offering.key;
        const char *word = arena_printf(arena, "/%s:%s", server, key);
        if (text_starts_with(word, line) && is_plain(key))
            *arena_push(arena, found, n, capacity) = word;
    }
    *out = found;
    return n;
}

/* A line that is being typed behind a prompt's name, taken apart. */
struct typed_prompt {
    const char *server, *prompt;
    const char *word;     /* the last, up to the cursor */
    const json_t *others; /* the arguments before it: object of strings */
};

static bool read_typed(struct arena *arena, const char *line, struct typed_prompt *out)
{
    const char *colon = strchr(line, ':'), *name_end = strchr(line, ' ');
    const char *last = strrchr(line, ' ');
    if (!colon || !name_end || colon > name_end || colon == line + 1 || colon + 1 == name_end)
        return false;
    const char *before = arena_strndup(arena, name_end, (size_t)(last - name_end));
    json_t *others = arena_keep_json(arena, json_object());
    *out = (struct typed_prompt){
        .server = arena_strndup(arena, line + 1, (size_t)(colon - line - 1)),
        .prompt = arena_strndup(arena, colon + 1, (size_t)(name_end - colon - 1)),
        .word = last + 1,
        .others = others,
    };
    return slash_parse_arguments(arena, before, others, NULL) == ERR_NONE;
}

/* "name=" of the arguments that begin like the word and were not given yet. */
static size_t argument_names(struct services *services, struct scope *scope, struct arena *arena,
                             const struct typed_prompt *typed, const char ***out)
{
    struct offering_listing listing;
    const char **found = NULL;
    size_t n = 0, capacity = 0;
    if (list_offerings(services, scope, arena, OFFERED_PROMPTS, typed->server, &listing, NULL))
        return 0;
    for (size_t i = 0; i < listing.n; i++) {
        const struct offering *prompt = &listing.list[i].offering;
        const json_t *list = json_object_get(prompt->definition, "arguments");
        for (size_t j = 0; strcmp(prompt->key, typed->prompt) == 0 && j < json_array_size(list);
             j++) {
            const char *name = json_get_string(json_array_get(list, j), "name");
            if (name && is_plain(name) && text_starts_with(name, typed->word) &&
                !json_object_get(typed->others, name))
                *arena_push(arena, found, n, capacity) = arena_printf(arena, "%s=", name);
        }
    }
    *out = found;
    return n;
}

/* The value as it is typed behind '=': in quotes where it has blanks, or where they were begun.
 * NULL when a line cannot hold it. */
static const char *as_typed(struct arena *arena, const char *value, char quote)
{
    if (strcmp(text_one_line(arena, value, strlen(value), strlen(value) + 1), value) != 0 ||
        strpbrk(value, "\"'"))
        return NULL;
    if (!quote && strchr(value, ' '))
        quote = '"';
    return quote ? arena_printf(arena, "%c%s%c", quote, value, quote) : value;
}

static size_t argument_values_of(struct services *services, struct scope *scope,
                                 struct arena *arena, const struct typed_prompt *typed,
                                 const char ***out)
{
    const char *equals = strchr(typed->word, '='), *value = equals + 1;
    char quote = *value == '"' || *value == '\'' ? *value : 0;
    struct completion_values values = { 0 };
    struct completion_request request = {
        .kind = OFFERING_PROMPT,
        .key = typed->prompt,
        .argument = arena_strndup(arena, typed->word, (size_t)(equals - typed->word)),
        .typed = value + (quote != 0),
        .others = typed->others,
    };
    const char **found = NULL;
    size_t n = 0, capacity = 0;
    if (complete_argument(services, scope, arena, typed->server, &request, &values, NULL))
        return 0;
    for (size_t i = 0; i < values.n; i++) {
        const char *text = as_typed(arena, values.list[i], quote);
        const char *word = text ? arena_printf(arena, "%s=%s", request.argument, text) : "";
        if (text && text_starts_with(word, typed->word))
            *arena_push(arena, found, n, capacity) = word;
    }
    *out = found;
    return n;
}

size_t slash_server_arguments(struct dialogue *dialogue, struct arena *arena, const char *line,
                              const char ***out)
{
    struct services *services = dialogue->cli->services;
    struct scope scope = runtime_scope(services->runtime, dialogue->turn, SLASH_COMPLETE_MS);
    struct typed_prompt typed;
    if (!read_typed(arena, line, &typed))
        return 0;
    return strchr(typed.word, '=') ? argument_values_of(services, &scope, arena, &typed, out)
                                   : argument_names(services, &scope, arena, &typed, out);
}
