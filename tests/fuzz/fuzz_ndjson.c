/* Any bytes, in any pieces, give the same lines, within the bound. */
#include "infrastructure/net/ndjson.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { MAX_LINE = 256, MAX_SEEN = 1 << 20 };

static bool record(void *context, const char *line, size_t length)
{
    assert(length <= MAX_LINE);
    struct buf *seen = context;
    return buf_append(seen, line, length) && buf_append(seen, "\2", 1);
}

static enum err_code feed(const char *bytes, size_t length, size_t piece, struct buf *seen)
{
    AUTO(ndjson) ndjson = { 0 };
    ndjson_init(&ndjson, MAX_LINE);
    enum err_code r = ERR_NONE;
    for (size_t at = 0; at < length && !r; at += piece)
        r = ndjson_feed(&ndjson, bytes + at, length - at < piece ? length - at : piece, record,
                        seen, NULL);
    if (!r)
        ndjson_end(&ndjson, record, seen);
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
