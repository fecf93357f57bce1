/* One line of `call --batch`: the arguments as they were read, and in the end the envelope that
 * answers them. */
#ifndef APPLICATION_USE_CASES_TOOLS_BATCH_LINE_H
#define APPLICATION_USE_CASES_TOOLS_BATCH_LINE_H

#include "application/tools/invoke.h"
#include "domain/base/buf.h"

struct batch_line {
    struct arena arena; /* of this call alone */
    size_t number;
    char *text; /* as read; freed with the line */
    size_t length;
    bool finished;
    struct invoke_request request; /* once it was parsed */
    struct invoke_outcome outcome;
    struct err err;
};

/* With all it owns. NULL is fine. */
void batch_line_free(struct batch_line *line);
/* The arguments live in the line. Why they are none is said in line->err. */
MUST_CHECK
enum err_code batch_line_parse(struct batch_line *line, const json_t **out);
/* Appends the envelope of a finished line, with its newline. */
MUST_CHECK
bool batch_line_print(const struct batch_line *line, struct buf *text);

#endif
