#include "application/use_cases/list_models.h"
#include "application/structured/model_call.h"
#include "domain/base/err.h"

enum err_code list_models(struct services *services, struct scope *scope, struct arena *arena,
                          struct model_listing *out, struct err *err)
{
    struct model *model = NULL;
    struct model_listing listing = { 0 };
    enum err_code r = services_model(services, scope, &model, &listing.choice, err);
    if (r || listing.choice == MODEL_CHOICE_LEXICAL) {
        if (!r)
            *out = listing;
        return r;
    }
    r = model_list(model, scope, arena, &listing.names, &listing.n_names, err);
    if (r)
        return r;
    r = model_failure(model_check(model, scope, arena, &listing.status, &listing.problem),
                      &listing.problem);
    if (r == ERR_CANCELLED) {
        if (err)
            *err = listing.problem;
        return r;
    }
    *out = listing;
    return ERR_NONE;
}

static const char *choice_name(enum model_choice choice)
{
    switch (choice) {
    case MODEL_CHOICE_NAMED:
        return "named";
    case MODEL_CHOICE_FOUND:
        return "found";
    case MODEL_CHOICE_LEXICAL:
        break;
    }
    return "lexical";
}

static void set_text(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

json_t *model_listing_to_json(const struct model_listing *listing)
{
    json_t *names = json_array();
    for (size_t i = 0; i < listing->n_names; i++)
        json_array_append_new(names, json_string(listing->names[i]));
    json_t *value =
        json_pack("{s:s, s:o}", "choice", choice_name(listing->choice), "models", names);
    set_text(value, "kind", listing->status.kind);
    set_text(value, "base_url", listing->status.base_url);
    set_text(value, "model", listing->status.model);
    set_text(value, "requested", listing->status.requested);
    set_text(value, "reason", listing->status.reason);
    if (listing->status.context_tokens > 0)
        json_object_set_new(value, "context_tokens", json_integer(listing->status.context_tokens));
    if (listing->status.kind)
        set_text(value, "schema_support",
                 model_schema_support_name(listing->status.schema_support));
    if (listing->problem.code)
        json_object_set_new(value, "error", err_to_json(&listing->problem));
    return value;
}
