#include "infrastructure/mcp/oauth/random_token.h"
#include "infrastructure/runtime/system_ports.h"

char *random_token(struct arena *arena)
{
    return ids_secret(system_ids(), arena_alloc(arena, SECRET_SIZE));
}
