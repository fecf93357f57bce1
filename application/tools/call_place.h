/* A call takes one of the places that the settings give its server (`max_parallel`). */
#ifndef APPLICATION_TOOLS_CALL_PLACE_H
#define APPLICATION_TOOLS_CALL_PLACE_H

#include "application/services.h"

/* As places_take, to be given back to services->places. */
awaits MUST_CHECK enum err_code call_place_take(const struct services *services,
                                                struct scope *scope, const char *server,
                                                struct place **out, struct err *err);

#endif
