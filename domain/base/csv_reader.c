#include "domain/base/csv_reader.h"
#include <assert.h>
#include <string.h>

static char guess_delimiter(const char *bytes, const char *end)
{
    static const char candidates[] = ",;\t|";
    size_t counts[sizeof candidates - 1] = { 0 }, best = 0;
    bool in_quotes = false;
    for (; bytes < end && (in_quotes || (*bytes != '\n' && *bytes != '\r')); bytes++) {
        in_quotes ^= *bytes == '"';
        const char *found = *bytes && !in_quotes ? strchr(candidates, *bytes) : NULL;
        if (found)
            counts[found - candidates]++;
    }
    for (size_t i = 1; i < sizeof candidates - 1; i++)
        if (counts[i] > counts[best])
            best = i;
    return candidates[best];
}

void csv_reader_init(struct csv_reader *reader, const char *bytes, size_t length, char delimiter)
{
    bool has_bom = length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0;
    reader->at = has_bom ? bytes + 3 : bytes;
    reader->end = bytes + length;
    reader->delimiter = delimiter ? delimiter : guess_delimiter(reader->at, reader->end);
    reader->n_fields = 0;
    reader->has_too_many = false;
    /* Decoding never makes a record longer; every field gets a NUL. */
    buf_init(&reader->record, length + CSV_MAX_FIELDS + 1);
}

void csv_reader_finish(struct csv_reader *reader)
{
    buf_finish(&reader->record);
}

static void put(struct csv_reader *reader, const char *bytes, size_t length)
{
    bool fits = buf_append(&reader->record, bytes, length);
    assert(fits);
    (void)fits;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* After the opening quote; stops behind the closing one. */
static void read_quoted(struct csv_reader *reader, bool is_kept)
{
    while (reader->at < reader->end) {
        const char *quote = memchr(reader->at, '"', (size_t)(reader->end - reader->at));
        const char *stop = quote ? quote : reader->end;
        bool is_doubled = quote && quote + 1 < reader->end && quote[1] == '"';
        if (is_kept)
            put(reader, reader->at, (size_t)(stop - reader->at) + is_doubled);
        reader->at = quote ? quote + 1 + is_doubled : reader->end;
        if (!is_doubled)
            return;
    }
}

static void read_field(struct csv_reader *reader)
{
    bool is_kept = reader->n_fields < CSV_MAX_FIELDS;
    size_t start = reader->record.length;
    if (reader->at < reader->end && *reader->at == '"') {
        reader->at++;
        read_quoted(reader, is_kept);
    }
    const char *from = reader->at;
    while (reader->at < reader->end && *reader->at != reader->delimiter &&
           !is_line_end(*reader->at))
        reader->at++;
    if (!is_kept) {
        reader->has_too_many = true;
        return;
    }
    put(reader, from, (size_t)(reader->at - from));
    reader->fields[reader->n_fields].length = reader->record.length - start;
    reader->n_fields++;
    put(reader, "", 1);
}

static void skip_line_end(struct csv_reader *reader)
{
    if (reader->at < reader->end && *reader->at == '\r')
        reader->at++;
    if (reader->at < reader->end && *reader->at == '\n')
        reader->at++;
}

bool csv_reader_next(struct csv_reader *reader)
{
    while (reader->at < reader->end && is_line_end(*reader->at))
        reader->at++;
    reader->n_fields = 0;
    buf_clear(&reader->record);
    if (reader->at == reader->end)
        return false;
    read_field(reader);
    while (reader->at < reader->end && *reader->at == reader->delimiter) {
        reader->at++;
        read_field(reader);
    }
    skip_line_end(reader);
    const char *text = reader->record.bytes;
    for (size_t i = 0; i < reader->n_fields; i++) {
        reader->fields[i].text = text;
        text += reader->fields[i].length + 1;
    }
    return true;
}
