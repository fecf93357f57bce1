/* A language model behind an endpoint. One request in flight per endpoint: others queue. Answers
 * always stream, so that cancelling frees the server and silence is noticed. */
#ifndef APPLICATION_PORTS_MODEL_H
#define APPLICATION_PORTS_MODEL_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <jansson.h>
#include <stdbool.h>

struct model;

enum model_role { MODEL_SYSTEM, MODEL_USER, MODEL_ASSISTANT };
enum model_part_kind { MODEL_TEXT, MODEL_IMAGE };

struct model_part {
    enum model_part_kind kind;
    const char *text;       /* UTF-8; or base64 of the image */
    const char *media_type; /* of an image */
};

struct model_message {
    enum model_role role;
    const struct model_part *parts;
    size_t n_parts;
};

#define MODEL_GRACE_MS 500

struct model_request {
    const char *purpose; /* "intent", "plan", "answer", …: for the log and scripted answers */
    const struct model_message *messages;
    size_t n_messages;
    const json_t *schema;   /* the answer must fit it, where the endpoint can enforce that */
    double temperature;     /* < 0: the model's own default */
    int max_tokens;         /* > 0 */
    int64_t seed;           /* < 0: none */
    int64_t first_token_ms; /* silence allowed before the first token */
    int64_t silence_ms;     /* silence allowed between tokens */
    /* May be NULL. Called on the loop's stack: must not wait. False ends the stream early: the
     * reply then has what came so far and stop is MODEL_STOP_EARLY. */
    bool (*on_token)(void *context, const char *text, size_t length);
    /* May be NULL. Whether everything that is wanted has come: the end of the stream, with its
     * counts, is then waited for no longer than MODEL_GRACE_MS; without it the reply is an early
     * one. Called as on_token is. */
    bool (*is_complete)(void *context);
    void *context;
};

enum model_stop { MODEL_STOP_END, MODEL_STOP_LENGTH, MODEL_STOP_EARLY };

/* A part of a request's schema that the endpoint did not take; it accepts anything there instead.
 */
struct model_schema_note {
    const char *path;    /* JSON Pointer within the request's schema */
    const char *message; /* what the endpoint says about it; foreign text */
};

struct model_reply {
    const char *text;  /* in the arena */
    const char *model; /* the name under which the endpoint knows the one that answered */
    enum model_stop stop;
    int64_t prompt_tokens, cached_tokens, completion_tokens; /* -1 when the endpoint is silent */
    bool counts_cached; /* prompt_tokens is known to include what was in a cache */
    int64_t duration_ms;
    bool
        constrained; /* the endpoint held the answer to the schema (or what the notes left of it) */
    const struct model_schema_note *notes; /* reported once per part of a schema; in the arena */
    size_t n_notes;
};

/* X(support, name): what an endpoint does with a schema, found out once per endpoint and model */
#define MODEL_SCHEMA_SUPPORTS(X)                                                                   \
    X(UNKNOWN, "unknown")                                                                          \
    X(ENFORCED, "enforced")                                                                        \
    X(IGNORED, "ignored")                                                                          \
    X(REFUSED, "refused")

enum model_schema_support {
#define X(support, name) MODEL_SCHEMA_##support,
    MODEL_SCHEMA_SUPPORTS(X)
#undef X
};

static inline const char *model_schema_support_name(enum model_schema_support support)
{
    static const char *const names[] = {
#define X(support, name) name,
        MODEL_SCHEMA_SUPPORTS(X)
#undef X
    };
    return names[support];
}

/* What the endpoint is and which model is used, and why. Strings live in the arena. */
struct model_status {
    const char *kind; /* "ollama", "llama-server", "vllm", "tgi", "lm-studio", "mistral.rs",
                         "openai", "script" */
    const char *base_url;
    const char *model;      /* the name the endpoint knows */
    const char *requested;  /* the name that was asked for */
    const char *reason;     /* how one became the other: "as written", "alias mistral", … */
    int64_t context_tokens; /* that a request may fill; -1 unknown */
    enum model_schema_support schema_support;
    bool sees; /* the endpoint says that the model takes images */
};

struct model_ops {
    /* Mandatory but for the two that say so. */
    enum err_code (*check)(struct model *m, struct scope *sc, struct arena *arena,
                           struct model_status *out, struct err *err);
    enum err_code (*list)(struct model *m, struct scope *sc, struct arena *arena,
                          const char ***out_names, size_t *out_n, struct err *err);
    enum err_code (*chat)(struct model *m, struct scope *sc, const struct model_request *request,
                          struct arena *arena, struct model_reply *out, struct err *err);
    /* May be NULL: the endpoint cannot count, or has nothing to warm. */
    enum err_code (*count_tokens)(struct model *m, struct scope *sc, const char *text,
                                  int64_t *out_tokens, struct err *err);
    enum err_code (*warm)(struct model *m, struct scope *sc, const char *system, struct err *err);
    void (*destroy)(struct model *m);
};

struct model {
    const struct model_ops *ops;
};

/* Is the endpoint there, and has it the model? ERR_UNAVAILABLE (hint: how to start it) or
 * ERR_NOT_FOUND (hint: how to pull it, and what it has). Cheap after the first success. */
awaits MUST_CHECK static inline enum err_code model_check(struct model *m, struct scope *sc,
                                                          struct arena *arena,
                                                          struct model_status *out, struct err *err)
{
    return m->ops->check(m, sc, arena, out, err);
}
awaits MUST_CHECK static inline enum err_code model_list(struct model *m, struct scope *sc,
                                                         struct arena *arena,
                                                         const char ***out_names, size_t *out_n,
                                                         struct err *err)
{
    return m->ops->list(m, sc, arena, out_names, out_n, err);
}
/* One completion. ERR_TIMEOUT: silent for too long. ERR_UNAVAILABLE: gone, or the stream ended
 * without its end marker. ERR_INVALID: the endpoint refused the request. ERR_LIMIT: the prompt
 * does not fit its context. A failure is an error and never text that looks like an answer. */
awaits MUST_CHECK static inline enum err_code model_chat(struct model *m, struct scope *sc,
                                                         const struct model_request *request,
                                                         struct arena *arena,
                                                         struct model_reply *out, struct err *err)
{
    return m->ops->chat(m, sc, request, arena, out, err);
}
/* The tokens of a text as the model's tokenizer counts them. ERR_FAILED where the endpoint
 * cannot tell; any failure means: estimate (domain/contract/token_estimate.h). */
awaits MUST_CHECK static inline enum err_code model_count_tokens(struct model *m, struct scope *sc,
                                                                 const char *text,
                                                                 int64_t *out_tokens,
                                                                 struct err *err)
{
    return m->ops->count_tokens ? m->ops->count_tokens(m, sc, text, out_tokens, err)
                                : err_set(err, ERR_FAILED, 0, "the endpoint cannot count tokens");
}
/* Loads the model and evaluates a system text, so that the first request finds it done. Takes its
 * turn after requests that wait. A hint: its failure need not be reported. */
awaits MUST_CHECK static inline enum err_code model_warm(struct model *m, struct scope *sc,
                                                         const char *system, struct err *err)
{
    return m->ops->warm ? m->ops->warm(m, sc, system, err) : ERR_NONE;
}
static inline void model_destroy(struct model *m)
{
    if (m)
        m->ops->destroy(m);
}

#endif
