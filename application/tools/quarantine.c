#include "application/tools/quarantine.h"
#include "application/tools/pins.h"
#include "application/tools/reviewed_server.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

#define MAX_QUESTION_BYTES (256 * 1024) /* more than that is read in `servers review` */

/* Tools are sorted by full name, so those of one server are not always neighbours: "a-b/x" lies
 * between "a-" and "a/". */
static struct quarantined_server *entry_of(struct quarantined_server *list, size_t *n,
                                           const char *server)
{
    for (size_t i = 0; i < *n; i++)
        if (strcmp(list[i].server, server) == 0)
            return &list[i];
    list[*n].server = server;
    return &list[(*n)++];
}

struct quarantined_server *quarantine_count(struct arena *arena, const struct toolbox *toolbox,
                                            size_t *out_n)
{
    size_t n_tools = 0;
    const struct toolbox_quarantined *tools = toolbox_quarantine(toolbox, &n_tools);
    struct quarantined_server *list = arena_array(arena, struct quarantined_server, n_tools + 1);
    *out_n = 0;
    for (size_t i = 0; i < n_tools; i++) {
        struct quarantined_server *entry =
            entry_of(list, out_n, arena_strdup(arena, tools[i].tool->server));
        entry->n_changed += tools[i].why == PIN_CHANGED;
        entry->n_new += tools[i].why == PIN_NEW;
        entry->folder_path = toolbox_folder_path(toolbox, tools[i].tool->server);
        entry->port = toolbox_server_of(toolbox, tools[i].tool);
    }
    return list;
}

const char *quarantine_sentence(struct arena *arena, const struct quarantined_server *server)
{
    const char *changed = "", *new = "", *between = "", *path = server->folder_path;
    if (path)
        return arena_printf(arena,
                            "server %s: its " TOOLBOX_FOLDER_REASON
                            "; its tools are kept back until: "
                            "mistro servers review",
                            server->server, text_one_line(arena, path, strlen(path), 120));
    if (server->n_changed)
        changed = arena_printf(arena, "%zu tool%s changed", server->n_changed,
                               server->n_changed == 1 ? "" : "s");
    if (server->n_new)
        new = arena_printf(arena, "%zu %s", server->n_new,
                           server->n_changed    ? "more came"
                           : server->n_new == 1 ? "tool came"
                                                : "tools came");
    if (server->n_changed && server->n_new)
        between = " and ";
    return arena_printf(arena,
                        "server %s: %s%s%s since it was approved; kept back until: "
                        "mistro servers review",
                        server->server, changed, between, new);
}

static json_t *tools_of(const struct toolbox *toolbox, const char *server)
{
    size_t n = 0;
    const struct toolbox_quarantined *tools = toolbox_quarantine(toolbox, &n);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        if (strcmp(tools[i].tool->server, server) == 0)
            json_array_append_new(list, json_pack("{s:s, s:s}", "tool", tools[i].tool->full_name,
                                                  "reason", pin_state_name(tools[i].why)));
    return list;
}

const char *const *quarantine_take_unpinned(struct arena *arena, struct toolbox *toolbox,
                                            size_t *out_n)
{
    size_t n = 0;
    const struct toolbox_failure *unpinned = toolbox_take_unpinned(toolbox, arena, &n);
    const char **sentences = arena_array(arena, const char *, n + 1);
    *out_n = 0;
    for (size_t i = 0; i < n; i++) {
        size_t n_same = 1;
        while (i + n_same < n &&
               strcmp(unpinned[i].err.message, unpinned[i + n_same].err.message) == 0)
            n_same++;
        const char *who = arena_printf(arena, "server %s: its", unpinned[i].server);
        if (n_same > 1)
            who = arena_printf(arena, "%zu servers: their", n_same);
        sentences[(*out_n)++] =
            arena_printf(arena, "%s tools are not pinned: %s", who, unpinned[i].err.message);
        i += n_same - 1;
    }
    return sentences;
}

void quarantine_warn_unpinned(struct journal *journal, struct toolbox *toolbox)
{
    AUTO(arena) scratch = { 0 };
    size_t n = 0;
    const char *const *sentences = quarantine_take_unpinned(&scratch, toolbox, &n);
    for (size_t i = 0; i < n; i++)
        journal_warn(journal, "%s", sentences[i]);
}

static void emit(struct journal *journal, enum event_kind kind, const struct toolbox *toolbox,
                 const char *server)
{
    journal_emit(journal, kind,
                 json_pack("{s:s, s:o}", "server", server, "tools", tools_of(toolbox, server)));
}

/* NULL where it is too much for a question. */
static const char *question_text(struct arena *arena, const struct reviewed_server *server)
{
    AUTO(buf) text;
    buf_init(&text, MAX_QUESTION_BYTES);
    return reviewed_server_print(&text, server) ? arena_strdup(arena, buf_string(&text)) : NULL;
}

/* ERR_NONE: yes, or as user_confirm; ERR_DENIED as well where it was asked before. */
static enum err_code ask_about(struct user *user, struct scope *scope, struct arena *arena,
                               const struct reviewed_server *server, json_t *asked, struct err *err)
{
    bool is_one = server->n == 1;
    const char *text = question_text(arena, server);
    if (!text || text_equal(json_get_string(asked, server->name), text))
        return ERR_DENIED;
    json_object_set_new(asked, server->name, json_string(text));
    const struct confirmation confirmation = {
        .title = arena_printf(arena, "The server %s has %zu tool%s that nobody approved yet",
                              server->name, server->n, is_one ? "" : "s"),
        .message = text,
        .question = arena_printf(arena, "May %s be used as shown?", is_one ? "it" : "they"),
    };
    return user_confirm(user, scope, &confirmation, err);
}

enum err_code quarantine_ask(struct services *services, struct scope *scope,
                             struct journal *journal, const struct toolbox *toolbox, json_t *asked,
                             bool *out_approved, struct err *err)
{
    AUTO(arena) arena = { 0 };
    size_t n = 0;
    const struct quarantined_server *servers = quarantine_count(&arena, toolbox, &n);
    *out_approved = false;
    for (size_t i = 0; user_present(services->user) && i < n; i++) {
        struct reviewed_server server;
        if (servers[i].n_changed)
            continue;
        enum err_code r =
            reviewed_server_load(services, scope, &arena, toolbox, servers[i].port, &server, err);
        if (r)
            return r;
        r = ask_about(services->user, scope, &arena, &server, asked, err);
        if (r == ERR_DENIED || r == ERR_UNAVAILABLE)
            continue;
        if (!r)
            r = reviewed_server_approve(services, scope, &arena, &server, err);
        if (r)
            return r;
        emit(journal, EVENT_TOOLS_APPROVED, toolbox, servers[i].server);
        *out_approved = true;
    }
    return ERR_NONE;
}

void quarantine_report(struct journal *journal, struct toolbox *toolbox)
{
    AUTO(arena) scratch = { 0 };
    size_t n = 0;
    const struct quarantined_server *servers = quarantine_count(&scratch, toolbox, &n);
    for (size_t i = 0; i < n; i++) {
        emit(journal, EVENT_TOOLS_QUARANTINED, toolbox, servers[i].server);
        journal_warn(journal, "%s", quarantine_sentence(&scratch, &servers[i]));
    }
    quarantine_warn_unpinned(journal, toolbox);
}
