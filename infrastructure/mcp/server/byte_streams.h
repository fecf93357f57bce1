/* The two ends of a process that serves MCP: lines that come in and bytes that go out. Both work
 * with pipes and sockets through the event loop, and with files without it. */
#ifndef INFRASTRUCTURE_MCP_SERVER_BYTE_STREAMS_H
#define INFRASTRUCTURE_MCP_SERVER_BYTE_STREAMS_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>

struct byte_input;
struct byte_output;
struct uv_runtime;

/* Lines from a descriptor of our own (stdin): a pipe, a socket, a terminal or a file. Bytes are
 * read only while a task waits for a line, so what is not wanted yet stays with the sender. Pipes
 * become non-blocking. The descriptor is borrowed, unless it is above 2: then it is closed in the
 * end. */
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

/* Bytes to a descriptor of our own (stdout), in order and without blocking: written at once as far
 * as the reader takes them, the rest when it does. What waits is bounded; a reader that lets it
 * grow past that counts as gone. The descriptor is as for byte_input_create. on_broken is called
 * once on the loop's stack, or from a send. */
struct byte_output *byte_output_create(struct uv_runtime *runtime, int fd, size_t max_waiting,
                                       void (*on_broken)(void *context), void *context);
void byte_output_destroy(struct byte_output *output);

/* Takes the content; the buffer is left empty. Nothing happens once the reader has gone. */
void byte_output_send(struct byte_output *output, struct buf *bytes);
/* Waits until at most `most` bytes wait to be taken. ERR_FAILED: they could not be written, or the
 * reader has gone without them; ERR_LIMIT: it counts as gone, because too much waited. One task at
 * a time. */
awaits MUST_CHECK enum err_code byte_output_drain(struct byte_output *output, size_t most,
                                                  const struct scope *scope, struct err *err);

#endif
