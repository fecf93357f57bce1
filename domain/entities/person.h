/* Someone who may use a mistro that is served over HTTP. The name is also that of the folders which
 * are the person's own, so it has only what is plain in a path, and never begins with a dot. */
#ifndef DOMAIN_ENTITIES_PERSON_H
#define DOMAIN_ENTITIES_PERSON_H

#include <stdbool.h>
#include <stdint.h>

#define PERSON_NAME_SIZE 65 /* with its NUL */

struct person {
    char name[PERSON_NAME_SIZE];
    int64_t created_ms;
    int64_t expires_ms; /* of the token; 0: never */
    bool is_admin;      /* sees and approves everybody's runs */
};

/* 1 to 64 ASCII letters, digits, '_', '-' and '.', the first of them no '.'. */
bool person_name_is_valid(const char *name);
/* Whether the token counts at that time. */
bool person_may_enter(const struct person *person, int64_t now_ms);

#endif
