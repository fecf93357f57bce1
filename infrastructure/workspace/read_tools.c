/* read_file, file_info and text_stats. */
#include "domain/base/base64.h"
#include "domain/base/json.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include "infrastructure/workspace/tree_walk.h"
#include "infrastructure/workspace/workspace_text.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum err_code too_large(struct err *err)
{
    enum err_code r = err_set(err, ERR_LIMIT, 0, "the content is larger than a result may be");
    return err_hint(err, r, "read fewer lines, or set max_bytes");
}

static enum err_code read_as_base64(const struct workspace_job *job, const char *bytes,
                                    size_t length, struct workspace_answer *out, struct err *err)
{
    size_t max = (size_t)json_get_int(job->arguments, "max_bytes", INT32_MAX);
    size_t n = length < max ? length : max;
    AUTO(buf) encoded;
    buf_init(&encoded, job->limits.max_result_bytes);
    if (!base64_append(&encoded, bytes, n) ||
        !buf_printf(&out->text, "%zu bytes as base64 in structuredContent.content", n))
        return too_large(err);
    json_object_update_new(out->structured, json_pack("{ss ss% sb}", "encoding", "base64",
                                                      "content", buf_string(&encoded),
                                                      encoded.length, "truncated", n < length));
    return ERR_NONE;
}

static enum err_code read_as_text(const struct workspace_job *job, const char *bytes, size_t length,
                                  struct workspace_answer *out, struct err *err)
{
    size_t first = (size_t)json_get_int(job->arguments, "start_line", 1);
    size_t last = (size_t)json_get_int(job->arguments, "end_line", 0);
    size_t max = (size_t)json_get_int(job->arguments, "max_bytes", INT32_MAX);
    struct text_counts counts = workspace_count(bytes, length);
    size_t part_length;
    bool is_changed = false;
    if (last && last < first)
        return err_set(err, ERR_INVALID, 0, "end_line %zu is before start_line %zu", last, first);
    if (first > 1 && first > counts.lines)
        return err_set(err, ERR_INVALID, 0, "start_line %zu: the file has %zu lines", first,
                       counts.lines);
    const char *part = workspace_lines(bytes, length, first, last, &part_length);
    size_t n = part_length > max ? text_cut(part, part_length, max) : part_length;
    json_t *content = workspace_json_text(part, n, &is_changed);
    json_object_update_new(out->structured,
                           json_pack("{ss so sI sI sb sb}", "encoding", "text", "content", content,
                                     "total_lines", (json_int_t)counts.lines, "start_line",
                                     (json_int_t)first, "truncated", n < part_length,
                                     "invalid_utf8", is_changed));
    if (!buf_append(&out->text, json_string_value(content), json_string_length(content)))
        return too_large(err);
    return ERR_NONE;
}

enum err_code workspace_read_file(const struct workspace_job *job, struct workspace_answer *out,
                                  struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    auto_str bytes = NULL;
    size_t length;
    const char *encoding = json_get_string(job->arguments, "encoding");
    enum err_code r = workspace_read(job, path, &bytes, &length, err);
    if (r)
        return r;
    json_object_set_new(out->structured, "path", workspace_json_text(path, strlen(path), NULL));
    json_object_set_new(out->structured, "bytes", json_integer((json_int_t)length));
    if (text_equal(encoding, "base64"))
        return read_as_base64(job, bytes, length, out, err);
    if (workspace_is_binary(bytes, length)) {
        r = err_set(err, ERR_INVALID, 0, "'%.200s' is a binary file of %zu bytes", path, length);
        return err_hint(err, r, "read it with encoding base64 if its bytes are needed");
    }
    return read_as_text(job, bytes, length, out, err);
}

enum err_code workspace_file_info(const struct workspace_job *job, struct workspace_answer *out,
                                  struct err *err)
{
    char path[CONFINED_MAX_PATH + 1], modified[RFC3339_SIZE], mode[8];
    auto_fd fd = -1;
    struct stat found;
    enum err_code r = workspace_path(job, path, err);
    if (!r)
        r = confined_open(job->root, path, O_PATH | O_NOFOLLOW, &fd, err);
    if (r)
        return r;
    if (fstat(fd, &found) != 0)
        return err_set(err, ERR_FAILED, 0, "'%.200s' cannot be looked at", path);
    const char *type = tree_type_name(found.st_mode);
    rfc3339_print((int64_t)found.st_mtim.tv_sec * 1000 + found.st_mtim.tv_nsec / 1000000, modified);
    snprintf(mode, sizeof mode, "%04o", found.st_mode & 07777u);
    json_object_update_new(
        out->structured,
        json_pack("{so ss sI ss ss sb}", "path", workspace_json_text(path, strlen(path), NULL),
                  "type", type, "bytes", (json_int_t)found.st_size, "modified", modified, "mode",
                  mode, "writable", (found.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) != 0));
    if (!buf_printf(&out->text, "%s: %s, %lld bytes, changed %s", path, type,
                    (long long)found.st_size, modified))
        return too_large(err);
    return ERR_NONE;
}

enum err_code workspace_text_stats(const struct workspace_job *job, struct workspace_answer *out,
                                   struct err *err)
{
    const json_t *text = json_object_get(job->arguments, "text");
    char path[CONFINED_MAX_PATH + 1];
    auto_str bytes = NULL;
    size_t length = json_string_length(text);
    if (!text == !json_object_get(job->arguments, "path"))
        return err_set(err, ERR_INVALID, 0, "give either path or text");
    if (!text) {
        enum err_code r = workspace_read(job, path, &bytes, &length, err);
        if (r)
            return r;
    }
    struct text_counts counts = workspace_count(text ? json_string_value(text) : bytes, length);
    json_object_update_new(
        out->structured,
        json_pack("{sI sI sI sI sb}", "lines", (json_int_t)counts.lines, "words",
                  (json_int_t)counts.words, "characters", (json_int_t)counts.characters, "bytes",
                  (json_int_t)counts.bytes, "invalid_utf8", counts.has_invalid_utf8));
    if (!buf_printf(&out->text, "%zu lines, %zu words, %zu characters, %zu bytes", counts.lines,
                    counts.words, counts.characters, counts.bytes))
        return too_large(err);
    return ERR_NONE;
}
