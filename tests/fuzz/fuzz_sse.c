/* Any bytes, in any pieces, give the same events, within the bound. */
#include "infrastructure/net/sse.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { MAX_EVENT = 256, MAX_SEEN = 1 << 20 };

static bool record(void *context, const char *name, const char *data, size_t length)
{
    assert(length <= MAX_EVENT && strlen(name) < SSE_NAME_SIZE);
    struct buf *seen = context;
    return buf_puts(seen, name) && buf_append(seen, "\1", 1) && buf_append(seen, data, length) &&
           buf_append(seen, "\2", 1);
}

static enum err_code feed(const char *bytes, size_t length, size_t piece, struct buf *seen)
{
    AUTO(sse) sse = { 0 };
    sse_init(&sse, MAX_EVENT);
    enum err_code r = ERR_NONE;
    for (size_t at = 0; at < length && !r; at += piece)
        r = sse_feed(&sse, bytes + at, length - at < piece ? length - at : piece, record, seen,
                     NULL);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < 1)
        return 0;
    AUTO(buf) whole = { 0 }, pieces = { 0 };
    buf_init(&whole, MAX_SEEN);
    buf_init(&pieces, MAX_SEEN);
    const char *stream = (const char *)bytes + 1;
    enum err_code a = feed(stream, length - 1, length, &whole);
    enum err_code b = feed(stream, length - 1, 1 + bytes[0] % 16, &pieces);
    assert(a == b && whole.length == pieces.length);
    assert(memcmp(buf_string(&whole), buf_string(&pieces), whole.length) == 0);
    return 0;
}
