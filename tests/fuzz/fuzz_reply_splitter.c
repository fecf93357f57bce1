/* Any bytes, in any chunks, give the same text, metadata and form; nothing held passes its bound,
 * and valid UTF-8 is never shown with a character cut in half. */
#include "domain/base/text.h"
#include "domain/contract/reply_splitter.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_METADATA = 512, MAX_SHOWN = 1 << 20 };

struct split {
    struct buf shown, metadata;
    enum reply_form form;
    bool fits, cuts_characters;
};

static void split_finish(struct split *split)
{
    buf_finish(&split->shown);
    buf_finish(&split->metadata);
}

static void record(void *context, const char *text, size_t length)
{
    struct split *split = context;
    split->cuts_characters = split->cuts_characters || !text_is_utf8(text, length);
    if (!length || !buf_append(&split->shown, text, length))
        abort();
}

/* sizes: of the chunks, over and over; NULL: one chunk. */
static struct split run(const char *reply, size_t length, const uint8_t *sizes, size_t n)
{
    struct split split = { .fits = true };
    buf_init(&split.shown, MAX_SHOWN);
    buf_init(&split.metadata, MAX_METADATA);
    AUTO(reply_splitter) splitter;
    reply_splitter_init(&splitter, MAX_METADATA, record, &split);
    for (size_t at = 0, i = 0; at < length; i++) {
        size_t chunk = sizes ? 1u + sizes[i % n] % 8u : length;
        chunk = chunk < length - at ? chunk : length - at;
        split.fits &= reply_splitter_feed(&splitter, reply + at, chunk);
        at += chunk;
    }
    split.form = reply_splitter_end(&splitter);
    if (splitter.held.capacity > 2 * REPLY_SPLITTER_MAX_HELD_BYTES ||
        !buf_append(&split.metadata, splitter.metadata.bytes, splitter.metadata.length))
        abort();
    return split;
}

static bool same(const struct buf *a, const struct buf *b)
{
    return a->length == b->length && memcmp(buf_string(a), buf_string(b), a->length) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4 || size > MAX_SHOWN)
        return 0;
    const char *reply = (const char *)data + 4;
    AUTO(split) whole = run(reply, size - 4, NULL, 0);
    AUTO(split) pieces = run(reply, size - 4, data, 4);
    if (!same(&whole.shown, &pieces.shown) || !same(&whole.metadata, &pieces.metadata) ||
        whole.form != pieces.form || whole.fits != pieces.fits)
        abort();
    if (text_is_utf8(reply, size - 4) && (whole.cuts_characters || pieces.cuts_characters))
        abort();
    return 0;
}
