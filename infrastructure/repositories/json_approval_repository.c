/* Approvals in one small JSON file, {"version":1,"approvals":[{"kind","subject","hash"}]}, locked
 * and replaced whole. It is read again for every question: another mistro may have added to it.
 * A file that cannot be read approves nothing, and is reported. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 1

struct json_approval_repository {
    struct approval_repository base;
    struct worker *worker;
    char *folder;
    const char *name; /* within the string of folder's allocation */
};

/* One operation; lies in the frame of the task that waits for it. */
struct approval_job {
    struct json_approval_repository *repository;
    const struct approval *approval;
    bool has;
    enum err_code code;
    struct err err;
};

static struct json_approval_repository *repository_of(struct approval_repository *r)
{
    return (struct json_approval_repository *)r;
}

static enum err_code damaged(const struct json_approval_repository *r, const char *why,
                             struct err *err)
{
    err_set(err, ERR_INVALID, 0, "approvals %s/%s: %s", r->folder, r->name, why);
    return err_hint(err, ERR_INVALID, "it stays as it is: mend it or move it away");
}

/* An object with an array of approvals; a fresh one when there is no file yet. */
static enum err_code read_approvals(const struct json_approval_repository *r, json_t **out,
                                    struct err *err)
{
    AUTO(buf) text;
    struct err why;
    buf_init(&text, APPROVALS_MAX_BYTES);
    enum err_code code = stored_file_read(r->folder, r->name, &text, err);
    if (code == ERR_NOT_FOUND) {
        *out = json_pack("{s:i, s:[]}", "version", FORMAT_VERSION, "approvals");
        return ERR_NONE;
    }
    if (code)
        return code;
    json_t *value;
    if (json_parse(text.bytes, text.length, JSON_OURS, &value, &why))
        return damaged(r, why.message, err);
    if (json_get_int(value, "version", 0) == FORMAT_VERSION &&
        json_is_array(json_object_get(value, "approvals"))) {
        *out = value;
        return ERR_NONE;
    }
    json_decref(value);
    return damaged(r, "no list of approvals of a known version", err);
}

static bool holds(const json_t *approvals, const struct approval *approval)
{
    size_t i;
    const json_t *entry;
    json_array_foreach (json_object_get(approvals, "approvals"), i, entry) {
        if (text_equal(json_get_string(entry, "kind"), approval->kind) &&
            text_equal(json_get_string(entry, "subject"), approval->subject) &&
            text_equal(json_get_string(entry, "hash"), approval->hash))
            return true;
    }
    return false;
}

static void has_job(void *argument)
{
    struct approval_job *job = argument;
    json_auto_t *approvals = NULL;
    job->code = read_approvals(job->repository, &approvals, &job->err);
    job->has = !job->code && holds(approvals, job->approval);
}

static enum err_code write_approvals(const struct json_approval_repository *r,
                                     const json_t *approvals, struct err *err)
{
    auto_str text = json_print_pretty(approvals);
    size_t length = strlen(text);
    if (length > APPROVALS_MAX_BYTES) {
        err_set(err, ERR_LIMIT, 0, "approvals %s/%s: more than %d bytes", r->folder, r->name,
                APPROVALS_MAX_BYTES);
        return err_hint(err, ERR_LIMIT, "remove old ones from the file");
    }
    return stored_file_replace(r->folder, r->name, text, length, err);
}

/* Under the lock. */
static enum err_code add_approval(const struct json_approval_repository *r,
                                  const struct approval *approval, struct err *err)
{
    json_auto_t *approvals = NULL;
    enum err_code code = read_approvals(r, &approvals, err);
    if (code || holds(approvals, approval))
        return code;
    json_t *entry = json_pack("{s:s, s:s, s:s}", "kind", approval->kind, "subject",
                              approval->subject, "hash", approval->hash);
    if (!entry)
        return err_set(err, ERR_INVALID, 0, "approvals: no UTF-8 text");
    json_array_append_new(json_object_get(approvals, "approvals"), entry);
    return write_approvals(r, approvals, err);
}

static void add_job(void *argument)
{
    struct approval_job *job = argument;
    auto_fd lock = -1;
    job->code = stored_folder_create(job->repository->folder, &job->err);
    if (!job->code)
        job->code = stored_folder_lock(job->repository->folder, &lock, &job->err);
    if (!job->code)
        job->code = add_approval(job->repository, job->approval, &job->err);
}

/* The approval is the caller's, who waits until the job is done. */
static enum err_code run_job(struct approval_job *job, struct scope *sc, job_fn *fn,
                             struct err *err)
{
    enum err_code code = worker_run(job->repository->worker, sc, fn, job, err);
    if (code || !job->code)
        return code;
    if (err)
        *err = job->err;
    return job->code;
}

static enum err_code json_has(struct approval_repository *r, struct scope *sc,
                              const struct approval *approval, bool *out_has, struct err *err)
{
    struct approval_job job = { .repository = repository_of(r), .approval = approval };
    enum err_code code = run_job(&job, sc, has_job, err);
    if (!code)
        *out_has = job.has;
    return code;
}

static enum err_code json_add(struct approval_repository *r, struct scope *sc,
                              const struct approval *approval, struct err *err)
{
    struct approval_job job = { .repository = repository_of(r), .approval = approval };
    return run_job(&job, sc, add_job, err);
}

static void json_destroy(struct approval_repository *base)
{
    struct json_approval_repository *r = repository_of(base);
    worker_destroy(r->worker);
    free(r->folder);
    free(r);
}

static const struct approval_repository_ops json_ops = {
    .has = json_has,
    .add = json_add,
    .destroy = json_destroy,
};

struct approval_repository *json_approval_repository_create(struct uv_runtime *runtime,
                                                            const char *file)
{
    struct json_approval_repository *r = calloc(1, sizeof *r);
    const char *slash = strrchr(file, '/');
    size_t folder_length = slash ? (size_t)(slash - file) : 1;
    const char *name = slash ? slash + 1 : file;
    char *folder = malloc(folder_length + 1 + strlen(name) + 1);
    if (!r || !folder)
        abort();
    memcpy(folder, slash ? file : ".", folder_length);
    folder[folder_length] = '\0';
    r->base.ops = &json_ops;
    r->folder = folder;
    r->name = strcpy(folder + folder_length + 1, name);
    r->worker = worker_create(runtime);
    return &r->base;
}
