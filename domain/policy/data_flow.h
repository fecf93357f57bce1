/* The three things that must not meet unnoticed in one plan: data that is yours, words that anyone
 * may have written, and a call that sends something out. Where all three are there, what strangers
 * wrote may have the call send what is yours. A rule of thumb that a person can follow, by what the
 * host knows of a server and by the server's own hints where they make it more careful. Pure.
 *
 *   tool                                          private  outside  sends out
 *   built-in workspace, only reads                   x
 *   built-in, only shapes what it is given
 *   local server, only reads, closed world           x
 *   local server, open world or takes a URL                   x     unless only reads
 *   server behind a URL                                       x     if it takes arguments */
#ifndef DOMAIN_POLICY_DATA_FLOW_H
#define DOMAIN_POLICY_DATA_FLOW_H

#include "domain/plan/plan.h"
#include "domain/tool/tool.h"

enum tool_place { TOOL_BUILTIN, TOOL_LOCAL, TOOL_REMOTE };

struct data_kinds {
    bool is_private; /* what it gives is yours */
    bool is_outside; /* what it gives may have been written by anyone */
    bool sends_out;  /* what it is given leaves this machine */
};

/* tool NULL: nothing is known of it, and nothing assumed. */
struct data_kinds data_kinds_of(const struct tool *tool, enum tool_place place);

struct data_step {
    const struct tool *tool; /* NULL: unknown */
    struct data_kinds kinds;
};

/* Names of tools; NULL where there is none. */
struct data_meeting {
    const char *private_from, *outside_from;
};

struct data_reach;

/* Which results reach which step by references, also by way of others. In the arena. */
const struct data_reach *data_flow_reach(struct arena *arena, const struct plan *plan);

/* Whether all three meet at the step: it sends out, something private or from outside reaches it,
 * and both came before it in the plan or in what the plan's author had seen (heard; its content may
 * be in any argument). */
bool data_flow_meets(const struct data_step *steps, size_t n, const struct data_reach *reach,
                     size_t at, const struct data_meeting *heard, struct data_meeting *out);
/* A tool of another server whose result is among the arguments of the step; NULL when none is. */
const struct tool *data_flow_stranger(const struct data_step *steps, size_t n,
                                      const struct data_reach *reach, size_t at);
/* Notes what a tool that was called has put before the model that plans next. */
void data_flow_hear(struct data_meeting *heard, const struct data_step *step);

#endif
