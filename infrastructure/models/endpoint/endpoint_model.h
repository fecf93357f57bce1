/* The model port over an HTTP endpoint, as far as the dialects agree: which model is meant is found
 * out once, requests take turns, an answer streams; constrained_chat.h has what is about schemas. A
 * dialect says how to list, ask and listen. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MODEL_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MODEL_H

#include "application/ports/model.h"
#include "infrastructure/models/endpoint/chat_messages.h"
#include "infrastructure/models/endpoint/chat_stream.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include "infrastructure/runtime/task_lock.h"

/* What the endpoint says it has. */
struct endpoint_models {
    const char **names;
    size_t n;
    bool has_list; /* false: it cannot tell, and every name may be right */
    const json_t *entries;
};

struct endpoint_model {
    struct model base;
    const struct dialect *dialect;
    struct endpoint endpoint; /* as it was found */
    struct endpoint_memory *memory;
    struct endpoint_client client;
    struct task_lock own_queue;
    struct task_lock *queue; /* one request at a time for a server that answers one at a time: the
                              * others wait here instead of growing a queue in the server that no
                              * one can see or leave. The address's, where there is a memory to
                              * share it; else own. */
    bool is_loading;         /* it had no list yet for that reason, when it was asked last */
    bool refuses_system;     /* its chat template did: there is no such role from then on */
    bool known;              /* what follows is; strings are the arena's */
    const char *name, *reason, *kind;
    const char *version;    /* of server and weights: another one may behave differently */
    int64_t context_tokens; /* -1 unknown */
    bool sees;              /* it takes images, says the endpoint */
    enum model_schema_support schema_support;
    bool asked_about_schemas; /* by this process: unknown then means not to be found out */
    struct schema_quarantine quarantine;
    struct arena arena;
};

struct dialect {
    const char *start_hint; /* how such a server is started; NULL: unknown */
    const char *get_hint;   /* how a missing model is had: a prefix to its name; NULL: unknown */
    const char *chat_path;
    enum chat_framing framing;
    chat_event_fn *on_event;
    /* Waits. */
    enum err_code (*list)(struct endpoint_model *model, struct scope *scope, struct arena *arena,
                          struct endpoint_models *out, struct err *err);
    /* Waits. Fills kind, version, context_tokens and sees of the model that was chosen; what cannot
     * be found out stays unknown. */
    enum err_code (*describe)(struct endpoint_model *model, struct scope *scope,
                              const struct endpoint_models *models, struct err *err);
    /* A server with one model answers with it whatever it is called. */
    bool only_model_is_meant;
    /* Owned by the caller; NULL when a text is no UTF-8. schema: lowered, or NULL. */
    json_t *(*body)(const struct endpoint_model *model, const struct model_request *request,
                    const json_t *schema, struct arena *arena);
};

/* entries: array of objects whose member `key` is the name; anything else is "no list". */
struct endpoint_models endpoint_models_of(const json_t *entries, const char *key,
                                          struct arena *arena);
/* The entry of that name, or NULL. */
const json_t *endpoint_models_entry(const struct endpoint_models *models, const char *key,
                                    const char *name);

/* Finds out, once, which model is meant and what the endpoint says about it. */
awaits MUST_CHECK enum err_code endpoint_model_resolve(struct endpoint_model *model,
                                                       struct scope *scope, struct arena *arena,
                                                       struct err *err);
/* How this endpoint's messages are laid out. */
struct chat_style endpoint_model_style(const struct endpoint_model *model);

/* One request as it is, without a turn of its own; the model is resolved. schema: lowered, or NULL.
 * *out_refusal (in the arena) is what the endpoint says when it fails because of the schema, else
 * NULL. On success *out has everything but `model` and what is about the schema. */
awaits MUST_CHECK enum err_code endpoint_model_send(struct endpoint_model *model,
                                                    struct scope *scope,
                                                    const struct model_request *request,
                                                    const json_t *schema, struct arena *arena,
                                                    struct model_reply *out,
                                                    const char **out_refusal, struct err *err);

struct model *endpoint_model_create(const struct dialect *dialect, struct uv_runtime *runtime,
                                    const struct endpoint *endpoint,
                                    const struct settings *settings,
                                    struct endpoint_memory *memory);

extern const struct dialect ollama_dialect, openai_dialect;

#endif
