/* Pins, one file per server configuration, named after its hash (pins_text.h says what is in it).
 * While nothing changes, only the head is read. Files are replaced whole under the folder's lock. A
 * damaged file is reported and pins nothing: a server is not trusted anew because its file cannot
 * be read. */
#include "application/ports/runtime.h"
#include "domain/base/text.h"
#include "infrastructure/repositories/locked_json.h"
#include "infrastructure/repositories/pins_text.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/stored_file.h"
#include "infrastructure/runtime/uv_runtime.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAME_SUFFIX ".jsonl"

static const struct locked_json_form form = {
    .what = "pinned tools",
    .hint = "mend it or move it away; what the server lists next then counts as approved",
    .max_bytes = PINS_MAX_BYTES,
};

struct json_pin_repository {
    struct pin_repository base;
    struct runtime *clock;
    struct locked_json files;
};

/* One operation; lies in the frame of the task that waits for it, and crosses threads as bytes. */
struct pin_job {
    const struct locked_json *files;
    char file[PIN_HASH_SIZE + sizeof NAME_SUFFIX];
    struct buf whole;       /* what was read, or is to be written */
    int64_t seen;           /* the revision that the writer has read before */
    struct pins_head found; /* what is there */
};

static struct json_pin_repository *repository_of(struct pin_repository *r)
{
    return (struct json_pin_repository *)r;
}

static enum err_code damaged(const struct pin_job *job, const char *why, struct err *err)
{
    return locked_json_damaged(job->files, job->file, why, err);
}

/* found stays empty where there is no file. */
static enum err_code look_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    char head[PINS_HEAD_MAX_BYTES];
    size_t length = 0;
    int64_t n = 0;
    enum err_code r =
        stored_file_read_start(job->files->folder, job->file, head, sizeof head, &length, err);
    if (r == ERR_NOT_FOUND)
        return ERR_NONE;
    const char *flaw = r ? NULL : pins_read_head(head, length, &job->found, &n);
    return flaw ? damaged(job, flaw, err) : r;
}

static enum err_code read_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    return stored_file_read(job->files->folder, job->file, &job->whole, err);
}

/* The file that was not written for longest, when there are more than may be. */
static bool find_surplus(const char *folder, char out_name[static NAME_MAX + 1])
{
    struct stat info;
    size_t n = 0;
    struct timespec oldest = { 0 };
    DIR *entries = opendir(folder);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!text_ends_with(entry->d_name, NAME_SUFFIX) ||
            fstatat(dirfd(entries), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        const struct timespec *at = &info.st_mtim;
        bool is_older = at->tv_sec < oldest.tv_sec ||
                        (at->tv_sec == oldest.tv_sec && at->tv_nsec < oldest.tv_nsec);
        if (n++ == 0 || is_older) {
            oldest = *at;
            snprintf(out_name, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    closedir(entries);
    return n > PINS_MAX_SERVERS;
}

static enum err_code replace_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    const char *folder = job->files->folder;
    char surplus[NAME_MAX + 1];
    auto_fd lock = -1;
    enum err_code r = stored_folder_lock(folder, &lock, err);
    if (!r)
        r = look_job(job, err);
    if (r)
        return r;
    if (job->seen != job->found.revision)
        return err_set(err, ERR_MISMATCH, 0, "pinned tools: another mistro changed them");
    r = stored_file_replace(folder, job->file, job->whole.bytes, job->whole.length, err);
    if (!r && !job->seen && find_surplus(folder, surplus))
        r = stored_file_remove(folder, surplus, err);
    return r;
}

static enum err_code begin_job(struct pin_repository *r, struct pin_job *job, const char *identity,
                               struct err *err)
{
    if (!pins_identity_is_valid(identity))
        return err_set(err, ERR_INVALID, 0, "pinned tools: the identity is not a hash");
    job->files = &repository_of(r)->files;
    snprintf(job->file, sizeof job->file, "%s" NAME_SUFFIX, identity);
    return ERR_NONE;
}

static enum err_code run_job(struct pin_repository *r, struct pin_job *job, struct scope *sc,
                             const char *identity, failing_job_fn *fn, struct err *err)
{
    enum err_code code = begin_job(r, job, identity, err);
    return code ? code : worker_try(job->files->worker, sc, fn, job, err);
}

/* Read here and not on a worker: for most short commands this would be the only reason to create
 * the threads of the pool, which takes ten times as long. */
static enum err_code json_look(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct pins_head *out, struct err *err)
{
    struct pin_job job = { 0 };
    enum err_code code = scope_check(sc, runtime_now_ms(repository_of(r)->clock), err);
    if (!code)
        code = begin_job(r, &job, identity, err);
    if (!code)
        code = look_job(&job, err);
    if (!code)
        *out = job.found;
    return code;
}

static enum err_code json_load(struct pin_repository *r, struct scope *sc, const char *identity,
                               struct arena *arena, struct pins *out, struct err *err)
{
    struct pin_job job = { 0 };
    struct pins pins;
    buf_init(&job.whole, PINS_MAX_BYTES);
    enum err_code code = run_job(r, &job, sc, identity, read_job, err);
    const char *flaw = code ? NULL : pins_read(&job.whole, identity, arena, &pins);
    if (flaw)
        code = damaged(&job, flaw, err);
    buf_finish(&job.whole);
    if (!code)
        *out = pins;
    return code;
}

static enum err_code json_save(struct pin_repository *r, struct scope *sc, const struct pins *pins,
                               struct err *err)
{
    struct pin_job job = { .seen = pins->head.revision };
    enum err_code code = ERR_NONE;
    buf_init(&job.whole, PINS_MAX_BYTES);
    if (pins_print(&job.whole, pins))
        code = run_job(r, &job, sc, pins->identity, replace_job, err);
    else
        code = err_set(err, ERR_LIMIT, 0, "pinned tools of %s: more than %d bytes", pins->server,
                       PINS_MAX_BYTES);
    buf_finish(&job.whole);
    return code;
}

static void json_destroy(struct pin_repository *base)
{
    struct json_pin_repository *r = repository_of(base);
    locked_json_finish(&r->files);
    free(r);
}

static const struct pin_repository_ops json_ops = {
    .look = json_look,
    .load = json_load,
    .save = json_save,
    .destroy = json_destroy,
};

struct pin_repository *json_pin_repository_create(struct uv_runtime *runtime, const char *folder)
{
    struct json_pin_repository *r = calloc(1, sizeof *r);
    if (!r)
        abort();
    r->base.ops = &json_ops;
    r->clock = uv_runtime_port(runtime);
    r->files = locked_json_of(runtime, folder, &form);
    return &r->base;
}
