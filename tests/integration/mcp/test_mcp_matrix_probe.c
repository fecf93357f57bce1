#include "tests/support/full/mcp_matrix.h"

/* What answers the probe, server/discover, and what answers initialize. */

#define LEGACY                                                                                     \
    {                                                                                              \
        ERR_NONE, "ok", "legacy", NULL                                                             \
    }
#define MODERN                                                                                     \
    {                                                                                              \
        ERR_NONE, "ok", "modern", NULL                                                             \
    }
#define DISCOVERED(versions)                                                                       \
    ANSWER("{\"supportedVersions\":" versions ",\"capabilities\":{\"tools\":{}}}")
#define UNSUPPORTED(list)                                                                          \
    REFUSE("{\"code\":-32022,\"message\":\"no\",\"data\":{\"supported\":" list "}}")

static const struct matrix_row rows[] = {
    { .behaviour = "answers the probe", .is_modern = true, .stdio = MODERN },
    { .behaviour = "refuses the probe with -32601",
      .rules = { "server/discover=" REFUSE("{\"code\":-32601,\"message\":\"no\"}") },
      .stdio = LEGACY },
    { .behaviour = "refuses the probe with -32602",
      .rules = { "server/discover=" REFUSE("{\"code\":-32602,\"message\":\"no\"}") },
      .stdio = LEGACY },
    { .behaviour = "refuses the probe with -32022 and no list",
      .rules = { "server/discover=" REFUSE("{\"code\":-32022,\"message\":\"no\"}") },
      .stdio = LEGACY },
    { .behaviour = "refuses the probe with -32022 and a list that has 2026-07-28",
      .rules = { "server/discover#1=" UNSUPPORTED("[\"2026-07-28\"]") },
      .is_modern = true,
      .stdio = MODERN },
    { .behaviour = "refuses every probe with -32022 and a list that has 2026-07-28",
      .rules = { "server/discover=" UNSUPPORTED("[\"2026-07-28\"]") },
      .stdio = { .code = ERR_PROTOCOL, .words = "" } },
    { .behaviour = "refuses the probe with -32022 and a list of older revisions",
      .rules = { "server/discover=" UNSUPPORTED("[\"2025-06-18\",\"2024-11-05\"]") },
      .stdio = LEGACY },
    { .behaviour = "refuses the probe with -32022 and a list of unknown revisions",
      .rules = { "server/discover=" UNSUPPORTED("[\"2099-01-01\"]") },
      .stdio = { .code = ERR_PROTOCOL, .words = "it speaks MCP [\"2099-01-01\"]" } },
    { .behaviour = "refuses the probe with -32022 and an empty list",
      .rules = { "server/discover=" UNSUPPORTED("[]") },
      .stdio = { .code = ERR_PROTOCOL, .words = "it speaks MCP []" } },
    { .behaviour = "answers the probe with `{}`",
      .rules = { "server/discover=" ANSWER("{}") },
      .stdio = LEGACY },
    { .behaviour = "answers the probe with revisions that mistro does not speak",
      .rules = { "server/discover=" DISCOVERED("[\"2099-01-01\"]") },
      .stdio = { .code = ERR_PROTOCOL, .words = "it speaks MCP [\"2099-01-01\"]" } },
    { .behaviour = "answers the probe with older revisions only",
      .rules = { "server/discover=" DISCOVERED("[\"2025-06-18\"]") },
      .stdio = LEGACY },
    { .behaviour = "refuses the probe with an error without an id",
      .rules = { "server/discover={\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
                 "\"message\":\"no\"}}\n" },
      .stdio = LEGACY },
    { .behaviour = "is silent about the probe",
      .rules = { "server/discover=" },
      .start_timeout_ms = 1000,
      .stdio = LEGACY,
      .http = { .code = ERR_TIMEOUT, .words = "not ready within 1 s" } },
    { .behaviour = "answers the probe too late",
      .rules = { "server/discover=$LATER150;" DISCOVERED("[\"2026-07-28\"]") },
      .stdio = LEGACY,
      .http = MODERN },
    { .behaviour = "exits on the probe",
      .rules = { "server/discover=$EXIT1;" },
      .stdio = LEGACY,
      .http = { .code = ERR_UNAVAILABLE, .words = "the connection was lost" } },
    { .behaviour = "closes on the probe",
      .rules = { "server/discover=$CLOSE;" },
      .stdio = LEGACY,
      .http = { .code = ERR_UNAVAILABLE, .words = "" } },
    { .behaviour = "prints junk in answer to the probe, and the answer",
      .rules = { "server/discover=Welcome!\n\n" DISCOVERED("[\"2026-07-28\"]") },
      .is_modern = true,
      .stdio = { .code = ERR_NONE, .words = "ok", .era = "modern", .log = "Welcome!" } },
    { .behaviour = "prints nothing but junk in answer to the probe",
      .rules = { "server/discover=Welcome!\n" },
      .start_timeout_ms = 1000,
      .stdio = LEGACY,
      .http = { .code = ERR_TIMEOUT, .words = "not ready within 1 s" } },
    { .behaviour = "exits on the probe and on initialize",
      .rules = { "server/discover=$EXIT1;", "initialize=$ERRno licence;$EXIT2;" },
      .stdio = { .code = ERR_UNAVAILABLE,
                 .words = "it exited with status 2; its stderr says: \"no licence\"" },
      .http = { .code = ERR_UNAVAILABLE, .words = "the connection was lost" } },
    { .behaviour = "refuses initialize",
      .rules = { "initialize=" REFUSE("{\"code\":-32603,\"message\":\"licence expired\"}") },
      .stdio = { .code = ERR_PROTOCOL, .words = "initialize: refused: \"licence expired\"" } },
    { .behaviour = "refuses initialize with -32022 and a list that has 2026-07-28",
      .rules = { "server/discover#1=" ANSWER("{}"), "initialize=" UNSUPPORTED("[\"2026-07-28\"]") },
      .is_modern = true,
      .stdio = MODERN },
    { .behaviour = "refuses initialize with an older revision in a list",
      .rules = { "initialize#1=" REFUSE("{\"code\":-32602,\"message\":\"no\",\"data\":{"
                                        "\"supported\":[\"2024-11-05\"]}}") },
      .stdio = LEGACY },
    { .behaviour = "answers initialize with an unknown revision",
      .rules = { "initialize=" ANSWER("{\"protocolVersion\":\"2099-01-01\",\"capabilities\":{}}") },
      .stdio = { .code = ERR_PROTOCOL, .words = "initialize: it speaks MCP [\"2099-01-01\"]" } },
    { .behaviour = "answers initialize with `{}`",
      .rules = { "initialize=" ANSWER("{}") },
      .stdio = { .code = ERR_PROTOCOL, .words = "initialize: the answer has no protocolVersion" } },
    { .behaviour = "is silent about the probe and initialize",
      .rules = { "server/discover=", "initialize=" },
      .start_timeout_ms = 500,
      .stdio = { .code = ERR_TIMEOUT, .words = "not ready within 0.5 s" } },
    { .behaviour = "asks for something before it answers initialize",
      .rules = { "initialize={\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n" ANSWER(
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}}}") },
      .stdio = LEGACY },
    { 0 },
};

int main(void)
{
    return matrix_run(rows);
}
