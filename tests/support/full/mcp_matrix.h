/* The matrix of how servers behave: each row is one behaviour, told to peer_mcp in rules, and what
 * it must come to; each is run over stdio and over HTTP. Whatever the outcome is, a run must end
 * within its limit and leave no descriptor, no zombie and no process behind. docs/mcp-servers.md is
 * the same table for people: a row that is not in there fails. */
#ifndef TESTS_SUPPORT_FULL_MCP_MATRIX_H
#define TESTS_SUPPORT_FULL_MCP_MATRIX_H

#include "tests/support/full/peer.h"

enum { MATRIX_MAX_RULES = 6 };

struct matrix_outcome {
    enum err_code code; /* of the first call */
    const char *words;  /* its whole text, or a part of why it failed; NULL: over both alike */
    const char *era;    /* "modern" or "legacy"; NULL: whichever */
    const char *log;    /* the last line that was logged has this; NULL: whatever was logged */
};

struct matrix_row {
    const char *behaviour; /* as docs/mcp-servers.md says it */
    const char *rules[MATRIX_MAX_RULES];
    struct matrix_outcome stdio, http;
    const char *then; /* the text of a second call; NULL: there is none */
    bool is_modern;   /* but for what the rules say */
    bool is_stubborn; /* ends neither with its input nor when it is told to */
    /* 0: as in tests/support/full/peer.h. */
    int64_t silence_ms, max_ms, start_timeout_ms, max_message_bytes, max_junk_lines;
    size_t text_bytes; /* not 0: the text has so many, and words is not compared */
    size_t n_logs;     /* not 0: so many lines were logged */
};

/* A program of cmocka tests: each row over each transport. The last row is empty. */
int matrix_run(const struct matrix_row *rows);

#endif
