/* What an agent behind a model is told: its system text, which stays the same for the whole run,
 * and the turn. The peer's words are data: they stand as JSON strings, and are cut at
 * consensus.peer_bytes. What must never be lost (the task, what both stand for, questions, what was
 * wrong) stays in the prompt; what the peer said around it leaves first where there is no room. */
#ifndef APPLICATION_CONSENSUS_AGENT_PROMPT_H
#define APPLICATION_CONSENSUS_AGENT_PROMPT_H

#include "application/consensus/controller.h"
#include "application/consensus/role_sets.h"
#include "application/settings.h"
#include "application/structured/engine.h"

struct agent_briefing {
    struct assets *assets;
    const struct settings *settings;
    const struct role_set *roles;
    unsigned index;
    const char *task;
    const json_t *examples; /* or NULL */
    const char *contract;   /* in the words of a prompt */
};

/* In the arena. ERR_NOT_FOUND: the pack; ERR_INVALID: a file of prompts. */
MUST_CHECK
enum err_code agent_prompt_system(struct arena *arena, const struct agent_briefing *briefing,
                                  const char **out, struct err *err);
/* left_over: what was wrong with the artifact of this agent's last envelope, or NULL. The budget
 * leaves room for saying again, word for word, what either of the two stands for. */
MUST_CHECK
enum err_code agent_prompt_turn(struct arena *arena, const struct agent_briefing *briefing,
                                const char *system, const struct controller_turn *turn,
                                const char *left_over, struct ask_prompt *out, struct err *err);

#endif
