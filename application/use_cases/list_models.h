/* `models`: what the endpoint has, which one is used and why. */
#ifndef APPLICATION_USE_CASES_LIST_MODELS_H
#define APPLICATION_USE_CASES_LIST_MODELS_H

#include "application/services.h"

struct model_listing {
    enum model_choice choice;
    struct model_status status; /* zeroed for the lexical analyst */
    const char **names;
    size_t n_names;
    struct err problem; /* the endpoint is there, the model is not: code NONE when it is */
};

/* ERR_UNAVAILABLE and the like when no endpoint answers. Everything is in the arena. */
awaits MUST_CHECK enum err_code list_models(struct services *services, struct scope *scope,
                                            struct arena *arena, struct model_listing *out,
                                            struct err *err);
/* Owned by the caller. */
json_t *model_listing_to_json(const struct model_listing *listing);

#endif
