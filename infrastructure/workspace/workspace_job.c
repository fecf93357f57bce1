#include "infrastructure/workspace/workspace_job.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/workspace/workspace_text.h"
#include "infrastructure/workspace/workspace_tools.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NEAREST_NAMES = 3, NEAREST_POOL = 1000 };

struct workspace_limits workspace_limits_of(const struct settings *settings)
{
    return (struct workspace_limits){
        .max_file_bytes = (size_t)settings->workspace_max_file_bytes,
        .max_entries = (size_t)settings->workspace_max_entries,
        .max_rows = (size_t)settings->workspace_max_rows,
        .max_result_bytes = (size_t)settings->tools_max_result_bytes,
        .query_ms = settings->workspace_query_ms,
    };
}

int64_t workspace_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum err_code workspace_path(const struct workspace_job *job,
                             char out_path[static CONFINED_MAX_PATH + 1], struct err *err)
{
    const char *path = json_get_string(job->arguments, "path");
    return confined_normalise(job->root, path ? path : ".", out_path, err);
}

bool workspace_read_fd(int fd, size_t max_bytes, char **out_bytes, size_t *out_length)
{
    enum { STEP = 65536 };
    AUTO(buf) content;
    buf_init(&content, max_bytes);
    for (;;) {
        size_t room = max_bytes - content.length < STEP ? max_bytes - content.length : STEP;
        char beyond;
        bool is_full = room == 0;
        if (!is_full && !buf_reserve(&content, room))
            return false;
        ssize_t n = is_full ? read(fd, &beyond, 1) : read(fd, content.bytes + content.length, room);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            break;
        if (n < 0 || is_full) {
            errno = is_full ? EFBIG : errno;
            return false;
        }
        content.length += (size_t)n;
        buf_terminate(&content);
    }
    *out_length = content.length;
    *out_bytes = content.bytes ? buf_take(&content) : strdup("");
    return true;
}

enum err_code workspace_open_folder(const struct workspace_job *job,
                                    char out_path[static CONFINED_MAX_PATH + 1], int *out_fd,
                                    struct err *err)
{
    enum err_code r = workspace_path(job, out_path, err);
    return r ? r : confined_open_folder(job->root, out_path, out_fd, err);
}

enum err_code workspace_read(const struct workspace_job *job,
                             char out_path[static CONFINED_MAX_PATH + 1], char **out_bytes,
                             size_t *out_length, struct err *err)
{
    auto_fd fd = -1;
    struct stat found;
    size_t max = job->limits.max_file_bytes;
    enum err_code r = workspace_path(job, out_path, err);
    if (!r)
        r = confined_open_file(job->root, out_path, &fd, &found, err);
    if (r)
        return r;
    if (workspace_read_fd(fd, max, out_bytes, out_length))
        return ERR_NONE;
    if (errno != EFBIG)
        return err_set(err, ERR_FAILED, errno, "'%.200s': %s", out_path, strerror(errno));
    r = err_set(err, ERR_LIMIT, 0, "'%.200s' has %lld bytes, more than the %zu that may be read",
                out_path, (long long)found.st_size, max);
    return err_hint(err, r, "the bound is the setting workspace.max_file_bytes");
}

/* What a schema cannot say: bytes, not characters, and no NUL where files are named. */
static enum err_code check_texts(const struct workspace_job *job, struct err *err)
{
    static const char *const names_files[] = { "path", "pattern", "name" };
    const char *key;
    const json_t *value;
    json_each_member (job->arguments, key, value) {
        bool is_name = text_is_one_of(key, names_files, ARRAY_LENGTH(names_files));
        size_t max = is_name                     ? CONFINED_MAX_PATH
                     : strcmp(key, "query") == 0 ? WORKSPACE_MAX_QUERY_BYTES
                     : strcmp(key, "sql") == 0   ? WORKSPACE_MAX_SQL_BYTES
                                                 : job->limits.max_file_bytes;
        if (is_name && json_string_has_nul(value))
            return err_set(err, ERR_INVALID, 0, "argument %s: may not hold a NUL character", key);
        if (json_string_length(value) > max)
            return err_set(err, ERR_INVALID, 0, "argument %s: longer than %zu bytes", key, max);
    }
    return ERR_NONE;
}

static enum err_code take_arguments(struct workspace_job *job, const struct json_schema *schema,
                                    const json_t *arguments, struct err *err)
{
    const char *key;
    const json_t *value;
    job->arguments = json_object();
    json_each_member (arguments, key, value)
        if (!json_is_null(value)) /* models send it for what they leave out */
            json_object_set_new(job->arguments, key, json_deep_copy(value));
    if (schema && json_schema_accepts(schema, job->arguments, NULL))
        return check_texts(job, err);
    json_auto_t *definition = workspace_tool_definition(job->tool);
    enum err_code r =
        json_schema_require(json_object_get(definition, "inputSchema"), job->arguments, err);
    return r ? err_prefix(err, r, "arguments") : check_texts(job, err);
}

enum err_code workspace_job_init(struct workspace_job *out, const struct workspace_tool *tool,
                                 const struct confined_root *root,
                                 const struct workspace_limits *limits,
                                 const struct json_schema *schema, const json_t *arguments,
                                 struct err *err)
{
    *out = (struct workspace_job){ .tool = tool, .root = root, .limits = *limits };
    enum err_code r = take_arguments(out, schema, arguments, err);
    if (r)
        workspace_job_finish(out);
    return r;
}

void workspace_job_finish(struct workspace_job *job)
{
    json_decref(job->arguments);
    free(job->result);
    *job = (struct workspace_job){ 0 };
}

/* Names of the folder that look like the one that is missing. */
static void suggest_names(const struct workspace_job *job, struct err *err)
{
    char path[CONFINED_MAX_PATH + 1];
    const char *name, *names[NEAREST_POOL];
    size_t n = 0, nearest[NEAREST_NAMES], found;
    int fd;
    if (workspace_path(job, path, NULL) || confined_open_parent(job->root, path, &fd, &name, NULL))
        return;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return;
    }
    AUTO(arena) arena = { 0 };
    for (struct dirent *entry; n < NEAREST_POOL && (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            names[n++] = arena_strdup(&arena, entry->d_name);
    closedir(folder);
    found = text_nearest(name, names, n, nearest, NEAREST_NAMES);
    char hint[200] = "";
    for (size_t i = 0; i < found; i++) {
        size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s%.60s", i ? ", " : "",
                 text_one_line(&arena, names[nearest[i]], strlen(names[nearest[i]]), 60));
    }
    if (found)
        err_hint(err, err->code, "did you mean %s?", hint);
    else
        err_hint(err, err->code, "list_directory shows what there is");
}

static char *print_result(json_t *text, json_t *structured, bool is_error)
{
    json_t *result = json_pack("{s[{ssso}]}", "content", "type", "text", "text", text);
    if (structured)
        json_object_set_new(result, "structuredContent", structured);
    json_object_set_new(result, "isError", json_boolean(is_error));
    char *printed = json_print(result);
    json_decref(result);
    return printed;
}

char *workspace_failure(const struct err *err)
{
    char text[sizeof err->message + sizeof err->hint + 4];
    snprintf(text, sizeof text, "%s%s%s", err->message, *err->hint ? "; " : "", err->hint);
    return print_result(workspace_json_text(text, strlen(text), NULL), NULL, true);
}

enum err_code workspace_too_large(const struct workspace_job *job, struct err *err)
{
    enum err_code r = err_set(err, ERR_LIMIT, 0, "the result is larger than %zu bytes",
                              job->limits.max_result_bytes);
    return err_hint(err, r,
                    "ask for less: fewer lines, rows or matches; the bound is "
                    "tools.max_result_bytes");
}

void workspace_job_run(void *argument)
{
    struct workspace_job *job = argument;
    struct workspace_answer answer = { .structured = json_object() };
    struct err err = { 0 };
    buf_init(&answer.text, job->limits.max_result_bytes);
    enum err_code r = job->tool->run(job, &answer, &err);
    if (r == ERR_NOT_FOUND)
        suggest_names(job, &err);
    if (!r) {
        const char *text = buf_string(&answer.text);
        job->result = print_result(workspace_json_text(text, answer.text.length, NULL),
                                   json_incref(answer.structured), false);
        if (strlen(job->result) > job->limits.max_result_bytes) {
            free(steal(&job->result));
            r = workspace_too_large(job, &err);
        }
    }
    if (r)
        job->result = workspace_failure(&err);
    json_decref(answer.structured);
    buf_finish(&answer.text);
}
