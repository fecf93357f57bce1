/* Which rung comes after an answer that cannot be used. Counts belong to one asking; nothing is
 * carried over to the next (S4-32). Pure. */
#ifndef APPLICATION_STRUCTURED_LADDER_H
#define APPLICATION_STRUCTURED_LADDER_H

#include "application/structured/engine.h"

/* requests of one asking, transport failures apart: the first, more budget, reminders, compaction
 */
#define LADDER_MAX_REQUESTS (1 + 1 + ENGINE_REMINDERS + ENGINE_COMPACTIONS)

/* A zeroed one stands at the bottom. */
struct ladder {
    bool can_compact; /* there is a wish that a compaction could keep */
    bool budget_used;
    unsigned reminders, compactions;
};

/* The next rung after an answer of this class; RUNG_LAST once nothing else is left. A cut answer
 * costs no reminder: after more budget only a smaller question helps, which is the compaction. */
enum engine_rung ladder_climb(struct ladder *ladder, enum attempt_class class);

#endif
