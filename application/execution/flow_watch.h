/* Watches where data goes in a plan (domain/policy/data_flow.h): warns before it runs where private
 * data, content from outside and a call that sends out meet, and says at each call what its
 * arguments hold, so that a person who is asked knows. */
#ifndef APPLICATION_EXECUTION_FLOW_WATCH_H
#define APPLICATION_EXECUTION_FLOW_WATCH_H

#include "application/runs/run_session.h"
#include "domain/policy/data_flow.h"

struct flow_note {
    const char *reason; /* NULL: nothing to say of the step */
    bool is_risky;      /* all three meet here: a person is asked whatever was approved before */
};

/* One note per step; in the session's arena. Only servers that were listed are known. heard: what
 * the author of the plan had seen; NULL for nothing. */
const struct flow_note *flow_watch_plan(const struct run_session *session, const struct plan *plan,
                                        const struct data_meeting *heard);
/* A warning for each step where they meet. */
void flow_watch_warn(struct journal *journal, const struct plan *plan,
                     const struct flow_note *notes);
/* What the model hears of a tool that was called; by its name as a plan or an answer has it. */
void flow_watch_hear(const struct run_session *session, const char *tool,
                     struct data_meeting *heard);

#endif
