/* A conversation of a client with serve_tools over a scripted server, on virtual time. */
#ifndef TESTS_CONTRACT_SERVE_CONVERSATION_H
#define TESTS_CONTRACT_SERVE_CONVERSATION_H

#include "domain/base/json.h"
#include "infrastructure/mock/mock_server.h"
#include "presentation/mcp/serve_tools.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc.h"
#include "tests/support/full/virtual_runtime.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN(id, method, more)                                                                   \
    "{\"id\":" #id ",\"method\":\"" method "\",\"params\":{" more META "}}"
#define PLAIN(id, method, params) "{\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"
#define INITIALIZE(id, version) PLAIN(id, "initialize", "{\"protocolVersion\":\"" version "\"}")
#define CANCEL(id) "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id "}}"

static const char tools[] =
    "{\"tools\":[{\"name\":\"add\",\"replies\":[{\"structured\":{\"sum\":3}}]},"
    "{\"name\":\"slow\",\"replies\":[{\"delay_ms\":500,\"progress\":[{\"progress\":1,\"total\":3},"
    "{\"progress\":1},{\"progress\":2.5,\"message\":\"half\"}],"
    "\"logs\":[{\"level\":\"debug\",\"text\":\"fine\"},{\"level\":\"error\",\"text\":\"oops\"}]}]},"
    "{\"name\":\"long\",\"replies\":[{\"delay_ms\":5000}]},"
    "{\"name\":\"more\",\"replies\":[{\"reveals\":[\"new\"],\"result\":{}}]},"
    "{\"name\":\"refuse\",\"replies\":[{\"error\":{\"code\":-32050,\"message\":\"no\"}}]},"
    "{\"name\":\"silent\",\"replies\":[{\"fault\":\"silence\"}]},"
    "{\"name\":\"close\",\"replies\":[{\"fault\":\"close\"}]},"
    "{\"name\":\"exit\",\"replies\":[{\"fault\":\"exit\"}]},"
    "{\"name\":\"junk\",\"replies\":[{\"fault\":\"junk\"}]},"
    "{\"name\":\"new\",\"hidden\":true}]}";

struct conversation {
    struct virtual_runtime *runtime;
    struct tool_server *mock;
    struct fake_rpc rpc;
    struct rpc *port;
    struct serve_options options;
    struct scope scope;
    struct err err;
    enum err_code result;
    int64_t ended_ms;
    struct ids ids; /* "id1", "id2", … */
    int n_ids;
};

static inline void counted_id(struct ids *ids, char out_id[static ID_SIZE])
{
    struct conversation *c =
        (struct conversation *)(void *)((char *)ids - offsetof(struct conversation, ids));
    snprintf(out_id, ID_SIZE, "id%d", ++c->n_ids);
}

static inline void begin_with(struct conversation *c, const char *text)
{
    static const struct ids_ops ids_ops = { .fresh = counted_id };
    memset(c, 0, sizeof *c);
    c->runtime = virtual_runtime_create(11);
    c->ids.ops = &ids_ops;
    json_t *fixture = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &fixture, &c->err), 0);
    struct runtime *runtime = virtual_runtime_port(c->runtime);
    assert_int_equal(mock_server_create(runtime, "m", fixture, &c->mock, &c->err), 0);
    json_decref(fixture);
    fake_rpc_init(&c->rpc, runtime);
    c->port = &c->rpc.port;
    c->options =
        (struct serve_options){ .name = "m", .version = "1", .max_in_flight = 4, .ids = &c->ids };
    c->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
}

static inline void begin(struct conversation *c)
{
    begin_with(c, tools);
}

static inline void say(struct conversation *c, int64_t at_ms, const char *line)
{
    fake_rpc_send(&c->rpc, at_ms, line);
}

static inline enum err_code serve(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct conversation *c = argument;
    c->result = serve_tools(runtime, scope, c->port, c->mock, &c->options, &c->err);
    c->ended_ms = runtime_now_ms(runtime);
    return ERR_NONE;
}

static inline void run(struct conversation *c)
{
    virtual_runtime_run(c->runtime, &c->scope, serve, c);
    assert_int_equal(virtual_runtime_tasks(c->runtime), 0);
}

static inline void end(struct conversation *c)
{
    fake_rpc_finish(&c->rpc);
    tool_server_destroy(c->mock);
    virtual_runtime_destroy(c->runtime);
}

static inline const json_t *at(const json_t *value, const char *path)
{
    char text[200];
    snprintf(text, sizeof text, "%s", path);
    char *rest = text;
    for (char *part; value && (part = strsep(&rest, " "));)
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part))
                                     : json_object_get(value, part);
    return value;
}

static inline int error_of(struct conversation *c, int id)
{
    return (int)json_integer_value(at(fake_rpc_answer(&c->rpc, id), "error code"));
}

#endif
