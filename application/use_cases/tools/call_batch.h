/* `call SERVER/TOOL --batch [-j N]`: one JSON object of arguments per input line, one envelope per
 * output line, in input order, over one connection with N calls in flight.
 *
 *   {"line":3,"ok":true,"result":{…}}          the result's bytes as the server sent them
 *   {"line":4,"ok":false,"tool_error":true,"result":{…}}      likewise; the tool says it failed
 *   {"line":5,"ok":false,"error":{…}}          the line was bad, or the call was; the batch goes on
 *
 * A blank line is counted and has no envelope.
 *
 * The tool_call events of the lines that have arrived, at most BATCH_MAX_GROUP, reach the disk as a
 * group before the first of them is sent; no line waits for another one to arrive. The next group
 * is logged while the calls of the one before it are made. When the log cannot be written, nothing
 * of the group is sent and the batch ends. A result line is printed once the events of its call are
 * on disk, together with others that finish within 20 ms; a lone one at once. The next call does
 * not wait for that: the results of up to BATCH_MAX_UNPRINTED calls may be missing in the log after
 * a crash, but none whose line was printed. Requests are made ready ahead of the call, so that it
 * is sent as soon as the one before is answered. */
#ifndef APPLICATION_USE_CASES_TOOLS_CALL_BATCH_H
#define APPLICATION_USE_CASES_TOOLS_CALL_BATCH_H

#include "application/services.h"
#include "application/tools/definition_check.h"

#define BATCH_MAX_IN_FLIGHT 64
#define BATCH_MAX_GROUP 32      /* lines whose calls are logged together */
#define BATCH_MAX_UNPRINTED 512 /* finished calls that wait for their turn to be printed */

struct batch_request {
    const char *tool;
    unsigned in_flight; /* 1 to BATCH_MAX_IN_FLIGHT */
    /* As in struct call_request. */
    const json_t *expected_definition;
    enum schema_mode schema_mode;
    /* Waits for the next line and gives it without its newline; malloc'd, owned by the caller of
     * it. NULL at the end of the input. */
    enum err_code (*read_line)(void *context, struct scope *scope, char **out_line,
                               size_t *out_length, struct err *err);
    /* Whole lines with their newlines. False: the reader is gone, stop quietly. */
    bool (*print_lines)(void *context, const char *lines, size_t length);
    void *context;
};

struct batch_outcome {
    size_t n_lines, n_failed; /* without blank lines; failed: ok is false */
};

/* ERR_NONE once every line was answered (or the reader is gone). Errors are those that concern
 * the batch as a whole: the tool is not there, cancelled, the disk refuses the log. */
awaits MUST_CHECK enum err_code call_batch(struct services *services, struct scope *scope,
                                           const struct batch_request *request,
                                           struct batch_outcome *out, struct err *err);

#endif
