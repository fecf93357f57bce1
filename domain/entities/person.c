#include "domain/entities/person.h"
#include <string.h>

bool person_name_is_valid(const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    size_t length = strspn(name, plain);
    return length && !name[length] && length < PERSON_NAME_SIZE && name[0] != '.';
}

bool person_may_enter(const struct person *person, int64_t now_ms)
{
    return !person->expires_ms || now_ms < person->expires_ms;
}
