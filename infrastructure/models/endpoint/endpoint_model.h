/* The model port over an HTTP endpoint, as far as the dialects agree: which model is meant is found
 * out once, requests take turns, an answer streams; constrained_chat.c has what is about schemas. A
 * dialect says how to list, ask and listen. */
#ifndef INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MODEL_H
#define INFRASTRUCTURE_MODELS_ENDPOINT_ENDPOINT_MODEL_H

#include "application/ports/model.h"
#include "infrastructure/models/endpoint/chat_messages.h"
#include "infrastructure/models/endpoint/chat_stream.h"
#include "infrastructure/models/endpoint/endpoint_client.h"
#include "infrastructure/models/endpoint/model_create.h"
#include "infrastructure/models/endpoint/model_names.h"
#include "infrastructure/models/schema/schema_quarantine.h"
#include "infrastructure/runtime/task_lock.h"

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
    /* Owned by the caller; NULL when a text is not UTF-8. schema: lowered, or NULL. */
    json_t *(*body)(const struct endpoint_model *model, const struct model_request *request,
                    const json_t *schema, struct arena *arena);
};

/* Finds out, once, which model is meant and what the endpoint says about it. */
awaits MUST_CHECK enum err_code endpoint_model_resolve(struct endpoint_model *model,
                                                       struct scope *scope, struct arena *arena,
                                                       struct err *err);
/* A request's messages as this endpoint takes them: an array, owned by the caller; NULL when a text
 * is not UTF-8. message_of: one of them, in the dialect. */
typedef json_t *chat_message_fn(const struct chat_turn *turn, struct arena *arena);
json_t *endpoint_model_messages(const struct endpoint_model *model,
                                const struct model_request *request, chat_message_fn *message_of,
                                struct arena *arena);

/* What is sent, and what a refusal says. */
struct chat_ask {
    const struct model_request *request;
    const json_t *schema; /* lowered, or NULL */
    struct arena *arena;
    const char *refusal; /* out: where it failed because of the schema, what the endpoint says (in
                          * the arena); else NULL */
};

/* One request as it is, without a turn of its own; the model is resolved. On success *out has
 * everything but `model` and what is about the schema. */
awaits MUST_CHECK enum err_code endpoint_model_send(struct endpoint_model *model,
                                                    struct scope *scope, struct chat_ask *ask,
                                                    struct model_reply *out, struct err *err);

/* What the endpoint does with a schema, as far as that is known without asking
 * (constrained_chat.c).
 */
enum model_schema_support schema_support_known(const struct endpoint_model *model);
/* One answer that the request's schema describes, if it has one. The model is resolved, and the
 * request has its turn. */
awaits MUST_CHECK enum err_code constrained_chat(struct endpoint_model *model, struct scope *scope,
                                                 const struct model_request *request,
                                                 struct arena *arena, struct model_reply *out,
                                                 struct err *err);

/* Operations of the model port (endpoint_extras.c). llama-server and vLLM have a route that counts
 * tokens; ERR_FAILED for all others. */
awaits MUST_CHECK enum err_code endpoint_model_count_tokens(struct model *base, struct scope *scope,
                                                            const char *text, int64_t *out_tokens,
                                                            struct err *err);
/* A request with that system text and next to nothing behind it, of whose answer at most one token
 * is made: the model is loaded, stays so as long as after any other request, and the beginning of
 * the next prompt is in its cache. Yields to every real request. Nothing is sent to an endpoint
 * that is not known to be a server of the user's own: elsewhere tokens may cost money. */
awaits MUST_CHECK enum err_code endpoint_model_warm(struct model *base, struct scope *scope,
                                                    const char *system, struct err *err);

extern const struct dialect ollama_dialect, openai_dialect;

#endif
