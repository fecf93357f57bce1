/* A person whom servers ask in the middle of a call of a struct peer: how they react is set before,
 * what they were asked is read afterwards. */
#ifndef TESTS_SUPPORT_FULL_ASKED_PERSON_H
#define TESTS_SUPPORT_FULL_ASKED_PERSON_H

#include "tests/support/full/peer.h"

struct asked_person {
    enum elicitation_action action; /* accepts with {"name":"Ada"} */
    enum err_code fails;            /* … or fails the question */
    int64_t thinks_ms;

    /* Outcomes. */
    unsigned n_asked, n_standing, max_standing;
    char message[40], url[40]; /* of the latest question */
    bool must_finish;
    enum err_code ended_with; /* other than ERR_NONE: while they thought */
};

extern struct asked_person asked_person;

/* For on_question of a call whose context is the peer. */
enum err_code asked_person_react(void *context, struct scope *scope,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err);
/* Makes the call with this person present; returns the record of what the peer was told. */
const char *asked_person_call(struct peer *peer, struct asked_person somebody);

#endif
