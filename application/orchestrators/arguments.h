/* Values as a model or a person gives them, brought to the types a tool asks for where that loses
 * nothing: "5" becomes 5 for an integer, "true" becomes true, a scalar becomes a list of one, an
 * enum's case is mended. What is empty is missing: null, and "" where no empty text makes sense.
 * Whether the outcome is valid is the schema's business, not this module's. Pure. */
#ifndef APPLICATION_ORCHESTRATORS_ARGUMENTS_H
#define APPLICATION_ORCHESTRATORS_ARGUMENTS_H

#include "domain/base/arena.h"
#include "domain/entities/tool.h"

/* The parameters with every one that a tool knows fitted to it; others stay. In the arena. */
const json_t *arguments_fit(struct arena *arena, const struct tool *const *tools, size_t n,
                            const json_t *parameters);
/* Those parameters that the tool knows; all of them when its schema names none. In the arena. */
const json_t *arguments_for(struct arena *arena, const struct tool *tool, const json_t *parameters);

#endif
