/* One tool call, with everything the host owes it: the arguments are checked against the tool's
 * own schema, the policy is asked and, if it says so, the person; what must be on disk first is;
 * the call is bounded in time and repeated only where that is harmless; result and timing are
 * recorded. The order is fixed: validate, policy, approval, sync, call, record. */
#ifndef APPLICATION_TOOLS_INVOKE_H
#define APPLICATION_TOOLS_INVOKE_H

#include "application/journal.h"
#include "application/services.h"
#include "application/tools/call_ledger.h"
#include "application/tools/toolbox.h"
#include "domain/plan/plan.h"
#include "domain/tool/step_result.h"

#define INVOKE_MAX_RETRY_DELAY_MS 10000
#define APPROVE_KEY "approve." /* before the path of a step or a call: the key of a yes to it */
#define INVOKER_SCHEMAS 32     /* compiled schemas that are kept; the oldest gives way */

struct json_schema;

struct invoke_request {
    const struct tool *tool;
    const json_t *arguments;          /* bound: no references left */
    const char *step_id;              /* for events; may be NULL */
    const char *path;                 /* where the run's state keeps it; NULL: nowhere */
    int64_t silence_ms;               /* 0 = settings */
    unsigned attempts;                /* 0 = settings */
    const struct step_retry *retries; /* when it is made again; NULL = settings */
    bool is_repeatable;               /* the author of the plan says that it may be repeated */
    const struct call_record *before; /* what earlier processes made of the call; or NULL */
    bool named_by_user;               /* `call`, `run FILE` */
    bool dry_run;           /* everything but asking and calling; says what would be called */
    unsigned max_in_flight; /* as in struct tool_call; 0 = sent at once */
    const char *flow;       /* where its arguments come from, for a person who is asked; or NULL */
    bool is_risky;          /* a person is asked although the tool was approved */
    size_t line;            /* of a batch's input, for events; 0 = none */
    bool is_logged;         /* set by invoke_log */
};

struct invoke_outcome {
    struct step_result result;
    int64_t duration_ms; /* of the call itself, all attempts */
    unsigned attempts;
};

struct compiled_schema {
    json_t *source; /* a reference of our own, so that its address stays its identity */
    struct json_schema *compiled; /* NULL: it does not compile, which was said once */
};

struct invoker {
    struct services *services;
    struct toolbox *toolbox;
    struct journal *journal;
    struct call_ledger ledger;  /* of the run's state; empty unless the run has one */
    json_t *session_approvals;  /* full name -> definition hash the person allowed this session */
    const json_t *answers;      /* of a run that goes on: APPROVE_KEY and a path -> hash; or NULL */
    json_t *repeated_approvals; /* subject -> hash of those for repeating that were found */
    struct compiled_schema schemas[INVOKER_SCHEMAS];
    size_t next_schema;
};

/* session_approvals is shared with its owner, which outlives the invoker; NULL: it has its own. */
void invoker_init(struct invoker *invoker, struct services *services, struct toolbox *toolbox,
                  struct journal *journal, json_t *session_approvals);
void invoker_finish(struct invoker *invoker);

/* The result lives in the arena; is_error is a result. ERR_INVALID: arguments against the schema
 * (path and rule). ERR_DENIED: policy or person; a person is needed but absent. Otherwise what
 * tool_server_call reports. */
awaits MUST_CHECK enum err_code invoke(struct invoker *invoker, struct scope *scope,
                                       struct arena *arena, const struct invoke_request *request,
                                       struct invoke_outcome *out, struct err *err);

/* The two halves, for callers with several calls at once: people are asked one question at a
 * time, calls run side by side. permit: validate, policy, approval. send: sync, call, record. */
awaits MUST_CHECK enum err_code invoke_permit(struct invoker *invoker, struct scope *scope,
                                              struct arena *arena,
                                              const struct invoke_request *request,
                                              struct err *err);
awaits MUST_CHECK enum err_code invoke_send(struct invoker *invoker, struct scope *scope,
                                            struct arena *arena,
                                            const struct invoke_request *request,
                                            struct invoke_outcome *out, struct err *err);

/* Whether the call became a task of its server, which is waited for: nothing is sent. */
static inline bool invoke_takes_up(const struct invoke_request *request)
{
    return request->before && request->before->task && call_is_uncertain(request->before);
}

/* Whether the call may be made again, under an effect id of its own, although it may have taken
 * effect: no argument tells its server then that it is the same one. */
awaits bool invoke_may_repeat(struct invoker *invoker, struct scope *scope, struct arena *arena,
                              const struct invoke_request *request);

/* Between permit and send, for several calls of one tool that are logged as a group: their
 * tool_call events are on disk afterwards, unless all of them may be repeated. On failure none of
 * them may be sent, and the log says so of each. */
awaits MUST_CHECK enum err_code invoke_log(struct invoker *invoker, struct scope *scope,
                                           struct invoke_request *const *requests, size_t n,
                                           struct err *err);
/* Logs why a call of such a group is not sent after all. */
void invoke_withdraw(struct invoker *invoker, const struct invoke_request *request,
                     const struct err *why);

#endif
