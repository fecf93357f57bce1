#include "infrastructure/mock/mock_server.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/mock/mock_offerings.h"
#include "infrastructure/mock/mock_reply.h"
#include <stdlib.h>
#include <string.h>

struct mock_server {
    struct tool_server port;
    struct runtime *runtime;
    char *name;
    struct mock_fixture fixture;
    struct tool_catalogue *catalogue; /* NULL: to be made anew */
    json_t *calls;
    json_t *watched; /* URIs: object of true */
    json_t *reads;   /* how often each resource was read: object of numbers */
    struct tool_server_listener listener;
    mock_fault_fn *on_fault;
    void *fault_context;
    bool is_silent;
};

static struct mock_server *mock_of(struct tool_server *server)
{
    return (struct mock_server *)server;
}

static const char *mock_name(struct tool_server *server)
{
    return mock_of(server)->name;
}

static enum err_code mock_list(struct tool_server *server, struct scope *sc,
                               struct tool_catalogue **out, struct err *err)
{
    struct mock_server *m = mock_of(server);
    enum err_code r = scope_check(sc, runtime_now_ms(m->runtime), err);
    if (r)
        return r;
    if (!m->catalogue) {
        struct tool_catalogue *fresh = tool_catalogue_create(m->name);
        for (size_t i = 0; i < m->fixture.n_tools && !r; i++)
            if (!m->fixture.tools[i].hidden)
                r = tool_catalogue_add(fresh, m->fixture.tools[i].definition, err);
        if (r) {
            tool_catalogue_unref(fresh);
            return r;
        }
        m->catalogue = fresh;
    }
    *out = tool_catalogue_ref(m->catalogue);
    return ERR_NONE;
}

/* Waits without a sign of life, at most as long as the caller accepts silence. */
static enum err_code stay_quiet(struct mock_server *m, struct scope *sc,
                                const struct tool_call *call, int64_t ms, struct err *err)
{
    bool is_too_long = call->silence_ms > 0 && ms >= call->silence_ms;
    if (ms <= 0)
        return scope_check(sc, runtime_now_ms(m->runtime), err);
    enum err_code r = runtime_sleep(m->runtime, sc, is_too_long ? call->silence_ms : ms, err);
    if (r || !is_too_long)
        return r;
    return err_set(err, ERR_TIMEOUT, 0, "no answer for %lld ms", (long long)call->silence_ms);
}

static enum err_code hang(struct mock_server *m, struct scope *sc, const struct tool_call *call,
                          struct err *err)
{
    enum err_code r = ERR_NONE;
    while (!r)
        r = stay_quiet(m, sc, call, MOCK_MAX_NUMBER, err);
    return r;
}

/* Waits for the delay of the reply; its progress is spread evenly over it where an entry has no
 * delay of its own. */
static enum err_code act_busy(struct mock_server *m, struct scope *sc, const struct tool_call *call,
                              const struct mock_reply *reply, struct err *err)
{
    const json_t *list = json_object_get(reply->spec, "progress");
    size_t n = json_array_size(list);
    int64_t share = reply->delay_ms / (int64_t)(n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *entry = json_array_get(list, i);
        enum err_code r = stay_quiet(m, sc, call, json_get_int(entry, "delay_ms", share), err);
        if (r)
            return r;
        if (call->on_progress)
            call->on_progress(call->context, json_get_number(entry, "progress", (double)(i + 1)),
                              json_get_number(entry, "total", -1),
                              json_get_string(entry, "message"));
    }
    return stay_quiet(m, sc, call, share, err);
}

static void send_logs(struct mock_server *m, const struct mock_reply *reply)
{
    size_t i;
    json_t *entry, *logs = json_object_get(reply->spec, "logs");
    json_array_foreach (logs, i, entry) {
        const char *level = json_get_string(entry, "level"), *text = json_get_string(entry, "text");
        if (m->listener.on_log)
            m->listener.on_log(m->listener.context, &m->port, level ? level : "info",
                               text ? text : "");
    }
}

static bool set_hidden(struct mock_server *m, const json_t *names, bool hidden)
{
    bool changed = false;
    for (size_t i = 0; i < json_array_size(names); i++) {
        struct mock_tool *tool =
            mock_fixture_find(&m->fixture, json_string_value(json_array_get(names, i)));
        if (!tool || tool->hidden == hidden)
            continue;
        tool->hidden = hidden;
        changed = true;
    }
    return changed;
}

static void change_tools(struct mock_server *m, const struct mock_reply *reply)
{
    bool changed = set_hidden(m, json_object_get(reply->spec, "reveals"), false);
    changed = set_hidden(m, json_object_get(reply->spec, "hides"), true) || changed;
    if (!changed)
        return;
    tool_catalogue_unref(m->catalogue);
    m->catalogue = NULL;
    if (m->listener.on_tools_changed)
        m->listener.on_tools_changed(m->listener.context, &m->port);
}

/* A change of something below a watched resource counts as a change of that resource. */
static void announce_update(struct mock_server *m, const char *uri)
{
    const char *watched;
    json_t *value;
    bool is_watched = false;
    json_each_member (m->watched, watched, value)
        is_watched = is_watched || offering_uri_is_within(uri, watched);
    if (is_watched && m->listener.on_resource_updated)
        m->listener.on_resource_updated(m->listener.context, &m->port, uri);
}

/* ERR_NONE when the reply is given in spite of the fault. */
static enum err_code play_fault(struct mock_server *m, struct scope *sc,
                                const struct tool_call *call, enum mock_fault fault,
                                struct err *err)
{
    if (fault == MOCK_FAULT_NONE)
        return ERR_NONE;
    if (fault == MOCK_FAULT_SILENCE)
        m->is_silent = true;
    if (m->on_fault) {
        enum err_code r = m->on_fault(m->fault_context, sc, fault, err);
        return r || fault == MOCK_FAULT_JUNK ? r : hang(m, sc, call, err);
    }
    switch (fault) {
    case MOCK_FAULT_NONE:
    case MOCK_FAULT_JUNK:
        return ERR_NONE;
    case MOCK_FAULT_HANG:
    case MOCK_FAULT_SILENCE:
        return hang(m, sc, call, err);
    case MOCK_FAULT_CLOSE:
    case MOCK_FAULT_EXIT:
        return err_set(err, ERR_UNAVAILABLE, 0, "the server has gone");
    case MOCK_FAULT_GARBAGE:
        return err_set(err, ERR_PROTOCOL, 0, "the answer stops in the middle");
    }
    return ERR_NONE;
}

static json_t *arguments_of(const struct tool_call *call, struct arena *arena)
{
    return arena_keep_json(arena, call->arguments ? json_share(call->arguments) : json_object());
}

static enum err_code play(struct mock_server *m, struct scope *sc, const struct tool_call *call,
                          struct mock_reply *reply, struct arena *arena, struct step_result *out,
                          struct err *err)
{
    int64_t pause_ms = json_get_int(reply->spec, "pause_ms", -1);
    if (pause_ms >= 0 && call->on_pause)
        call->on_pause(call->context, pause_ms);
    enum err_code r = act_busy(m, sc, call, reply, err);
    if (!r) {
        send_logs(m, reply);
        r = play_fault(m, sc, call, reply->fault, err);
    }
    if (r)
        return r;
    const char *refusal = NULL;
    json_t *known = arena_keep_json(arena, json_pack("{s:O}", "args", arguments_of(call, arena)));
    const struct mock_asking asking = { call->answerer, sc, arena, known };
    r = mock_ask(&asking, reply->spec, &refusal, err);
    if (refusal)
        step_result_from_text(arena, refusal, NULL, true, out);
    if (r || refusal)
        return r;
    change_tools(m, reply);
    const json_t *updates = json_object_get(reply->spec, "updates");
    for (size_t i = 0; i < json_array_size(updates); i++)
        announce_update(m, json_string_value(json_array_get(updates, i)));
    return mock_reply_render(reply, known, arena, out, err);
}

/* Real servers check arguments first. A schema that is itself broken is in a fixture to test its
 * readers, and refuses nothing. */
static bool refuses_arguments(const struct mock_tool *tool, const struct tool_call *call,
                              struct arena *arena, struct step_result *out)
{
    const json_t *schema = json_object_get(tool->definition, "inputSchema");
    const json_t *arguments = arguments_of(call, arena);
    struct problems problems = { .arena = arena };
    bool fits = true;
    enum err_code r = json_schema_check(schema, arguments, &problems, &fits, NULL);
    if (!tool->validates || r || fits)
        return false;
    const char *text = "arguments do not fit inputSchema";
    for (size_t i = 0; i < problems.n; i++)
        text = arena_printf(arena, "%s\n%s", text, problem_print(&problems, &problems.list[i]));
    step_result_from_text(arena, text, NULL, true, out);
    return true;
}

static enum err_code mock_call(struct tool_server *server, struct scope *outer,
                               const struct tool_call *call, struct arena *arena,
                               struct step_result *out, struct err *err)
{
    struct mock_server *m = mock_of(server);
    struct scope sc = runtime_scope(m->runtime, outer, call->max_ms);
    struct mock_tool *tool = mock_fixture_find(&m->fixture, call->name);
    enum err_code r = scope_check(&sc, runtime_now_ms(m->runtime), err);
    if (r)
        return r;
    if (m->is_silent)
        return hang(m, &sc, call, err);
    if (!tool || tool->hidden)
        return err_set(err, ERR_NOT_FOUND, -32602, "unknown tool '%.80s'", call->name);
    if (json_array_size(m->calls) < MOCK_MAX_RECORDED_CALLS)
        json_array_append_new(m->calls, json_pack("{ssso}", "tool", call->name, "arguments",
                                                  json_deep_copy(arguments_of(call, arena))));
    if (refuses_arguments(tool, call, arena, out))
        return ERR_NONE;
    struct mock_reply *reply = mock_reply_pick(tool, call->arguments);
    if (reply)
        return play(m, &sc, call, reply, arena, out, err);
    bool is_scripted = tool->n_replies > 0;
    step_result_from_text(arena,
                          is_scripted ? "no reply of the fixture fits these arguments" : "ok", NULL,
                          is_scripted, out);
    return ERR_NONE;
}

/* What every list, read and prompt begins with: they are answered at once, unless the server has
 * fallen silent. */
static enum err_code attend(struct mock_server *m, struct scope *sc, enum offering_kind kind,
                            struct err *err)
{
    const struct mock_fixture *fixture = &m->fixture;
    const struct tool_call none = { 0 };
    bool has_any =
        kind == OFFERING_PROMPT ? mock_has_prompts(fixture) : mock_has_resources(fixture);
    enum err_code r = scope_check(sc, runtime_now_ms(m->runtime), err);
    if (r)
        return r;
    if (m->is_silent)
        return hang(m, sc, &none, err);
    return has_any ? ERR_NONE : tool_server_lacks(kind, err);
}

static enum err_code mock_offerings(struct tool_server *server, struct scope *sc,
                                    enum offering_kind kind, struct offerings *out, struct err *err)
{
    struct mock_server *m = mock_of(server);
    enum err_code r = attend(m, sc, kind, err);
    return r ? r : mock_offerings_list(&m->fixture, kind, out, err);
}

static enum err_code mock_read(struct tool_server *server, struct scope *sc, const char *uri,
                               const struct answerer *answerer, struct arena *arena,
                               struct offering_result *out, struct err *err)
{
    (void)answerer;
    struct mock_server *m = mock_of(server);
    size_t n_before = (size_t)json_get_int(m->reads, uri, 0);
    enum err_code r = attend(m, sc, OFFERING_RESOURCE, err);
    if (!r)
        r = mock_read_resource(&m->fixture, uri, n_before, arena, out, err);
    if (r || !mock_resource_changes(&m->fixture, uri, n_before))
        return r;
    json_object_set_new(m->reads, uri, json_integer((json_int_t)n_before + 1));
    announce_update(m, uri);
    return ERR_NONE;
}

static enum err_code mock_watch(struct tool_server *server, struct scope *sc, const char *uri,
                                struct err *err)
{
    struct mock_server *m = mock_of(server);
    enum err_code r = attend(m, sc, OFFERING_RESOURCE, err);
    if (r)
        return r;
    if (!mock_has_resource(&m->fixture, uri))
        return err_set(err, ERR_NOT_FOUND, 0, "no resource has the URI '%.200s'", uri);
    if (json_object_size(m->watched) >= MOCK_MAX_OFFERINGS)
        return err_set(err, ERR_LIMIT, 0, "more than %d resources are watched", MOCK_MAX_OFFERINGS);
    json_object_set_new(m->watched, uri, json_true());
    return ERR_NONE;
}

static enum err_code mock_suggest(struct tool_server *server, struct scope *sc,
                                  const struct completion_request *request, struct arena *arena,
                                  struct completion_values *out, struct err *err)
{
    struct mock_server *m = mock_of(server);
    enum err_code r = scope_check(sc, runtime_now_ms(m->runtime), err);
    if (!r && m->is_silent)
        r = hang(m, sc, &(struct tool_call){ 0 }, err);
    if (!r)
        mock_complete(&m->fixture, request, arena, out);
    return r;
}

static enum err_code mock_prompt(struct tool_server *server, struct scope *sc,
                                 const struct prompt_request *request, struct arena *arena,
                                 struct offering_result *out, struct err *err)
{
    struct mock_server *m = mock_of(server);
    enum err_code r = attend(m, sc, OFFERING_PROMPT, err);
    return r ? r : mock_get_prompt(&m->fixture, sc, request, arena, out, err);
}

static void mock_status(struct tool_server *server, struct tool_server_status *out)
{
    struct mock_server *m = mock_of(server);
    const char *version = m->fixture.version, *instructions = m->fixture.instructions;
    *out = (struct tool_server_status){
        .name = m->name,
        .state = SERVER_READY,
        .transport = "in process",
        .command = "",
        .era = "",
        .protocol_version = "",
        .server_name = m->name,
        .server_version = version ? version : "",
        .instructions = instructions ? instructions : "",
        .has_resources = mock_has_resources(&m->fixture),
        .has_prompts = mock_has_prompts(&m->fixture),
        .n_tools = m->fixture.n_tools,
        .identity = "mock",
    };
}

static void mock_listen(struct tool_server *server, const struct tool_server_listener *listener)
{
    mock_of(server)->listener = listener ? *listener : (struct tool_server_listener){ 0 };
}

static void mock_close(struct tool_server *server, struct scope *sc)
{
    (void)server;
    (void)sc;
}

static void mock_destroy(struct tool_server *server)
{
    struct mock_server *m = mock_of(server);
    tool_catalogue_unref(m->catalogue);
    json_decref(m->calls);
    json_decref(m->watched);
    json_decref(m->reads);
    mock_fixture_finish(&m->fixture);
    free(m->name);
    free(m);
}

static const struct tool_server_ops mock_ops = {
    .name = mock_name,
    .list = mock_list,
    .call = mock_call,
    .status = mock_status,
    .listen = mock_listen,
    .offerings = mock_offerings,
    .read_resource = mock_read,
    .get_prompt = mock_prompt,
    .complete = mock_suggest,
    .watch_resource = mock_watch,
    .close = mock_close,
    .destroy = mock_destroy,
};

enum err_code mock_server_create(struct runtime *runtime, const char *name, json_t *fixture,
                                 struct tool_server **out, struct err *err)
{
    struct mock_server *m = calloc(1, sizeof *m);
    if (!m)
        abort();
    enum err_code r = mock_fixture_init(&m->fixture, fixture, err);
    if (r) {
        free(m);
        return r;
    }
    m->port.ops = &mock_ops;
    m->runtime = runtime;
    m->name = strdup(name);
    m->calls = json_array();
    m->watched = json_object();
    m->reads = json_object();
    *out = &m->port;
    return ERR_NONE;
}

const struct mock_fixture *mock_server_fixture(struct tool_server *server)
{
    return &mock_of(server)->fixture;
}

const json_t *mock_server_calls(struct tool_server *server)
{
    return mock_of(server)->calls;
}

void mock_server_on_fault(struct tool_server *server, mock_fault_fn *fn, void *context)
{
    mock_of(server)->on_fault = fn;
    mock_of(server)->fault_context = context;
}
