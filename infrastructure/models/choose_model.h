/* Which model this process uses, by the rules of architecture.md: a model that was named (by flag,
 * environment or file) is used or its failure is reported; nothing named and none found means the
 * lexical analyst. */
#ifndef INFRASTRUCTURE_MODELS_CHOOSE_MODEL_H
#define INFRASTRUCTURE_MODELS_CHOOSE_MODEL_H

#include "application/ports/model.h"
#include "application/services.h"
#include "application/settings.h"

struct endpoint_memory;
struct launched_server;
struct uv_runtime;

/* launched: the server of model.launch where that counts (settings.h), else NULL; it is started
 * when it is needed and must outlive the model. memory: may be NULL; else it must outlive the model
 * as well.
 *
 * *out is NULL exactly for MODEL_CHOICE_LEXICAL. What the model borrows lives in the arena, which
 * must outlive it. ERR_UNAVAILABLE when a named endpoint does not answer (unless model.fallback is
 * lexical), ERR_INVALID when a script cannot be read. */
awaits MUST_CHECK enum err_code model_choose(struct uv_runtime *runtime, struct scope *scope,
                                             const struct settings *settings,
                                             struct launched_server *launched,
                                             struct endpoint_memory *memory, struct arena *arena,
                                             struct model **out, enum model_choice *out_choice,
                                             struct err *err);

#endif
