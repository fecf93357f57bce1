#include "application/tools/reviewed_server.h"
#include "application/tools/consent.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define REPEATS                                                                                    \
    "    it says that it only reads: once approved, mistro may repeat it when an answer is lost\n"

#define IN_FOLDER                                                                                  \
    ", which lies in this folder, so it is approved folder by folder; here nothing is yet\n"

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

enum err_code reviewed_server_load(struct services *services, struct scope *scope,
                                   struct arena *arena, const struct toolbox *toolbox,
                                   struct tool_server *server, struct reviewed_server *out,
                                   struct err *err)
{
    const struct pin_verdict *verdict = NULL;
    const char *name = tool_server_name(server);
    struct pins pins = { 0 };
    *out = (struct reviewed_server){ .name = name,
                                     .server = server,
                                     .catalogue = toolbox_catalogue(toolbox, name, &verdict),
                                     .folder_path = toolbox_folder_path(toolbox, name) };
    if (!out->catalogue || !verdict->states)
        return ERR_NONE;
    enum err_code r = pins_load(services, scope, server, arena, &pins, err);
    if (!r)
        add_tools(arena, &pins, verdict, out);
    return r;
}

enum err_code reviewed_server_approve(struct services *services, struct scope *scope,
                                      struct arena *arena, const struct reviewed_server *server,
                                      struct err *err)
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
    const char *path = server->folder_path;
    bool fits =
        buf_printf(out, "server %s\n", server->name) &&
        (!path || (buf_puts(out, "  its command names ") &&
                   text_append_visible(out, path, strlen(path)) && buf_puts(out, IN_FOLDER)));
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
    return json_pack("{s:s, s:s?, s:o}", "server", server->name, "folder_path", server->folder_path,
                     "tools", tools);
}
