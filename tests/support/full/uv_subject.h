/* A repository subject on the real runtime and a fresh folder: for the contract suites of the
 * adapters. One connection at a time. */
#ifndef TESTS_SUPPORT_FULL_UV_SUBJECT_H
#define TESTS_SUPPORT_FULL_UV_SUBJECT_H

#include "infrastructure/runtime/uv_runtime.h"
#include "tests/support/repository_subject.h"

struct uv_subject {
    struct repository_subject base;         /* open, reopen, run and close are set */
    void *(*connect)(struct uv_subject *s); /* makes a repository on s->folder */
    struct uv_runtime *runtime;
    char folder[64];
};

struct uv_subject uv_subject(void *(*connect)(struct uv_subject *s));

/* A fresh folder below /tmp; and the end of one, with everything in it. */
void temporary_folder_create(char folder[static 64]);
void temporary_folder_remove(const char *folder);

#endif
