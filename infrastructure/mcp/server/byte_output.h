/* Bytes to a descriptor of our own (stdout), in order and without blocking: written at once as
 * far as the reader takes them, the rest when it does. What waits is bounded; a reader that lets
 * it grow past that counts as gone. */
#ifndef INFRASTRUCTURE_MCP_SERVER_BYTE_OUTPUT_H
#define INFRASTRUCTURE_MCP_SERVER_BYTE_OUTPUT_H

#include "domain/base/attributes.h"
#include "domain/base/buf.h"
#include "domain/base/scope.h"
#include <stdbool.h>
#include <stddef.h>

struct byte_output;
struct uv_runtime;

/* As byte_input_create. on_broken is called once on the loop's stack, or from a send. */
struct byte_output *byte_output_create(struct uv_runtime *runtime, int fd, size_t max_waiting,
                                       void (*on_broken)(void *context), void *context);
void byte_output_destroy(struct byte_output *output);

/* Takes the content; the buffer is left empty. Nothing happens once the reader has gone. */
void byte_output_send(struct byte_output *output, struct buf *bytes);
/* Waits until at most `most` bytes wait to be taken. ERR_UNAVAILABLE: the reader has gone;
 * ERR_LIMIT: it counts as gone, because too much waited. One task at a time. */
awaits MUST_CHECK enum err_code byte_output_drain(struct byte_output *output, size_t most,
                                                  const struct scope *scope, struct err *err);

#endif
