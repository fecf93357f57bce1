/* An agent behind a model: it is asked for an envelope through the structured engine, so that what
 * a weak model damages is recovered by the same ladder as everywhere. Before the answer counts as
 * one: the final text is there when it says SOLVED (X3), it is not the example's, and an artifact
 * has its form. That last one is worth a single reminder; after that the envelope is taken, and the
 * agent is told in its next turn. */
#ifndef APPLICATION_CONSENSUS_MODEL_AGENT_H
#define APPLICATION_CONSENSUS_MODEL_AGENT_H

#include "application/consensus/agent.h"
#include "application/journal.h"
#include "application/ports/assets.h"
#include "application/ports/model.h"
#include "application/settings.h"

struct model_agent_options {
    struct model *model;
    const char *model_name; /* that is shown */
    struct runtime *runtime;
    struct journal *journal;
    struct assets *assets;
    const struct settings *settings;
    const struct role_set *roles;
    unsigned index;
    const char *task;
    const json_t *examples; /* or NULL */
    bool samples; /* every answer is drawn anew: consensus.vote_temperature, and another seed */
};

/* In the arena; what the options name must live as long. Reads prompts, pack and contract, so that
 * what is wrong with them is told before a model is asked: ERR_NOT_FOUND, ERR_INVALID. */
MUST_CHECK
enum err_code model_agent_create(struct arena *arena, const struct model_agent_options *options,
                                 struct consensus_agent **out, struct err *err);

#endif
