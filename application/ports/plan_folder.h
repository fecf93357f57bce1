/* A folder whose plan files are offered as tools. It is looked at anew whenever somebody asks, so
 * that a plan that was put there is a tool without a restart. */
#ifndef APPLICATION_PORTS_PLAN_FOLDER_H
#define APPLICATION_PORTS_PLAN_FOLDER_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "domain/base/scope.h"

struct plan_files;

struct plan_folder_file {
    const char *name; /* with its ending */
    const char *text;
    size_t length;
    struct err err; /* why it could not be read; code NONE when it was */
};

struct plan_folder {
    /* All mandatory. */

    /* A text that is another one once a plan file was added, removed or changed. Cheap: no file is
     * read. ERR_INVALID: it is no folder, or cannot be read; ERR_LIMIT: it has too many files. */
    enum err_code (*stamp)(struct plan_folder *f, struct arena *arena, const char **out,
                           struct err *err);
    /* The files *.yml, *.yaml and *.json directly in it, by name. Fails as above; a file that
     * cannot be read does not fail it. */
    awaits enum err_code (*read)(struct plan_folder *f, struct scope *sc, struct arena *arena,
                                 struct plan_folder_file **out, size_t *out_n, struct err *err);
    /* Tells a person that something in it is no tool, and why; the text may be foreign. */
    void (*left_out)(struct plan_folder *f, const char *what, const char *why);
    const struct plan_files *files; /* those that its plans may use */
};

#endif
