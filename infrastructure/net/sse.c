#include "infrastructure/net/sse.h"
#include <stdio.h>
#include <string.h>

/* The name of a field does not count as what it says. */
static size_t max_line_bytes(const struct sse *sse)
{
    return sse->max_bytes + strlen("data: ");
}

void sse_init(struct sse *sse, size_t max_bytes)
{
    *sse = (struct sse){ .first_line = true, .retry_ms = -1, .max_bytes = max_bytes };
    buf_init(&sse->line, max_line_bytes(sse));
    buf_init(&sse->data, max_bytes);
}

void sse_finish(struct sse *sse)
{
    buf_finish(&sse->line);
    buf_finish(&sse->data);
}

static enum err_code too_long(const struct sse *sse, const char *what, struct err *err)
{
    return err_set(err, ERR_LIMIT, 0, "%s of the event stream is longer than %zu bytes", what,
                   sse->max_bytes);
}

static void end_event(struct sse *sse, sse_event_fn *on_event, void *context)
{
    memcpy(sse->id, sse->next_id, sizeof sse->id);
    if (sse->has_data)
        sse->stopped = !on_event(context, sse->name, buf_string(&sse->data) + sse->data_at,
                                 sse->data.length - sse->data_at);
    buf_clear(&sse->data);
    sse->data_at = 0;
    sse->data.max_bytes = sse->max_bytes;
    sse->name[0] = '\0';
    sse->has_data = false;
}

/* The first data of an event that is the end of the line kept so far stays where it is. */
static bool keep_line_as_data(struct sse *sse, const char *value, size_t length)
{
    struct buf line = sse->line;
    if (sse->has_data || !line.length || value < line.bytes || value > line.bytes + line.length ||
        length > sse->max_bytes)
        return false;
    sse->data_at = line.length - length;
    sse->line = sse->data;
    sse->line.max_bytes = max_line_bytes(sse);
    sse->data = line;
    sse->data.max_bytes = sse->max_bytes + sse->data_at;
    buf_clear(&sse->line);
    return true;
}

static enum err_code add_data(struct sse *sse, const char *value, size_t length, struct err *err)
{
    if (!keep_line_as_data(sse, value, length) &&
        ((sse->has_data && !buf_append(&sse->data, "\n", 1)) ||
         !buf_append(&sse->data, value, length)))
        return too_long(sse, "an event", err);
    sse->has_data = true;
    return ERR_NONE;
}

static bool is_field(const char *line, size_t name_length, const char *name)
{
    return name_length == strlen(name) && memcmp(line, name, name_length) == 0;
}

static void take_id(struct sse *sse, const char *value, size_t length)
{
    if (memchr(value, '\0', length))
        return;
    if (length >= sizeof sse->next_id)
        length = 0;
    memcpy(sse->next_id, value, length);
    sse->next_id[length] = '\0';
}

/* Digits only; a wait that no one would live to see is ignored. */
static void take_retry(struct sse *sse, const char *value, size_t length)
{
    enum { MOST_DIGITS = 12 };
    int64_t ms = 0;
    if (length == 0 || length > MOST_DIGITS)
        return;
    for (size_t i = 0; i < length; i++) {
        if (value[i] < '0' || value[i] > '9')
            return;
        ms = ms * 10 + (value[i] - '0');
    }
    sse->retry_ms = ms;
}

/* One line without its end; comments and unknown fields mean nothing. */
static enum err_code take_field(struct sse *sse, const char *line, size_t length, struct err *err)
{
    const char *colon = memchr(line, ':', length);
    size_t name_length = colon ? (size_t)(colon - line) : length;
    const char *value = colon ? colon + 1 : line + length, *end = line + length;
    if (value < end && *value == ' ')
        value++;
    if (is_field(line, name_length, "data"))
        return add_data(sse, value, (size_t)(end - value), err);
    if (is_field(line, name_length, "event"))
        snprintf(sse->name, sizeof sse->name, "%.*s", (int)(end - value), value);
    else if (is_field(line, name_length, "id"))
        take_id(sse, value, (size_t)(end - value));
    else if (is_field(line, name_length, "retry"))
        take_retry(sse, value, (size_t)(end - value));
    return ERR_NONE;
}

/* line has no end, and may be the one that was kept. */
static enum err_code end_line(struct sse *sse, const char *line, size_t length,
                              sse_event_fn *on_event, void *context, struct err *err)
{
    if (sse->first_line && length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) {
        line += 3;
        length -= 3;
    }
    sse->first_line = false;
    enum err_code r = ERR_NONE;
    if (length == 0)
        end_event(sse, on_event, context);
    else
        r = take_field(sse, line, length, err);
    buf_clear(&sse->line);
    return r;
}

/* Where the lines of a piece end: the next of each kind is looked for once. */
struct line_ends {
    const char *lf, *cr, *end;
};

static const char *find_from(const char *at, const char *end, char c)
{
    const char *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

static const char *next_line_end(struct line_ends *ends, const char *at)
{
    if (!ends->lf || ends->lf < at)
        ends->lf = find_from(at, ends->end, '\n');
    if (!ends->cr || ends->cr < at)
        ends->cr = find_from(at, ends->end, '\r');
    return ends->lf < ends->cr ? ends->lf : ends->cr;
}

/* A line that lies whole in the piece is not copied. */
static enum err_code take_line(struct sse *sse, const char *bytes, size_t length,
                               sse_event_fn *on_event, void *context, struct err *err)
{
    if (sse->line.length == 0 && length <= max_line_bytes(sse))
        return end_line(sse, bytes, length, on_event, context, err);
    if (!buf_append(&sse->line, bytes, length))
        return too_long(sse, "a line", err);
    return end_line(sse, buf_string(&sse->line), sse->line.length, on_event, context, err);
}

enum err_code sse_feed(struct sse *sse, const char *bytes, size_t length, sse_event_fn *on_event,
                       void *context, struct err *err)
{
    const char *at = bytes, *end = bytes + length;
    struct line_ends ends = { .end = end };
    while (at < end && !sse->stopped) {
        bool second_half = sse->after_cr && *at == '\n';
        sse->after_cr = false;
        if (second_half) {
            at++;
            continue;
        }
        const char *to = next_line_end(&ends, at);
        if (to == end)
            return buf_append(&sse->line, at, (size_t)(end - at)) ? ERR_NONE
                                                                  : too_long(sse, "a line", err);
        sse->after_cr = *to == '\r';
        enum err_code r = take_line(sse, at, (size_t)(to - at), on_event, context, err);
        if (r)
            return r;
        at = to + 1;
    }
    return ERR_NONE;
}
