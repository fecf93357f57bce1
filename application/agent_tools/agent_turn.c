#include "application/agent_tools/agent_turn.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *or_nothing(const char *text)
{
    return text ? text : "";
}

static struct agent_turn *of(struct services *services)
{
    return (struct agent_turn *)services;
}

/* The first word behind `serve` that says what is served. */
static bool serves_agent(const struct server_config *config)
{
    bool serves = false;
    for (size_t i = 0; i < config->n_arguments; i++) {
        const char *word = config->arguments[i];
        if (serves && strcmp(word, "agent") == 0)
            return true;
        if (serves && (strcmp(word, "workspace") == 0 || strcmp(word, "mock") == 0))
            return false;
        serves = serves || strcmp(word, "serve") == 0;
    }
    return false;
}

bool agent_turn_is_agent(const struct server_config *config)
{
    if (!config->command)
        return false;
    const char *slash = strrchr(config->command, '/');
    const char *program = slash ? slash + 1 : config->command;
    return strcmp(program, "mistro") == 0 && serves_agent(config);
}

static bool is_agent(const struct settings *settings, struct tool_server *server)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, tool_server_name(server)) == 0)
            return agent_turn_is_agent(&settings->servers[i]);
    return false;
}

static enum err_code servers(struct services *services, struct scope *scope,
                             struct tool_server ***out, size_t *out_n, struct err *err)
{
    struct agent_turn *turn = of(services);
    struct tool_server **all = NULL;
    size_t n_all = 0, n = 0;
    enum err_code r = services_servers(turn->host, scope, &all, &n_all, err);
    if (r)
        return r;
    struct tool_server **others = arena_array(turn->arena, struct tool_server *, n_all + 1);
    for (size_t i = 0; i < n_all; i++) {
        bool is_hidden = turn->hidden && strcmp(tool_server_name(all[i]), turn->hidden) == 0;
        if (all[i] != turn->self && !is_hidden && !is_agent(services->settings, all[i]))
            others[n++] = all[i];
    }
    *out = others;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code model(struct services *services, struct scope *scope, struct model **out,
                           enum model_choice *out_choice, struct err *err)
{
    return services_model(of(services)->host, scope, out, out_choice, err);
}

static enum err_code conversations(struct services *services, struct conversation_repository **out,
                                   struct err *err)
{
    return services_conversations(of(services)->host, out, err);
}

static enum err_code runs(struct services *services, struct run_repository **out, struct err *err)
{
    return services_runs(of(services)->host, out, err);
}

static enum err_code approvals(struct services *services, struct approval_repository **out,
                               struct err *err)
{
    return services_approvals(of(services)->host, out, err);
}

static enum err_code index_of_turn(struct services *services, struct tool_index **out,
                                   struct err *err)
{
    struct agent_turn *turn = of(services);
    enum err_code r = services_index(turn->host, &turn->shared, err);
    if (!r)
        *out = &turn->index;
    return r;
}

static struct agent_turn *of_index(struct tool_index *index)
{
    return (struct agent_turn *)(void *)((char *)index - offsetof(struct agent_turn, index));
}

/* Puts the tools of this turn into the shared index where those of another turn are in it. Filling
 * and searching never wait, so no other turn comes between them. */
static enum err_code use_index(struct agent_turn *turn, struct err *err)
{
    if (*turn->in_index == turn)
        return ERR_NONE;
    *turn->in_index = NULL;
    enum err_code r = tool_index_build(turn->shared, turn->tools, turn->n_tools, err);
    if (!r)
        *turn->in_index = turn;
    return r;
}

static enum err_code build(struct tool_index *index, const struct tool *const *tools, size_t n,
                           struct err *err)
{
    struct agent_turn *turn = of_index(index);
    turn->tools = tools;
    turn->n_tools = n;
    *turn->in_index = NULL;
    return use_index(turn, err);
}

static enum err_code search(struct tool_index *index, const struct tool_search *search,
                            struct arena *arena, struct tool_hit **out, size_t *out_n,
                            struct err *err)
{
    struct agent_turn *turn = of_index(index);
    enum err_code r = use_index(turn, err);
    return r ? r : tool_index_search(turn->shared, search, arena, out, out_n, err);
}

static const char *stem(struct tool_index *index, const char *language, const char *word,
                        struct arena *arena)
{
    return tool_index_stem(of_index(index)->shared, language, word, arena);
}

static void keep_index(struct tool_index *index)
{
    (void)index;
}

static const char *step_text(struct arena *arena, const json_t *data)
{
    const char *step = json_get_string(data, "step"), *tool = json_get_string(data, "tool");
    return arena_printf(arena, "%s%s%s", step ? step : "", step ? " " : "", tool ? tool : "");
}

static const char *progress_of_step(struct arena *arena, const json_t *data)
{
    const char *message = json_get_string(data, "message"), *step = step_text(arena, data);
    double done = json_get_number(data, "progress", 0), total = json_get_number(data, "total", 0);
    if (message)
        return arena_printf(arena, "%s: %s", step, message);
    return total > 0 ? arena_printf(arena, "%s: %g of %g", step, done, total)
                     : arena_printf(arena, "%s: %g", step, done);
}

/* What a person who waits for the call wants to know; NULL for events that say nothing of that. */
static const char *text_of(struct arena *arena, const struct event *event)
{
    const json_t *data = event->data;
    const char *goal = json_get_string(data, "primary_goal"), *text = json_get_string(data, "text");
    size_t n_steps = json_array_size(json_object_get(json_object_get(data, "plan"), "steps"));
    if (event->kind == EVENT_INTENT)
        return arena_printf(arena, "understood: %s", or_nothing(goal));
    if (event->kind == EVENT_PLAN)
        return arena_printf(arena, "plan of %zu step%s", n_steps, n_steps == 1 ? "" : "s");
    if (event->kind == EVENT_STEP_STARTED)
        return arena_printf(arena, "%s: started", step_text(arena, data));
    if (event->kind == EVENT_STEP_PROGRESS)
        return progress_of_step(arena, data);
    if (event->kind == EVENT_STEP_FINISHED)
        return arena_printf(arena, "%s: %s", step_text(arena, data),
                            json_get_string(data, "status"));
    if (event->kind == EVENT_WARNING && text)
        return arena_printf(arena, "warning: %s", text);
    long long round = (long long)json_get_int(data, "round", 0);
    const char *status = json_get_string(json_object_get(data, "envelope"), "status");
    if (event->kind == EVENT_ENVELOPE)
        return arena_printf(arena, "round %lld, agent %s: %s", round,
                            or_nothing(json_get_string(data, "agent")),
                            status ? status : "nothing that can be read");
    if (event->kind == EVENT_ARBITER_HINT)
        return arena_printf(arena, "round %lld: both are told that they repeat themselves", round);
    if (event->kind == EVENT_STAGE_STARTED)
        return arena_printf(arena, "round %lld: %s", round,
                            or_nothing(json_get_string(data, "stage")));
    return NULL;
}

static void observe(struct observer *observer, const struct event *event)
{
    struct agent_turn *turn =
        (struct agent_turn *)(void *)((char *)observer - offsetof(struct agent_turn, observer));
    AUTO(arena) arena = { 0 };
    const char *text = turn->call->on_progress ? text_of(&arena, event) : NULL;
    if (!text)
        return;
    text = text_one_line(&arena, text, strlen(text), AGENT_TURN_MAX_TEXT_COLUMNS);
    turn->call->on_progress(turn->call->context, ++turn->n_told, -1, text);
}

static enum err_code pins(struct services *services, struct pin_repository **out, struct err *err)
{
    return services_pins(of(services)->host, out, err);
}

static enum err_code model_of(struct services *services, struct scope *scope, const char *name,
                              const char *base_url, struct model **out, struct err *err)
{
    return services_model_of(of(services)->host, scope, name, base_url, out, err);
}

static enum err_code new_index(struct services *services, struct tool_index **out, struct err *err)
{
    return services_new_index(of(services)->host, out, err);
}

static enum err_code renderer(struct services *services, struct renderer **out, struct err *err)
{
    return services_renderer(of(services)->host, out, err);
}

void agent_turn_init(struct agent_turn *turn, struct services *host, struct arena *arena,
                     const struct tool_call *call, const struct agent_turn **in_index)
{
    static const struct services_ops ops = { .servers = servers,
                                             .model = model,
                                             .conversations = conversations,
                                             .runs = runs,
                                             .approvals = approvals,
                                             .index = index_of_turn,
                                             .pins = pins,
                                             .model_of = model_of,
                                             .new_index = new_index,
                                             .renderer = renderer };
    static const struct tool_index_ops index_ops = { build, search, stem, keep_index };
    static const struct observer_ops observer_ops = { observe };
    *turn = (struct agent_turn){ .base = *host,
                                 .host = host,
                                 .arena = arena,
                                 .call = call,
                                 .observer = { &observer_ops },
                                 .index = { &index_ops },
                                 .in_index = in_index };
    turn->base.ops = &ops;
    agent_user_init(&turn->user, call->answerer);
    turn->base.user = &turn->user.base;
    turn->base.observer = &turn->observer;
    turn->base.wants_server_logs = false;
    turn->base.caller = call->trace;
}

void agent_turn_finish(struct agent_turn *turn)
{
    if (*turn->in_index == turn)
        *turn->in_index = NULL;
}
