#include "domain/base/buf.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *buf, size_t max_bytes)
{
    *buf = (struct buf){ .max_bytes = max_bytes };
}

void buf_finish(struct buf *buf)
{
    free(buf->bytes);
    buf->bytes = NULL;
    buf->length = buf->capacity = 0;
}

void buf_clear(struct buf *buf)
{
    buf->length = 0;
    buf_terminate(buf);
}

bool buf_reserve(struct buf *buf, size_t room)
{
    if (room > buf->max_bytes || buf->length > buf->max_bytes - room)
        return false;
    size_t need = buf->length + room + 1;
    if (need <= buf->capacity)
        return true;
    size_t capacity = buf->capacity ? buf->capacity : 64;
    while (capacity < need)
        capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
    char *bytes = realloc(buf->bytes, capacity);
    if (!bytes)
        abort();
    buf->bytes = bytes;
    buf->capacity = capacity;
    buf_terminate(buf);
    return true;
}

void buf_terminate(struct buf *buf)
{
    if (buf->bytes)
        buf->bytes[buf->length] = '\0';
}

bool buf_append(struct buf *buf, const void *bytes, size_t length)
{
    if (!buf_reserve(buf, length))
        return false;
    if (length)
        memcpy(buf->bytes + buf->length, bytes, length);
    buf->length += length;
    buf_terminate(buf);
    return true;
}

bool buf_puts(struct buf *buf, const char *string)
{
    return buf_append(buf, string, strlen(string));
}

bool buf_append_integer(struct buf *buf, int64_t number)
{
    char digits[24], *at = digits + sizeof digits;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        *--at = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *--at = '-';
    return buf_append(buf, at, (size_t)(digits + sizeof digits - at));
}

bool buf_printf(struct buf *buf, const char *format, ...)
{
    va_list args, again;
    size_t room = buf->capacity > buf->length ? buf->capacity - buf->length : 0;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(room ? buf->bytes + buf->length : NULL, room, format, args);
    va_end(args);
    bool fits = length >= 0 && buf_reserve(buf, (size_t)length);
    if (fits && (size_t)length >= room)
        vsnprintf(buf->bytes + buf->length, (size_t)length + 1, format, again);
    if (fits)
        buf->length += (size_t)length;
    buf_terminate(buf);
    va_end(again);
    return fits;
}

void buf_consume(struct buf *buf, size_t n)
{
    if (!n)
        return;
    buf->length -= n;
    memmove(buf->bytes, buf->bytes + n, buf->length);
    buf_terminate(buf);
}

const char *buf_string(const struct buf *buf)
{
    return buf->bytes ? buf->bytes : "";
}

char *buf_take(struct buf *buf)
{
    if (!buf->bytes && !buf_reserve(buf, 0))
        abort();
    char *bytes = buf->bytes;
    buf->bytes = NULL;
    buf->length = buf->capacity = 0;
    return bytes;
}
