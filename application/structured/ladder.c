#include "application/structured/ladder.h"

const char *engine_rung_name(enum engine_rung rung)
{
    static const char *const names[] = {
#define X(rung, name) [RUNG_##rung] = name,
        ENGINE_RUNGS(X)
#undef X
    };
    return names[rung];
}

enum engine_rung ladder_climb(struct ladder *ladder, enum attempt_class class)
{
    if (class == ATTEMPT_TRUNCATED && !ladder->budget_used) {
        ladder->budget_used = true;
        return RUNG_BUDGET;
    }
    bool compacts = ladder->can_compact && ladder->compactions < ENGINE_COMPACTIONS;
    bool reminds = ladder->reminders < ENGINE_REMINDERS && ladder->compactions == 0;
    if (reminds && (class != ATTEMPT_TRUNCATED || !compacts)) {
        ladder->reminders++;
        return RUNG_REMINDER;
    }
    if (!compacts)
        return RUNG_LAST;
    ladder->compactions++;
    return RUNG_COMPACTION;
}
