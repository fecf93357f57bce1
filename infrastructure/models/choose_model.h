/* Which models this process uses.
 *
 * The one of the settings: a model that was named (by flag, environment or file) is used or its
 * failure is reported; nothing named and none found means the lexical analyst.
 *
 * And models beside it, by the name and the address they are asked for with: a role of a consensus
 * names them. Each is made once and kept to the end. What else the settings say of an address is
 * not for another one: neither their key nor the server that is started for it. */
#ifndef INFRASTRUCTURE_MODELS_CHOOSE_MODEL_H
#define INFRASTRUCTURE_MODELS_CHOOSE_MODEL_H

#include "application/ports/model.h"
#include "application/services.h"
#include "application/settings.h"

#define NAMED_MODELS_MAX 16

struct endpoint_memory;
struct launched_server;
struct uv_runtime;

/* What models are made of. All of it is borrowed and must outlive the models. */
struct model_sources {
    struct uv_runtime *runtime;
    const struct settings *settings;
    struct launched_server *launched;  /* of model.launch where that counts (settings.h), else NULL;
                                        * it  is started when it is needed */
    struct endpoint_memory *endpoints; /* may be NULL */
    struct arena *arena;               /* what a model borrows lives here */
};

/* *out is NULL exactly for MODEL_CHOICE_LEXICAL. ERR_UNAVAILABLE when a named endpoint does not
 * answer (unless model.fallback is lexical), ERR_INVALID when a script cannot be read. */
awaits MUST_CHECK enum err_code model_choose(const struct model_sources *from, struct scope *scope,
                                             struct model **out, enum model_choice *out_choice,
                                             struct err *err);

struct named_model {
    const char *name, *base_url; /* either may be NULL: that of the settings */
    struct model *model;
};

/* The sources are set before the first model is asked for. */
struct named_models {
    struct model_sources from;
    struct named_model list[NAMED_MODELS_MAX];
    size_t n;
    /* May be NULL. What is used in the place of a model that was made; owns it. */
    struct model *(*wrap)(void *context, const char *name, const char *base_url,
                          struct model *made);
    void *context;
};

/* ERR_LIMIT: as many as there may be are there; ERR_UNAVAILABLE: none of that name; else as
 * model_choose. One call at a time. */
awaits MUST_CHECK enum err_code named_models_get(struct named_models *models, struct scope *scope,
                                                 const char *name, const char *base_url,
                                                 struct model **out, struct err *err);
awaits void named_models_close(struct named_models *models);

#endif
