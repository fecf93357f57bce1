/* Which members the objects of a mock fixture may have, and of which types: each kind of object has
 * a table that ends with an entry without a name. */
#ifndef INFRASTRUCTURE_MOCK_MOCK_MEMBERS_H
#define INFRASTRUCTURE_MOCK_MOCK_MEMBERS_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include <jansson.h>

enum {
    MOCK_OBJECT = 1,
    MOCK_ARRAY = 2,
    MOCK_STRING = 4,
    MOCK_NUMBER = 8,
    MOCK_BOOLEAN = 16,
    MOCK_NULL_VALUE = 32,
    MOCK_ANY = 63
};

struct mock_member {
    const char *name;
    unsigned types;
};

/* path: the JSON Pointer of the object. ERR_INVALID names the faulty member, and for an unknown one
 * the nearest that exists. */
MUST_CHECK
enum err_code mock_check_members(const char *path, const json_t *object,
                                 const struct mock_member *members, struct err *err);
/* Every element of an optional list of the object against one table. */
MUST_CHECK
enum err_code mock_check_list(struct arena *arena, const char *path, const char *key,
                              const json_t *object, const struct mock_member *members,
                              struct err *err);
/* No text in the value is longer than it may grow to in a reply. */
MUST_CHECK
enum err_code mock_check_lengths(struct arena *arena, const char *path, const json_t *value,
                                 struct err *err);
/* Every element of an optional list is text; what: for people. */
MUST_CHECK
enum err_code mock_check_texts(const char *path, const char *key, const json_t *object,
                               const char *what, struct err *err);

#endif
