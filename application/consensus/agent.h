/* One of the two who are to agree, whoever is behind it: a model, or one of the two mocks that need
 * none. An agent answers a turn with an envelope; it judges nothing. */
#ifndef APPLICATION_CONSENSUS_AGENT_H
#define APPLICATION_CONSENSUS_AGENT_H

#include "application/consensus/controller.h"
#include "domain/base/attributes.h"
#include "domain/base/scope.h"

struct agent_usage {
    unsigned model_calls;
    int64_t prompt_tokens, completion_tokens, model_ms; /* -1 unknown */
};

struct consensus_agent;

struct consensus_agent_ops {
    enum err_code (*answer)(struct consensus_agent *a, struct scope *sc, struct arena *arena,
                            const struct controller_turn *turn, struct envelope *out,
                            struct agent_usage *usage, struct err *err);
};

struct consensus_agent {
    const struct consensus_agent_ops *ops;
    const char *kind;  /* "model", "mock_rule", "mock_echo" */
    const char *model; /* the name that answers; NULL for a mock */
};

/* One envelope, in the arena. ERR_FAILED: none that could be read, after the whole ladder, with
 * what was wrong at the end; transport errors as model_chat reports them. usage is added to. */
awaits MUST_CHECK static inline enum err_code consensus_agent_answer(
    struct consensus_agent *a, struct scope *sc, struct arena *arena,
    const struct controller_turn *turn, struct envelope *out, struct agent_usage *usage,
    struct err *err)
{
    return a->ops->answer(a, sc, arena, turn, out, usage, err);
}

#endif
