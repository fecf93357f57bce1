/* Throughput of what every byte of a reply goes through: the framers of the transport, the
 * splitter and the extraction. Each row is the best of ROUNDS over a stream of text as models
 * write it, in chunks of CHUNK bytes; the last line is the peak memory of the whole process, which
 * holds one copy of the stream and is the same however long it is. */
#include "application/structured/extract.h"
#include "domain/rules/reply_splitter.h"
#include "infrastructure/net/ndjson.h"
#include "infrastructure/net/sse.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { STREAM = 8 << 20, CHUNK = 16 << 10, PASSES = 8, ROUNDS = 5, MAX_LINE = 1 << 20 };

#define PROSE                                                                                      \
    "A well-known cat in a hat - with a naïve look - sits under the old oak, and it rains.\n"     \
    "She waits; the street is empty, the lamps are lit, and nobody comes by at this hour.\n\n"
#define OBJECT                                                                                     \
    "{\"prompt\": \"a tabby cat wearing a blue wizard hat, \\\"soft\\\" light\", "                 \
    "\"generate_image\": true, \"steps\": 4, \"cfg\": 1.0, \"seed\": -1}"

struct stream {
    char *bytes;
    size_t length;
    size_t seen; /* what came out, so that nothing is optimised away */
};

static void fill(struct stream *stream, const char *head, const char *unit)
{
    struct buf text;
    buf_init(&text, STREAM + 4096);
    bool fits = buf_puts(&text, head);
    while (fits && text.length < STREAM)
        fits = buf_puts(&text, unit);
    stream->length = text.length;
    stream->bytes = buf_take(&text);
    stream->seen = 0;
}

static void count_text(void *context, const char *text, size_t length)
{
    (void)text;
    ((struct stream *)context)->seen += length;
}

static void feed_splitter(struct stream *stream, size_t max_metadata)
{
    AUTO(reply_splitter) splitter;
    reply_splitter_init(&splitter, max_metadata, count_text, stream);
    bool fits = true;
    for (size_t at = 0; at < stream->length && fits; at += CHUNK)
        fits = reply_splitter_feed(&splitter, stream->bytes + at,
                                   stream->length - at < CHUNK ? stream->length - at : CHUNK);
    stream->seen += (size_t)reply_splitter_end(&splitter) + splitter.metadata.length;
}

static void split_text(struct stream *stream)
{
    feed_splitter(stream, MAX_LINE);
}

static void split_metadata(struct stream *stream)
{
    feed_splitter(stream, STREAM + 4096);
}

static bool count_line(void *context, const char *line, size_t length)
{
    (void)line;
    ((struct stream *)context)->seen += length;
    return true;
}

static bool count_event(void *context, const char *name, const char *data, size_t length)
{
    (void)name;
    return count_line(context, data, length);
}

static void frame_ndjson(struct stream *stream)
{
    AUTO(ndjson) framer = { 0 };
    ndjson_init(&framer, MAX_LINE);
    enum err_code r = ERR_NONE;
    for (size_t at = 0; at < stream->length && !r; at += CHUNK)
        r = ndjson_feed(&framer, stream->bytes + at,
                        stream->length - at < CHUNK ? stream->length - at : CHUNK, count_line,
                        stream, NULL);
    ndjson_end(&framer, count_line, stream);
}

static void frame_sse(struct stream *stream)
{
    AUTO(sse) framer = { 0 };
    sse_init(&framer, MAX_LINE);
    enum err_code r = ERR_NONE;
    for (size_t at = 0; at < stream->length && !r; at += CHUNK)
        r = sse_feed(&framer, stream->bytes + at,
                     stream->length - at < CHUNK ? stream->length - at : CHUNK, count_event, stream,
                     NULL);
}

/* One reply of the whole length: chatter, and the object at its end. */
static void extract(struct stream *stream)
{
    json_t *value = NULL;
    enum extract_kind kind = extract_json(stream->bytes, stream->length, &value);
    stream->seen += (size_t)kind;
    json_decref(value);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(const char *what, struct stream *stream, void (*run)(struct stream *))
{
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int pass = 0; pass < PASSES; pass++)
            run(stream);
        double rate = (double)stream->length * PASSES / (seconds() - start) / 1e6;
        best = rate > best ? rate : best;
    }
    printf("%-28s %8.0f MB/s%s\n", what, best, stream->seen ? "" : "  nothing came out");
    free(stream->bytes);
}

int main(void)
{
    struct stream stream;
    fill(&stream, "", PROSE);
    measure("splitter, text", &stream, split_text);
    fill(&stream, "Hi!\n---\n", OBJECT "\n");
    measure("splitter, metadata", &stream, split_metadata);
    fill(&stream, "", "| a | --- | b-c |\n---|---\n- one\n");
    measure("splitter, dashes and tables", &stream, split_text);
    fill(&stream, "",
         "{\"model\":\"mistral:7b\",\"created_at\":\"2026-01-01T00:00:00Z\",\"message\":{"
         "\"role\":\"assistant\",\"content\":\" cat\"},\"done\":false}\n");
    measure("NDJSON framer", &stream, frame_ndjson);
    fill(&stream, "",
         "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"choices\":[{"
         "\"index\":0,\"delta\":{\"content\":\" cat\"}}]}\n\n");
    measure("SSE framer", &stream, frame_sse);
    fill(&stream, OBJECT "\n", PROSE);
    measure("extraction, chatter behind", &stream, extract);
    fill(&stream, "", PROSE);
    memcpy(stream.bytes + stream.length - strlen(OBJECT) - 1, OBJECT, strlen(OBJECT));
    measure("extraction, chatter before", &stream, extract);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory %ld KiB, of which %d KiB are the stream\n", usage.ru_maxrss, STREAM >> 10);
    return 0;
}
