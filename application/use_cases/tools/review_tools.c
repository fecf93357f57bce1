#include "application/use_cases/tools/review_tools.h"
#include "application/tools/consent.h"
#include "application/tools/server_events.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define REPEATS                                                                                    \
    "    it says that it only reads: once approved, mistro may repeat it when an answer is lost\n"

static const char *agreed_text(const struct pins *pins, const char *name)
{
    for (size_t i = 0; i < pins->n; i++)
        if (strcmp(pins->list[i].name, name) == 0)
            return pins->list[i].definition;
    return NULL;
}

static void add_tools(struct arena *arena, const struct pins *pins,
                      const struct pin_verdict *verdict, struct reviewed_server *out)
{
    const struct tool_catalogue *catalogue = out->catalogue;
    out->tools = arena_array(arena, struct reviewed_tool, verdict->n_changed + verdict->n_new + 1);
    for (size_t i = 0; i < catalogue->n_tools; i++) {
        const struct tool *tool = &catalogue->tools[i];
        enum pin_state state = pin_verdict_of(verdict, i);
        if (state == PIN_AGREED)
            continue;
        const char *agreed = state == PIN_CHANGED ? agreed_text(pins, tool->name) : NULL;
        out->tools[out->n++] = (struct reviewed_tool){
            .tool = tool,
            .why = state,
            .agreed = agreed,
            .change = definition_change(arena, agreed, tool),
        };
    }
}

static enum err_code add_server(struct services *services, struct scope *scope, struct arena *arena,
                                struct tool_server *server, struct tool_review *review,
                                struct err *err)
{
    const struct pin_verdict *verdict = NULL;
    struct pins pins = { 0 };
    const struct tool_catalogue *catalogue =
        toolbox_catalogue(review->toolbox, tool_server_name(server), &verdict);
    if (!catalogue || !verdict->states)
        return ERR_NONE;
    enum err_code r = pins_load(services, scope, server, arena, &pins, err);
    if (r)
        return r;
    struct reviewed_server *reviewed = &review->servers[review->n_servers++];
    *reviewed = (struct reviewed_server){ .name = tool_server_name(server),
                                          .server = server,
                                          .catalogue = catalogue };
    add_tools(arena, &pins, verdict, reviewed);
    return ERR_NONE;
}

static bool is_from_project(const struct settings *settings, const char *server)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, server) == 0)
            return settings->servers[i].from_project;
    return false;
}

static enum err_code choose_servers(struct services *services, struct scope *scope,
                                    struct arena *arena, const struct review_request *request,
                                    struct tool_server ***out, size_t *out_n, struct err *err)
{
    struct tool_server **all = NULL;
    size_t n_all = 0, n = 0;
    enum err_code r = services_servers(services, scope, &all, &n_all, err);
    if (r)
        return r;
    struct tool_server **chosen = arena_array(arena, struct tool_server *, n_all + 1);
    for (size_t i = 0; i < n_all; i++)
        if (!request->without_project ||
            !is_from_project(services->settings, tool_server_name(all[i])))
            chosen[n++] = all[i];
    *out = chosen;
    *out_n = n;
    return ERR_NONE;
}

enum err_code review_tools(struct services *services, struct scope *scope, struct arena *arena,
                           const struct review_request *request, struct tool_review *out,
                           struct err *err)
{
    struct tool_server **servers = NULL;
    size_t n = 0;
    struct server_watch watch;
    enum err_code r = choose_servers(services, scope, arena, request, &servers, &n, err);
    if (r)
        return r;
    struct tool_review review = { .toolbox = toolbox_create(services, servers, n),
                                  .servers = arena_array(arena, struct reviewed_server, n + 1) };
    server_watch_begin(&watch, services, servers, n);
    r = toolbox_refresh(review.toolbox, scope, request->only, err);
    server_watch_end(&watch);
    for (size_t i = 0; !r && i < n; i++)
        r = add_server(services, scope, arena, servers[i], &review, err);
    if (r) {
        tool_review_finish(&review);
        return r;
    }
    review.failures = toolbox_failures(review.toolbox, &review.n_failures);
    *out = review;
    return ERR_NONE;
}

void tool_review_finish(struct tool_review *review)
{
    toolbox_destroy(review->toolbox);
    *review = (struct tool_review){ 0 };
}

enum err_code review_approve(struct services *services, struct scope *scope, struct arena *arena,
                             const struct reviewed_server *server, struct err *err)
{
    enum err_code r = pins_approve(services, scope, server->server, server->catalogue, err);
    for (size_t i = 0; !r && i < server->n; i++)
        if (server->tools[i].tool->read_only == HINT_YES)
            r = consent_store_repeat(services, server->server, scope, arena, server->tools[i].tool,
                                     err);
    return r;
}

bool reviewed_server_print(struct buf *out, const struct reviewed_server *server)
{
    bool fits = buf_printf(out, "server %s\n", server->name);
    for (size_t i = 0; fits && i < server->n; i++) {
        const struct reviewed_tool *tool = &server->tools[i];
        const char *name = tool->tool->full_name;
        fits = buf_puts(out, tool->why == PIN_CHANGED ? "  changed: " : "  new: ") &&
               text_append_visible(out, name, strlen(name)) && buf_puts(out, "\n") &&
               definition_change_print(out, &tool->change) &&
               (tool->tool->read_only != HINT_YES || buf_puts(out, REPEATS));
    }
    return fits;
}

static json_t *agreed_to_json(const char *text)
{
    json_t *value = NULL;
    if (!text || json_parse(text, strlen(text), JSON_FOREIGN, &value, NULL))
        return json_null();
    return value;
}

json_t *reviewed_server_to_json(const struct reviewed_server *server)
{
    json_t *tools = json_array();
    for (size_t i = 0; i < server->n; i++) {
        const struct reviewed_tool *tool = &server->tools[i];
        json_array_append_new(
            tools, json_pack("{s:s, s:s, s:o, s:O, s:b}", "name", tool->tool->full_name, "reason",
                             pin_state_name(tool->why), "agreed", agreed_to_json(tool->agreed),
                             "definition", tool->tool->definition, "repeat",
                             tool->tool->read_only == HINT_YES));
    }
    return json_pack("{s:s, s:o}", "server", server->name, "tools", tools);
}
