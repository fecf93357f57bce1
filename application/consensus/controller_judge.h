/* What becomes of one envelope before anybody stands for it: status and tags in line with what it
 * carries, its candidate canonical, hashed and held against the rules. For controller.c alone. */
#ifndef APPLICATION_CONSENSUS_CONTROLLER_JUDGE_H
#define APPLICATION_CONSENSUS_CONTROLLER_JUDGE_H

#include "application/consensus/controller.h"

struct judged {
    struct controller_verdict verdict; /* counts is still open */
    const char *text;                  /* the candidate as written; NULL: none that may count */
    const char *canonical;             /* and canonical */
    char sha256[DIGEST_HEX_SIZE];
};

void controller_judge(struct arena *arena, struct digest *digest,
                      const struct controller_rules *rules, const struct envelope *said,
                      const char *check_failure, struct judged *out);
/* The candidate that the rules allow, canonical; NULL with *out_why (may be NULL) as an
 * instruction, or NULL there as well when the envelope has none. */
const char *controller_allowed(struct arena *arena, const struct controller_rules *rules,
                               const char *text, const char **out_why);
/* No status above it: a tag that asks for more goes. */
void controller_lower(struct arena *arena, struct envelope *envelope, enum envelope_status highest);
void controller_remark(struct controller_verdict *verdict, enum controller_note note,
                       const char *text);
/* Whether the agent has to hear of it. */
bool controller_note_is_problem(enum controller_note note);
/* S0-33: what stands in place of an envelope that could not be read. */
struct envelope controller_error_envelope(struct arena *arena);

#endif
