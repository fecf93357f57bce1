/* References inside one schema, and the pointers they are made of. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_REFERENCE_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_REFERENCE_H

#include "domain/base/arena.h"

/* The JSON Pointer of "#", "#/$defs/a" or "#/$defs/a%25b"; NULL for any other reference. */
const char *schema_reference_path(struct arena *arena, const char *reference);
/* One part of a pointer without ~0 and ~1. */
const char *schema_reference_unescape(struct arena *arena, const char *part, size_t length);

#endif
