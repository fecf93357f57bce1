/* YAML or JSON text to value, with the place of every member, so that an error can name the line
 * and column a person has to look at. JSON is tried first where the text starts like JSON. Pure
 * work: nothing waits. */
#ifndef APPLICATION_PORTS_DOCUMENTS_H
#define APPLICATION_PORTS_DOCUMENTS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/problem.h"
#include <jansson.h>

struct documents;

struct document {
    const json_t *value; /* kept by the arena */
    const void *places;  /* private */
};

struct documents_ops {
    /* All mandatory. */
    enum err_code (*parse)(struct documents *d, const char *text, size_t length,
                           struct arena *arena, struct problems *problems, struct document *out,
                           struct err *err);
    bool (*place)(struct documents *d, const struct document *document, const char *path,
                  bool of_key, int *out_line, int *out_column);
    enum err_code (*print_yaml)(struct documents *d, const json_t *value, struct arena *arena,
                                const char **out_text, struct err *err);
};

struct documents {
    const struct documents_ops *ops;
};

/* One document. YAML 1.2 core scalars; anchors and aliases are resolved within bounds, duplicate
 * keys refused. ERR_INVALID starts with "line L, column C"; ERR_LIMIT when too deep or large. */
MUST_CHECK
static inline enum err_code documents_parse(struct documents *d, const char *text, size_t length,
                                            struct arena *arena, struct document *out,
                                            struct err *err)
{
    return d->ops->parse(d, text, length, arena, NULL, out, err);
}
/* The same for who wants to hear of everything that is wrong: each fault is a problem with its line
 * and column, and with duplicate keys alone, of which the first counts, it is ERR_NONE. */
MUST_CHECK
static inline enum err_code documents_parse_all(struct documents *d, const char *text,
                                                size_t length, struct arena *arena,
                                                struct problems *problems, struct document *out,
                                                struct err *err)
{
    return d->ops->parse(d, text, length, arena, problems, out, err);
}
/* Where what a JSON Pointer names begins, from 1, columns in characters: of a member its key. Where
 * it names nothing it is the nearest enclosing value. What an alias stands for is where the alias
 * is. False when nothing is known. */
static inline bool documents_place(struct documents *d, const struct document *document,
                                   const char *path, int *out_line, int *out_column)
{
    return d->ops->place(d, document, path, true, out_line, out_column);
}
/* The same, of a member its value, behind anchor and tag. */
static inline bool documents_value_place(struct documents *d, const struct document *document,
                                         const char *path, int *out_line, int *out_column)
{
    return d->ops->place(d, document, path, false, out_line, out_column);
}
/* Block style, strings quoted where YAML would read them as something else. */
MUST_CHECK
static inline enum err_code documents_print_yaml(struct documents *d, const json_t *value,
                                                 struct arena *arena, const char **out_text,
                                                 struct err *err)
{
    return d->ops->print_yaml(d, value, arena, out_text, err);
}

#endif
