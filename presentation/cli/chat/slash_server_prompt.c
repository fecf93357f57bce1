/* /server:prompt in a dialogue, and below it what Tab suggests while such a line is typed: names of
 * prompts, then their arguments, then values that the server suggests for one. */
#include "application/use_cases/tools/get_prompt.h"
#include "application/use_cases/tools/list_offerings.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/output.h"
#include <string.h>

bool slash_names_prompt(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon && colon != name && colon[1];
}

const char *slash_next_word(struct arena *arena, const char **at)
{
    const char *from = *at + strspn(*at, " \t\n");
    char *word = arena_strdup(arena, from), *end = word, quote = 0;
    if (!*from)
        return NULL;
    for (; *from && (quote || !strchr(" \t\n", *from)); from++) {
        bool is_quote = quote ? *from == quote : *from == '"' || *from == '\'';
        if (is_quote)
            quote = quote ? 0 : *from;
        else
            *end++ = *from;
    }
    *end = '\0';
    *at = from;
    return word;
}

/* `name=value` words, in which quotes hold blanks together, into an object. */
MUST_CHECK
static enum err_code parse_arguments(struct arena *arena, const char *text, json_t *into,
                                     struct err *err)
{
    const char *word;
    while ((word = slash_next_word(arena, &text))) {
        const char *equals = strchr(word, '=');
        if (!equals || equals == word) {
            enum err_code r = err_set(err, ERR_INVALID, 0, "\"%.60s\" is not an argument", word);
            return err_hint(err, r, "write name=value, or name=\"several words\"");
        }
        const char *name = arena_strndup(arena, word, (size_t)(equals - word));
        json_t *value = json_string(equals + 1);
        if (!value || json_object_set_new(into, name, value) != 0)
            return err_set(err, ERR_INVALID, 0, "argument %.60s: not UTF-8 text", name);
    }
    return ERR_NONE;
}

void slash_server_prompt(struct dialogue *dialogue, struct scope *scope, const char *name,
                         const char *argument)
{
    struct services *services = dialogue->cli->services;
    size_t most = (size_t)services->settings->limits_request_bytes;
    AUTO(arena) arena = { 0 };
    struct offering_result prompt = { 0 };
    struct err err = { 0 };
    const char *colon = strchr(name, ':'), *text = NULL;
    const char *server = arena_strndup(&arena, name, (size_t)(colon - name));
    json_t *arguments = arena_keep_json(&arena, json_object());
    const struct prompt_request request = { .name = colon + 1, .arguments = arguments };
    enum err_code r = parse_arguments(&arena, argument, arguments, &err);
    if (!r)
        r = get_prompt(services, scope, &arena, server, &request, &prompt, &err);
    if (!r)
        r = prompt_text(&arena, &prompt, most, &text, &err);
    if (r)
        dialogue_end_turn(dialogue, output_error(dialogue->cli, &err));
    else
        dialogue->kind->take_prompt(dialogue, scope, text);
}

/* Whether a line on a terminal can hold the name as it is. */
static bool is_plain(const char *name)
{
    while (*name > ' ' && *name < 0x7f)
        name++;
    return !*name;
}

/* Behind "/server:": the prompts that begin like the line. */
static void suggest_names(struct dialogue *dialogue, struct candidates *found, const char *line)
{
    struct arena *arena = found->arena;
    struct offering_listing listing;
    const char *server = arena_strndup(arena, line + 1, strcspn(line + 1, ":"));
    struct services *services = dialogue->cli->services;
    struct scope scope = runtime_scope(services->runtime, dialogue->turn, SLASH_COMPLETE_MS);
    if (list_offerings(services, &scope, arena, OFFERED_PROMPTS, server, &listing, NULL))
        return;
    for (size_t i = 0; i < listing.n; i++) {
        const char *key = listing.list[i].offering.key;
        if (is_plain(key))
            candidates_add(found, arena_printf(arena, "/%s:%s", server, key), line);
    }
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
    return parse_arguments(arena, before, others, NULL) == ERR_NONE;
}

/* "name=" of the arguments that begin like the word and were not given yet. */
static void suggest_arguments(struct services *services, struct scope *scope,
                              struct candidates *found, const struct typed_prompt *typed)
{
    struct arena *arena = found->arena;
    struct offering_listing listing;
    if (list_offerings(services, scope, arena, OFFERED_PROMPTS, typed->server, &listing, NULL))
        return;
    for (size_t i = 0; i < listing.n; i++) {
        const struct offering *prompt = &listing.list[i].offering;
        const json_t *list = json_object_get(prompt->definition, "arguments");
        if (strcmp(prompt->key, typed->prompt) != 0)
            continue;
        for (size_t j = 0; j < json_array_size(list); j++) {
            const char *name = json_get_string(json_array_get(list, j), "name");
            if (name && is_plain(name) && !json_object_get(typed->others, name))
                candidates_add(found, arena_printf(arena, "%s=", name), typed->word);
        }
    }
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

static void suggest_values(struct services *services, struct scope *scope, struct candidates *found,
                           const struct typed_prompt *typed)
{
    struct arena *arena = found->arena;
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
    if (complete_argument(services, scope, arena, typed->server, &request, &values, NULL))
        return;
    for (size_t i = 0; i < values.n; i++) {
        const char *text = as_typed(arena, values.list[i], quote);
        if (text)
            candidates_add(found, arena_printf(arena, "%s=%s", request.argument, text),
                           typed->word);
    }
}

/* Behind the first letters of a server: the prompts of every server that begins like that. */
static void suggest_by_server(struct dialogue *dialogue, struct candidates *found, const char *line)
{
    const struct settings *settings = dialogue->cli->services->settings;
    for (size_t i = 0; line[1] && i < settings->n_servers; i++) {
        const char *word = arena_printf(found->arena, "/%s:", settings->servers[i].name);
        if (settings->servers[i].enabled && text_starts_with(word, line))
            suggest_names(dialogue, found, word);
    }
}

void slash_suggest_prompts(struct dialogue *dialogue, struct candidates *found, const char *line)
{
    struct services *services = dialogue->cli->services;
    struct typed_prompt typed;
    if (!strchr(line, ' ') && strchr(line, ':')) {
        suggest_names(dialogue, found, line);
    } else if (!strchr(line, ' ')) {
        suggest_by_server(dialogue, found, line);
    } else if (read_typed(found->arena, line, &typed)) {
        struct scope scope = runtime_scope(services->runtime, dialogue->turn, SLASH_COMPLETE_MS);
        if (strchr(typed.word, '='))
            suggest_values(services, &scope, found, &typed);
        else
            suggest_arguments(services, &scope, found, &typed);
    }
}
