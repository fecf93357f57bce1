/* One of the two agents who are to agree. An agent answers a turn with an envelope; it judges
 * nothing. Behind it is a model, or one of two mocks that need none. */
#ifndef APPLICATION_CONSENSUS_AGENT_H
#define APPLICATION_CONSENSUS_AGENT_H

#include "application/consensus/controller.h"
#include "application/ports/model.h"
#include "application/runs/run_session.h"

struct agent_usage {
    unsigned model_calls;
    int64_t prompt_tokens, completion_tokens, model_ms; /* -1 unknown */
};

/* A count that an endpoint does not tell makes the sum unknown. */
void agent_usage_add(struct agent_usage *sum, const struct agent_usage *more);

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

struct model_agent_options {
    struct model *model;
    const char *model_name; /* that is shown */
    struct run_session *session;
    const struct role_set *roles;
    unsigned index;
    const char *task;
    const json_t *examples; /* or NULL */
    bool samples; /* every answer is drawn anew: consensus.vote_temperature, and another seed */
};

/* An agent behind a model: it is asked for an envelope through the structured engine, so that what
 * a weak model damages is recovered by the ladder of every other contract. An answer counts when
 * the final text is there where it says SOLVED, the text is not the example's, and an artifact has
 * its form. A wrong artifact costs a single reminder; after that the envelope is taken, and the
 * agent is told in its next turn.
 *
 * In the session's arena; what the options name must live as long. Reads prompts, pack and
 * contract, so that mistakes in them are reported before a model is asked: ERR_NOT_FOUND,
 * ERR_INVALID. */
MUST_CHECK
enum err_code model_agent_create(const struct model_agent_options *options,
                                 struct consensus_agent **out, struct err *err);

/* Agents without a model, for trying a role set, a rule or a script. They keep the rules of the
 * game, so that a run with them ends as one with models that agree would. In the arena; the role
 * set must live as long. `mock_rule`: SOLVED with the answer, in every turn. */
struct consensus_agent *mock_rule_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index, const char *answer);
/* `mock_echo`: waits until the other stands for something, and adopts it word for word. */
struct consensus_agent *mock_echo_create(struct arena *arena, const struct role_set *roles,
                                         unsigned index);

#endif
