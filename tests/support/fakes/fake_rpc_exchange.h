/* A request of MCP over HTTP in memory: a test says what came, and reads what was answered. Its
 * client goes when the test cancels the scope. Lies in the test's frame. */
#ifndef TESTS_SUPPORT_FAKES_FAKE_RPC_EXCHANGE_H
#define TESTS_SUPPORT_FAKES_FAKE_RPC_EXCHANGE_H

#include "application/ports/web.h"
#include "domain/base/buf.h"

enum { FAKE_RPC_EXCHANGE_MAX_HEADERS = 8 };

struct fake_rpc_exchange {
    struct web_exchange base;
    struct scope scope;
    struct web_header headers[FAKE_RPC_EXCHANGE_MAX_HEADERS]; /* that came; borrowed */
    size_t n_headers;
    unsigned status;                          /* 0: not answered yet */
    char type[40], session_id[80], allow[40]; /* headers of the answer */
    struct buf sent;                          /* its body, or what was streamed so far */
};

/* body: borrowed; "" for none. With the headers that every POST of MCP has. */
void fake_rpc_exchange_init(struct fake_rpc_exchange *x, const char *method, const char *body);
void fake_rpc_exchange_finish(struct fake_rpc_exchange *x);
/* Adds a header or replaces it; value NULL takes it away. */
void fake_rpc_exchange_set(struct fake_rpc_exchange *x, const char *name, const char *value);
const char *fake_rpc_exchange_text(struct fake_rpc_exchange *x);

#endif
