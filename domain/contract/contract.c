#include "domain/contract/contract.h"
#include "domain/base/text.h"

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
    int shape = text_find(name, shapes, ARRAY_LENGTH(shapes));
    if (shape >= 0)
        *out = (enum contract_shape)shape;
    return shape >= 0;
}

bool contract_profile_parse(const char *name, enum contract_profile *out)
{
    int profile = text_find(name, profiles, ARRAY_LENGTH(profiles));
    if (profile >= 0)
        *out = (enum contract_profile)profile;
    return profile >= 0;
}
