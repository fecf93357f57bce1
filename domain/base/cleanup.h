/* Scope-bound ownership: variables that release what they hold when they leave scope, on every
 * path. Initialise at the declaration; hand over with steal(), which leaves NULL behind. */
#ifndef DOMAIN_BASE_CLEANUP_H
#define DOMAIN_BASE_CLEANUP_H

#include "domain/base/attributes.h"
#include <stdlib.h>

/* A struct with an x_finish(struct x *) function: `AUTO(arena) turn = { 0 };` */
#define AUTO(type) __attribute__((cleanup(type##_finish))) struct type

/* Takes the pointer out of a variable; the variable becomes NULL and the caller owns the value. */
#define steal(variable)                                                                            \
    (__extension__({                                                                               \
        __typeof__(*(variable)) taken_ = *(variable);                                              \
        *(variable) = NULL;                                                                        \
        taken_;                                                                                    \
    }))

static inline void cleanup_free_string(char **string)
{
    free(*string);
}
#define auto_str __attribute__((cleanup(cleanup_free_string))) char *

#endif
