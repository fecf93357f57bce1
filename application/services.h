/* What a use case may need, made on first use: `mistro tools` opens no database and a `call`
 * contacts no model. The composition root implements this (presentation/main/compose.c); tests
 * hand in fakes. Everything returned is borrowed and lives until the services are finished. */
#ifndef APPLICATION_SERVICES_H
#define APPLICATION_SERVICES_H

#include "application/ports/artifacts.h"
#include "application/ports/assets.h"
#include "application/ports/browser.h"
#include "application/ports/candidate_checker.h"
#include "application/ports/console.h"
#include "application/ports/digest.h"
#include "application/ports/documents.h"
#include "application/ports/ids.h"
#include "application/ports/model.h"
#include "application/ports/observer.h"
#include "application/ports/places.h"
#include "application/ports/renderer.h"
#include "application/ports/run_tapes.h"
#include "application/ports/runtime.h"
#include "application/ports/tool_index.h"
#include "application/ports/tool_server.h"
#include "application/ports/user.h"
#include "application/settings.h"
#include "domain/repositories/approval_repository.h"
#include "domain/repositories/conversation_repository.h"
#include "domain/repositories/pin_repository.h"
#include "domain/repositories/run_queue.h"
#include "domain/repositories/run_repository.h"
#include "domain/repositories/run_states.h"

struct services;

/* How the model of this process was chosen. */
enum model_choice {
    MODEL_CHOICE_NAMED,   /* by flag, environment or file: failing is exit 3 */
    MODEL_CHOICE_FOUND,   /* discovered on this machine */
    MODEL_CHOICE_LEXICAL, /* `-m none`, or nothing named and nothing found: no model */
};

struct services_ops {
    /* All mandatory; each makes the thing on first use. */
    enum err_code (*servers)(struct services *s, struct scope *sc, struct tool_server ***out,
                             size_t *out_n, struct err *err);
    enum err_code (*model)(struct services *s, struct scope *sc, struct model **out,
                           enum model_choice *out_choice, struct err *err);
    enum err_code (*conversations)(struct services *s, struct conversation_repository **out,
                                   struct err *err);
    enum err_code (*runs)(struct services *s, struct run_repository **out, struct err *err);
    enum err_code (*approvals)(struct services *s, struct approval_repository **out,
                               struct err *err);
    enum err_code (*index)(struct services *s, struct tool_index **out, struct err *err);
    enum err_code (*pins)(struct services *s, struct pin_repository **out, struct err *err);
    /* Optional: NULL means that the one model is all there is. */
    enum err_code (*model_of)(struct services *s, struct scope *sc, const char *name,
                              const char *base_url, struct model **out, struct err *err);
    /* Optional: NULL means that there is none but the one above. */
    enum err_code (*new_index)(struct services *s, struct tool_index **out, struct err *err);
    /* Optional: NULL, or *out NULL, means that nothing can be drawn. */
    enum err_code (*renderer)(struct services *s, struct renderer **out, struct err *err);
    /* Optional: NULL, or *out NULL, means that there is none. */
    enum err_code (*queue)(struct services *s, struct run_queue **out, struct err *err);
    /* Optional: the value of an environment variable, or NULL, for plan_inputs_take_secrets. */
    const char *(*variable)(void *services, const char *name);
};

struct services {
    const struct services_ops *ops;
    struct runtime *runtime;
    const struct settings *settings;
    struct user *user;
    struct browser *browser;   /* may be NULL: there is none */
    struct observer *observer; /* may be NULL */
    struct documents *documents;
    struct assets *assets;
    struct digest *digest;
    struct ids *ids;
    struct candidate_checker *checker; /* may be NULL: nothing is run */
    struct artifacts *artifacts;       /* may be NULL: no files are written */
    struct run_states *run_states;     /* may be NULL: no run can be taken up again */
    struct places *places;             /* may be NULL: nothing is bounded */
    struct run_tapes *run_tapes;       /* may be NULL: no run can be replayed from what it asked */
    struct trace_texts caller;         /* the trace that new runs are part of, unchecked; or none */
    const char *folder;                /* that the process works in; NULL: none is known */
    bool approve_all;                  /* --yes */
    bool wants_server_logs;            /* -v, --events: what servers log is shown */
    bool project_approved;             /* what the project folder brings counts */
    bool spares_sessions;              /* they are read and stay as they are, as in a replay */
};

/* The configured (and enabled, and approved) servers, not yet started; the built-in workspace when
 * none is configured. */
awaits MUST_CHECK static inline enum err_code services_servers(struct services *s, struct scope *sc,
                                                               struct tool_server ***out,
                                                               size_t *out_n, struct err *err)
{
    return s->ops->servers(s, sc, out, out_n, err);
}
/* *out is NULL exactly when *out_choice is MODEL_CHOICE_LEXICAL. Discovery may wait. */
awaits MUST_CHECK static inline enum err_code services_model(struct services *s, struct scope *sc,
                                                             struct model **out,
                                                             enum model_choice *out_choice,
                                                             struct err *err)
{
    return s->ops->model(s, sc, out, out_choice, err);
}
MUST_CHECK
static inline enum err_code services_conversations(struct services *s,
                                                   struct conversation_repository **out,
                                                   struct err *err)
{
    return s->ops->conversations(s, out, err);
}
/* *out is NULL when runs.enabled is off. */
MUST_CHECK
static inline enum err_code services_runs(struct services *s, struct run_repository **out,
                                          struct err *err)
{
    return s->ops->runs(s, out, err);
}
MUST_CHECK
static inline enum err_code services_approvals(struct services *s, struct approval_repository **out,
                                               struct err *err)
{
    return s->ops->approvals(s, out, err);
}
MUST_CHECK
static inline enum err_code services_index(struct services *s, struct tool_index **out,
                                           struct err *err)
{
    return s->ops->index(s, out, err);
}
/* *out is NULL where there is no home folder to keep pins in. */
MUST_CHECK
static inline enum err_code services_pins(struct services *s, struct pin_repository **out,
                                          struct err *err)
{
    return s->ops->pins(s, out, err);
}
/* Another model than the process's: by a name, at an endpoint, or both; either may be NULL. The
 * same pair gives the same model, and two names at one endpoint queue for it. Fails as a model that
 * was named does. */
awaits MUST_CHECK static inline enum err_code services_model_of(struct services *s,
                                                                struct scope *sc, const char *name,
                                                                const char *base_url,
                                                                struct model **out, struct err *err)
{
    if (!s->ops->model_of)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is no other model than the one in use");
    return s->ops->model_of(s, sc, name, base_url, out, err);
}
/* An index for something else than the tools of the session; the caller's, to be destroyed. */
MUST_CHECK
static inline enum err_code services_new_index(struct services *s, struct tool_index **out,
                                               struct err *err)
{
    if (!s->ops->new_index)
        return err_set(err, ERR_UNAVAILABLE, 0, "there is no index for this");
    return s->ops->new_index(s, out, err);
}
/* *out is NULL when nothing can be drawn at all. */
MUST_CHECK
static inline enum err_code services_renderer(struct services *s, struct renderer **out,
                                              struct err *err)
{
    *out = NULL;
    return s->ops->renderer ? s->ops->renderer(s, out, err) : ERR_NONE;
}
/* ERR_INVALID: the store of this process has no queue. */
MUST_CHECK
static inline enum err_code services_queue(struct services *s, struct run_queue **out,
                                           struct err *err)
{
    *out = NULL;
    enum err_code r = s->ops->queue ? s->ops->queue(s, out, err) : ERR_NONE;
    if (r || *out)
        return r;
    err_set(err, ERR_INVALID, 0, "runs can only be queued in PostgreSQL");
    return err_hint(
        err, ERR_INVALID,
        "set storage.backend: postgres and storage.postgres: URL; run FILE runs it here");
}

#endif
