/* Lines from a descriptor of our own (stdin): a pipe, a socket, a terminal or a file. Bytes are
 * read only while somebody waits for a line, so what nobody takes stays with the sender. */
#ifndef INFRASTRUCTURE_MCP_SERVER_BYTE_INPUT_H
#define INFRASTRUCTURE_MCP_SERVER_BYTE_INPUT_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>

struct byte_input;
struct uv_runtime;

/* Pipes become non-blocking. The descriptor is borrowed, unless it is above 2: then it is closed
 * in the end. */
struct byte_input *byte_input_create(struct uv_runtime *runtime, int fd, size_t max_line_bytes);
void byte_input_destroy(struct byte_input *input);

/* The next line that is not empty, without its end; borrowed until the next call. ERR_LIMIT: a
 * line was longer than the bound, and was skipped. ERR_UNAVAILABLE: there are no more. One task at
 * a time. */
awaits MUST_CHECK enum err_code byte_input_next(struct byte_input *input, const struct scope *scope,
                                                const char **out_line, size_t *out_length,
                                                struct err *err);
/* Ends the waiting: no more lines come. */
void byte_input_end(struct byte_input *input);

#endif
