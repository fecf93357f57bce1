/* The makers of the model port. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_CREATE_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_MODEL_CREATE_H

#include "application/ports/model.h"
#include "application/ports/runtime.h"
#include "application/settings.h"
#include <jansson.h>

struct endpoint_memory;
struct uv_runtime;

struct endpoint {
    const char *base_url;   /* "http://127.0.0.1:11434" */
    const char *kind;       /* as in struct model_status; "openai": some chat completions server */
    const char *version;    /* what the server says of itself; "" when it says nothing */
    int64_t context_tokens; /* of the server, whatever the model; -1 unknown */
    const char *known_as;   /* to the memory, for one whose address changes; NULL: its base_url */
    bool sees;              /* it says that its model takes images */
    const json_t *models; /* an array, where it was asked for its list on this occasion; or NULL */
};

/* Which kind of server answers at a base URL, or (base_url "") at the usual ports of this machine:
 * 11434, 8080, 8000, 1234. ERR_UNAVAILABLE when none does, with the hint that starts one. */
awaits MUST_CHECK enum err_code model_endpoint_find(struct uv_runtime *runtime, struct scope *scope,
                                                    const struct settings *settings,
                                                    struct arena *arena, struct endpoint *out,
                                                    struct err *err);

/* The model port for what was found, in the dialect of its kind. The endpoint (with its strings),
 * settings and memory are borrowed and must outlive the model; memory may be NULL: then nothing is
 * known beforehand and nothing is kept. Nothing is contacted. */
struct model *endpoint_model_open(struct uv_runtime *runtime, const struct endpoint *endpoint,
                                  const struct settings *settings, struct endpoint_memory *memory);
/* Canned answers from JSON lines (docs/mock.md): each {"purpose":"plan","match":"regex-free glob
 * over the user text, optional","reply":… (object or text),"stop":"end|length","delay_ms":0,
 * "error":"timeout|unavailable",…}. The first line whose purpose and match fit and that has not
 * been used up ("times", default 1, 0 = for ever) answers. ERR_INVALID names the line. */
MUST_CHECK
enum err_code scripted_model_create(struct runtime *runtime, const char *name, const char *script,
                                    size_t length, struct model **out, struct err *err);

#endif
