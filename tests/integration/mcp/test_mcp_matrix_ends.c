#include "tests/support/full/mcp_matrix.h"

/* How servers end, hang, and refuse to. */

#define OK                                                                                         \
    {                                                                                              \
        ERR_NONE, "ok", NULL, NULL                                                                 \
    }
#define GOOD ANSWER(TEXT_RESULT("ok"))
#define REFUSED "connection refused"
#define LOST                                                                                       \
    {                                                                                              \
        ERR_UNAVAILABLE, "the connection was lost", NULL, NULL                                     \
    }
#define PROGRESS                                                                                   \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":"    \
    "$TOKEN,\"progress\":1}}\n"

static const struct matrix_row rows[] = {
    { .behaviour = "exits during a call",
      .rules = { "tools/call=$ERRout of cheese;$EXIT3;" },
      .stdio = { .code = ERR_UNAVAILABLE,
                 .words = "it exited with status 3; its stderr says: \"out of cheese\"" },
      .http = LOST },
    { .behaviour = "exits during a modern call",
      .rules = { "tools/call#1=$EXIT3;" },
      .is_modern = true,
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it exited with status 3" },
      .http = LOST },
    { .behaviour = "is killed during a call",
      .rules = { "tools/call=$SIGNAL9;" },
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it was ended by signal 9 (Killed)" },
      .http = LOST },
    { .behaviour = "exits in the middle of its answer",
      .rules = { "tools/call={\"jsonrpc\":\"2.0\",\"id\":$ID,\"res$EXIT0;" },
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it exited with status 0" },
      .http = { .code = ERR_UNAVAILABLE, .words = "" } },
    { .behaviour = "exits right after its answer",
      .rules = { "tools/call#1=" GOOD "$EXIT0;" },
      .stdio = OK },
    { .behaviour = "closes in the middle of its answer",
      .rules = { "tools/call#1={\"jsonrpc\":\"2.0\",\"id\":$ID,\"res$CLOSE;" },
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it closed its standard output" },
      .http = { .code = ERR_UNAVAILABLE, .words = "its stream ended without an answer" },
      .then = "ok" },
    { .behaviour = "closes instead of answering",
      .rules = { "tools/call#1=$CLOSE;" },
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it closed its standard output" },
      .http = LOST,
      .then = "ok" },
    { .behaviour = "closes right after its answer",
      .rules = { "tools/call#1=" GOOD "$CLOSE;" },
      .stdio = OK },
    { .behaviour = "exits while a grandchild holds its pipes",
      .rules = { "tools/call=$HOLD;$EXIT4;" },
      .silence_ms = 1000,
      .stdio = { .code = ERR_UNAVAILABLE, .words = "it exited with status 4" },
      .http = { .code = ERR_TIMEOUT, .words = "no answer for 1 s" } },
    { .behaviour = "closes while a grandchild holds its pipes",
      .rules = { "tools/call=$HOLD;$CLOSE;" },
      .silence_ms = 500,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.5 s" },
      .http = LOST },
    { .behaviour = "leaves a grandchild behind that holds its pipes",
      .rules = { "tools/call=$HOLD;" GOOD },
      .stdio = OK },
    { .behaviour = "leaves a grandchild behind and refuses to end",
      .rules = { "tools/call=$HOLD;" GOOD },
      .is_stubborn = true,
      .stdio = OK },
    { .behaviour = "refuses to end", .is_stubborn = true, .stdio = OK },
    { .behaviour = "writes without end when it should end",
      .rules = { "eof=$REPEAT1000000;{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n" },
      .stdio = OK },
    { .behaviour = "never answers a call",
      .rules = { "tools/call#1=" },
      .silence_ms = 200,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.2 s" },
      .then = "ok" },
    { .behaviour = "never answers a modern call",
      .rules = { "tools/call#1=" },
      .is_modern = true,
      .silence_ms = 200,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.2 s" },
      .then = "ok" },
    { .behaviour = "answers a call after nobody waits for it any more",
      .rules = { "tools/call#1=$LATER150;" ANSWER(TEXT_RESULT("late")),
                 "tools/call#2=$LATER150;" GOOD },
      .silence_ms = 200,
      .max_ms = 100,
      .stdio = { .code = ERR_TIMEOUT, .words = "" } },
    { .behaviour = "reports progress and never answers",
      .rules = { "tools/call#1=$TIMES1000;" PROGRESS "$PAUSE20;$END;" },
      .silence_ms = 200,
      .max_ms = 400,
      .stdio = { .code = ERR_TIMEOUT, .words = "0.4 s" } },
    { .behaviour = "stops reading",
      .rules = { "tools/call=$PAUSE60000;" },
      .silence_ms = 200,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.2 s" } },
    { .behaviour = "writes half an answer and hangs",
      .rules = { "tools/call#1={\"jsonrpc\":\"2.0\",\"id\":$ID,\"resu" },
      .is_stubborn = true,
      .silence_ms = 200,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.2 s" } },
    { .behaviour = "floods its stderr",
      .rules = { "tools/call=$TIMES20000;$ERRsomething that is said again and again;$END;" GOOD },
      .stdio = OK },
    { .behaviour = "floods and never answers",
      .rules = { "tools/call=$REPEAT10000000;{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                 "x\"}\n" },
      .silence_ms = 300,
      .stdio = { .code = ERR_TIMEOUT, .words = "no answer for 0.3 s" } },
    { 0 },
};

int main(void)
{
    return matrix_run(rows);
}
