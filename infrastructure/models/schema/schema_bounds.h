/* Bounds of a lowered schema that leave nothing between them. llama.cpp counts from the lower to
 * the upper one all the same and does not end before the memory of the machine does (or, for
 * integers, fails in the middle of the answer), so one careless tool would take the model server
 * down. Pure. */
#ifndef INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_BOUNDS_H
#define INFRASTRUCTURE_MODELS_SCHEMA_SCHEMA_BOUNDS_H

#include <jansson.h>

/* Removes such pairs wherever they stand in it; changed in place. What fits is checked afterwards
 * against the original schema, as ever. */
void schema_bounds_reconcile(json_t *schema);

#endif
