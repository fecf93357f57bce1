/* An MCP client under test with peer_mcp (tests/support/peers) as its server: opens it, runs one
 * task against it on the real runtime, closes it, and keeps what was seen for the assertions. */
#ifndef TESTS_SUPPORT_FULL_PEER_H
#define TESTS_SUPPORT_FULL_PEER_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "application/ports/traffic.h"
#include "application/settings.h"
#include "infrastructure/runtime/uv_runtime.h"

#define ANSWER(result) "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" result "}\n"
#define REFUSE(error) "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":" error "}\n"
#define TEXT_RESULT(text) "{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

enum { PEER_MAX_ARGUMENTS = 70 };

struct peer {
    struct settings settings;
    struct server_config config;
    const char *arguments[PEER_MAX_ARGUMENTS];
    struct uv_runtime *runtime;
    struct tool_server *server;
    struct arena arena;       /* results live here */
    char record[64];          /* file of what the peer was told; "" = not kept */
    const char *tool;         /* what peer_call calls; "echo" */
    struct trace_texts trace; /* of peer_call; none */
    int64_t silence_ms;       /* of peer_call */
    void (*on_progress)(void *context, double progress, double total, const char *message);
    /* Of peer_call; its context is the peer. NULL: nobody is present. */
    enum err_code (*on_question)(void *context, struct scope *sc,
                                 const struct elicitation *question, struct arena *arena,
                                 struct elicitation_answer *out, struct err *err);
    /* … likewise. NULL: the server may not ask a model. */
    enum err_code (*on_sampling)(void *context, struct scope *sc, const json_t *params,
                                 struct arena *arena, json_t **out_result, struct err *err);
    struct answerer answerer; /* of both */
    /* Of peer_call, beside what is kept of it. */
    void (*on_task)(void *context, const char *id, const char *status, const char *message);
    int64_t max_ms;             /* of peer_call */
    struct traffic *traffic;    /* or NULL */
    struct era_memory *eras;    /* or NULL */
    struct token_store *logins; /* or NULL */

    /* Outcomes. */
    enum err_code code, other_code; /* the other one of peer_call_both */
    struct err err;
    struct step_result result, other_result;
    size_t n_tools;
    struct tool_server_status status; /* before the end; strings live in the arena */
    size_t n_changes, n_logs, n_progress;
    char last_log[300];
    size_t n_updates;     /* of resources that are watched */
    char last_update[60]; /* the URI, or "any" */
    struct scope *awaiting;
    char tasks[300]; /* "id status" of each thing that was told of tasks, a line each */
    int64_t close_ms;
    int pid; /* of the server after the task; 0 = none */
};

/* Nothing is started yet; arguments end with NULL. */
void peer_init(struct peer *peer, const char *const *arguments);
#define PEER(peer, ...) peer_init((peer), (const char *const[]){ __VA_ARGS__, NULL })
/* Keeps what the peer is told; before peer_run. */
void peer_keep_record(struct peer *peer);
/* Runs fn(runtime, scope, peer) as a task, then closes the server. */
void peer_run(struct peer *peer, task_fn *fn);
/* What the peer was told so far, in the arena. */
const char *peer_record(struct peer *peer);
void peer_finish(struct peer *peer);

/* Within the task: until a count of outcomes has reached n, for 5 s at most. */
awaits void peer_await(struct peer *peer, struct runtime *runtime, struct scope *scope,
                       const size_t *count, size_t n);

/* Who answers questions in a task; NULL: nobody. */
const struct answerer *peer_answerer(struct peer *peer);

/* Tasks: fill code, err and result or n_tools. */
task_fn peer_list, peer_call, peer_call_then_call, peer_list_then_list;
/* peer_call and, beside it, a call of the tool "other". */
task_fn peer_call_both;

#endif
