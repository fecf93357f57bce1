#include "tests/support/full/uv_subject.h"
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Some tests fork writers to kill them, after other tests have started the pool's threads:
 * ThreadSanitizer would end such children at once. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

void temporary_folder_create(char folder[static 64])
{
    strcpy(folder, "/tmp/mistro-test-XXXXXX");
    if (!mkdtemp(folder))
        abort();
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

void temporary_folder_remove(const char *folder)
{
    (void)nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static struct uv_subject *subject_of(struct repository_subject *s)
{
    return (struct uv_subject *)s;
}

static void *open_fresh(struct repository_subject *s)
{
    struct uv_subject *uv = subject_of(s);
    temporary_folder_create(uv->folder);
    uv->runtime = uv_runtime_create();
    return uv->connect(uv);
}

static void *open_again(struct repository_subject *s)
{
    return subject_of(s)->connect(subject_of(s));
}

static enum err_code run_as_task(struct repository_subject *s, task_fn *fn, void *argument)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    return uv_runtime_run(subject_of(s)->runtime, &scope, fn, argument);
}

static void close_and_remove(struct repository_subject *s)
{
    uv_runtime_destroy(subject_of(s)->runtime);
    temporary_folder_remove(subject_of(s)->folder);
}

struct uv_subject uv_subject(void *(*connect)(struct uv_subject *s))
{
    return (struct uv_subject){ .base = { .open = open_fresh,
                                          .reopen = open_again,
                                          .run = run_as_task,
                                          .close = close_and_remove },
                                .connect = connect };
}
