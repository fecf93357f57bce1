/* The transport to a child process: one message per line on its stdin and stdout. It is over when
 * the child has exited, even if a grandchild holds the pipe, or soon after it closed its stdout or
 * stdin. Where a keeper (keeper.h) runs, the process is one that it lends. */
#ifndef INFRASTRUCTURE_MCP_STDIO_STDIO_TRANSPORT_H
#define INFRASTRUCTURE_MCP_STDIO_STDIO_TRANSPORT_H

#include "application/settings.h"
#include "domain/base/buf.h"
#include "infrastructure/mcp/wire/transport.h"

struct keeper_access;

struct uv_runtime;

/* A keeper that may lend the server. Borrowed. */
struct stdio_keeper {
    struct keeper_access *access;
    const char *offer; /* what the server may ask of this client: another's session had the same */
};

/* config and settings are borrowed. Nothing is started before it is opened. */
struct transport *stdio_transport_create(struct uv_runtime *runtime,
                                         const struct server_config *config,
                                         const struct settings *settings,
                                         const struct stdio_keeper *keeper);

/* Cuts a stream of bytes into lines with a bound. A line that lies whole in the bytes fed is
 * handed on without a copy; only the start of an unfinished one is kept. "\r\n" ends a line too,
 * empty lines are skipped. The memory a large line needed is given back after it. */
#define LINE_FRAMER_KEEP_BYTES 65536

struct line_framer {
    struct buf partial;
};

/* The line is borrowed and has no line end; false stops the feeding. */
typedef bool line_fn(void *context, const char *line, size_t length);

enum line_framer_end { LINES_DONE, LINES_STOPPED, LINES_TOO_LONG };

void line_framer_init(struct line_framer *framer, size_t max_line_bytes);
void line_framer_finish(struct line_framer *framer);
/* Forgets an unfinished line. */
void line_framer_reset(struct line_framer *framer);
/* LINES_TOO_LONG: a line is longer than the bound (its end does not count). After that and after
 * LINES_STOPPED the rest of the bytes is lost and the framer empty. */
enum line_framer_end line_framer_feed(struct line_framer *framer, const char *bytes, size_t length,
                                      line_fn *on_line, void *context);

#endif
