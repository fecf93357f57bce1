/* Whatever a server writes: lines come out the same in any pieces, every line is told apart or
 * called junk, and an id is found or not, without a crash. */
#include "domain/base/json.h"
#include "infrastructure/mcp/stdio/stdio_transport.h"
#include "infrastructure/mcp/wire/jsonrpc.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

enum { MAX_LINE = 512, MAX_SEEN = 1 << 20 };

static void read_line(const char *line, size_t length)
{
    json_auto_t *value = NULL;
    struct jsonrpc_id id;
    struct err err;
    bool repaired;
    (void)jsonrpc_salvage_id(line, length, &id);
    if (json_parse_foreign(line, length, &value, &repaired, &err))
        return;
    struct jsonrpc_message message = jsonrpc_classify(value);
    (void)jsonrpc_read_id(message.id, &id);
    assert(message.kind != JSONRPC_REQUEST || (message.method && message.id));
    if (message.kind == JSONRPC_ERROR)
        assert(jsonrpc_explain_error(message.error, &err) != ERR_NONE);
}

static bool see(void *context, const char *line, size_t length)
{
    assert(length > 0 && length <= MAX_LINE);
    read_line(line, length);
    return buf_append(context, line, length) && buf_append(context, "\n", 1);
}

static enum line_framer_end feed(const char *bytes, size_t length, size_t piece, struct buf *seen)
{
    struct line_framer framer;
    enum line_framer_end end = LINES_DONE;
    line_framer_init(&framer, MAX_LINE);
    for (size_t at = 0; at < length && !end; at += piece)
        end = line_framer_feed(&framer, bytes + at, length - at < piece ? length - at : piece, see,
                               seen);
    line_framer_finish(&framer);
    return end;
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
    enum line_framer_end a = feed(stream, length - 1, length, &whole);
    enum line_framer_end b = feed(stream, length - 1, 1 + bytes[0] % 16, &pieces);
    assert(a == b && whole.length == pieces.length);
    assert(whole.length == 0 || memcmp(whole.bytes, pieces.bytes, whole.length) == 0);
    return 0;
}
