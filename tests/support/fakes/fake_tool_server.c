#include "tests/support/fakes/fake_tool_server.h"
#include "domain/base/json.h"
#include <assert.h>
#include <string.h>

static struct fake_tool_server *fake_of(struct tool_server *server)
{
    return (struct fake_tool_server *)server;
}

static const char *name(struct tool_server *server)
{
    return fake_of(server)->name;
}

static enum err_code list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    fake->n_lists++;
    enum err_code r = scope_check(scope, runtime_now_ms(fake->runtime), err);
    if (r)
        return r;
    if (fake->list_fails)
        return err_set(err, fake->list_fails, 0, "the fake server was told to fail");
    *out = tool_catalogue_ref(fake->catalogue);
    return ERR_NONE;
}

static struct fake_tool_reply take_reply(struct fake_tool_server *fake, const char *tool)
{
    for (size_t i = 0; i < fake->n_replies; i++)
        if (!fake->replies[i].used && strcmp(fake->replies[i].tool, tool) == 0) {
            fake->replies[i].used = true;
            return fake->replies[i];
        }
    return (struct fake_tool_reply){ .tool = tool, .text = "ok" };
}

static void write_result(const struct fake_tool_reply *reply, struct arena *arena,
                         struct step_result *out)
{
    json_t *structured = NULL;
    struct err err;
    if (reply->is_whole) {
        enum err_code r = step_result_init(arena, reply->text, strlen(reply->text), out, &err);
        assert(r == ERR_NONE);
        return;
    }
    if (reply->structured) {
        enum err_code r =
            json_parse(reply->structured, strlen(reply->structured), JSON_OURS, &structured, &err);
        assert(r == ERR_NONE);
    }
    step_result_from_text(arena, reply->text ? reply->text : reply->structured, structured,
                          reply->is_error, out);
}

static enum err_code call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    assert(fake->n_calls < FAKE_TOOL_SERVER_MAX);
    if (fake->n_calls < 2)
        fake->traceparents[fake->n_calls] = arena_strdup(&fake->arena, call->trace.parent);
    fake->tracestate = arena_strdup(&fake->arena, call->trace.state);
    fake->calls[fake->n_calls++] =
        (struct fake_tool_call){ arena_strdup(&fake->arena, call->name),
                                 json_print_in(&fake->arena, call->arguments) };
    fake->offers_person = call->answerer && call->answerer->on_question;
    fake->offers_model = call->answerer && call->answerer->on_sampling;
    struct fake_tool_reply reply = take_reply(fake, call->name);
    int64_t delay_ms = reply.delay_ms ? reply.delay_ms : fake->delay_ms;
    if (++fake->in_flight > fake->max_in_flight)
        fake->max_in_flight = fake->in_flight;
    if (call->on_progress)
        call->on_progress(call->context, 1, 2, "half");
    if (call->on_task && fake->task) {
        call->on_task(call->context, fake->task, "working", "half");
        call->on_task(call->context, fake->task, "completed", NULL);
    }
    enum err_code r = delay_ms ? runtime_sleep(fake->runtime, scope, delay_ms, err)
                               : scope_check(scope, runtime_now_ms(fake->runtime), err);
    fake->in_flight--;
    if (!r && reply.fails)
        r = err_set(err, reply.fails, 0, "the fake tool was told to fail");
    if (r && reply.is_lost)
        err_outcome_unknown(err, r);
    if (r)
        return r;
    write_result(&reply, arena, out);
    return ERR_NONE;
}

static enum err_code attend(struct fake_tool_server *fake, struct scope *scope,
                            enum offering_kind kind, struct err *err)
{
    bool has_it = fake->offered[kind] || (kind == OFFERING_TEMPLATE && fake->offered[0]);
    enum err_code r = scope_check(scope, runtime_now_ms(fake->runtime), err);
    if (r)
        return r;
    if (fake->list_fails)
        return err_set(err, fake->list_fails, 0, "the fake server was told to fail");
    if (!has_it)
        return tool_server_lacks(kind, err);
    fake->n_offering_requests++;
    return ERR_NONE;
}

static enum err_code offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    const char *text = fake->offered[kind] ? fake->offered[kind] : "[]";
    json_auto_t *list = NULL;
    enum err_code r = attend(fake, scope, kind, err);
    if (!r)
        r = json_parse(text, strlen(text), JSON_OURS, &list, err);
    for (size_t i = 0; !r && i < json_array_size(list); i++)
        r = offerings_add(out, kind, json_array_get(list, i), err);
    return r;
}

static enum err_code answer(struct tool_server *server, struct scope *scope,
                            enum offering_kind kind, const char *key, struct arena *arena,
                            struct offering_result *out, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    struct fake_offering_reply *reply = NULL;
    json_auto_t *value = NULL;
    enum err_code r = attend(fake, scope, kind, err);
    for (size_t i = 0; i < fake->n_offering_replies; i++)
        if (fake->offering_replies[i].kind == kind &&
            strcmp(fake->offering_replies[i].key, key) == 0)
            reply = &fake->offering_replies[i];
    if (r)
        return r;
    if (!reply && kind == OFFERING_RESOURCE)
        return err_set(err, ERR_NOT_FOUND, -32002, "error -32002: \"no such resource\"");
    if (!reply || reply->fails)
        return err_set(err, reply ? reply->fails : ERR_INVALID, -32602, "error -32602: \"no\"");
    bool is_first = reply->n_asked++ == 0;
    const char *result = is_first || !reply->then ? reply->result : reply->then;
    r = json_parse(result, strlen(result), JSON_OURS, &value, err);
    assert(r == ERR_NONE);
    if (is_first && reply->then)
        fake_tool_server_update(fake, key);
    return offering_result_init(arena, kind, result, strlen(result), value, out, err);
}

static enum err_code read_resource(struct tool_server *server, struct scope *scope, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err)
{
    fake_of(server)->offers_person = answerer && answerer->on_question;
    return answer(server, scope, OFFERING_RESOURCE, uri, arena, out, err);
}

static enum err_code get_prompt(struct tool_server *server, struct scope *scope,
                                const struct prompt_request *request, struct arena *arena,
                                struct offering_result *out, struct err *err)
{
    fake_of(server)->offers_person = request->answerer && request->answerer->on_question;
    return answer(server, scope, OFFERING_PROMPT, request->name, arena, out, err);
}

static enum err_code complete(struct tool_server *server, struct scope *scope,
                              const struct completion_request *request, struct arena *arena,
                              struct completion_values *out, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    enum err_code r = runtime_sleep(fake->runtime, scope, fake->completion_delay_ms, err);
    if (r)
        return r;
    fake->completed = *request;
    out->list = arena_array(arena, const char *, ARRAY_LENGTH(fake->completions[0].values));
    for (size_t i = 0; i < ARRAY_LENGTH(fake->completions); i++) {
        const struct fake_completion *known = &fake->completions[i];
        for (size_t j = 0; j < ARRAY_LENGTH(known->values); j++)
            if (known->argument && known->values[j] &&
                strcmp(known->argument, request->argument) == 0 &&
                strncmp(known->values[j], request->typed, strlen(request->typed)) == 0)
                out->list[out->n++] = known->values[j];
    }
    return ERR_NONE;
}

static enum err_code watch_resource(struct tool_server *server, struct scope *scope,
                                    const char *uri, struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    bool is_known = false;
    enum err_code r = attend(fake, scope, OFFERING_RESOURCE, err);
    if (r)
        return r;
    if (fake->watch_fails)
        return err_set(err, fake->watch_fails, 0, "the fake server was told to fail");
    for (size_t i = 0; i < fake->n_offering_replies; i++)
        is_known = is_known || strcmp(fake->offering_replies[i].key, uri) == 0;
    if (!is_known)
        return err_set(err, ERR_NOT_FOUND, 0, "no such resource");
    assert(fake->n_watched < ARRAY_LENGTH(fake->watched));
    fake->watched[fake->n_watched++] = arena_strdup(&fake->arena, uri);
    return ERR_NONE;
}

void fake_tool_server_update(struct fake_tool_server *fake, const char *uri)
{
    const struct tool_server_listener *listener = &fake->listener;
    bool is_watched = false;
    for (size_t i = 0; i < fake->n_watched; i++)
        is_watched = is_watched || !uri || offering_uri_is_within(uri, fake->watched[i]);
    if (is_watched && listener->on_resource_updated)
        listener->on_resource_updated(listener->context, &fake->base, uri);
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    struct fake_tool_server *fake = fake_of(server);
    *out = (struct tool_server_status){
        .name = fake->name,
        .state = fake->state        ? fake->state
                 : fake->list_fails ? SERVER_FAILED
                                    : SERVER_READY,
        .transport = "in process",
        .start_ms = 1,
        .n_tools = fake->catalogue->n_tools,
        .has_resources = fake->offered[OFFERING_RESOURCE] || fake->offered[OFFERING_TEMPLATE],
        .has_prompts = fake->offered[OFFERING_PROMPT] != NULL,
        .is_builtin = fake->is_builtin,
        .login_issuer = fake->is_logged_in ? "https://as.example" : "",
        .login_scope = fake->is_logged_in ? "read write" : "",
        .login_until_ms = fake->is_logged_in ? 1000 : 0,
        .is_logged_in = fake->is_logged_in,
        .offer = fake->offer ? fake->offer : "",
        .identity = fake->identity ? fake->identity : "fake-config",
        .identity_without_folder = fake->identity_without_folder,
        .folder_path = fake->folder_path,
    };
}

static enum err_code log_in(struct tool_server *server, struct scope *sc, const struct login *login,
                            struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    (void)sc;
    if (!fake->login_page)
        return err_set(err, ERR_INVALID, 0, "only servers behind a url have a login");
    login->on_url(login->context, fake->login_page);
    login->on_url(login->context, fake->login_page);
    fake->is_logged_in = !fake->login_fails;
    return fake->login_fails ? err_set(err, fake->login_fails, 0, "as told") : ERR_NONE;
}

static enum err_code log_out(struct tool_server *server, struct scope *sc, bool *out_was_in,
                             struct err *err)
{
    struct fake_tool_server *fake = fake_of(server);
    (void)sc;
    (void)err;
    *out_was_in = fake->is_logged_in;
    fake->is_logged_in = false;
    return ERR_NONE;
}

static void listen_to(struct tool_server *server, const struct tool_server_listener *listener)
{
    fake_of(server)->listener = listener ? *listener : (struct tool_server_listener){ 0 };
}

static void close_server(struct tool_server *server, struct scope *scope)
{
    (void)server;
    (void)scope;
}

static void destroy(struct tool_server *server)
{
    fake_tool_server_finish(fake_of(server));
}

void fake_tool_server_redefine(struct fake_tool_server *fake, const char *definitions)
{
    json_auto_t *tools = NULL;
    struct err err = { 0 };
    tool_catalogue_unref(fake->catalogue);
    fake->catalogue = tool_catalogue_create(fake->name);
    enum err_code r = json_parse(definitions, strlen(definitions), JSON_OURS, &tools, &err);
    for (size_t i = 0; !r && i < json_array_size(tools); i++)
        r = tool_catalogue_add(fake->catalogue, json_array_get(tools, i), &err);
    assert(r == ERR_NONE);
}

void fake_tool_server_init(struct fake_tool_server *fake, struct runtime *runtime,
                           const char *name_, const char *definitions)
{
    static const struct tool_server_ops ops = {
        .name = name,
        .list = list,
        .call = call,
        .status = status,
        .listen = listen_to,
        .offerings = offerings,
        .read_resource = read_resource,
        .get_prompt = get_prompt,
        .complete = complete,
        .watch_resource = watch_resource,
        .log_in = log_in,
        .log_out = log_out,
        .close = close_server,
        .destroy = destroy,
    };
    *fake = (struct fake_tool_server){ .base = { &ops }, .runtime = runtime, .name = name_ };
    fake_tool_server_redefine(fake, definitions);
}

void fake_tool_server_finish(struct fake_tool_server *fake)
{
    tool_catalogue_unref(fake->catalogue);
    arena_finish(&fake->arena);
}

void fake_tool_server_reply(struct fake_tool_server *fake, struct fake_tool_reply reply)
{
    assert(fake->n_replies < FAKE_TOOL_SERVER_MAX);
    fake->replies[fake->n_replies++] = reply;
}

void fake_tool_server_offer(struct fake_tool_server *fake, struct fake_offering_reply reply)
{
    assert(fake->n_offering_replies < FAKE_TOOL_SERVER_MAX);
    fake->offering_replies[fake->n_offering_replies++] = reply;
}
