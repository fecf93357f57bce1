/* The rpc port in memory: a test says what the client sends and when, and reads afterwards what
 * the server answered. Lies in the test's frame; after the last line the client has gone. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RPC_H
#define TESTS_SUPPORT_FAKES_FAKE_RPC_H

#include "application/ports/rpc.h"
#include "application/ports/runtime.h"
#include "domain/base/arena.h"

struct fake_rpc_line {
    const char *text;
    int64_t at_ms; /* when it arrives; on the runtime's clock */
};

struct fake_rpc {
    struct rpc port;
    struct runtime *runtime;
    struct fake_rpc_line *lines;
    size_t n_lines, capacity, next;
    struct arena arena; /* has the lines */
    int64_t gone_at_ms; /* when the client hangs up, at the earliest */
    json_t *sent;       /* array of messages, as a client would parse them */
    size_t flushes;
};

void fake_rpc_init(struct fake_rpc *fake, struct runtime *runtime);
void fake_rpc_finish(struct fake_rpc *fake);
/* line is borrowed. */
void fake_rpc_send(struct fake_rpc *fake, int64_t at_ms, const char *line);
/* The answer to a request id; NULL when there was none. Borrowed. */
const json_t *fake_rpc_answer(const struct fake_rpc *fake, int id);
/* The n-th notification, or request of the server, of a method, from 0; NULL when there are not so
 * many. Borrowed. */
const json_t *fake_rpc_notification(const struct fake_rpc *fake, const char *method, size_t n);
/* The position of a message in what was sent, to compare orders. */
size_t fake_rpc_position(const struct fake_rpc *fake, const json_t *message);

#endif
