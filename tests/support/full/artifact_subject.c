#include "tests/support/full/artifact_subject.h"
#include "infrastructure/repositories/repository_create.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct artifact_subject subject_under_test;

static enum err_code fill(struct artifact_making *m, struct artifact_folder *folder,
                          struct scope *scope)
{
    enum err_code r = ERR_NONE;
    snprintf(m->path, sizeof m->path, "%s", folder->path);
    for (size_t i = 0; i < m->n_files && !r; i++)
        r = artifact_put(folder, scope, m->files[i].name, m->files[i].text,
                         strlen(m->files[i].text), &m->err);
    return r;
}

static enum err_code perform(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct artifact_making *m = argument;
    struct artifact_folder *folder = NULL;
    struct artifact_place place = { m->parent, m->name, m->follows_no_links };
    m->code = artifacts_open(subject_under_test.artifacts, scope, &place, &folder, &m->err);
    if (m->code)
        return ERR_NONE;
    m->code = fill(m, folder, scope);
    if (m->code || m->discards) {
        artifact_folder_discard(folder);
        return ERR_NONE;
    }
    scope->cancelled = m->cancels_before_commit;
    m->code = artifact_folder_commit(folder, scope, &m->err);
    return ERR_NONE;
}

enum err_code artifact_subject_make(struct artifact_subject *subject, struct artifact_making *m)
{
    struct scope scope = { .deadline_ms = SCOPE_NO_DEADLINE };
    if (subject->is_fake)
        (void)perform(NULL, &scope, m);
    else
        (void)uv_runtime_run(subject->uv.runtime, &scope, perform, m);
    return m->code;
}

const char *artifact_subject_path(const struct artifact_subject *subject, struct arena *arena,
                                  const char *rest)
{
    return arena_printf(arena, "%s/%s", subject->is_fake ? "mem" : subject->uv.folder, rest);
}

const char *artifact_subject_text(const struct artifact_subject *subject, struct arena *arena,
                                  const char *path, const char *name)
{
    char text[4096];
    if (subject->is_fake)
        return fake_artifacts_text(&subject->fake, path, name);
    FILE *file = fopen(arena_printf(arena, "%s/%s", path, name), "rb");
    if (!file)
        return NULL;
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    return arena_strndup(arena, text, n);
}

static void *connect(struct uv_subject *s)
{
    return file_artifacts_create(s->runtime);
}

int artifact_subject_set_up_fake(void **state)
{
    struct artifact_subject *subject = &subject_under_test;
    *subject = (struct artifact_subject){ .is_fake = true };
    fake_artifacts_init(&subject->fake);
    subject->artifacts = &subject->fake.base;
    *state = subject;
    return 0;
}

int artifact_subject_set_up_files(void **state)
{
    struct artifact_subject *subject = &subject_under_test;
    umask(022);
    *subject = (struct artifact_subject){ .uv = uv_subject(connect) };
    subject->artifacts = subject->uv.base.open(&subject->uv.base);
    *state = subject;
    return 0;
}

int artifact_subject_tear_down(void **state)
{
    struct artifact_subject *subject = *state;
    if (subject->is_fake) {
        fake_artifacts_finish(&subject->fake);
        return 0;
    }
    file_artifacts_destroy(subject->artifacts);
    subject->uv.base.close(&subject->uv.base);
    return 0;
}
