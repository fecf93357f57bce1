#include "tests/conformance/exercise.h"
#include "domain/base/json.h"
#include "tests/conformance/made_up.h"
#include "tests/support/full/login/robot_login.h"
#include <stdio.h>
#include <string.h>

/* One request to the server, which may be made again after a login. */
struct operation {
    enum err_code (*run)(struct exercise *exercise, struct scope *scope,
                         struct operation *operation, struct err *err);
    const char *name;
    const json_t *arguments;
    enum offering_kind kind;

    /* Outcomes. */
    struct tool_catalogue *catalogue;
    struct offerings offerings;
    bool tool_failed; /* by its own account */
};

awaits static enum err_code perform(struct exercise *exercise, struct scope *scope,
                                    struct operation *operation, struct err *err)
{
    for (;;) {
        enum err_code r = operation->run(exercise, scope, operation, err);
        if (r != ERR_AUTH || exercise->n_logins >= EXERCISE_MAX_LOGINS)
            return r;
        exercise->n_logins++;
        r = robot_login(exercise->runtime, exercise->http, exercise->server, scope, err);
        if (r)
            return r;
    }
}

/* The server refused this one request, and said so: it goes on. What JSON-RPC calls an error has a
 * code below zero. */
static bool is_an_answer(enum err_code r, const struct err *err)
{
    return r == ERR_NONE || r == ERR_INVALID || r == ERR_NOT_FOUND || err->origin < 0;
}

awaits static enum err_code attempt(struct exercise *exercise, struct scope *scope,
                                    struct operation *operation, struct err *err)
{
    enum err_code r = perform(exercise, scope, operation, err);
    if (!is_an_answer(r, err))
        return err_prefix(err, r, "%s", operation->name);
    const char *outcome = operation->tool_failed ? "the tool failed" : "ok";
    printf("%s: %s\n", operation->name, r ? err->message : outcome);
    return ERR_NONE;
}

static enum err_code answer_question(void *context, struct scope *scope,
                                     const struct elicitation *question, struct arena *arena,
                                     struct elicitation_answer *out, struct err *err)
{
    (void)context, (void)scope;
    *out = (struct elicitation_answer){ .action = ELICITATION_ACCEPT };
    return question->url ? ERR_NONE : made_up_form(arena, question->schema, &out->content, err);
}

static enum err_code answer_sampling(void *context, struct scope *scope, const json_t *params,
                                     struct arena *arena, json_t **out_result, struct err *err)
{
    (void)context, (void)scope, (void)params, (void)err;
    *out_result = arena_keep_json(
        arena, json_pack("{s:s, s:{s:s, s:s}, s:s, s:s}", "role", "assistant", "content", "type",
                         "text", "text", "four", "model", "scripted", "stopReason", "endTurn"));
    return ERR_NONE;
}

static const struct answerer answerer = { .on_question = answer_question,
                                          .on_sampling = answer_sampling };

static enum err_code list_tools(struct exercise *exercise, struct scope *scope,
                                struct operation *operation, struct err *err)
{
    return tool_server_list(exercise->server, scope, &operation->catalogue, err);
}

static enum err_code call_tool(struct exercise *exercise, struct scope *scope,
                               struct operation *operation, struct err *err)
{
    struct step_result result;
    struct tool_call call = { .name = operation->name,
                              .arguments = operation->arguments,
                              .answerer = &answerer };
    enum err_code r =
        tool_server_call(exercise->server, scope, &call, &exercise->arena, &result, err);
    operation->tool_failed = !r && result.is_error;
    return r;
}

static enum err_code list_offerings(struct exercise *exercise, struct scope *scope,
                                    struct operation *operation, struct err *err)
{
    operation->offerings = (struct offerings){ .arena = &exercise->arena };
    return tool_server_offerings(exercise->server, scope, operation->kind, &operation->offerings,
                                 err);
}

static enum err_code take_offering(struct exercise *exercise, struct scope *scope,
                                   struct operation *operation, struct err *err)
{
    const struct prompt_request request = { operation->name, operation->arguments, &answerer };
    struct offering_result result;
    if (operation->kind == OFFERING_PROMPT)
        return tool_server_get_prompt(exercise->server, scope, &request, &exercise->arena, &result,
                                      err);
    return tool_server_read_resource(exercise->server, scope, operation->name, &answerer,
                                     &exercise->arena, &result, err);
}

awaits static enum err_code call(struct exercise *exercise, struct scope *scope, const char *name,
                                 const json_t *arguments, struct err *err)
{
    struct operation operation = { .run = call_tool, .name = name, .arguments = arguments };
    return attempt(exercise, scope, &operation, err);
}

awaits static enum err_code call_as_told(struct exercise *exercise, struct scope *scope,
                                         const json_t *calls, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < json_array_size(calls); i++) {
        const json_t *told = json_array_get(calls, i);
        const char *name = json_get_string(told, "name");
        if (name)
            r = call(exercise, scope, name, json_object_get(told, "arguments"), err);
    }
    return r;
}

/* A server that wants to see whether a schema comes through whole has two tools: one with the
 * schema, one that it is shown to. */
static const struct tool *schema_to_echo(const struct tool_catalogue *catalogue)
{
    return tool_catalogue_find(catalogue, "json_schema_echo")
               ? tool_catalogue_find(catalogue, "json_schema_2020_12_tool")
               : NULL;
}

awaits static enum err_code call_tools(struct exercise *exercise, struct scope *scope,
                                       const struct tool_catalogue *catalogue, struct err *err)
{
    const json_t *told = json_object_get(exercise->context, "toolCalls");
    const struct tool *shown = schema_to_echo(catalogue);
    if (told)
        return call_as_told(exercise, scope, told, err);
    if (shown) {
        json_t *schema = json_pack("{s:o}", "schema", json_share(shown->input_schema));
        return call(exercise, scope, "json_schema_echo", arena_keep_json(&exercise->arena, schema),
                    err);
    }
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < catalogue->n_tools; i++) {
        const struct tool *tool = &catalogue->tools[i];
        r = call(exercise, scope, tool->name,
                 made_up_arguments(&exercise->arena, tool->input_schema), err);
    }
    return r;
}

awaits static enum err_code exercise_tools(struct exercise *exercise, struct scope *scope,
                                           struct err *err)
{
    struct operation listing = { .run = list_tools, .name = "tools/list" };
    enum err_code r = attempt(exercise, scope, &listing, err);
    if (!r && listing.catalogue)
        r = call_tools(exercise, scope, listing.catalogue, err);
    tool_catalogue_unref(listing.catalogue);
    return r;
}

awaits static enum err_code exercise_offerings(struct exercise *exercise, struct scope *scope,
                                               enum offering_kind kind, struct err *err)
{
    struct operation listing = { .run = list_offerings,
                                 .name = offering_list_member(kind),
                                 .kind = kind };
    enum err_code r = attempt(exercise, scope, &listing, err);
    for (size_t i = 0; !r && kind != OFFERING_TEMPLATE && i < listing.offerings.n; i++) {
        const struct offering *offering = &listing.offerings.list[i];
        struct operation taking = {
            .run = take_offering,
            .name = offering->key,
            .kind = kind,
            .arguments = made_up_prompt_arguments(&exercise->arena, offering->definition),
        };
        r = attempt(exercise, scope, &taking, err);
    }
    return r;
}

enum err_code exercise_run(struct exercise *exercise, struct scope *scope, struct err *err)
{
    struct tool_server_status status;
    enum err_code r = exercise_tools(exercise, scope, err);
    tool_server_status(exercise->server, &status);
    if (!r && status.has_resources)
        r = exercise_offerings(exercise, scope, OFFERING_RESOURCE, err);
    if (!r && status.has_resources)
        r = exercise_offerings(exercise, scope, OFFERING_TEMPLATE, err);
    if (!r && status.has_prompts)
        r = exercise_offerings(exercise, scope, OFFERING_PROMPT, err);
    return r;
}
