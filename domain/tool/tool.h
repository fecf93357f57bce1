/* A tool as a server describes it, and the catalogue of one server: an immutable snapshot with a
 * reference count, so that a turn can go on with the tools it started with while the server
 * publishes others. Names, descriptions, schemas and annotations are the server's word and
 * untrusted: hints may make mistro more careful, never less (policy/policy.h). */
#ifndef DOMAIN_TOOL_TOOL_H
#define DOMAIN_TOOL_TOOL_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define TOOL_FULL_NAME_MAX 300

struct buf;

enum hint { HINT_UNSAID, HINT_NO, HINT_YES };

struct tool {
    const char *server;          /* configured name of the server */
    const char *name;            /* the server's name for the tool */
    const char *full_name;       /* "server/name" */
    const char *title;           /* display name, may be NULL */
    const char *description;     /* may be NULL */
    const json_t *input_schema;  /* object with "type":"object"; never NULL */
    const json_t *output_schema; /* or NULL */
    enum hint read_only, destructive, idempotent, open_world;
    const json_t *definition; /* the whole definition as received */
};

struct tool_catalogue {
    unsigned references;
    struct arena arena; /* owns everything below */
    const char *server;
    struct tool *tools; /* in the server's order */
    size_t n_tools, capacity;
    json_t *by_name; /* object: index of each tool; a server may list thousands */
};

/* One reference, owned by the caller; empty. */
struct tool_catalogue *tool_catalogue_create(const char *server);
struct tool_catalogue *tool_catalogue_ref(struct tool_catalogue *catalogue);
void tool_catalogue_unref(struct tool_catalogue *catalogue); /* NULL is fine */
/* Adds the tool of a definition (an element of tools/list; keeps a reference). ERR_PROTOCOL says
 * what is wrong with it: no name, a schema that is not of type object, a name used twice. Only
 * before publication. */
MUST_CHECK
enum err_code tool_catalogue_add(struct tool_catalogue *catalogue, json_t *definition,
                                 struct err *err);
const struct tool *tool_catalogue_find(const struct tool_catalogue *catalogue, const char *name);

/* What people are shown: `server/name(path: string, lines?: integer)`; required
 * parameters first, enums as choices, at most 200 characters. In the arena. */
const char *tool_signature(struct arena *arena, const struct tool *tool, const char *shown_name);
/* What a prompt tells of a tool, on one line: its parameters with what they mean, the required ones
 * first, where its results are, and what it does. All required parameters are named, up to 4,000
 * bytes of them; the rest is bounded to a few hundred.
 * `files__search(query: text to find, name?: glob) -> matches[].path: Find text in files`. In the
 * arena. */
const char *tool_line(struct arena *arena, const struct tool *tool, const char *shown_name);
/* For people: title, else the first sentence of the description, on one line. In the arena. */
const char *tool_summary(struct arena *arena, const struct tool *tool, size_t max_columns);
/* About how many bytes the values of the text below have, without escapes and with five for a
 * number; nothing is made of them. */
size_t tool_definition_bytes(const json_t *definition);
/* In the _meta of a built-in tool, true: it does nothing but call others, about each of which the
 * policy is asked. */
#define TOOL_ASKS_ITSELF "mistro/asks_itself"
/* A tool of mistro's own that only shapes what it is given. It is for plans: a model would have to
 * write out the data, so none is shown it, and it gives nothing that it was not given. Its bare
 * name is left to other servers: plans may have been there before it. The name in `_meta` of its
 * definition; it counts for built-in servers only. */
#define TOOL_FOR_PLANS "mistro/for_plans"
bool tool_is_for_plans(const struct tool *tool);
/* The text whose hash is the identity of a definition: name, title, description, schemas and
 * annotations, keys sorted. Owned by the caller. */
char *tool_definition_text(const struct tool *tool);
/* Appends that text; the buffer must be one without a bound. */
void tool_definition_append(struct buf *out, const struct tool *tool);

#endif
