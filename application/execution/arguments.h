/* Values as a model or a person gives them, brought to the types a tool asks for where that loses
 * nothing: "5" becomes 5 for an integer, "true" becomes true, a scalar becomes a list of one, the
 * case of a choice is mended. A text that is right as it stands stays as it is, and so does a
 * reference to an earlier step. Every change is noted, so that it can be told. Whether the outcome
 * is valid is the schema's business, not this module's. Pure. */
#ifndef APPLICATION_EXECUTION_ARGUMENTS_H
#define APPLICATION_EXECUTION_ARGUMENTS_H

#include "application/structured/argument_value.h"
#include "domain/tool/tool.h"

/* No notes yet. */
struct argument_notes argument_notes_make(struct arena *arena);

/* The parameters of a request, with every one that a tool knows fitted to it; others stay. What is
 * empty was not given: null and, unless it was asked for, "" are left out, silently. In the arena.
 */
const json_t *arguments_fit(struct arena *arena, const struct tool *const *tools, size_t n,
                            const json_t *parameters, bool keeps_empty,
                            struct argument_notes *notes);
/* Those parameters that the tool knows; all of them when its schema names none. In the arena. */
const json_t *arguments_for(struct arena *arena, const struct tool *tool, const json_t *parameters);
/* The arguments of a planned step, fitted to its tool: unknown ones are left out, as is a null
 * where none may be, and what is required and has a default gets it. In the arena. */
const json_t *arguments_of_step(struct arena *arena, const struct tool *tool, const json_t *args,
                                struct argument_notes *notes);

/* What references gave: a number or a truth value that a reference alone gave to a parameter of
 * text is printed, as it is inside a longer text. written: the arguments with their references. In
 * the arena. */
const json_t *arguments_print(struct arena *arena, const struct tool *tool, const json_t *written,
                              const json_t *bound);

#endif
