/* Tools that are not what they were when their server was trusted are kept from everybody. Adding a
 * server is consent to the tools it lists first: they are pinned, by a hash over name, title,
 * description, schemas and annotations. What a later list changes or adds is in quarantine until a
 * person has seen the difference and agreed (`mistro servers review`); what disappears keeps its
 * pin and may come back. A server is its configuration: another command or URL is another server,
 * and so is another folder where the command has a path that lies there. A list in such a folder
 * is held against what was agreed to while the path was not there (a server may make the file
 * itself), and taken over where nothing differs. What was agreed to before folders counted is not
 * taken over, since it is not known where that was: a person is asked once.
 *
 * Servers list more tools to who offers them more (a person to ask, a model), so a list under an
 * offer that the server was not listed under before pins what is new in it, like the first of all;
 * what it offers is this program's to say, never the server's. What changed is kept back under any.
 *
 * Built-in servers, and those configured with `"pinning": "off"`, are not held to anything. Where
 * there is no home folder nothing can be remembered: every process trusts anew, and says so. */
#ifndef APPLICATION_TOOLS_PINS_H
#define APPLICATION_TOOLS_PINS_H

#include "application/services.h"

enum pin_state { PIN_AGREED, PIN_CHANGED, PIN_NEW };

struct pin_verdict {
    enum pin_state *states; /* of each tool of the catalogue; NULL: all are agreed to */
    size_t n_changed, n_new;
    bool is_moved;       /* the states are about what was agreed to without this folder */
    struct err unstored; /* tools were agreed to, and that could not be written down */
};

/* "changed" or "new". */
const char *pin_state_name(enum pin_state state);
/* Whether the tools of the server are held against what they were. config: NULL for none. */
bool pins_apply(struct tool_server *server, const struct server_config *config);

/* Pins a server's first list under an offer, and holds every other against what is pinned.
 * ERR_INVALID and ERR_UNAVAILABLE: what is pinned cannot be read, so nothing is known of any tool.
 */
awaits MUST_CHECK enum err_code pins_judge(struct services *services, struct scope *scope,
                                           struct tool_server *server,
                                           const struct tool_catalogue *catalogue,
                                           struct pin_verdict *out, struct err *err);
void pin_verdict_finish(struct pin_verdict *verdict);
static inline enum pin_state pin_verdict_of(const struct pin_verdict *verdict, size_t tool)
{
    return verdict->states ? verdict->states[tool] : PIN_AGREED;
}

/* Everything the catalogue holds is agreed to from now on. */
awaits MUST_CHECK enum err_code pins_approve(struct services *services, struct scope *scope,
                                             struct tool_server *server,
                                             const struct tool_catalogue *catalogue,
                                             struct err *err);
/* What was agreed to; in the arena. ERR_NOT_FOUND: nothing yet. */
awaits MUST_CHECK enum err_code pins_load(struct services *services, struct scope *scope,
                                          struct tool_server *server, struct arena *arena,
                                          struct pins *out, struct err *err);

#endif
