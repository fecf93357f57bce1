#include "tests/support/fakes/faulty_ports.h"

enum err_code faulty_ports_pass(struct faulty_ports *ports, struct scope *scope, struct err *err)
{
    struct runtime *runtime = ports->fake->base.runtime;
    bool is_hit = ++ports->calls == ports->hit_at;
    bool fails = is_hit && ports->fault == FAULT_FAIL;
    if (is_hit && ports->fault == FAULT_CANCEL)
        runtime_cancel(runtime, ports->scope);
    if (is_hit && ports->fault == FAULT_TIME_OUT)
        return err_set(err, ERR_TIMEOUT, 0, "nothing came for 60 s");
    if (fails || (ports->goes_wrong && ports->goes_wrong(ports->context)))
        return err_set(err, ERR_UNAVAILABLE, 0, "the port was told to fail");
    ports->under_way++;
    int64_t ms = ports->latency_ms ? ports->latency_ms(ports->context) : 0;
    enum err_code r = runtime_sleep(runtime, scope, ms, err);
    ports->under_way--;
    return r;
}

static enum err_code check(struct model *model, struct scope *scope, struct arena *arena,
                           struct model_status *out, struct err *err)
{
    struct faulty_model *self = (struct faulty_model *)model;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : model_check(self->inner, scope, arena, out, err);
}

static enum err_code list_models(struct model *model, struct scope *scope, struct arena *arena,
                                 const char ***out_names, size_t *out_n, struct err *err)
{
    struct faulty_model *self = (struct faulty_model *)model;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : model_list(self->inner, scope, arena, out_names, out_n, err);
}

static enum err_code chat(struct model *model, struct scope *scope,
                          const struct model_request *request, struct arena *arena,
                          struct model_reply *out, struct err *err)
{
    struct faulty_model *self = (struct faulty_model *)model;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : model_chat(self->inner, scope, request, arena, out, err);
}

static void keep_model(struct model *model)
{
    (void)model;
}

static const char *name(struct tool_server *server)
{
    return tool_server_name(((struct faulty_server *)server)->inner);
}

static enum err_code list(struct tool_server *server, struct scope *scope,
                          struct tool_catalogue **out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_list(self->inner, scope, out, err);
}

static enum err_code call(struct tool_server *server, struct scope *scope,
                          const struct tool_call *call, struct arena *arena,
                          struct step_result *out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_call(self->inner, scope, call, arena, out, err);
}

static enum err_code offerings(struct tool_server *server, struct scope *scope,
                               enum offering_kind kind, struct offerings *out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_offerings(self->inner, scope, kind, out, err);
}

static enum err_code read_one(struct tool_server *server, struct scope *scope, const char *uri,
                              const struct answerer *answerer, struct arena *arena,
                              struct offering_result *out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_read_resource(self->inner, scope, uri, answerer, arena, out, err);
}

static enum err_code get_one(struct tool_server *server, struct scope *scope,
                             const struct prompt_request *request, struct arena *arena,
                             struct offering_result *out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_get_prompt(self->inner, scope, request, arena, out, err);
}

static enum err_code complete(struct tool_server *server, struct scope *scope,
                              const struct completion_request *request, struct arena *arena,
                              struct completion_values *out, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_complete(self->inner, scope, request, arena, out, err);
}

static enum err_code watch(struct tool_server *server, struct scope *scope, const char *uri,
                           struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_watch_resource(self->inner, scope, uri, err);
}

static enum err_code log_in(struct tool_server *server, struct scope *scope,
                            const struct login *login, struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_log_in(self->inner, scope, login, err);
}

static enum err_code log_out(struct tool_server *server, struct scope *scope, bool *out_was_in,
                             struct err *err)
{
    struct faulty_server *self = (struct faulty_server *)server;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : tool_server_log_out(self->inner, scope, out_was_in, err);
}

static void listen_to(struct tool_server *server, const struct tool_server_listener *listener)
{
    tool_server_listen(((struct faulty_server *)server)->inner, listener);
}

static void status(struct tool_server *server, struct tool_server_status *out)
{
    tool_server_status(((struct faulty_server *)server)->inner, out);
}

static void close_server(struct tool_server *server, struct scope *scope)
{
    (void)server;
    (void)scope;
}

static void keep_server(struct tool_server *server)
{
    (void)server;
}

static enum err_code save(struct conversation_repository *repository, struct scope *scope,
                          const struct conversation *conversation, int64_t loaded_version_ms,
                          struct err *err)
{
    struct faulty_conversations *self = (struct faulty_conversations *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r
             : conversation_repository_save(self->inner, scope, conversation, loaded_version_ms,
                                            err);
}

static enum err_code get_by_id(struct conversation_repository *repository, struct scope *scope,
                               const char *id, struct arena *arena, struct conversation **out,
                               struct err *err)
{
    struct faulty_conversations *self = (struct faulty_conversations *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : conversation_repository_get_by_id(self->inner, scope, id, arena, out, err);
}

static enum err_code append_to(struct conversation_repository *repository, struct scope *scope,
                               const struct conversation *conversation, size_t from,
                               int64_t loaded_version_ms, struct err *err)
{
    struct faulty_conversations *self = (struct faulty_conversations *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r
             : conversation_repository_append(self->inner, scope, conversation, from,
                                              loaded_version_ms, err);
}

static enum err_code get_recent(struct conversation_repository *repository, struct scope *scope,
                                const char *id, size_t max, struct arena *arena,
                                struct conversation **out, struct err *err)
{
    struct faulty_conversations *self = (struct faulty_conversations *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : conversation_repository_get_recent(self->inner, scope, id, max, arena, out, err);
}

static void begin(struct run_repository *repository, const struct run *run)
{
    run_repository_begin(((struct faulty_runs *)repository)->inner, run);
}

static void append(struct run_repository *repository, const struct event *event)
{
    run_repository_append(((struct faulty_runs *)repository)->inner, event);
}

static void finish(struct run_repository *repository, const struct run *run)
{
    run_repository_finish(((struct faulty_runs *)repository)->inner, run);
}

static enum err_code sync_runs(struct run_repository *repository, struct scope *scope,
                               struct err *err)
{
    struct faulty_runs *self = (struct faulty_runs *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : run_repository_sync(self->inner, scope, err);
}

static enum err_code prune(struct run_repository *repository, struct scope *scope,
                           const struct run_retention *keep, int64_t now_ms, size_t *out_removed,
                           struct err *err)
{
    struct faulty_runs *self = (struct faulty_runs *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : run_repository_prune(self->inner, scope, keep, now_ms, out_removed, err);
}

static enum err_code look(struct pin_repository *repository, struct scope *scope,
                          const char *identity, struct pins_head *out, struct err *err)
{
    struct faulty_pins *self = (struct faulty_pins *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : pin_repository_look(self->inner, scope, identity, out, err);
}

static enum err_code load(struct pin_repository *repository, struct scope *scope,
                          const char *identity, struct arena *arena, struct pins *out,
                          struct err *err)
{
    struct faulty_pins *self = (struct faulty_pins *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : pin_repository_load(self->inner, scope, identity, arena, out, err);
}

static enum err_code save_pins(struct pin_repository *repository, struct scope *scope,
                               const struct pins *pins, struct err *err)
{
    struct faulty_pins *self = (struct faulty_pins *)repository;
    enum err_code r = faulty_ports_pass(self->ports, scope, err);
    return r ? r : pin_repository_save(self->inner, scope, pins, err);
}

static void init_stores(struct faulty_ports *ports)
{
    struct fake_services *fake = ports->fake;
    ports->conversations.ports = ports;
    ports->conversations.inner = fake->conversations_port;
    ports->conversations.ops = (struct conversation_repository_ops){
        .save = save, .append = append_to, .get_by_id = get_by_id, .get_recent = get_recent
    };
    ports->conversations.base.ops = &ports->conversations.ops;
    fake->conversations_port = &ports->conversations.base;
    ports->runs.ports = ports;
    ports->runs.inner = fake->runs_port;
    ports->runs.ops = (struct run_repository_ops){
        .begin = begin, .append = append, .finish = finish, .sync = sync_runs, .prune = prune
    };
    ports->runs.base.ops = &ports->runs.ops;
    fake->runs_port = &ports->runs.base;
    static const struct pin_repository_ops pin_ops = { .look = look,
                                                       .load = load,
                                                       .save = save_pins };
    ports->pins = (struct faulty_pins){ { &pin_ops }, ports, fake->pins_port };
    fake->pins_port = &ports->pins.base;
}

void faulty_ports_init(struct faulty_ports *ports, struct fake_services *fake, struct scope *scope)
{
    static const struct model_ops model_ops = {
        .check = check, .list = list_models, .chat = chat, .destroy = keep_model
    };
    static const struct tool_server_ops server_ops = {
        .name = name,
        .list = list,
        .call = call,
        .status = status,
        .listen = listen_to,
        .offerings = offerings,
        .read_resource = read_one,
        .get_prompt = get_one,
        .complete = complete,
        .watch_resource = watch,
        .log_in = log_in,
        .log_out = log_out,
        .close = close_server,
        .destroy = keep_server,
    };
    *ports = (struct faulty_ports){ .fake = fake, .scope = scope };
    ports->model = (struct faulty_model){ { &model_ops }, ports, fake->model_port };
    fake->model_port = &ports->model.base;
    for (size_t i = 0; i < fake->n_servers; i++) {
        ports->servers[i] = (struct faulty_server){ { &server_ops }, ports, fake->server_ports[i] };
        fake->server_ports[i] = &ports->servers[i].base;
    }
    init_stores(ports);
}
