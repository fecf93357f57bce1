/* Reading an object of a figure (graph, style, plot spec) member by member. What is wrong with a
 * member becomes a problem with its path, and reading goes on. Private to domain/figure. */
#ifndef DOMAIN_FIGURE_FIGURE_READING_H
#define DOMAIN_FIGURE_FIGURE_READING_H

#include "domain/base/problem.h"

/* The words that stand for the values of an enum, in the order of the enum. */
struct figure_names {
    const char *const *list;
    size_t n;
};

extern const struct figure_names figure_kind_names, figure_direction_names, figure_role_names,
    figure_emphasis_names, figure_line_names;

struct figure_reading {
    struct arena *arena; /* for what is read; messages go to that of the problems */
    struct problems *problems;
    const json_t *object;
    const char *path; /* of the object */
};

/* Adds a problem of the member; fix may be NULL. */
void figure_complain(const struct figure_reading *reading, const char *key, const char *fix,
                     const char *format, ...) PRINTF_LIKE(4, 5);
/* Text from outside as a message may have it: one line, cut. */
const char *figure_shown(const struct figure_reading *reading, const char *text);
/* "a, b, c"; in the arena of the problems. */
const char *figure_list_words(const struct figure_reading *reading, struct figure_names names);
/* Index of the member's word; -1, with a problem, when it is not one of the names. */
int figure_read_word(const struct figure_reading *reading, const char *key,
                     struct figure_names names);
/* Complains about members of other names. */
void figure_refuse_unknown(const struct figure_reading *reading, struct figure_names names);

#endif
