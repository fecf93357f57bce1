#include "tests/support/contracts/offerings_contract.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

static void on_resource_updated(void *context, struct tool_server *server, const char *uri)
{
    struct offerings_trial *t = context;
    (void)server;
    if (!t->n_updates++)
        snprintf(t->updated, sizeof t->updated, "%s", uri ? uri : "any");
    if (t->waiting)
        runtime_cancel(t->runtime, t->waiting);
}

static void await_update(struct offerings_trial *t, struct scope *scope)
{
    enum { LONG_MS = 10000 };
    struct scope waiting = scope_child(scope, SCOPE_NO_DEADLINE);
    t->waiting = &waiting;
    if (!t->n_updates)
        (void)!runtime_sleep(t->runtime, &waiting, LONG_MS, NULL);
    t->waiting = NULL;
}

static void complete(struct offerings_trial *t, struct scope *scope)
{
    struct completion_request wanted = {
        .kind = OFFERING_PROMPT, .key = "p", .argument = "who", .typed = "A"
    };
    t->complete_code = tool_server_complete(t->server, scope, &wanted, &t->arena, &t->values, NULL);
    wanted.argument = "whom";
    t->complete_nothing_code =
        tool_server_complete(t->server, scope, &wanted, &t->arena, &t->nothing, NULL);
}

enum err_code offerings_try(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct offerings_trial *t = argument;
    struct arena *arena = &t->arena;
    struct offering_result none;
    struct scope ended = scope_child(scope, SCOPE_NO_DEADLINE);
    const struct tool_server_listener listener = { .on_resource_updated = on_resource_updated,
                                                   .context = t };
    t->found.arena = arena;
    t->runtime = runtime;
    tool_server_listen(t->server, &listener);
    for (int kind = 0; kind < OFFERING_KINDS; kind++)
        t->list_codes[kind] =
            tool_server_offerings(t->server, scope, (enum offering_kind)kind, &t->found, NULL);
    json_t *arguments = arena_keep_json(arena, json_pack("{s:s}", "who", "Ada"));
    const struct prompt_request known = { .name = "p", .arguments = arguments };
    const struct prompt_request unknown = { .name = "q" };
    t->watch_code = tool_server_watch_resource(t->server, scope, "a:1", NULL);
    t->watch_unknown_code = tool_server_watch_resource(t->server, scope, "a:3", NULL);
    t->read_code =
        tool_server_read_resource(t->server, scope, "a:1", NULL, arena, &t->resource, NULL);
    await_update(t, scope);
    t->read_again_code =
        tool_server_read_resource(t->server, scope, "a:1", NULL, arena, &t->changed_resource, NULL);
    complete(t, scope);
    t->unknown_uri_code =
        tool_server_read_resource(t->server, scope, "a:3", NULL, arena, &none, NULL);
    t->prompt_code = tool_server_get_prompt(t->server, scope, &known, arena, &t->prompt, NULL);
    t->unknown_prompt_code = tool_server_get_prompt(t->server, scope, &unknown, arena, &none, NULL);
    runtime_cancel(runtime, &ended);
    t->ended_code = tool_server_read_resource(t->server, &ended, "a:1", NULL, arena, &none, NULL);
    tool_server_status(t->server, &t->status);
    tool_server_listen(t->server, NULL);
    return ERR_NONE;
}

static void check_lists(const struct offerings_trial *t)
{
    for (int kind = 0; kind < OFFERING_KINDS; kind++)
        assert_int_equal(t->list_codes[kind], ERR_NONE);
    assert_int_equal(t->found.n, 3);
    assert_string_equal(t->found.list[0].key, "a:1");
    assert_string_equal(t->found.list[0].title, "First");
    assert_string_equal(t->found.list[1].key, "a:2");
    assert_string_equal(t->found.list[1].title, "two");
    assert_string_equal(t->found.list[1].mime_type, "image/png");
    assert_int_equal(t->found.list[2].kind, OFFERING_PROMPT);
    assert_string_equal(t->found.list[2].key, "p");
}

static void check_update(const struct offerings_trial *t)
{
    assert_int_equal(t->watch_code, ERR_NONE);
    assert_int_equal(t->watch_unknown_code, ERR_NOT_FOUND);
    assert_int_equal(t->n_updates, 1);
    assert_string_equal(t->updated, "a:1");
    assert_int_equal(t->read_again_code, ERR_NONE);
    assert_string_equal(json_get_string(json_array_get(t->changed_resource.items, 0), "text"),
                        "text of two");
}

static void check_completion(const struct offerings_trial *t)
{
    assert_int_equal(t->complete_code, ERR_NONE);
    assert_int_equal(t->values.n, 2);
    assert_string_equal(t->values.list[0], "Ada");
    assert_string_equal(t->values.list[1], "Al");
    assert_false(t->values.has_more);
    assert_int_equal(t->complete_nothing_code, ERR_NONE);
    assert_int_equal(t->nothing.n, 0);
}

void offerings_check(struct offerings_trial *t)
{
    check_lists(t);
    check_update(t);
    check_completion(t);
    assert_int_equal(t->read_code, ERR_NONE);
    assert_string_equal(json_get_string(json_array_get(t->resource.items, 0), "text"),
                        "text of one");
    assert_int_equal(strlen(t->resource.bytes), t->resource.length);
    assert_int_equal(t->unknown_uri_code, ERR_NOT_FOUND);
    assert_int_equal(t->prompt_code, ERR_NONE);
    assert_string_equal(
        json_get_string(json_object_get(json_array_get(t->prompt.items, 0), "content"), "text"),
        "hello Ada");
    assert_true(t->unknown_prompt_code == ERR_NOT_FOUND || t->unknown_prompt_code == ERR_INVALID);
    assert_int_equal(t->ended_code, ERR_CANCELLED);
    assert_true(t->status.has_resources);
    assert_true(t->status.has_prompts);
    arena_finish(&t->arena);
}
