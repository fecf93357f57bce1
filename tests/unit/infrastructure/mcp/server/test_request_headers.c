#include "domain/base/json.h"
#include "infrastructure/mcp/server/request_headers.h"
#include "infrastructure/mcp/server/rpc_message.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_rpc_exchange.h"
#include <string.h>

#define CALL                                                                                       \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"                                            \
    "call\",\"params\":{\"name\":\"caf\xC3\xA9\","                                                 \
    "\"arguments\":{\"region\":\"eu\",\"n\":5},"                                                   \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}"
#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{"                                                        \
    "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"                                \
    "\"n\":{\"type\":\"integer\"},\"zone\":{\"type\":\"string\",\"x-mcp-header\":\"Zone\"}}}"

struct fixture {
    struct fake_rpc_exchange x;
    struct rpc_message message;
    struct arena arena;
    json_t *schema;
};

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_int_equal(json_parse(text, strlen(text), JSON_OURS, &value, NULL), ERR_NONE);
    return value;
}

/* A call with every header that it has to have. */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct rpc_objection objection;
    *state = f;
    fake_rpc_exchange_init(&f->x, "POST", CALL);
    assert_true(rpc_message_take(parse(CALL), &f->message, &objection));
    f->schema = parse(SCHEMA);
    fake_rpc_exchange_set(&f->x, "MCP-Protocol-Version", "2026-07-28");
    fake_rpc_exchange_set(&f->x, "Mcp-Method", "tools/call");
    fake_rpc_exchange_set(&f->x, "Mcp-Name", "=?base64?Y2Fmw6k=?=");
    fake_rpc_exchange_set(&f->x, "mcp-param-region", "eu");
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    rpc_message_finish(&f->message);
    fake_rpc_exchange_finish(&f->x);
    arena_finish(&f->arena);
    json_decref(f->schema);
    free(f);
    return 0;
}

static const char *fault(struct fixture *f)
{
    const char *text = request_headers_fault(&f->arena, &f->x.base, &f->message, f->schema);
    return text ? text : "";
}

static void takes_a_request_whose_headers_say_what_its_body_says(void **state)
{
    assert_string_equal(fault(*state), "");
}

static void names_the_header_that_differs(void **state)
{
    static const struct {
        const char *name, *value, *right, *fault;
    } cases[] = {
        { "MCP-Protocol-Version", NULL, "2026-07-28",
          "the header MCP-Protocol-Version is missing" },
        { "MCP-Protocol-Version", "2025-11-25", "2026-07-28",
          "the header MCP-Protocol-Version differs from the body" },
        { "Mcp-Method", NULL, "tools/call", "the header Mcp-Method is missing" },
        { "Mcp-Method", "Tools/Call", "tools/call", "the header Mcp-Method differs from the body" },
        { "Mcp-Name", NULL, "=?base64?Y2Fmw6k=?=", "the header Mcp-Name is missing" },
        { "Mcp-Name", "cafe", "=?base64?Y2Fmw6k=?=", "the header Mcp-Name differs from the body" },
        { "Mcp-Name", "=?base64?Y2Fmw6k?=", "=?base64?Y2Fmw6k=?=",
          "the header Mcp-Name differs from the body" },
        { "Mcp-Param-Region", NULL, "eu", "the header Mcp-Param-Region is missing" },
        { "Mcp-Param-Region", "us", "eu", "the header Mcp-Param-Region differs from the body" },
        { "Mcp-Param-Zone", "1", NULL, "the header Mcp-Param-Zone has no argument" },
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake_rpc_exchange_set(&f->x, cases[i].name, cases[i].value);
        assert_string_equal(fault(f), cases[i].fault);
        fake_rpc_exchange_set(&f->x, cases[i].name, cases[i].right);
        assert_string_equal(fault(f), "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_a_request_whose_headers_say_what_its_body_says,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_the_header_that_differs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
