/* The parts of an agent behind a model: what it is told (agent_prompt.c), and whether an artifact
 * it gives has its form (model_agent.c).
 *
 * It is told a system text, which stays the same for the whole run, and the turn. The peer's words
 * are data: they stand as JSON strings, and are cut at consensus.peer_bytes. What must never be
 * lost (the task, what both stand for, questions, what was wrong) stays in the prompt; what the
 * peer said around it leaves first where there is no room. */
#ifndef APPLICATION_CONSENSUS_MODEL_AGENT_INTERNAL_H
#define APPLICATION_CONSENSUS_MODEL_AGENT_INTERNAL_H

#include "application/consensus/agent.h"
#include "application/consensus/role_sets.h"
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

/* The forms that artifacts have by their type: members and their types
 * (data/schemas/artifacts.json). An empty content is not an artifact yet and always right, and so
 * is one that has nothing but the candidate. Types without a form of their own take anything. */
struct artifact_forms {
    const json_t *by_type; /* {type: schema} */
};

/* In the arena. ERR_INVALID names the file, and the type whose schema is broken. */
MUST_CHECK
enum err_code artifact_forms_load(struct arena *arena, struct assets *assets,
                                  struct artifact_forms *out, struct err *err);
/* False, with problems whose paths begin with /artifact/content. */
bool artifact_check(const struct artifact_forms *forms, enum envelope_artifact type,
                    const json_t *content, struct problems *problems);

#endif
