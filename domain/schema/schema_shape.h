/* What a value of a schema looks like, for a person who is asked for one: in words ("a list of
 * objects") and as an example of what to write. Made of what the schema says of types, formats,
 * patterns, bounds, choices, members and examples, and where it says nothing, of what the name of a
 * parameter usually stands for ("start_date"). Short. Pure. */
#ifndef DOMAIN_SCHEMA_SCHEMA_SHAPE_H
#define DOMAIN_SCHEMA_SCHEMA_SHAPE_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>

#define SCHEMA_SHAPE_COLUMNS 160 /* of the words, and of the example */

struct schema_shape {
    const char *words;   /* "a whole number from 1 to 10" */
    const char *example; /* text as it is, anything else as JSON; NULL: none can be made */
    /* The value is of a form of its own, such as a path, a date or a URL: words of a sentence are
     * none. */
    bool is_formed;
};

/* name: of the parameter. In the arena. */
struct schema_shape schema_shape(struct arena *arena, const json_t *root, const json_t *schema,
                                 const char *name);

#endif
