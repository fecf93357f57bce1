/* Artifacts under test, the fake or those of files in a fresh folder, and the making of one folder
 * in them from its opening to its end. One subject at a time. */
#ifndef TESTS_SUPPORT_FULL_ARTIFACT_SUBJECT_H
#define TESTS_SUPPORT_FULL_ARTIFACT_SUBJECT_H

#include "application/ports/artifacts.h"
#include "tests/support/fakes/fake_artifacts.h"
#include "tests/support/full/uv_subject.h"

struct artifact_file {
    const char *name, *text;
};

struct artifact_making {
    const char *parent, *name;
    const struct artifact_file *files;
    size_t n_files;
    bool follows_no_links, discards, cancels_before_commit;
    /* Outcomes. */
    enum err_code code;
    char path[256];
    struct err err;
};

struct artifact_subject {
    struct fake_artifacts fake;
    struct uv_subject uv;
    struct artifacts *artifacts;
    bool is_fake;
};

/* For cmocka; *state is the subject. */
int artifact_subject_set_up_fake(void **state);
int artifact_subject_set_up_files(void **state);
int artifact_subject_tear_down(void **state);

enum err_code artifact_subject_make(struct artifact_subject *subject, struct artifact_making *m);
/* A path in the subject's folder. */
const char *artifact_subject_path(const struct artifact_subject *subject, struct arena *arena,
                                  const char *rest);
/* The text of a file that appeared; NULL when there is none. */
const char *artifact_subject_text(const struct artifact_subject *subject, struct arena *arena,
                                  const char *path, const char *name);

#endif
