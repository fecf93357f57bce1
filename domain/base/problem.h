/* Everything that is wrong with something, in one list, because people want to mend a file once:
 * the step, the path of the argument and a sentence each. */
#ifndef DOMAIN_BASE_PROBLEM_H
#define DOMAIN_BASE_PROBLEM_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define PROBLEMS_MAX 50

struct problem {
    const char *step;    /* id of the step, or NULL */
    const char *path;    /* JSON Pointer of the argument or member, or NULL */
    const char *message; /* one line, lower case */
    const char *fix;     /* what to do about it, as an instruction; may be NULL */
    const char *rule;    /* the schema keyword that was broken ("required"); may be NULL */
    const char *at;      /* JSON Pointer of it in the whole document; NULL where it has none */
    const char *file;    /* of a document beside it that it is in; NULL: none */
    bool is_name;        /* not the value there is wrong: there should be no such member */
    int line, column;    /* from 1, where a person has to look; 0: not known */
};

struct problems {
    struct arena *arena; /* borrowed; owns the strings */
    struct problem *list;
    size_t n, capacity;
    size_t dropped; /* beyond PROBLEMS_MAX */
    const char *at; /* what paths begin at in the document that is read; NULL: there is none */
};

/* step, path and the text are copied. Returns the problem so that fix and rule can be set, never
 * NULL. What stands in the list already, at the same place of the document, is not put there
 * twice. */
struct problem *problems_add(struct problems *problems, const char *step, const char *path,
                             const char *format, ...) PRINTF_LIKE(4, 5);
/* A problem for every member of the object that has none of the names, with the nearest of them.
 * The path is that of the object. */
void problems_refuse_unknown(struct problems *problems, const char *step, const char *path,
                             const json_t *object, const char *const *names, size_t n);
/* "s2 /path: not a string"; in the arena of the list. */
const char *problem_print(struct problems *problems, const struct problem *problem);
/* Those that are higher up in the document first, those of no known place behind them. */
void problems_sort(struct problems *problems);
/* Array of {file, line, column, step, path, message, fix}, each where it is known; owned by the
 * caller.
 */
json_t *problems_to_json(const struct problems *problems);

#endif
