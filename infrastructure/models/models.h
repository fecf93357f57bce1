/* The makers of the model port. */
#ifndef INFRASTRUCTURE_MODELS_MODELS_H
#define INFRASTRUCTURE_MODELS_MODELS_H

#include "application/ports/model.h"
#include "application/ports/runtime.h"
#include "application/settings.h"

struct uv_runtime;

struct endpoint {
    const char *base_url; /* "http://127.0.0.1:11434" */
    const char *kind;     /* "ollama" or "openai" (every other chat-completions server) */
};

/* Which kind of server answers at a base URL, or (base_url "") at the usual ports of this machine:
 * 11434, 8080, 8000, 1234. ERR_UNAVAILABLE when none does, with the hint that starts one. */
awaits MUST_CHECK enum err_code model_endpoint_find(struct uv_runtime *runtime, struct scope *scope,
                                                    const struct settings *settings,
                                                    struct arena *arena, struct endpoint *out,
                                                    struct err *err);

/* settings and endpoint's strings are borrowed and must outlive the model. Nothing is contacted. */
struct model *ollama_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings);
struct model *openai_model_create(struct uv_runtime *runtime, const char *base_url,
                                  const struct settings *settings);

/* Canned answers from JSON lines (docs/mock.md): each {"purpose":"plan","match":"regex-free glob
 * over the user text, optional","reply":… (object or text),"stop":"end|length","delay_ms":0,
 * "error":"timeout|unavailable",…}. The first line whose purpose and match fit and that has not
 * been used up ("times", default 1, 0 = for ever) answers. ERR_INVALID names the line. */
MUST_CHECK
enum err_code scripted_model_create(struct runtime *runtime, const char *name, const char *script,
                                    size_t length, struct model **out, struct err *err);

#endif
