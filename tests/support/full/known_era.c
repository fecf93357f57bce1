#include "tests/support/full/known_era.h"

static enum server_era find(struct era_memory *memory, const char *identity)
{
    (void)identity;
    return ((struct known_era *)memory)->era;
}

static void keep(struct era_memory *memory, const struct scope *scope, const char *identity,
                 enum server_era era)
{
    struct known_era *known = (struct known_era *)memory;
    (void)scope;
    (void)identity;
    known->era = era;
    known->n_kept++;
}

const struct era_memory_ops known_era_ops = { find, keep, NULL };
