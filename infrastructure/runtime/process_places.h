/* Places that the tasks of this process share. */
#ifndef INFRASTRUCTURE_RUNTIME_PROCESS_PLACES_H
#define INFRASTRUCTURE_RUNTIME_PROCESS_PLACES_H

#include "application/ports/places.h"
#include "application/ports/runtime.h"

struct places *process_places_create(struct runtime *runtime);

#endif
