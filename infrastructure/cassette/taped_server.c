/* A tool server, recorded and replayed: what passes are the JSON-RPC messages that an MCP server
 * would see. A list is recorded when it is another one than before: asking for it again costs
 * nothing and says nothing. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/cassette/cassette_messages.h"
#include "infrastructure/cassette/cassette_ports.h"
#include "infrastructure/cassette/cassette_recorder.h"
#include <stdint.h>
#include <string.h>

/* Found by the functions of the port: they are a part of it. */
struct taped_server {
    struct tool_server_ops ops;
    struct cassette_party party;
    struct tool_catalogue *catalogue; /* the latest list; NULL: none, or it is out of date */
    /* While recording: */
    const struct tool_server_ops *real;
    struct cassette_recorder *recorder;
    int64_t n_lists;
    void (*on_tools_changed)(void *context, struct tool_server *server); /* of its listener */
    /* While replaying: */
    struct tool_server port;
    struct cassette *cassette;
    const struct cassette_member *member;
    struct tool_server_listener listener;
    struct tool_server **parts; /* of one that stands for several */
    size_t n_parts;
};

/* A call on its way, in front of what its caller hears. */
struct recorded_call {
    struct cassette_exchange exchange;
    const struct tool_call *call;
    struct answerer answerer;
};

static struct taped_server *of(struct tool_server *server)
{
    return (struct taped_server *)(uintptr_t)server->ops;
}

static struct cassette_exchange exchange_of(const struct taped_server *s, const struct scope *sc)
{
    return (struct cassette_exchange){ s->recorder, s->party, sc, 0 };
}

/* Without an argument that carries the effect id: that is of one run, and a replay has none. */
static json_t *call_params(const struct tool_call *call)
{
    json_t *arguments = json_object(), *value;
    const char *key;
    json_each_member (call->arguments, key, value)
        if (!call->effect_id || !text_equal(json_string_value(value), call->effect_id))
            json_object_set(arguments, key, value);
    return json_pack("{s:s, s:o}", "name", call->name, "arguments", arguments);
}

static enum err_code record_list(struct tool_server *server, struct scope *sc,
                                 struct tool_catalogue **out, struct err *err)
{
    struct taped_server *s = of(server);
    struct cassette_exchange exchange = exchange_of(s, sc);
    struct err why = { 0 };
    enum err_code r = s->real->list(server, sc, out, &why);
    if (!r && *out != s->catalogue) {
        tool_catalogue_unref(s->catalogue);
        s->catalogue = tool_catalogue_ref(*out);
        s->n_lists++;
    }
    if (!r && !cassette_is_news(&exchange, s->n_lists))
        return r;
    json_t *tools = json_array();
    for (size_t i = 0; !r && i < (*out)->n_tools; i++)
        json_array_append_new(tools, json_share((*out)->tools[i].definition));
    json_auto_t *result = json_pack("{s:o}", "tools", tools);
    auto_str text = json_print(result);
    cassette_record_request(&exchange, "tools/list", NULL);
    return cassette_record_answer(&exchange, r ? NULL : text, strlen(text), CASSETTE_PROSE, &why,
                                  err);
}

static void on_progress(void *context, double progress, double total, const char *message)
{
    const struct recorded_call *one = context;
    json_t *params = json_pack("{s:I, s:f, s:s*}", "progressToken", (json_int_t)one->exchange.id,
                               "progress", progress, "message", message);
    if (total >= 0)
        json_object_set_new(params, "total", json_real(total));
    cassette_record_message(&one->exchange, /* is_sent= */ false,
                            json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method",
                                      "notifications/progress", "params", params),
                            CASSETTE_DATA);
    if (one->call->on_progress)
        one->call->on_progress(one->call->context, progress, total, message);
}

static void on_sent(void *context)
{
    const struct tool_call *call = ((const struct recorded_call *)context)->call;
    if (call->on_sent)
        call->on_sent(call->context);
}

static void on_task(void *context, const char *id, const char *status, const char *message)
{
    const struct tool_call *call = ((const struct recorded_call *)context)->call;
    if (call->on_task)
        call->on_task(call->context, id, status, message);
}

/* A question of the server, and what was answered: result (stolen), or why there is no answer. */
static void record_question(const struct recorded_call *one, const char *id, const char *method,
                            json_t *params)
{
    cassette_record_message(&one->exchange, /* is_sent= */ false,
                            json_pack("{s:s, s:s, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method",
                                      method, "params", params),
                            CASSETTE_PROSE);
}

static enum err_code record_our_answer(const struct recorded_call *one, const char *id,
                                       json_t *result, const struct err *why, struct err *err)
{
    json_t *message = json_pack("{s:s, s:s}", "jsonrpc", "2.0", "id", id);
    json_object_set_new(message, result ? "result" : "error",
                        result ? result : cassette_error_json(why));
    cassette_record_message(&one->exchange, /* is_sent= */ true, message, CASSETTE_DATA);
    if (result)
        return ERR_NONE;
    if (err)
        *err = *why;
    return why->code;
}

static enum err_code on_question(void *context, struct scope *sc,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err)
{
    static const char *const actions[] = { [ELICITATION_ACCEPT] = "accept",
                                           [ELICITATION_DECLINE] = "decline",
                                           [ELICITATION_CANCEL] = "cancel" };
    const struct recorded_call *one = context;
    const struct answerer *asked = one->call->answerer;
    const char *id = cassette_question_id(one->exchange.recorder, arena);
    struct err why = { 0 };
    json_t *meta = question->must_finish ? json_pack("{s:b}", "mustFinish", true) : NULL;
    record_question(one, id, "elicitation/create",
                    json_pack("{s:s, s:O*, s:s*, s:o*}", "message", question->message,
                              "requestedSchema", question->schema, "url", question->url, "_meta",
                              meta));
    enum err_code r = asked->on_question(asked->context, sc, question, arena, out, &why);
    json_t *result = r ? NULL
                       : json_pack("{s:s, s:O*}", "action", actions[out->action], "content",
                                   out->action == ELICITATION_ACCEPT ? out->content : NULL);
    return record_our_answer(one, id, result, &why, err);
}

static enum err_code on_sampling(void *context, struct scope *sc, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err)
{
    const struct recorded_call *one = context;
    const struct answerer *asked = one->call->answerer;
    const char *id = cassette_question_id(one->exchange.recorder, arena);
    struct err why = { 0 };
    record_question(one, id, "sampling/createMessage", json_share(params));
    enum err_code r = asked->on_sampling(asked->context, sc, params, arena, out_result, &why);
    return record_our_answer(one, id, r ? NULL : json_share(*out_result), &why, err);
}

static enum err_code record_call(struct tool_server *server, struct scope *sc,
                                 const struct tool_call *given, struct arena *arena,
                                 struct step_result *out, struct err *err)
{
    const struct taped_server *s = of(server);
    struct recorded_call one = { .exchange = exchange_of(s, sc), .call = given };
    struct tool_call passed = *given;
    struct err why = { 0 };
    cassette_record_request(&one.exchange, "tools/call", call_params(given));
    passed.context = &one;
    passed.on_progress = on_progress;
    passed.on_sent = on_sent;
    passed.on_task = on_task;
    if (given->answerer) {
        one.answerer = (struct answerer){
            .on_question = given->answerer->on_question ? on_question : NULL,
            .on_sampling = given->answerer->on_sampling ? on_sampling : NULL,
            .context = &one,
        };
        passed.answerer = &one.answerer;
    }
    enum err_code r = s->real->call(server, sc, &passed, arena, out, &why);
    return cassette_record_answer(&one.exchange, r ? NULL : out->bytes, r ? 0 : out->length,
                                  CASSETTE_DATA, &why, err);
}

static enum err_code record_resource(struct tool_server *server, struct scope *sc, const char *uri,
                                     const struct answerer *answerer, struct arena *arena,
                                     struct offering_result *out, struct err *err)
{
    const struct taped_server *s = of(server);
    struct cassette_exchange exchange = exchange_of(s, sc);
    struct err why = { 0 };
    cassette_record_request(&exchange, "resources/read", json_pack("{s:s}", "uri", uri));
    enum err_code r = s->real->read_resource(server, sc, uri, answerer, arena, out, &why);
    return cassette_record_answer(&exchange, r ? NULL : out->bytes, r ? 0 : out->length,
                                  CASSETTE_DATA, &why, err);
}

static void on_tools_changed(void *context, struct tool_server *server)
{
    const struct taped_server *s = of(server);
    const struct cassette_exchange exchange = exchange_of(s, NULL);
    cassette_record_message(
        &exchange, /* is_sent= */ false,
        json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", "notifications/tools/list_changed"),
        CASSETTE_DATA);
    if (s->on_tools_changed)
        s->on_tools_changed(context, server);
}

static void record_listener(struct tool_server *server, const struct tool_server_listener *listener)
{
    struct taped_server *s = of(server);
    struct tool_server_listener passed;
    if (listener) {
        passed = *listener;
        passed.on_tools_changed = on_tools_changed;
        s->on_tools_changed = listener->on_tools_changed;
    }
    s->real->listen(server, listener ? &passed : NULL);
}

static void destroy_recorded(struct tool_server *server)
{
    tool_catalogue_unref(of(server)->catalogue);
    of(server)->real->destroy(server);
}

void cassette_record_server(struct cassette_recorder *recorder, int sampling,
                            struct tool_server *server)
{
    struct taped_server *s = arena_new(cassette_recorder_arena(recorder), struct taped_server);
    struct tool_server_status known = { 0 };
    tool_server_status(server, &known);
    *s = (struct taped_server){ .ops = *server->ops, .real = server->ops, .recorder = recorder };
    s->ops.list = record_list;
    s->ops.call = record_call;
    s->ops.listen = server->ops->listen ? record_listener : NULL;
    s->ops.read_resource = server->ops->read_resource ? record_resource : NULL;
    s->ops.destroy = destroy_recorded;
    s->party = (struct cassette_party){ CASSETTE_SERVER, tool_server_name(server) };
    s->party.name = cassette_record_start(
        recorder, &s->party,
        json_pack("{s:b, s:i}", "builtin", known.is_builtin, "sampling", sampling));
    server->ops = &s->ops;
}

static const char *name(struct tool_server *server)
{
    return of(server)->party.name;
}

/* Steals params. Time does not pass in a replay: only who cancelled is not answered. */
static enum err_code take(struct taped_server *s, struct scope *sc, const char *method,
                          json_t *params, bool repeats, struct cassette_answer *out,
                          struct err *err)
{
    enum err_code r = scope_check(sc, 0, err);
    json_auto_t *request = cassette_request(method, params);
    return r ? r : cassette_take(s->cassette, &s->party, request, repeats, out, err);
}

/* A recording of mcporter has the pages of a list. */
static enum err_code take_list(struct taped_server *s, struct scope *sc,
                               struct tool_catalogue *into, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const char *cursor = NULL;
    do {
        struct cassette_answer answer;
        json_t *value = NULL, *tool;
        size_t i;
        enum err_code r =
            take(s, sc, "tools/list", json_pack("{s:s*}", "cursor", cursor), true, &answer, err);
        if (!r)
            r = json_parse(answer.result, answer.length, JSON_FOREIGN, &value, err);
        if (r)
            return r;
        (void)arena_keep_json(&scratch, value);
        json_array_foreach (json_object_get(value, "tools"), i, tool) {
            r = tool_catalogue_add(into, tool, err);
            if (r)
                return r;
        }
        const char *next = json_get_string(value, "nextCursor");
        cursor = text_equal(next, cursor) ? NULL : next;
    } while (cursor);
    return ERR_NONE;
}

/* mcporter calls tools without asking for a list: then there are those that were called. */
static enum err_code list_called(const struct taped_server *s, struct tool_catalogue *into,
                                 struct err *err)
{
    size_t i;
    const json_t *tool;
    enum err_code r = ERR_NONE;
    json_array_foreach (s->member->tools, i, tool) {
        json_auto_t *definition =
            json_pack("{s:O, s:{s:s}}", "name", tool, "inputSchema", "type", "object");
        r = r ? r : tool_catalogue_add(into, definition, err);
    }
    return r;
}

static enum err_code list(struct tool_server *server, struct scope *sc, struct tool_catalogue **out,
                          struct err *err)
{
    struct taped_server *s = of(server);
    bool has_calls_only = !s->member->n_lists && json_array_size(s->member->tools);
    if (!s->catalogue) {
        struct tool_catalogue *fresh = tool_catalogue_create(s->party.name);
        enum err_code r =
            has_calls_only ? list_called(s, fresh, err) : take_list(s, sc, fresh, err);
        if (r) {
            tool_catalogue_unref(fresh);
            return r;
        }
        s->catalogue = fresh;
    }
    *out = tool_catalogue_ref(s->catalogue);
    return ERR_NONE;
}

/* What was answered then is answered again, by the same people; the result is not made of it. */
static void ask_again(const struct answerer *answerer, struct scope *sc, const char *method,
                      const json_t *params)
{
    AUTO(arena) scratch = { 0 };
    struct elicitation_answer answer;
    json_t *result = NULL;
    const struct elicitation question = {
        .message = json_get_string(params, "message"),
        .schema = json_object_get(params, "requestedSchema"),
        .url = json_get_string(params, "url"),
        .must_finish = json_get_bool(json_object_get(params, "_meta"), "mustFinish", false),
    };
    if (strcmp(method, "elicitation/create") == 0 && question.message && answerer->on_question)
        (void)answerer->on_question(answerer->context, sc, &question, &scratch, &answer, NULL);
    else if (strcmp(method, "sampling/createMessage") == 0 && answerer->on_sampling)
        (void)answerer->on_sampling(answerer->context, sc, params, &scratch, &result, NULL);
}

static void tell_meanwhile(const struct tool_call *call, struct scope *sc, const json_t *message,
                           bool asks_again)
{
    const json_t *params = json_object_get(message, "params");
    bool is_question = json_object_get(message, "id");
    if (is_question && asks_again && call->answerer)
        ask_again(call->answerer, sc, json_get_string(message, "method"), params);
    else if (!is_question && call->on_progress)
        call->on_progress(call->context, json_get_number(params, "progress", 0),
                          json_get_number(params, "total", -1), json_get_string(params, "message"));
}

static enum err_code call(struct tool_server *server, struct scope *sc,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    struct taped_server *s = of(server);
    struct cassette_answer answer = { 0 };
    const json_t *message;
    size_t i;
    enum err_code r = take(s, sc, "tools/call", call_params(call), false, &answer, err);
    json_array_foreach (answer.meanwhile, i, message)
        tell_meanwhile(call, sc, message, answer.asks_again);
    if (answer.changes_tools) {
        tool_catalogue_unref(s->catalogue);
        s->catalogue = NULL;
        if (s->listener.on_tools_changed)
            s->listener.on_tools_changed(s->listener.context, server);
    }
    return r ? r : step_result_init(arena, answer.result, answer.length, out, err);
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    const struct taped_server *s = of(server);
    *out = (struct tool_server_status){ .name = s->party.name,
                                        .state = SERVER_READY,
                                        .transport = "cassette",
                                        .command = "",
                                        .era = "",
                                        .protocol_version = "",
                                        .server_name = "",
                                        .server_version = "",
                                        .instructions = "",
                                        .n_tools = s->catalogue ? s->catalogue->n_tools : 0,
                                        .is_builtin =
                                            json_get_bool(s->member->facts, "builtin", false),
                                        .login_issuer = "",
                                        .login_scope = "",
                                        .identity = "cassette",
                                        .offer = "" };
}

static void listen_to(struct tool_server *server, const struct tool_server_listener *listener)
{
    of(server)->listener = listener ? *listener : (struct tool_server_listener){ 0 };
}

static enum err_code read_resource(struct tool_server *server, struct scope *sc, const char *uri,
                                   const struct answerer *answerer, struct arena *arena,
                                   struct offering_result *out, struct err *err)
{
    struct cassette_answer answer;
    json_t *value = NULL;
    (void)answerer;
    enum err_code r =
        take(of(server), sc, "resources/read", json_pack("{s:s}", "uri", uri), false, &answer, err);
    if (!r)
        r = json_parse(answer.result, answer.length, JSON_FOREIGN, &value, err);
    if (r)
        return r;
    return offering_result_init(arena, OFFERING_RESOURCE, answer.result, answer.length,
                                arena_keep_json(arena, value), out, err);
}

static void close_nothing(struct tool_server *server, struct scope *sc)
{
    (void)server;
    (void)sc;
}

static void forget_list(struct tool_server *server)
{
    tool_catalogue_unref(of(server)->catalogue);
    of(server)->catalogue = NULL;
}

struct tool_server *cassette_server(struct cassette *cassette, const struct cassette_member *member)
{
    struct taped_server *s = arena_new(cassette_arena(cassette), struct taped_server);
    *s = (struct taped_server){ .ops = { .name = name,
                                         .list = list,
                                         .call = call,
                                         .status = status,
                                         .listen = listen_to,
                                         .read_resource = read_resource,
                                         .close = close_nothing,
                                         .destroy = forget_list },
                                .party = member->party,
                                .cassette = cassette,
                                .member = member };
    s->port.ops = &s->ops;
    return &s->port;
}

/* Several servers as one. */
static const char *shown_name(struct arena *arena, const struct taped_server *s,
                              const struct tool *tool)
{
    return s->n_parts == 1 ? tool->name : arena_printf(arena, "%s__%s", tool->server, tool->name);
}

static enum err_code add_tools(const struct taped_server *s, struct tool_catalogue *into,
                               const struct tool_catalogue *from, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < from->n_tools && !r; i++) {
        json_auto_t *shown = json_copy((json_t *)(uintptr_t)from->tools[i].definition);
        json_object_set_new(shown, "name", json_string(shown_name(&scratch, s, &from->tools[i])));
        r = tool_catalogue_add(into, shown, err);
    }
    return r;
}

static enum err_code list_all(struct tool_server *server, struct scope *sc,
                              struct tool_catalogue **out, struct err *err)
{
    const struct taped_server *s = of(server);
    enum err_code r = ERR_NONE;
    struct tool_catalogue *fresh = tool_catalogue_create(s->party.name);
    for (size_t i = 0; i < s->n_parts && !r; i++) {
        struct tool_catalogue *part = NULL;
        r = tool_server_list(s->parts[i], sc, &part, err);
        if (!r)
            r = add_tools(s, fresh, part, err);
        tool_catalogue_unref(part);
    }
    if (r)
        tool_catalogue_unref(fresh);
    else
        *out = fresh;
    return r;
}

static enum err_code call_one(struct tool_server *server, struct scope *sc,
                              const struct tool_call *given, struct arena *arena,
                              struct step_result *out, struct err *err)
{
    const struct taped_server *s = of(server);
    struct tool_call passed = *given;
    size_t i = 0;
    for (; s->n_parts > 1 && i < s->n_parts; i++) {
        const char *part = arena_printf(arena, "%s__", tool_server_name(s->parts[i]));
        if (!text_starts_with(given->name, part))
            continue;
        passed.name += strlen(part);
        break;
    }
    if (i == s->n_parts)
        return err_set(err, ERR_NOT_FOUND, 0, "unknown tool '%.80s'", given->name);
    return tool_server_call(s->parts[i], sc, &passed, arena, out, err);
}

static void status_of_all(struct tool_server *server, struct tool_server_status *out)
{
    tool_server_status(of(server)->parts[0], out);
    out->name = name(server);
}

static void listen_to_all(struct tool_server *server, const struct tool_server_listener *listener)
{
    for (size_t i = 0; i < of(server)->n_parts; i++)
        tool_server_listen(of(server)->parts[i], listener);
}

static void close_cassette(struct tool_server *server)
{
    struct taped_server *s = of(server);
    for (size_t i = 0; i < s->n_parts; i++)
        tool_server_destroy(s->parts[i]);
    cassette_close(s->cassette);
}

/* A recording of mistro names every server that was configured; one that was never asked for
 * anything has nothing to serve. */
static bool is_served(const struct cassette_member *member, const char *wanted)
{
    return member->party.kind == CASSETTE_SERVER &&
           (member->n_lists || json_array_size(member->tools)) &&
           (!wanted || strcmp(member->party.name, wanted) == 0);
}

enum err_code cassette_serve(struct cassette *cassette, const char *wanted,
                             struct tool_server **out, struct err *err)
{
    size_t n = cassette_n_members(cassette);
    struct arena *arena = cassette_arena(cassette);
    struct taped_server *s = arena_new(arena, struct taped_server);
    *s = (struct taped_server){ .ops = { .name = name,
                                         .list = list_all,
                                         .call = call_one,
                                         .status = status_of_all,
                                         .listen = listen_to_all,
                                         .close = close_nothing,
                                         .destroy = close_cassette },
                                .party = { CASSETTE_SERVER, "replay" },
                                .cassette = cassette,
                                .parts = arena_array(arena, struct tool_server *, n + 1) };
    s->port.ops = &s->ops;
    for (size_t i = 0; i < n; i++)
        if (is_served(cassette_member(cassette, i), wanted))
            s->parts[s->n_parts++] = cassette_server(cassette, cassette_member(cassette, i));
    if (s->n_parts) {
        *out = &s->port;
        return ERR_NONE;
    }
    cassette_close(cassette);
    return wanted ? err_set(err, ERR_NOT_FOUND, 0, "the cassette has no server %.80s", wanted)
                  : err_set(err, ERR_NOT_FOUND, 0, "the cassette has no server's tools");
}
