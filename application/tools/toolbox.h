/* The tools of a session: several servers as one set, under the names server/tool. Servers are
 * started when their tools are first needed, all of them in parallel; a dead one costs a warning,
 * not the others. What it hands out is a snapshot: tools stay valid until the toolbox is
 * refreshed, which a turn does only at its start. Tools that are not what they were (pins.h) are
 * handed out by nothing but what says so. */
#ifndef APPLICATION_TOOLS_TOOLBOX_H
#define APPLICATION_TOOLS_TOOLBOX_H

#include "application/services.h"
#include "application/tools/pins.h"

#define TOOLBOX_MAX_SERVERS 1003 /* those of mcp.max_servers, and mistro's own */

/* Why a server is asked about again; of the path, escaped. */
#define TOOLBOX_FOLDER_REASON                                                                      \
    "command names %s, which lies in this folder, so it is approved folder by folder"

struct toolbox;

struct toolbox_failure {
    const char *server;
    struct err err;
};

/* A tool that is not offered until a person agreed. */
struct toolbox_quarantined {
    const struct tool *tool;
    enum pin_state why; /* PIN_CHANGED or PIN_NEW */
};

/* servers are borrowed and must outlive the toolbox. allowed_tools and disabled_tools of settings
 * are applied to what each lists. */
struct toolbox *toolbox_create(struct services *services, struct tool_server **servers,
                               size_t n_servers);
void toolbox_destroy(struct toolbox *toolbox); /* closes nothing; NULL is fine */

/* Lists every server (or, with only != NULL, that one) and takes a new snapshot. Fails when no
 * server could be had at all, or the named one is unknown (nearest names) or dead; otherwise the
 * failures are in toolbox_failures. What a model is not shown (tool_is_for_plans) is in the
 * snapshot of its own server only; by its full name it is found in any case. */
awaits MUST_CHECK enum err_code toolbox_refresh(struct toolbox *toolbox, struct scope *scope,
                                                const char *only, struct err *err);
/* Sorted by full name. Borrowed until the next refresh. */
const struct tool *const *toolbox_tools(const struct toolbox *toolbox, size_t *out_n);
const struct toolbox_failure *toolbox_failures(const struct toolbox *toolbox, size_t *out_n);
/* Sorted by full name. Borrowed until the next refresh. */
const struct toolbox_quarantined *toolbox_quarantine(const struct toolbox *toolbox, size_t *out_n);
/* Servers whose tools were agreed to, which could not be written down; each is given out once. In
 * the arena. */
const struct toolbox_failure *toolbox_take_unpinned(struct toolbox *toolbox, struct arena *arena,
                                                    size_t *out_n);

/* By "server/tool", or a bare name where it is unique; starts only the server that is named.
 * ERR_NOT_FOUND with the nearest names in the hint. ERR_MISMATCH: it changed since it was agreed
 * to; ERR_DENIED: it is new. Either out may be NULL. */
awaits MUST_CHECK enum err_code toolbox_find(struct toolbox *toolbox, struct scope *scope,
                                             const char *name, const struct tool **out_tool,
                                             struct tool_server **out_server, struct err *err);
/* As toolbox_find, for callers that only look: a tool in quarantine is found as well, and
 * *out_state says so.
 */
awaits MUST_CHECK enum err_code toolbox_look_up(struct toolbox *toolbox, struct scope *scope,
                                                const char *name, const struct tool **out_tool,
                                                enum pin_state *out_state, struct err *err);
/* The tools of every server that was listed so far, by a refresh or by a find. The array is in the
 * arena; the tools are borrowed until the next refresh. */
const struct tool *const *toolbox_known(const struct toolbox *toolbox, struct arena *arena,
                                        size_t *out_n);
/* The whole list of a server, as it was judged; NULL before it was listed. */
const struct tool_catalogue *toolbox_catalogue(const struct toolbox *toolbox, const char *server,
                                               const struct pin_verdict **out_verdict);
/* Not NULL where all tools of the server wait because its folder has become part of what it is: the
 * path in its command that lies there, untrusted and borrowed from the server. */
const char *toolbox_folder_path(const struct toolbox *toolbox, const char *server);
/* The server a tool of the snapshot belongs to. */
struct tool_server *toolbox_server_of(const struct toolbox *toolbox, const struct tool *tool);

#endif
