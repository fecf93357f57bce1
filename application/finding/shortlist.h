/* The tools a prompt shows. While the lines of all tools fit the budget all are shown; of more, the
 * likeliest get lines up to the budget, and the next ones are there by name. Each has a name that
 * models can write (server__tool), and lines stand in the order of names, so that the text is the
 * same from turn to turn; behind them shortlist_tail names the likeliest. */
#ifndef APPLICATION_FINDING_SHORTLIST_H
#define APPLICATION_FINDING_SHORTLIST_H

#include "application/finding/tool_ranking.h"

#define SHORTLIST_NONE "none"   /* the choice that is always there */
#define SHORTLIST_SHOWN_MAX 64  /* bytes of a name that endpoints accept */
#define SHORTLIST_NAMES_SHARE 3 /* names may take a third of the lines' budget, beside it */
#define SHORTLIST_LIKELIEST 3

enum offered_as {
    OFFERED_LINE,
    OFFERED_NAME,     /* only its name is shown */
    OFFERED_NAME_LINE /* its line follows behind the names: it was asked for */
};

struct offered_tool {
    const struct tool *tool;
    const char *shown; /* letters, digits, '_' and '-'; unique in the list */
    enum offered_as as;
};

struct shortlist {
    struct tool_ranking ranking;
    const struct tool **best;   /* best first; behind the first n those that are not shown */
    struct offered_tool *tools; /* the first n, sorted by full name */
    size_t n;
    size_t n_likely;  /* the first of best, which have words of the request */
    bool is_complete; /* every tool the request may be about has a line */
    int64_t tokens;   /* of the lines */
};

struct shortlist_request {
    const struct tool *const *tools; /* what the index was built from; sorted by full name */
    size_t n_tools;
    const char *text;
    int64_t max_tokens;        /* of all lines */
    size_t max_lines;          /* 0: as many as have room */
    const char *const *always; /* full names that come first; unknown ones are left out */
    size_t n_always;
};

/* A request without text needs no index. Everything is in the arena. */
MUST_CHECK
enum err_code shortlist_make(struct arena *arena, struct tool_index *index, struct assets *assets,
                             const struct shortlist_request *request, struct shortlist *out,
                             struct err *err);
/* Whether a tool of that definition is for some requests only. */
bool shortlist_is_reserved(const json_t *definition);
/* Whether the request may be about the tool: it is not reserved, or the request has its words. */
bool shortlist_admits(struct arena *arena, const struct tool *tool, const char *request);
/* By shown name, or by full name; NULL when there is none. */
const struct tool *shortlist_find(const struct shortlist *list, const char *name);
const char *shortlist_shown(const struct shortlist *list, const struct tool *tool);
/* Gives the tool of that name a line, if it had none. */
void shortlist_unfold(struct shortlist *list, const char *name);
/* What a prompt shows of a tool: its line (tool_line) under the shown name, with a line break. In
 * the arena. */
const char *shortlist_line(struct arena *arena, const struct offered_tool *offered);
/* What stands behind the lines: the tools that are there by name, the likeliest, and the lines of
 * those that were unfolded; "" for none. In the arena. */
const char *shortlist_tail(struct arena *arena, const struct shortlist *list);
/* The shown names and "none"; owned by the caller. */
json_t *shortlist_names(const struct shortlist *list);
/* What a text takes of the budget. */
int64_t shortlist_tokens(const char *text);

#endif
