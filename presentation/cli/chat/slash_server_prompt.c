#include "application/use_cases/tools/get_prompt.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/output.h"
#include <string.h>

bool slash_names_prompt(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon && colon != name && colon[1];
}

/* The next word of *at without its quotes, in the arena; NULL at the end. */
static const char *next_word(struct arena *arena, const char **at)
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

enum err_code slash_parse_arguments(struct arena *arena, const char *text, json_t *into,
                                    struct err *err)
{
    const char *word;
    while ((word = next_word(arena, &text))) {
        const char *equals = strchr(word, '=');
        if (!equals || equals == word) {
            enum err_code r = err_set(err, ERR_INVALID, 0, "\"%.60s\" is no argument", word);
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
    enum err_code r = slash_parse_arguments(&arena, argument, arguments, &err);
    if (!r)
        r = get_prompt(services, scope, &arena, server, colon + 1, arguments, &prompt, &err);
    if (!r)
        r = prompt_text(&arena, &prompt, most, &text, &err);
    if (r)
        (void)output_error(dialogue->cli, &err);
    else
        dialogue->kind->take_prompt(dialogue, scope, text);
}
