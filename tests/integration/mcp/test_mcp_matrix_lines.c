#include "tests/support/full/mcp_matrix.h"

/* What stands on the lines of an answer to tools/call. */

#define OK                                                                                         \
    {                                                                                              \
        ERR_NONE, "ok", NULL, NULL                                                                 \
    }
#define OK_LOGGED(words)                                                                           \
    {                                                                                              \
        ERR_NONE, "ok", NULL, words                                                                \
    }
#define ANSWERED(text)                                                                             \
    {                                                                                              \
        ERR_NONE, text, NULL, NULL                                                                 \
    }
#define UNREADABLE                                                                                 \
    {                                                                                              \
        ERR_PROTOCOL, "its answer cannot be read", NULL, NULL                                      \
    }
#define NO_MESSAGE                                                                                 \
    {                                                                                              \
        ERR_PROTOCOL, "its answer is not a message of JSON-RPC 2.0", NULL, NULL                    \
    }
#define FIRST(action)                                                                              \
    {                                                                                              \
        "tools/call#1=" action                                                                     \
    }
#define GOOD ANSWER(TEXT_RESULT("ok"))
#define OF(id, text) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" TEXT_RESULT(text) "}\n"
#define NOTIFICATION(method, params)                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" method "\",\"params\":" params "}\n"
/* What a line with TEXT_RESULT has beside its text, with an id of one digit. */
#define FRAME_BYTES 73

static const struct matrix_row rows[] = {
    { .behaviour = "prints lines of text before its answer",
      .rules = FIRST("debug: x\nmore\n" GOOD),
      .stdio = OK_LOGGED("more"),
      .n_logs = 2 },
    { .behaviour = "prints JSON that is no message before its answer",
      .rules = FIRST("7\n\"x\"\n{\"a\":1}\n{\"jsonrpc\":\"2.0\"}\n" GOOD),
      .stdio = OK,
      .n_logs = 4 },
    { .behaviour = "prints as much junk as mcp.max_junk_lines",
      .rules = FIRST("a\nb\nc\n" GOOD),
      .max_junk_lines = 3,
      .stdio = OK },
    { .behaviour = "prints more junk than mcp.max_junk_lines",
      .rules = FIRST("a\nb\nc\n" GOOD),
      .max_junk_lines = 2,
      .stdio = { .code = ERR_PROTOCOL, .words = "more than 2 of its lines are not messages" } },
    { .behaviour = "prints empty lines, and CRLF",
      .rules =
          FIRST("\n\r\n\n{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" TEXT_RESULT("ok") "}\r\n"),
      .stdio = OK },
    { .behaviour = "begins its answer with a byte order mark",
      .rules = FIRST("\xEF\xBB\xBF" GOOD),
      .stdio = OK },
    { .behaviour = "sends a lone surrogate",
      .rules = FIRST(ANSWER(TEXT_RESULT("-\\ud83d-"))),
      .stdio = ANSWERED("-\xEF\xBF\xBD-") },
    { .behaviour = "sends \\u0000",
      .rules = FIRST(ANSWER(TEXT_RESULT("a\\u0000b"))),
      .stdio = ANSWERED("a") },
    { .behaviour = "sends \\u0000 in the name of a member",
      .rules = FIRST(ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],\"a\\u0000\":1}")),
      .stdio = OK },
    { .behaviour = "sends a zero byte inside its answer",
      .rules = FIRST(ANSWER(TEXT_RESULT("a$NUL;b"))),
      .stdio = UNREADABLE,
      .then = "ok" },
    { .behaviour = "sends a zero byte before its answer",
      .rules = FIRST("$NUL;\n" GOOD),
      .stdio = OK,
      .n_logs = 1 },
    { .behaviour = "sends an integer of thirty digits",
      .rules = FIRST(ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}],\"a\":"
                            "123456789012345678901234567890}")),
      .stdio = OK },
    { .behaviour = "sends 1e400",
      .rules = FIRST(ANSWER("{\"content\":[],\"b\":1e400}")),
      .stdio = UNREADABLE,
      .then = "ok" },
    { .behaviour = "sends what is no UTF-8",
      .rules = FIRST(ANSWER(TEXT_RESULT("-\xff\xc3-"))),
      .stdio = ANSWERED("-\xEF\xBF\xBD\xEF\xBF\xBD-") },
    { .behaviour = "cuts a character across writes",
      .rules = FIRST(ANSWER(TEXT_RESULT("\xE2$PAUSE15;\x82$PAUSE15;\xAC"))),
      .stdio = ANSWERED("\xE2\x82\xAC") },
    { .behaviour = "cuts what is no UTF-8 across writes",
      .rules = FIRST(ANSWER(TEXT_RESULT("\xE2$PAUSE15;\x82$PAUSE15;-"))),
      .stdio = ANSWERED("\xEF\xBF\xBD\xEF\xBF\xBD-") },
    { .behaviour = "cuts an answer anywhere across writes",
      .rules = FIRST("{\"jsonr$PAUSE10;pc\":\"2.0\",\"id\":$PAUSE10;$ID,\"result$PAUSE10;\":"
                     "{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}$PAUSE10;\n"),
      .stdio = OK },
    { .behaviour = "cuts JSON off in the middle of a line",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[\n"),
      .stdio = UNREADABLE,
      .then = "ok" },
    { .behaviour = "nests deeper than JSON is read",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[],\"deep\":"
                     "$DEEP5000;}}\n"),
      .stdio = UNREADABLE,
      .then = "ok" },
    { .behaviour = "answers twice",
      .rules = FIRST(GOOD OF("$ID", "again")),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "answers what nobody asked",
      .rules = FIRST(OF("4711", "whose?") OF("\"$ID\"", "text") OF("null", "null") OF("-1", "less")
                         OF("0", "zero") OF("1e0", "real") GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "asks with id 0 before it answers",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}\n" GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "asks with the id of our request before it answers",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"method\":\"ping\"}\n" GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "answers in a batch",
      .rules = FIRST("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                     "x\"},{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":" TEXT_RESULT("ok") "}]\n"),
      .stdio = OK },
    { .behaviour = "sends an empty batch before its answer",
      .rules = FIRST("[]\n" GOOD),
      .stdio = OK,
      .n_logs = 1 },
    { .behaviour = "answers without `jsonrpc`",
      .rules = FIRST("{\"id\":$ID,\"result\":" TEXT_RESULT("ok") "}\n"),
      .stdio = NO_MESSAGE,
      .then = "ok" },
    { .behaviour = "answers with neither result nor error",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID}\n"),
      .stdio = NO_MESSAGE,
      .then = "ok" },
    { .behaviour = "answers with a result and an error",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":[]},\"error\":{"
                     "\"code\":-32603,\"message\":\"both\"}}\n"),
      .stdio = { .code = ERR_FAILED, .words = "error -32603: \"both\"", NULL, NULL },
      .then = "ok" },
    { .behaviour = "answers with a result that is none",
      .rules = FIRST(ANSWER("7")),
      .stdio = { .code = ERR_PROTOCOL, .words = "" },
      .then = "ok" },
    { .behaviour = "answers with an error that is none",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"id\":$ID,\"error\":7}\n"),
      .stdio = NO_MESSAGE,
      .then = "ok" },
    { .behaviour = "answers with an error without an id",
      .rules = FIRST("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"oh\"}}\n"),
      .stdio = { .code = ERR_FAILED, .words = "error -32603: \"oh\"", NULL, NULL },
      .then = "ok" },
    { .behaviour = "sends a line as long as mcp.max_message_bytes",
      .rules = FIRST(ANSWER(TEXT_RESULT("$FILL927;"))),
      .max_message_bytes = FRAME_BYTES + 927,
      .text_bytes = 927,
      .stdio = ANSWERED("") },
    { .behaviour = "sends a line one byte longer than mcp.max_message_bytes",
      .rules = FIRST(ANSWER(TEXT_RESULT("$FILL928;"))),
      .max_message_bytes = FRAME_BYTES + 927,
      .stdio = { .code = ERR_PROTOCOL, .words = "a message is longer than 1000 bytes" },
      .http = { .code = ERR_LIMIT, .words = "longer than 1000 bytes" },
      .then = "ok" },
    { .behaviour = "sends a line of 64 MiB",
      .rules = FIRST(ANSWER(TEXT_RESULT("$FILL67108791;"))),
      .text_bytes = (64 << 20) - FRAME_BYTES,
      .stdio = ANSWERED("") },
    { .behaviour = "sends a line of 64 MiB and a byte",
      .rules = FIRST(ANSWER(TEXT_RESULT("$FILL67108792;"))),
      .stdio = { .code = ERR_PROTOCOL, .words = "a message is longer than 67108864 bytes" },
      .http = { .code = ERR_LIMIT, .words = "longer than 67108864 bytes" },
      .then = "ok" },
    { .behaviour = "sends a line that does not end",
      .rules = FIRST("$FILL3000000;"),
      .max_message_bytes = 65536,
      .stdio = { .code = ERR_PROTOCOL, .words = "a message is longer than 65536 bytes" },
      .http = { .code = ERR_LIMIT, .words = "longer than 65536 bytes" },
      .then = "ok" },
    { .behaviour = "floods with log messages before it answers",
      .rules = FIRST("$TIMES20000;" NOTIFICATION(
          "message", "{\"level\":\"info\",\"data\":\"x\"}") "$END;" GOOD),
      .n_logs = 20000,
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "floods with notifications nobody knows",
      .rules = FIRST("$TIMES20000;" NOTIFICATION("x/y", "{\"z\":1}") "$END;" GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "floods with progress of calls that there are not",
      .rules = FIRST("$TIMES20000;" NOTIFICATION(
          "progress", "{\"progressToken\":\"4711\",\"progress\":1}") "$END;" GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "says a thousand times that its tools changed",
      .rules = FIRST("$TIMES1000;" NOTIFICATION("tools/list_changed", "{}") "$END;" GOOD),
      .stdio = OK,
      .then = "ok" },
    { .behaviour = "sends notifications that are none",
      .rules = FIRST(NOTIFICATION("progress", "7") NOTIFICATION("message", "[]") NOTIFICATION(
          "cancelled", "null") NOTIFICATION("progress", "{\"progressToken\":{}}") GOOD),
      .stdio = OK,
      .then = "ok" },
    { 0 },
};

int main(void)
{
    return matrix_run(rows);
}
