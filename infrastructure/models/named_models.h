/* Models beside the one of the settings, by the name and the address they are asked for with: a
 * role of a consensus names them. Each is made once and kept to the end. What else the settings say
 * of an address is not for another one: neither their key nor the server that is started for it. */
#ifndef INFRASTRUCTURE_MODELS_NAMED_MODELS_H
#define INFRASTRUCTURE_MODELS_NAMED_MODELS_H

#include "application/ports/model.h"
#include "application/settings.h"

#define NAMED_MODELS_MAX 16

struct endpoint_memory;
struct launched_server;
struct uv_runtime;

struct named_model {
    const char *name, *base_url; /* either may be NULL: that of the settings */
    struct model *model;
};

/* Everything but the list is borrowed, and set before the first model is asked for. */
struct named_models {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct endpoint_memory *endpoints;
    struct launched_server *launched; /* NULL unless model.launch counts */
    struct arena *arena;
    struct named_model list[NAMED_MODELS_MAX];
    size_t n;
};

/* ERR_LIMIT: as many as there may be are there; ERR_UNAVAILABLE: none of that name; else as
 * model_choose. One call at a time. */
awaits MUST_CHECK enum err_code named_models_get(struct named_models *models, struct scope *scope,
                                                 const char *name, const char *base_url,
                                                 struct model **out, struct err *err);
awaits void named_models_close(struct named_models *models);

#endif
