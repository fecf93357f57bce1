/* Tells the user of tools which of them are kept back, and why, and asks a person who is there
 * about those that are new. What changed is not asked about in the middle of something else: that
 * is for `mistro servers review`. */
#ifndef APPLICATION_TOOLS_QUARANTINE_H
#define APPLICATION_TOOLS_QUARANTINE_H

#include "application/journal.h"
#include "application/tools/toolbox.h"

struct quarantined_server {
    const char *server;
    size_t n_changed, n_new;
    const char *folder_path; /* as toolbox_folder_path says */
    struct tool_server *port;
};

/* How many tools of which server; in the arena. */
struct quarantined_server *quarantine_count(struct arena *arena, const struct toolbox *toolbox,
                                            size_t *out_n);
/* "server weather: 1 tool changed and 2 are new since it was approved; …"; in the arena. */
const char *quarantine_sentence(struct arena *arena, const struct quarantined_server *server);
/* "server weather: its tools are not pinned: …" for those whose tools could not be, since it was
 * asked the last time; in the arena. */
const char *const *quarantine_take_unpinned(struct arena *arena, struct toolbox *toolbox,
                                            size_t *out_n);
/* Those sentences as warnings. */
void quarantine_warn_unpinned(struct journal *journal, struct toolbox *toolbox);
/* One question, with all of their definitions, for each server of the snapshot whose quarantined
 * tools are all new; approves them, so that the next refresh gives them out, and then *out_approved
 * is true. asked: an object that remembers what was asked about, so that the same is not asked
 * twice. Without a person nothing happens. Fails as the scope does, or where what is approved
 * cannot be stored. */
awaits MUST_CHECK enum err_code quarantine_ask(struct services *services, struct scope *scope,
                                               struct journal *journal,
                                               const struct toolbox *toolbox, json_t *asked,
                                               bool *out_approved, struct err *err);
/* An event and a warning for each server of the snapshot that has tools in quarantine, and the
 * warnings about those that could not be pinned. */
void quarantine_report(struct journal *journal, struct toolbox *toolbox);

#endif
