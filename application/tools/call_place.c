#include "application/tools/call_place.h"
#include "application/tools/lookup.h"
#include <stdio.h>

enum err_code call_place_take(const struct services *services, struct scope *scope,
                              const char *server, struct place **out, struct err *err)
{
    const struct server_config *config = lookup_config(services->settings, server);
    char name[PLACES_NAME_MAX + 1];
    snprintf(name, sizeof name, "server %s", server);
    return places_take(services->places, scope, name, config ? config->max_parallel : 0, out, err);
}
