/* The few tools a decision is about: the best of the tool index for the request, shown to the
 * model under names it can write (server__tool), sorted by name so that prompts stay alike. */
#ifndef APPLICATION_TOOLS_SHORTLIST_H
#define APPLICATION_TOOLS_SHORTLIST_H

#include "application/ports/tool_index.h"

#define SHORTLIST_NONE "none"   /* the choice that is always there */
#define SHORTLIST_SHOWN_MAX 64  /* bytes of a name that endpoints accept */
#define SHORTLIST_MAX_WORDS 200 /* of a request; what follows is not searched for */

/* In `_meta` of a tool: beginnings of words, in lower case, without one of which a request is not
 * about it. mistro's own jobs have them, so that they change nothing for other requests. */
#define SHORTLIST_ONLY_FOR "mistro/only_for"
#define SHORTLIST_MAX_ONLY_FOR 32

struct offered_tool {
    const struct tool *tool;
    const char *shown; /* letters, digits, '_' and '-'; unique in the list */
};

struct shortlist {
    const struct tool **best;   /* best first */
    struct offered_tool *tools; /* the same, sorted by full name */
    size_t n;
};

struct shortlist_request {
    const struct tool *const *tools; /* what the index was built from */
    size_t n_tools;
    const char *text;
    size_t max;
    const char *const *always; /* full names that must be in it; unknown ones are left out */
    size_t n_always;
};

/* With no more tools than max all of them are in it; of more, those the index finds, or the first
 * when it finds none; but none that is reserved for other requests. Everything is in the arena. */
MUST_CHECK
enum err_code shortlist_make(struct arena *arena, struct tool_index *index,
                             const struct shortlist_request *request, struct shortlist *out,
                             struct err *err);
/* Whether a tool of that definition is for some requests only. */
bool shortlist_is_reserved(const json_t *definition);
/* Whether the request may be about the tool: it is not reserved, or the request has its words. */
bool shortlist_admits(struct arena *arena, const struct tool *tool, const char *request);
/* By shown name, or by full name; NULL when there is none. */
const struct tool *shortlist_find(const struct shortlist *list, const char *name);
const char *shortlist_shown(const struct shortlist *list, const struct tool *tool);
/* What a prompt shows of a tool: its line (tool_line) under the shown name, with a line break. In
 * the arena. */
const char *shortlist_line(struct arena *arena, const struct offered_tool *offered);
/* The shown names and "none"; owned by the caller. */
json_t *shortlist_names(const struct shortlist *list);

#endif
