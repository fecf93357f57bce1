#include "application/use_cases/tools/get_prompt.h"
#include "application/tools/answering.h"
#include "application/tools/lookup.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define HINTED_BYTES 160 /* of names of arguments, which are the server's */

static enum err_code check_arguments(const json_t *arguments, struct err *err)
{
    const char *key;
    json_t *value;
    json_each_member (arguments, key, value)
        if (!json_is_string(value))
            return err_set(err, ERR_INVALID, 0,
                           "the argument \"%.60s\" is not text, as arguments of prompts are", key);
    return ERR_NONE;
}

/* The required arguments that were left out, for a hint. */
static const char *left_out(struct arena *arena, const struct offering *prompt,
                            const json_t *arguments)
{
    const json_t *list = json_object_get(prompt->definition, "arguments");
    const char *names = "";
    for (size_t i = 0; i < json_array_size(list) && strlen(names) < HINTED_BYTES; i++) {
        const json_t *argument = json_array_get(list, i);
        const char *name = json_get_string(argument, "name");
        if (!name || !json_get_bool(argument, "required", false) ||
            json_object_get(arguments, name))
            continue;
        names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "",
                             text_one_line(arena, name, strlen(name), 60));
    }
    return names;
}

static enum err_code no_such_prompt(struct tool_server *server, const struct offerings *known,
                                    const char *name, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char **names = arena_array(&scratch, const char *, known->n + 1);
    const char **shown = arena_array(&scratch, const char *, known->n + 1);
    for (size_t i = 0; i < known->n; i++) {
        names[i] = known->list[i].key;
        shown[i] = arena_printf(&scratch, "%s/%s", tool_server_name(server), names[i]);
    }
    char *wanted = text_one_line(&scratch, name, strlen(name), 80);
    enum err_code r = err_set(err, ERR_NOT_FOUND, 0, "no prompt is named \"%s\"", wanted);
    (void)err_about(err, r, "prompt");
    (void)lookup_hint(err, r, name, names, shown, known->n);
    return err_hint(err, r, "mistro prompts %s lists what there is", tool_server_name(server));
}

/* Servers refuse an unknown prompt and wrong arguments alike; their list tells which it was. */
awaits static enum err_code explain_refusal(struct tool_server *server, struct scope *scope,
                                            const struct prompt_request *request, enum err_code r,
                                            struct err *err)
{
    AUTO(arena) scratch = { 0 };
    struct offerings known = { .arena = &scratch };
    if (tool_server_offerings(server, scope, OFFERING_PROMPT, &known, NULL))
        return r;
    const struct offering *prompt = offerings_find(&known, OFFERING_PROMPT, request->name);
    if (!prompt)
        return no_such_prompt(server, &known, request->name, err);
    const char *missing = left_out(&scratch, prompt, request->arguments);
    return *missing ? err_hint(err, r, "it needs %.200s", missing) : r;
}

enum err_code get_prompt(struct services *services, struct scope *scope, struct arena *arena,
                         const char *server, const struct prompt_request *request,
                         struct offering_result *out, struct err *err)
{
    struct tool_server *found = NULL;
    struct server_watch watch;
    struct answering answering;
    struct prompt_request answered = *request;
    enum err_code r = check_arguments(request->arguments, err);
    if (!r)
        r = lookup_configured(services, scope, server, &found, err);
    if (r)
        return r;
    server_watch_begin(&watch, services, &found, 1);
    answering_init(&answering, services, &watch.journal,
                   (struct asker){ .server = server, .work = ASKER_PROMPT, .name = request->name });
    answered.answerer = &answering.answerer;
    r = tool_server_get_prompt(found, scope, &answered, arena, out, err);
    if (r == ERR_NOT_FOUND || r == ERR_INVALID || r == ERR_FAILED)
        r = explain_refusal(found, scope, request, r, err);
    server_watch_end(&watch);
    return r ? err_prefix(err, r, "server %s", server) : ERR_NONE;
}

static const char *block_text(struct arena *arena, const json_t *block)
{
    const char *kind = json_get_string(block, "type");
    const json_t *resource = json_object_get(block, "resource");
    const char *text = json_get_string(resource ? resource : block, "text");
    const char *type = json_get_string(resource ? resource : block, "mimeType");
    if (text)
        return text;
    return arena_printf(arena, "[%.80s]", type ? type : kind ? kind : "block");
}

static bool append_message(struct arena *arena, const json_t *message, bool is_only,
                           struct buf *text)
{
    const char *said = block_text(arena, json_object_get(message, "content"));
    if (is_only)
        return buf_puts(text, said);
    return buf_printf(text, "%s%.40s:\n", text->length ? "\n\n" : "",
                      json_get_string(message, "role")) &&
           buf_puts(text, said);
}

enum err_code prompt_text(struct arena *arena, const struct offering_result *prompt,
                          size_t max_bytes, const char **out, struct err *err)
{
    size_t n = json_array_size(prompt->items);
    AUTO(buf) text;
    buf_init(&text, max_bytes);
    for (size_t i = 0; i < n; i++)
        if (!append_message(arena, json_array_get(prompt->items, i), n == 1, &text))
            return err_set(err, ERR_LIMIT, 0, "the prompt is longer than %zu bytes", max_bytes);
    *out = arena_strdup(arena, buf_string(&text));
    return ERR_NONE;
}
