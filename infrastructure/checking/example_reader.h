/* Examples as people write them, held against their form: which members there may be, and of what
 * type each is. The first thing that is wrong is told with its path. */
#ifndef INFRASTRUCTURE_CHECKING_EXAMPLE_READER_H
#define INFRASTRUCTURE_CHECKING_EXAMPLE_READER_H

#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum example_type {
    EXAMPLE_TEXT,
    EXAMPLE_NUMBER,
    EXAMPLE_COUNT, /* a whole number from 0 */
    EXAMPLE_FLAG,
    EXAMPLE_ANY,
    EXAMPLE_TEXTS, /* at most CANDIDATE_MAX_EXAMPLES of them */
    EXAMPLE_ROWS,  /* lists of values; likewise */
};

struct example_member {
    const char *name;
    enum example_type type;
};

/* ERR_INVALID: no object, an unknown member, a wrong type, too many. examples NULL is fine. */
MUST_CHECK
enum err_code examples_check(const json_t *examples, const struct example_member *members, size_t n,
                             struct err *err);

#endif
