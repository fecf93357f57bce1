/* The rpc port over HTTP: one of these serves one legacy session, or everything modern that one
 * person asks. Requests come in exchanges of their own (application/ports/web.h), are numbered anew
 * so that clients which know nothing of each other can use the same ids, and are answered in their
 * exchange: as JSON, or as a stream of events once there is something to tell before the answer,
 * and after a while of silence, so that nobody in between takes it for dead.
 *
 * A modern client that goes has cancelled its request. A legacy one may come back: what it missed
 * is kept (replay.h) and sent after the event that it names last (MCP 2025-11-25, "Transports",
 * "Resumability and Redelivery"). */
#ifndef INFRASTRUCTURE_MCP_SERVER_HTTP_RPC_H
#define INFRASTRUCTURE_MCP_SERVER_HTTP_RPC_H

#include "application/ports/rpc.h"
#include "application/ports/web.h"
#include "application/settings.h"
#include "infrastructure/mcp/server/replay.h"

#define HTTP_RPC_COMMENT_MS 15000 /* of silence on a stream, then a comment */
#define HTTP_RPC_MAX_WAITING 1024 /* messages that the server has not read yet, and requests */

struct uv_runtime;

/* session_id: of a legacy session, sent with the answer to initialize; NULL: modern. Copied.
 * replays: where the session keeps what was sent; a modern client needs none. */
struct rpc *http_rpc_create(struct uv_runtime *runtime, const struct settings *settings,
                            const char *session_id, struct replay_store *replays);

/* Hands in what a client sent, which is taken over, and answers its exchange: 202 unless it is a
 * request. Returns when the answer is given, or nobody waits for it any more. */
awaits void http_rpc_post(struct rpc *rpc, struct web_exchange *x, struct rpc_message *message);
/* GET: what belongs to no request, or what followed the event of this id on its stream; NULL: from
 * now on. Returns when the stream has ended or the client has gone. */
awaits void http_rpc_listen(struct rpc *rpc, struct web_exchange *x, const char *last_event_id);
/* The client is said to have gone: rpc_next returns ERR_UNAVAILABLE. */
void http_rpc_end(struct rpc *rpc);
/* Nobody reads any more: whoever waits is told that there will be no answer. The port may be
 * destroyed once all calls of the above have returned. */
void http_rpc_abandon(struct rpc *rpc);

/* Answers with an error of JSON-RPC; data is stolen, and may be NULL as the id may. 429 says to
 * come again in a second. */
void http_rpc_refuse(struct web_exchange *x, unsigned status, const json_t *id, int code,
                     const char *why, json_t *data);

#endif
