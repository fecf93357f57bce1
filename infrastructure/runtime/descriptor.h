/* File descriptors that close themselves, and writing to them whatever one write takes. */
#ifndef INFRASTRUCTURE_RUNTIME_DESCRIPTOR_H
#define INFRASTRUCTURE_RUNTIME_DESCRIPTOR_H

#include "domain/base/attributes.h"
#include <stdbool.h>
#include <stddef.h>

/* All of the bytes; false: errno says why not. */
MUST_CHECK
bool descriptor_write(int fd, const char *bytes, size_t length);

/* Sets it to -1; nothing when it is negative. errno stays as it is. */
void descriptor_close(int *fd);

/* Closed at the end of its block; one that is only held counts as used. */
#define auto_fd __attribute__((cleanup(descriptor_close), unused)) int

#endif
