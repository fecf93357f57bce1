#include "infrastructure/workspace/workspace_job.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/workspace/workspace_text.h"
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

const struct workspace_value *workspace_value(const struct workspace_job *job, const char *name)
{
    static const struct workspace_value unset = { 0 };
    for (size_t i = 0; job->tool->parameters[i].name; i++)
        if (strcmp(job->tool->parameters[i].name, name) == 0)
            return &job->values[i];
    return &unset;
}

int64_t workspace_number(const struct workspace_job *job, const char *name, int64_t fallback)
{
    const struct workspace_value *value = workspace_value(job, name);
    return value->is_set ? value->number : fallback;
}

enum err_code workspace_path(const struct workspace_job *job,
                             char out_path[static CONFINED_MAX_PATH + 1], struct err *err)
{
    const struct workspace_value *value = workspace_value(job, "path");
    return confined_normalise(job->root, value->is_set ? value->text : ".", out_path, err);
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

static enum err_code wrong(const struct workspace_parameter *parameter, const char *what,
                           struct err *err)
{
    return err_set(err, ERR_INVALID, 0, "argument %s: %s", parameter->name, what);
}

static enum err_code copy_text(const struct workspace_parameter *parameter, size_t max_bytes,
                               const json_t *json, struct workspace_value *out, struct err *err)
{
    if (!json_is_string(json))
        return wrong(parameter, "must be a string", err);
    if (parameter->kind == PARAMETER_PATH && json_string_has_nul(json))
        return wrong(parameter, "may not hold a NUL character", err);
    if (json_string_length(json) > max_bytes)
        return err_set(err, ERR_INVALID, 0, "argument %s: longer than %zu bytes", parameter->name,
                       max_bytes);
    out->length = json_string_length(json);
    out->text = malloc(out->length + 1);
    if (!out->text)
        abort();
    memcpy(out->text, json_string_value(json), out->length + 1);
    out->is_set = true;
    return ERR_NONE;
}

static enum err_code copy_number(const struct workspace_parameter *parameter, const json_t *json,
                                 struct workspace_value *out, struct err *err)
{
    double number = json_number_value(json);
    bool is_whole = json_is_number(json) && number >= -9e15 && number <= 9e15 &&
                    number == (double)(int64_t)number;
    if (!is_whole)
        return wrong(parameter, "must be an integer", err);
    if (number < (double)parameter->low || number > (double)parameter->high)
        return err_set(err, ERR_INVALID, 0, "argument %s: must be from %lld to %lld",
                       parameter->name, (long long)parameter->low, (long long)parameter->high);
    out->number = (int64_t)number;
    out->is_set = true;
    return ERR_NONE;
}

static enum err_code copy_choice(const struct workspace_parameter *parameter, const json_t *json,
                                 struct workspace_value *out, struct err *err)
{
    const char *text = json_string_value(json);
    for (size_t i = 0; text && i < ARRAY_LENGTH(parameter->choices); i++)
        if (text_equal(parameter->choices[i], text))
            return copy_text(parameter, CONFINED_MAX_PATH, json, out, err);
    return err_set(err, ERR_INVALID, 0, "argument %s: must be %s or %s", parameter->name,
                   parameter->choices[0], parameter->choices[1]);
}

static enum err_code copy_edits(struct workspace_job *job,
                                const struct workspace_parameter *parameter, const json_t *json,
                                struct err *err)
{
    size_t n = json_array_size(json), max = job->limits.max_file_bytes;
    if (!json_is_array(json) || n == 0 || n > WORKSPACE_MAX_EDITS)
        return err_set(err, ERR_INVALID, 0, "argument %s: must be a list of 1 to %d edits",
                       parameter->name, WORKSPACE_MAX_EDITS);
    job->edits = calloc(n, sizeof *job->edits);
    if (!job->edits)
        abort();
    job->n_edits = n;
    enum err_code r = ERR_NONE;
    for (size_t i = 0; i < n && !r; i++) {
        char name[64];
        const json_t *edit = json_array_get(json, i);
        struct workspace_parameter text = { .name = name, .kind = PARAMETER_TEXT };
        snprintf(name, sizeof name, "%s[%zu].old_text", parameter->name, i);
        r = copy_text(&text, max, json_object_get(edit, "old_text"), &job->edits[i].old_text, err);
        snprintf(name, sizeof name, "%s[%zu].new_text", parameter->name, i);
        if (!r)
            r = copy_text(&text, max, json_object_get(edit, "new_text"), &job->edits[i].new_text,
                          err);
        if (!r && job->edits[i].old_text.length == 0)
            r = err_set(err, ERR_INVALID, 0, "argument %s[%zu].old_text: is empty", parameter->name,
                        i);
    }
    return r;
}

static enum err_code copy_argument(struct workspace_job *job, size_t index, const json_t *json,
                                   struct err *err)
{
    const struct workspace_parameter *parameter = &job->tool->parameters[index];
    struct workspace_value *out = &job->values[index];
    size_t max = parameter->high ? (size_t)parameter->high : job->limits.max_file_bytes;
    switch (parameter->kind) {
    case PARAMETER_PATH:
        return copy_text(parameter, CONFINED_MAX_PATH, json, out, err);
    case PARAMETER_TEXT:
        return copy_text(parameter, max, json, out, err);
    case PARAMETER_CHOICE:
        return copy_choice(parameter, json, out, err);
    case PARAMETER_NUMBER:
        return copy_number(parameter, json, out, err);
    case PARAMETER_FLAG:
        out->is_set = true;
        out->flag = json_is_true(json);
        return json_is_boolean(json) ? ERR_NONE : wrong(parameter, "must be true or false", err);
    case PARAMETER_EDITS:
        return copy_edits(job, parameter, json, err);
    }
    return ERR_NONE;
}

static enum err_code unknown_argument(const struct workspace_tool *tool, const char *key,
                                      struct err *err)
{
    const char *names[WORKSPACE_MAX_PARAMETERS];
    size_t n = 0, nearest;
    for (; tool->parameters[n].name; n++)
        names[n] = tool->parameters[n].name;
    enum err_code r = err_set(err, ERR_INVALID, 0, "%s has no argument '%.60s'", tool->name, key);
    if (text_nearest(key, names, n, &nearest, 1))
        err_hint(err, r, "did you mean %s?", names[nearest]);
    return r;
}

static enum err_code copy_arguments(struct workspace_job *job, const json_t *arguments,
                                    struct err *err)
{
    const struct workspace_parameter *parameters = job->tool->parameters;
    const char *key;
    const json_t *value;
    json_each_member (arguments, key, value) {
        size_t i = 0;
        while (parameters[i].name && strcmp(parameters[i].name, key) != 0)
            i++;
        if (!parameters[i].name)
            return unknown_argument(job->tool, key, err);
        /* Models send null for what they leave out. */
        enum err_code r = json_is_null(value) ? ERR_NONE : copy_argument(job, i, value, err);
        if (r)
            return r;
    }
    for (size_t i = 0; parameters[i].name; i++) {
        bool is_set = parameters[i].kind == PARAMETER_EDITS ? job->n_edits : job->values[i].is_set;
        if (parameters[i].is_required && !is_set)
            return wrong(&parameters[i], "is required", err);
    }
    return ERR_NONE;
}

enum err_code workspace_job_init(struct workspace_job *out, const struct workspace_tool *tool,
                                 const struct confined_root *root,
                                 const struct workspace_limits *limits, const json_t *arguments,
                                 struct err *err)
{
    *out = (struct workspace_job){ .tool = tool, .root = root, .limits = *limits };
    enum err_code r = copy_arguments(out, arguments, err);
    if (r)
        workspace_job_finish(out);
    return r;
}

void workspace_job_finish(struct workspace_job *job)
{
    for (size_t i = 0; i < WORKSPACE_MAX_PARAMETERS; i++)
        free(job->values[i].text);
    for (size_t i = 0; i < job->n_edits; i++) {
        free(job->edits[i].old_text.text);
        free(job->edits[i].new_text.text);
    }
    free(job->edits);
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
            r = err_set(&err, ERR_LIMIT, 0, "the result is larger than %zu bytes",
                        job->limits.max_result_bytes);
            err_hint(&err, r, "ask for less: fewer lines, rows or matches");
        }
    }
    if (r)
        job->result = workspace_failure(&err);
    json_decref(answer.structured);
    buf_finish(&answer.text);
}
