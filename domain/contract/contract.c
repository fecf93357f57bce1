#include "domain/contract/contract.h"
#include <string.h>

static const char *const shapes[] = {
#define X(shape, name) [CONTRACT_##shape] = name,
    CONTRACT_SHAPES(X)
#undef X
};

static const char *const profiles[] = {
#define X(profile, name) [CONTRACT_PROFILE_##profile] = name,
    CONTRACT_PROFILES(X)
#undef X
};

bool contract_shape_parse(const char *name, enum contract_shape *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(shapes); i++)
        if (strcmp(shapes[i], name) == 0) {
            *out = (enum contract_shape)i;
            return true;
        }
    return false;
}

bool contract_profile_parse(const char *name, enum contract_profile *out)
{
    for (size_t i = 0; i < ARRAY_LENGTH(profiles); i++)
        if (strcmp(profiles[i], name) == 0) {
            *out = (enum contract_profile)i;
            return true;
        }
    return false;
}
