/* Folders of results on disk (application/ports/artifacts.h), each a staged_folder; the work is
 * done on a thread of the pool. */
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/staged_folder.h"
#include "infrastructure/runtime/worker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file_artifacts {
    struct artifacts base;
    struct worker *worker;
};

struct file_folder {
    struct artifact_folder base;
    struct staged_folder staged;
    char path[PATH_MAX + ARTIFACTS_MAX_NAME + 2];
};

/* One operation; lies in the frame of the task that waits for it. */
struct folder_job {
    struct file_folder *folder;
    const struct artifact_place *place; /* to open */
    const char *name;
    const void *bytes;
    size_t length;
};

static struct worker *worker_of(struct artifacts *a)
{
    return ((struct file_artifacts *)a)->worker;
}

static struct file_folder *folder_of(struct artifact_folder *f)
{
    return (struct file_folder *)f;
}

static enum err_code open_job(void *argument, struct err *err)
{
    struct folder_job *job = argument;
    return staged_folder_open(&job->folder->staged, job->place, err);
}

static enum err_code open_folder(struct artifacts *a, struct scope *sc,
                                 const struct artifact_place *place, struct artifact_folder **out,
                                 struct err *err)
{
    struct file_folder *folder = calloc(1, sizeof *folder);
    if (!folder)
        abort();
    struct folder_job job = { .folder = folder, .place = place };
    enum err_code r = worker_try(worker_of(a), sc, open_job, &job, err);
    if (r) {
        free(folder);
        return r;
    }
    const char *above = folder->staged.parent_path;
    bool has_slash = above[strlen(above) - 1] == '/';
    snprintf(folder->path, sizeof folder->path, "%s%s%s", above, has_slash ? "" : "/",
             folder->staged.name);
    folder->base = (struct artifact_folder){ .owner = a, .path = folder->path };
    *out = &folder->base;
    return ERR_NONE;
}

static enum err_code put_job(void *argument, struct err *err)
{
    struct folder_job *job = argument;
    return staged_folder_put(&job->folder->staged, job->name, job->bytes, job->length, err);
}

static enum err_code put(struct artifact_folder *f, struct scope *sc, const char *name,
                         const void *bytes, size_t length, struct err *err)
{
    struct folder_job job = {
        .folder = folder_of(f), .name = name, .bytes = bytes, .length = length
    };
    return worker_try(worker_of(f->owner), sc, put_job, &job, err);
}

static enum err_code commit_job(void *folder, struct err *err)
{
    return staged_folder_commit(&((struct file_folder *)folder)->staged, err);
}

static void finish_job(void *argument)
{
    staged_folder_finish(&((struct file_folder *)argument)->staged);
}

static void discard(struct artifact_folder *f)
{
    worker_post(worker_of(f->owner), finish_job, free, folder_of(f));
}

static enum err_code commit(struct artifact_folder *f, struct scope *sc, struct err *err)
{
    enum err_code r = worker_try(worker_of(f->owner), sc, commit_job, folder_of(f), err);
    discard(f); /* a folder that has its name is closed only */
    return r;
}

struct artifacts *file_artifacts_create(struct uv_runtime *runtime)
{
    static const struct artifacts_ops ops = { open_folder, put, commit, discard };
    struct file_artifacts *artifacts = calloc(1, sizeof *artifacts);
    if (!artifacts)
        abort();
    artifacts->base.ops = &ops;
    artifacts->worker = worker_create(runtime);
    return &artifacts->base;
}

void file_artifacts_destroy(struct artifacts *artifacts)
{
    if (!artifacts)
        return;
    worker_destroy(worker_of(artifacts));
    free(artifacts);
}
