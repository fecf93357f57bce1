/* The port of the folders of a process that may be killed (mortal.h). */
#ifndef TESTS_SCENARIO_MORTAL_FOLDERS_H
#define TESTS_SCENARIO_MORTAL_FOLDERS_H

#include "tests/scenario/mortal.h"
#include "tests/support/fakes/fake_artifacts.h"

static struct {
    struct fake_artifacts *disk; /* what outlives the process */
    struct artifacts port;
} mortal_folders;

static enum err_code open_folder(struct artifacts *artifacts, struct scope *scope,
                                 const struct artifact_place *place, struct artifact_folder **out,
                                 struct err *err)
{
    enum err_code r = pass(scope, err);
    if (!r)
        r = artifacts_open(&mortal_folders.disk->base, scope, place, out, err);
    if (!r)
        (*out)->owner = artifacts;
    return r;
}

static enum err_code put_file(struct artifact_folder *folder, struct scope *scope, const char *name,
                              const void *bytes, size_t length, struct err *err)
{
    enum err_code r = pass(scope, err);
    folder->owner = &mortal_folders.disk->base;
    if (!r)
        r = artifact_put(folder, scope, name, bytes, length, err);
    folder->owner = &mortal_folders.port;
    return r;
}

static void discard_folder(struct artifact_folder *folder)
{
    folder->owner = &mortal_folders.disk->base;
    artifact_folder_discard(folder);
}

static enum err_code commit_folder(struct artifact_folder *folder, struct scope *scope,
                                   struct err *err)
{
    enum err_code r = pass(scope, err);
    folder->owner = &mortal_folders.disk->base;
    if (!r)
        r = artifact_folder_commit(folder, scope, err);
    else
        artifact_folder_discard(folder);
    return r ? r : pass(scope, err);
}

static struct artifacts *mortal_folders_port(struct fake_artifacts *disk)
{
    static const struct artifacts_ops ops = { open_folder, put_file, commit_folder,
                                              discard_folder };
    mortal_folders.disk = disk;
    mortal_folders.port.ops = &ops;
    return &mortal_folders.port;
}

#endif
