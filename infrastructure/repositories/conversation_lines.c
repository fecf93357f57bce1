#include "infrastructure/repositories/conversation_lines.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include "infrastructure/repositories/stored_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_WINDOW                                                                               \
    ((size_t)16 * 1024) /* read from the end; four times as much where too little */

bool conversation_moment_in(const char *text, size_t length, const char *key, int64_t *out_ms)
{
    char moment[RFC3339_SIZE];
    const char *found;
    size_t size;
    if (!json_member_text(text, length, key, &found, &size) || size <= 2 || size >= sizeof moment)
        return false;
    memcpy(moment, found + 1, size - 2);
    moment[size - 2] = '\0';
    return rfc3339_parse(moment, out_ms);
}

static size_t start_of_last_line(const char *bytes, size_t length)
{
    size_t at = length ? length - 1 : 0;
    while (at && bytes[at - 1] != '\n')
        at--;
    return at;
}

/* The length without what is no whole line. */
static size_t whole_length(const char *bytes, size_t length)
{
    while (length) {
        size_t start = start_of_last_line(bytes, length);
        if (bytes[length - 1] == '\n' && !memchr(bytes + start, '\0', length - start))
            break;
        length = start;
    }
    return length;
}

/* How many messages are before those of the line. */
static size_t messages_before(const char *line, size_t length)
{
    const char *number;
    size_t size;
    bool has = json_member_text(line, length, "earlier", &number, &size);
    return has ? strtoull(number, NULL, 10) : 0;
}

static size_t count_messages(const char *line, size_t length)
{
    json_t *value;
    if (json_parse(line, length, JSON_OURS, &value, NULL))
        return 0;
    size_t n = json_array_size(json_object_get(value, "messages"));
    json_decref(value);
    return n;
}

/* Drops lines at the beginning that the last n messages do not need. False: there are not so many.
 */
static bool keep_needed_lines(struct buf *lines, size_t n)
{
    if (!lines->length || n == CONVERSATION_WHOLE)
        return false;
    size_t last = start_of_last_line(lines->bytes, lines->length), start = 0, enough = SIZE_MAX;
    size_t end = messages_before(lines->bytes + last, lines->length - last) +
                 count_messages(lines->bytes + last, lines->length - last);
    while (start <= last) {
        const char *line = lines->bytes + start, *stop = memchr(line, '\n', lines->length - start);
        size_t before = messages_before(line, (size_t)(stop - line));
        if (before && (end < before || end - before < n))
            break;
        enough = start;
        start += (size_t)(stop + 1 - line);
    }
    if (enough == SIZE_MAX)
        return false;
    buf_consume(lines, enough);
    return true;
}

/* Only the last line's context counts, and it may be long. */
static void blank_context(char *line, size_t length)
{
    const char *found;
    size_t size;
    if (!json_member_text(line, length, "context", &found, &size) || size < 2)
        return;
    char *context = line + (found - line);
    memset(context, ' ', size);
    context[0] = '{';
    context[1] = '}';
}

/* Leaves whole lines in the text, which begins at the offset of the file. */
static void keep_whole_lines(struct buf *text, size_t at, struct conversation_lines *out)
{
    text->length = whole_length(buf_string(text), text->length);
    out->end = at + text->length;
    const char *stop = at && text->length ? memchr(text->bytes, '\n', text->length) : NULL;
    if (stop)
        buf_consume(text, (size_t)(stop + 1 - text->bytes));
}

enum err_code conversation_lines_read(const char *folder, const char *name, size_t n,
                                      struct buf *text, struct conversation_lines *out,
                                      struct err *err)
{
    struct conversation_lines lines = { .version_ms = -1 };
    size_t at = 1, window = n == CONVERSATION_WHOLE ? text->max_bytes : FIRST_WINDOW;
    for (; at && !lines.is_enough; window *= 4) {
        buf_clear(text);
        window = window < text->max_bytes ? window : text->max_bytes;
        enum err_code r = stored_file_read_end(folder, name, window, text, &at, err);
        if (r && r != ERR_NOT_FOUND)
            return r;
        if (r)
            break;
        if (at && window == text->max_bytes)
            return err_set(err, ERR_LIMIT, 0, "%s/%s: more than %zu bytes", folder, name, window);
        keep_whole_lines(text, at, &lines);
        lines.is_enough = keep_needed_lines(text, n);
    }
    size_t last = start_of_last_line(buf_string(text), text->length);
    for (size_t start = 0, length; start < last; start += length) {
        char *line = text->bytes + start;
        length = (size_t)((char *)memchr(line, '\n', text->length - start) + 1 - line);
        blank_context(line, length);
    }
    if (text->length && !conversation_moment_in(text->bytes + last, text->length - last,
                                                "updated_at", &lines.version_ms))
        return err_set(err, ERR_INVALID, 0, "the last line of %s is damaged", name);
    *out = lines;
    return ERR_NONE;
}

/* A text on its way into a file. */
struct output {
    int fd;
    size_t written;
    bool has_messages;
    struct buf buffer;
};

#define OUTPUT_BUFFER ((size_t)64 * 1024)

static bool flush(struct output *output)
{
    bool ok = descriptor_write(output->fd, buf_string(&output->buffer), output->buffer.length);
    output->written += output->buffer.length;
    buf_clear(&output->buffer);
    return ok;
}

static bool put(struct output *output, const char *bytes, size_t length)
{
    if (!buf_append(&output->buffer, bytes, length))
        abort(); /* it has no bound */
    return output->buffer.length < OUTPUT_BUFFER || flush(output);
}

static bool put_text(struct output *output, const char *text)
{
    return put(output, text, strlen(text));
}

/* As json_print_pretty prints it within a conversation. */
static bool put_message(struct output *output, const struct message *message)
{
    json_auto_t *value = message_to_json(message);
    auto_str text = json_print_pretty(value);
    bool ok = put_text(output, output->has_messages ? ",\n    " : "\n    ");
    output->has_messages = true;
    for (const char *line = text, *stop; ok && line; line = stop ? stop + 1 : NULL) {
        stop = strchr(line, '\n');
        ok = put(output, line, stop ? (size_t)(stop - line) : strlen(line)) &&
             (!stop || put_text(output, "\n    "));
    }
    return ok;
}

static bool put_messages(struct output *output, const struct conversation *c)
{
    bool ok = true;
    for (size_t i = 0; ok && i < c->n_messages; i++)
        ok = put_message(output, &c->messages[i]);
    return ok;
}

#define EMPTY_END "[]\n}\n"

/* All before the messages, as it is after the last line. */
static enum err_code put_head(const struct conversation_fold *fold, struct output *output,
                              struct err *err)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) text;
    struct conversation *last;
    buf_init(&text, fold->max_bytes);
    enum err_code r = conversation_parse(&arena, fold->line, fold->length, &last, err);
    if (r)
        return r;
    last->n_messages = last->n_earlier = 0;
    r = conversation_print(last, &text, err);
    if (r)
        return r;
    bool ok = put(output, text.bytes, text.length - strlen(EMPTY_END)) && put_text(output, "[");
    return ok ? ERR_NONE : ERR_UNAVAILABLE;
}

static const char messages_begin[] = "\n  \"messages\": [";
static const char messages_end[] = "\n  ]\n}\n";

static bool ends_with_messages(int fd, size_t size)
{
    char end[sizeof messages_end - 1];
    return size > sizeof end &&
           pread(fd, end, sizeof end, (off_t)(size - sizeof end)) == (ssize_t)sizeof end &&
           memcmp(end, messages_end, sizeof end) == 0;
}

/* Where the messages begin in a text that mistro wrote; 0 in one that was written otherwise.
 * Strings have no line breaks, so what stands behind two blanks is a member of the whole. */
static size_t find_messages(const struct conversation_fold *fold, struct err *err)
{
    const char *begin = NULL;
    size_t length = 0;
    for (size_t window = FIRST_WINDOW; !begin && length < fold->max_bytes; window *= 4) {
        auto_str head = calloc(window + 1, 1);
        if (!head)
            abort();
        if (stored_file_read_start(fold->folder, fold->text_name, head, window, &length, err) ||
            strncmp(head, "{\n  \"version\"", 13) != 0)
            return 0;
        begin = strstr(head, messages_begin);
        if (begin)
            return (size_t)(begin - head) + strlen(messages_begin);
        if (length < window)
            return 0;
    }
    return 0;
}

static bool copy_bytes(struct output *output, int fd, size_t from, size_t to)
{
    char piece[8192];
    while (from < to) {
        size_t room = to - from < sizeof piece ? to - from : sizeof piece;
        ssize_t n = pread(fd, piece, room, (off_t)from);
        if (n == 0)
            errno = EIO; /* it became shorter */
        if (n <= 0 || !put(output, piece, (size_t)n))
            return false;
        from += (size_t)n;
    }
    output->has_messages = true;
    return true;
}

static enum err_code put_old_messages(const struct conversation_fold *fold, struct output *output,
                                      struct err *err)
{
    AUTO(arena) arena = { 0 };
    AUTO(buf) text;
    auto_fd fd = -1;
    struct conversation *c;
    size_t size, from = find_messages(fold, err);
    buf_init(&text, fold->max_bytes);
    enum err_code r = stored_file_open(fold->folder, fold->text_name, &fd, &size, err);
    if (r)
        return r;
    if (from && ends_with_messages(fd, size))
        return copy_bytes(output, fd, from, size - strlen(messages_end)) ? ERR_NONE
                                                                         : ERR_UNAVAILABLE;
    r = stored_file_read(fold->folder, fold->text_name, &text, err);
    if (!r)
        r = conversation_parse(&arena, text.bytes, text.length, &c, err);
    return r ? r : put_messages(output, c) ? ERR_NONE : ERR_UNAVAILABLE;
}

static enum err_code put_line(const struct conversation_fold *fold, struct output *output,
                              const char *line, size_t length, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct conversation *part;
    enum err_code r = conversation_parse(&arena, line, length, &part, err);
    if (r || part->updated_at_ms <= fold->text_version_ms)
        return r;
    return put_messages(output, part) ? ERR_NONE : ERR_UNAVAILABLE;
}

static enum err_code put_lines_of(FILE *file, const struct conversation_fold *fold,
                                  struct output *output, struct err *err)
{
    enum err_code r = ERR_NONE;
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t n; !r && (n = getline(&line, &capacity, file)) > 0;) {
        if (whole_length(line, (size_t)n) == 0)
            break;
        blank_context(line, (size_t)n);
        r = put_line(fold, output, line, (size_t)n, err);
    }
    free(line);
    return r;
}

/* A line at a time. */
static enum err_code put_lines(const struct conversation_fold *fold, struct output *output,
                               struct err *err)
{
    int fd = -1;
    size_t size;
    enum err_code r = stored_file_open(fold->folder, fold->lines_name, &fd, &size, err);
    FILE *file = r ? NULL : fdopen(fd, "r");
    if (file) {
        r = put_lines_of(file, fold, output, err);
        fclose(file);
    } else if (!r) {
        descriptor_close(&fd);
        r = ERR_UNAVAILABLE;
    }
    if (r && r != ERR_NOT_FOUND)
        return r;
    return put_line(fold, output, fold->line, fold->length, err);
}

static void output_finish(struct output *output)
{
    buf_finish(&output->buffer);
}

static enum err_code write_folded(void *context, int fd, struct err *err)
{
    const struct conversation_fold *fold = context;
    AUTO(output) output = { .fd = fd };
    buf_init(&output.buffer, SIZE_MAX);
    enum err_code r = put_head(fold, &output, err);
    if (!r)
        r = put_old_messages(fold, &output, err);
    if (!r)
        r = put_lines(fold, &output, err);
    if (!r &&
        (!put_text(&output, output.has_messages ? messages_end : "]\n}\n") || !flush(&output)))
        r = ERR_UNAVAILABLE;
    if (!r && output.written > fold->max_bytes)
        return conversation_is_too_large(fold->id, output.written, fold->max_bytes, err);
    return r;
}

enum err_code conversation_fold(const struct conversation_fold *fold, struct err *err)
{
    struct conversation_fold mine = *fold;
    return stored_file_replace_by(fold->folder, fold->text_name, write_folded, &mine, err);
}
