/* A memory of one server's era, in memory: what a client found in it, and what it wrote there. */
#ifndef TESTS_SUPPORT_FULL_KNOWN_ERA_H
#define TESTS_SUPPORT_FULL_KNOWN_ERA_H

#include "infrastructure/mcp/wire/era_memory.h"

struct known_era {
    struct era_memory base; /* { &known_era_ops } */
    enum server_era era;
    unsigned n_kept;
};

extern const struct era_memory_ops known_era_ops;

#endif
