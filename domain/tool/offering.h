/* What an MCP server offers beside tools: resources, templates of resources, and prompts; and what
 * reading or getting one of them gives. Like a tool's definition and result, all of it is the
 * server's own data and untrusted. Everything lives in the arena it was made in. */
#ifndef DOMAIN_TOOL_OFFERING_H
#define DOMAIN_TOOL_OFFERING_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stddef.h>

enum offering_kind { OFFERING_RESOURCE, OFFERING_TEMPLATE, OFFERING_PROMPT };
#define OFFERING_KINDS 3

struct offering {
    enum offering_kind kind;
    const char *key;         /* what it is asked for by: URI, URI template, or name */
    const char *title;       /* for people: its title, else its name */
    const char *description; /* or "" */
    const char *mime_type;   /* or "" */
    const json_t *definition;
};

struct offerings {
    struct arena *arena; /* set by the caller that begins the list */
    struct offering *list;
    size_t n, capacity;
};

/* The member of a definition that is its key, and the one of a list's result that has them. */
const char *offering_key_member(enum offering_kind kind);
const char *offering_list_member(enum offering_kind kind);
/* "resource", "resource template", "prompt". */
const char *offering_kind_name(enum offering_kind kind);

/* Keeps a reference to the definition. ERR_PROTOCOL when it has no usable key. */
MUST_CHECK
enum err_code offerings_add(struct offerings *offerings, enum offering_kind kind,
                            json_t *definition, struct err *err);
/* NULL when there is none. */
const struct offering *offerings_find(const struct offerings *offerings, enum offering_kind kind,
                                      const char *key);
/* Whether a URI can be of a template, by the text before the first '{'. */
bool offering_template_fits(const struct offering *offering, const char *uri);

/* Whether a URI is the other one, or of something below it ("a:b/c" of "a:b"): a change of it is
 * one of the other as well. */
bool offering_uri_is_within(const char *uri, const char *other);

/* What a resource holds (ReadResourceResult) or a prompt says (GetPromptResult), with the bytes as
 * the server sent them. */
struct offering_result {
    const char *bytes; /* the JSON text of the result object, NUL-terminated */
    size_t length;
    const json_t *value; /* the bytes, parsed */
    const json_t *items; /* its array of contents or messages */
};

/* Copies bytes and keeps a reference to value, their parsed form. ERR_PROTOCOL when what a result
 * of this kind must have is missing or of a wrong type. */
MUST_CHECK
enum err_code offering_result_init(struct arena *arena, enum offering_kind kind, const char *bytes,
                                   size_t length, json_t *value, struct offering_result *out,
                                   struct err *err);

#endif
