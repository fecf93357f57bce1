#include "infrastructure/repositories/locked_json.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/stored_file.h"
#include <stdlib.h>
#include <string.h>

struct locked_json locked_json_of(struct uv_runtime *runtime, const char *folder,
                                  const struct locked_json_form *form)
{
    char *copy = strdup(folder);
    if (!copy)
        abort();
    return (struct locked_json){ .form = form, .worker = worker_create(runtime), .folder = copy };
}

void locked_json_finish(struct locked_json *files)
{
    worker_destroy(files->worker);
    free(files->folder);
}

enum err_code locked_json_damaged(const struct locked_json *files, const char *name,
                                  const char *why, struct err *err)
{
    err_set(err, ERR_INVALID, 0, "%s %s/%s: %s", files->form->what, files->folder, name, why);
    return err_hint(err, ERR_INVALID, "%s", files->form->hint);
}

static enum err_code read_content(const struct locked_json *files, const char *name, json_t **out,
                                  struct err *err)
{
    const struct locked_json_form *form = files->form;
    AUTO(arena) scratch = { 0 };
    AUTO(buf) text;
    json_auto_t *value = NULL;
    struct err why;
    buf_init(&text, form->max_bytes);
    enum err_code r = stored_file_read(files->folder, name, &text, err);
    if (r)
        return r;
    if (json_parse(buf_string(&text), text.length, JSON_OURS, &value, &why))
        return locked_json_damaged(files, name, why.message, err);
    json_t *content = json_object_get(value, form->member);
    if (json_get_int(value, "version", 0) != LOCKED_JSON_VERSION || !content ||
        json_typeof(content) != form->type)
        return locked_json_damaged(
            files, name, arena_printf(&scratch, "no list of %s of a known version", form->what),
            err);
    *out = json_incref(content);
    return ERR_NONE;
}

enum err_code locked_json_read(const struct locked_json *files, const char *name, json_t **out,
                               struct err *err)
{
    enum err_code r = read_content(files, name, out, err);
    if (r && (r == ERR_NOT_FOUND || files->form->is_cache)) {
        *out = files->form->type == JSON_ARRAY ? json_array() : json_object();
        return ERR_NONE;
    }
    return r;
}

/* In the frame of the task that waits for it. */
struct change_job {
    const struct locked_json *files;
    const char *name;
    locked_json_change_fn *change;
    void *context;
};

static enum err_code change_file(void *argument, struct err *err)
{
    const struct change_job *job = argument;
    const struct locked_json *files = job->files;
    const struct locked_json_form *form = files->form;
    json_auto_t *content = NULL;
    auto_fd lock = -1;
    enum err_code r = stored_folder_lock(files->folder, &lock, err);
    if (!r)
        r = locked_json_read(files, job->name, &content, err);
    if (r || !job->change(job->context, content))
        return r;
    json_auto_t *whole =
        json_pack("{s:i, s:O}", "version", LOCKED_JSON_VERSION, form->member, content);
    auto_str text = json_print_pretty(whole);
    size_t length = strlen(text);
    if (length > form->max_bytes) {
        err_set(err, ERR_LIMIT, 0, "%s %s/%s: more than %zu bytes", form->what, files->folder,
                job->name, form->max_bytes);
        return err_hint(err, ERR_LIMIT, "remove old ones from the file");
    }
    return stored_file_replace(files->folder, job->name, text, length, err);
}

enum err_code locked_json_change(const struct locked_json *files, const struct scope *scope,
                                 const char *name, locked_json_change_fn *change, void *context,
                                 struct err *err)
{
    struct change_job job = { files, name, change, context };
    return worker_try(files->worker, scope, change_file, &job, err);
}
