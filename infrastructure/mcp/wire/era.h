/* Which MCP a server speaks: the modern one (2026-07-28, every request describes itself) or a
 * legacy one (initialize first). Found out by asking for server/discover; whatever is not a modern
 * answer to that - an error of any number, silence, the end of the process - means legacy, and the
 * same process is offered initialize, or a new one if it died. Over HTTP silence and an
 * unreachable server are outages, not verdicts.
 *
 * The exchange goes through a channel, so that the rules can be tried without a server. */
#ifndef INFRASTRUCTURE_MCP_WIRE_ERA_H
#define INFRASTRUCTURE_MCP_WIRE_ERA_H

#include "application/settings.h"
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include <jansson.h>
#include <stdbool.h>

#define ERA_MODERN_VERSION "2026-07-28"
#define ERA_NEWEST_LEGACY_VERSION "2025-11-25"
#define ERA_TASKS_EXTENSION "io.modelcontextprotocol/tasks"
/* Bounds on what a server says about itself. */
#define ERA_MAX_NAME_BYTES 200
#define ERA_MAX_INSTRUCTIONS_BYTES 16384

/* What the server said; the strings live in the arena. */
struct session {
    struct arena arena;
    enum server_era era; /* ERA_MODERN or ERA_LEGACY; ERA_AUTO before the handshake */
    bool is_by_sse;      /* the messages are carried by HTTP+SSE of 2024-11-05 */
    const char *version;
    const char *server_name, *server_version, *instructions; /* or "" */
    bool has_tools, has_logging, has_resources, has_prompts;
    bool has_completions;
    /* What it tells when it changed: one of its lists, or a resource that it is asked to watch. */
    bool announces_tools, announces_prompts, announces_resources, announces_updates;
    bool runs_tasks, cancels_tasks; /* legacy: its tools may be called as tasks */
    bool makes_tasks;               /* modern: it has the extension, a call may become a task */
};

void session_finish(struct session *session);

struct era_request {
    const char *method;
    json_t *params; /* stolen */
    int64_t silence_ms;
    json_t *result, *error; /* out: one of them, owned by the caller */
};

struct era_channel_ops {
    /* ERR_NONE with a result or an error object;
     * ERR_TIMEOUT after the silence; ERR_UNAVAILABLE when the server died or, over HTTP, cannot be
     * reached; ERR_PROTOCOL when what came is not an answer. */
    enum err_code (*request)(void *channel, struct scope *sc, struct era_request *request,
                             struct err *err);
    void (*notify)(void *channel, const char *method);
    /* What is sent from now on is of this revision; NULL: none is agreed yet. Of static life. */
    void (*agree)(void *channel, const char *version);
    /* Ends the server and starts it again. */
    enum err_code (*respawn)(void *channel, struct scope *sc, struct err *err);
    /* Closes and opens the connection to a remote one, with messages carried by HTTP+SSE of
     * 2024-11-05 or as usual. */
    enum err_code (*reopen)(void *channel, struct scope *sc, bool is_by_sse, struct err *err);
};

/* What servers may ask of the client. */
struct era_offer {
    bool roots, elicitation, sampling;
    bool tasks; /* modern servers only: the answer to this request may be a task */
};

/* Its name: "roots elicitation sampling", without what is not offered. Tasks are of one request and
 * not in it. */
const char *era_offer_name(struct era_offer offer);

/* In requests that no server may answer with a question. */
#define ERA_NO_OFFER ((struct era_offer){ 0 })

struct era_options {
    enum server_era era;     /* as configured */
    enum server_era verdict; /* of an earlier start, or ERA_AUTO */
    bool is_remote;          /* reached over HTTP: nothing is started or dies */
    int64_t probe_silence_ms;
    struct era_offer offer;
    int64_t handshake_silence_ms; /* of initialize, and of discover when modern is known */
};

/* The handshake with a server that was just started. *out is filled on success only. */
awaits MUST_CHECK enum err_code era_negotiate(const struct era_channel_ops *ops, void *channel,
                                              const struct era_options *options,
                                              struct scope *scope, struct session *out,
                                              struct err *err);

/* Appends the `_meta` members that every modern request carries, without braces. */
MUST_CHECK
bool era_append_meta(struct buf *out, struct era_offer offer);
/* Whether an error -32022 lists the modern revision that we speak. */
bool era_is_spoken(const json_t *error);

#endif
