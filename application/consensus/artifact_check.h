/* Whether an artifact has the form that its type asks for (S0-27 … S0-30): members and their types,
 * as data/schemas/artifacts.json has them. An empty content is none yet and always right, and so is
 * one that has nothing but the candidate. Types without a form of their own take anything. */
#ifndef APPLICATION_CONSENSUS_ARTIFACT_CHECK_H
#define APPLICATION_CONSENSUS_ARTIFACT_CHECK_H

#include "application/ports/assets.h"
#include "domain/consensus/envelope.h"

struct artifact_forms {
    const json_t *by_type; /* {type: schema} */
};

/* In the arena. ERR_INVALID names the file, and the type whose schema is none. */
MUST_CHECK
enum err_code artifact_forms_load(struct arena *arena, struct assets *assets,
                                  struct artifact_forms *out, struct err *err);

/* False, with problems whose paths begin with /artifact/content. */
bool artifact_check(const struct artifact_forms *forms, enum envelope_artifact type,
                    const json_t *content, struct problems *problems);

#endif
