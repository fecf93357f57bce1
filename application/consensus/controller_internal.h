/* What becomes of one envelope before it counts (controller_judge.c): status and tags are brought
 * into line with what it carries, its candidate is made canonical, hashed and held against the
 * rules. */
#ifndef APPLICATION_CONSENSUS_CONTROLLER_INTERNAL_H
#define APPLICATION_CONSENSUS_CONTROLLER_INTERNAL_H

#include "application/consensus/controller.h"

struct judged {
    struct controller_verdict verdict; /* counts is still open */
    const char *text;                  /* the candidate as written; NULL: none that may count */
    const char *canonical;             /* in the form that is compared */
    char sha256[DIGEST_HEX_SIZE];
};

void controller_judge(struct arena *arena, struct digest *digest,
                      const struct controller_rules *rules, const struct envelope *said,
                      const char *check_failure, struct judged *out);
/* The candidate that the rules allow, canonical; NULL with *out_why (may be NULL) as an
 * instruction, or NULL there as well when the envelope has none. */
const char *controller_allowed(struct arena *arena, const struct controller_rules *rules,
                               const char *text, const char **out_why);
/* Lowers the status to the highest that may stand, and drops a [SOLVED] that asks for more. */
void controller_lower(struct arena *arena, struct envelope *envelope, enum envelope_status highest);
void controller_remark(struct controller_verdict *verdict, enum controller_note note,
                       const char *text);
/* Whether the agent has to mend it. */
bool controller_note_is_problem(enum controller_note note);
/* Stands in place of an envelope that could not be read, and asks for it again. */
struct envelope controller_error_envelope(struct arena *arena);

#endif
