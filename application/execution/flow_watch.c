#include "application/execution/flow_watch.h"
#include "domain/base/text.h"
#include <string.h>

#define NAME_COLUMNS 80

static bool is_behind_url(const struct settings *settings, const char *server)
{
    for (size_t i = 0; i < settings->n_servers; i++)
        if (strcmp(settings->servers[i].name, server) == 0)
            return settings->servers[i].url != NULL;
    return false;
}

static enum tool_place place_of(const struct run_session *session, const struct tool *tool)
{
    struct tool_server *server = toolbox_server_of(session->toolbox, tool);
    struct tool_server_status status = { 0 };
    if (server)
        tool_server_status(server, &status);
    if (status.is_builtin) /* but for a plan, which may call anything */
        return tool->open_world == HINT_YES ? TOOL_LOCAL : TOOL_BUILTIN;
    return is_behind_url(session->services->settings, tool->server) ? TOOL_REMOTE : TOOL_LOCAL;
}

/* By full name, or the bare one where it is unique. */
static const struct tool *find(const struct tool *const *tools, size_t n, const char *name)
{
    const struct tool *found = NULL;
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(tools[i]->full_name, name) == 0)
            return tools[i];
        if (strcmp(tools[i]->name, name) != 0)
            continue;
        found = tools[i];
        n_found++;
    }
    return n_found == 1 ? found : NULL;
}

static struct data_step step_of(const struct run_session *session, const struct tool *tool)
{
    struct data_step step = { .tool = tool };
    if (tool)
        step.kinds = data_kinds_of(tool, place_of(session, tool));
    return step;
}

static const char *shown(struct arena *arena, const char *name)
{
    return text_one_line(arena, name, strlen(name), NAME_COLUMNS);
}

/* Most plans call one server, and then nobody has to look for strangers. */
static bool has_strangers(const struct data_step *steps, size_t n)
{
    const char *server = NULL;
    for (size_t i = 0; i < n; i++) {
        if (server && steps[i].tool && strcmp(steps[i].tool->server, server) != 0)
            return true;
        server = steps[i].tool ? steps[i].tool->server : server;
    }
    return false;
}

static struct flow_note note_of(struct arena *arena, const struct data_step *steps, size_t n,
                                const struct data_reach *reach, size_t at,
                                const struct data_meeting *heard, const struct tool *stranger)
{
    struct flow_note note = { 0 };
    struct data_meeting meeting;
    note.is_risky = data_flow_meets(steps, n, reach, at, heard, &meeting);
    if (note.is_risky)
        note.reason =
            arena_printf(arena,
                         "it sends data out, after private data of %s and content from "
                         "outside of %s: check what it sends",
                         shown(arena, meeting.private_from), shown(arena, meeting.outside_from));
    else if (stranger)
        note.reason = arena_printf(arena, "its arguments hold what %s gave",
                                   shown(arena, stranger->full_name));
    return note;
}

const struct flow_note *flow_watch_plan(const struct run_session *session, const struct plan *plan,
                                        const struct data_meeting *heard)
{
    struct arena *arena = session->arena;
    static const struct data_meeting nothing = { 0 };
    size_t n = plan->n_steps, n_tools = 0;
    const struct tool *const *tools = toolbox_known(session->toolbox, arena, &n_tools);
    struct data_step *steps = arena_array(arena, struct data_step, n + 1);
    struct flow_note *notes = arena_array(arena, struct flow_note, n + 1);
    for (size_t i = 0; i < n; i++)
        steps[i] = step_of(session, find(tools, n_tools, plan->steps[i].tool));
    const struct data_reach *reach = data_flow_reach(arena, plan);
    bool is_mixed = has_strangers(steps, n);
    for (size_t i = 0; i < n; i++)
        notes[i] = note_of(arena, steps, n, reach, i, heard ? heard : &nothing,
                           is_mixed ? data_flow_stranger(steps, n, reach, i) : NULL);
    return notes;
}

void flow_watch_warn(struct journal *journal, const struct plan *plan,
                     const struct flow_note *notes)
{
    AUTO(arena) scratch = { 0 };
    for (size_t i = 0; i < plan->n_steps; i++)
        if (notes[i].is_risky)
            journal_warn(journal, "step %s, %s: %s", plan->steps[i].id,
                         shown(&scratch, plan->steps[i].tool), notes[i].reason);
}

void flow_watch_hear(const struct run_session *session, const char *tool,
                     struct data_meeting *heard)
{
    size_t n = 0;
    const struct tool *const *tools = toolbox_known(session->toolbox, session->arena, &n);
    struct data_step step = step_of(session, find(tools, n, tool));
    data_flow_hear(heard, &step);
}
