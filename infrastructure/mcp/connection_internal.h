/* The inside of a connection, shared by the files that make it up: connection.c (requests),
 * connection_receive.c (what comes in) and nothing else. */
#ifndef INFRASTRUCTURE_MCP_CONNECTION_INTERNAL_H
#define INFRASTRUCTURE_MCP_CONNECTION_INTERNAL_H

#include "infrastructure/mcp/connection.h"

#define CONNECTION_BUCKETS 64

struct connection {
    struct uv_runtime *runtime;
    struct transport *transport;
    struct connection_options options;
    struct connection_events events;
    struct connection_counts counts;
    struct request *pending[CONNECTION_BUCKETS]; /* by id */
    size_t n_pending;
    int64_t last_id;
    bool is_open, wants_logs, is_modern;
};

int64_t connection_now_ms(const struct connection *connection);
/* NULL when nothing with that id is pending. */
struct request *connection_find(struct connection *connection, struct jsonrpc_id id);
/* The only one pending, or NULL. */
struct request *connection_find_only(struct connection *connection);
/* The request is over: r and *why (may be NULL for ERR_NONE) are its outcome. */
void connection_settle(struct connection *connection, struct request *request, enum err_code r,
                       const struct err *why);
/* Queues a whole line; what does not fit is dropped. */
void connection_send_line(struct connection *connection, struct buf *line);

/* The transport's events; context is the connection. */
void connection_receive(void *context, const char *bytes, size_t length);
void connection_receive_diagnostics(void *context, const char *line, size_t length);

#endif
