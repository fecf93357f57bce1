/* Throughput of what every byte of a reply goes through: the framers of the transport, the
 * splitter and the extraction. Each row is the best of ROUNDS over a stream of text as models
 * write it, in chunks of CHUNK bytes; the last line is the peak memory of the whole process, which
 * holds one copy of the stream and is the same however long it is. */
#include "application/structured/extract.h"
#include "domain/base/json_scan.h"
#include "domain/contract/reply_splitter.h"
#include "infrastructure/net/ndjson.h"
#include "infrastructure/net/sse.h"
#include <stdio.h>
#include <stdlib.h>
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
/* As a tool's text stands in its result: some escapes in every line. */
#define CODE                                                                                       \
    "src/module/file_0042.c:1234: int value = compute(\\\"alpha\\\", 42); /* all is well */\\n"

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

/* The same, and an end. */
static void fill_ended(struct stream *stream, const char *head, const char *unit, const char *end)
{
    fill(stream, head, unit);
    char *bytes = realloc(stream->bytes, stream->length + strlen(end) + 1);
    if (!bytes)
        abort();
    memcpy(bytes + stream->length, end, strlen(end) + 1);
    stream->bytes = bytes;
    stream->length += strlen(end);
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

static void feed_sse(struct stream *stream, size_t max_line)
{
    AUTO(sse) framer = { 0 };
    sse_init(&framer, max_line);
    enum err_code r = ERR_NONE;
    for (size_t at = 0; at < stream->length && !r; at += CHUNK)
        r = sse_feed(&framer, stream->bytes + at,
                     stream->length - at < CHUNK ? stream->length - at : CHUNK, count_event, stream,
                     NULL);
}

static void frame_sse(struct stream *stream)
{
    feed_sse(stream, MAX_LINE);
}

static void frame_long_sse(struct stream *stream)
{
    feed_sse(stream, STREAM + 4096);
}

/* One message: the walk finds it sound. */
static void scan_json(struct stream *stream)
{
    struct json_scan scan;
    struct json_slice value = { 0 };
    json_scan_begin(&scan, stream->bytes, stream->length);
    json_scan_value(&scan, &value);
    if (json_scan_end(&scan) == JSON_SOUND)
        stream->seen += value.length;
}

/* One string, decoded in pieces as `mistro call` prints it. */
static void decode_string(struct stream *stream)
{
    static char piece[65536];
    struct json_slice string = { stream->bytes, stream->length };
    struct json_string_reader reader = json_string_read(string);
    for (size_t n; (n = json_string_next(&reader, piece, sizeof piece));)
        stream->seen += n;
}

static void parse_with_jansson(struct stream *stream)
{
    json_t *value = NULL;
    stream->seen += json_parse(stream->bytes, stream->length, JSON_FOREIGN, &value, NULL) == 0;
    json_decref(value);
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
    fill_ended(&stream, "data: \"", CODE, "\"\n\n");
    measure("SSE framer, one long event", &stream, frame_long_sse);
    fill_ended(&stream, "\"", CODE, "\"");
    measure("JSON scanner, a long text", &stream, scan_json);
    fill_ended(&stream, "\"", CODE, "\"");
    measure("  decoded", &stream, decode_string);
    fill_ended(&stream, "\"", CODE, "\"");
    measure("  by jansson", &stream, parse_with_jansson);
    fill_ended(&stream, "\"", "Ein kleiner Fuß über naïve Männer — 日本語のテキスト. ", "\"");
    measure("JSON scanner, not English", &stream, scan_json);
    fill_ended(&stream, "[0", "," OBJECT, "]");
    measure("JSON scanner, objects", &stream, scan_json);
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
