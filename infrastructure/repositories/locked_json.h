/* Small JSON files that several processes share: approvals, pins, the eras of MCP servers, what is
 * known of model endpoints. One object of this kind is one folder with files of one form, and the
 * thread they are changed on. A file is {"version": 1, MEMBER: CONTENT}; it is read whole,
 * and a change reads it again under the lock of the folder and replaces it whole (stored_file.h),
 * so that no process undoes what another one wrote.
 *
 * A damaged file is reported and left as it is, because a person may have to mend it. The file of a
 * cache counts as empty instead, and the next change replaces it. */
#ifndef INFRASTRUCTURE_REPOSITORIES_LOCKED_JSON_H
#define INFRASTRUCTURE_REPOSITORIES_LOCKED_JSON_H

#include "infrastructure/runtime/worker.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define LOCKED_JSON_VERSION 1

struct uv_runtime;

struct locked_json_form {
    const char *what;   /* in messages: "approvals" */
    const char *hint;   /* what to do about a damaged file */
    const char *member; /* that the content is in */
    json_type type;     /* of the content: JSON_OBJECT or JSON_ARRAY */
    size_t max_bytes;   /* of a file */
    bool is_cache;
};

struct locked_json {
    const struct locked_json_form *form;
    struct worker *worker;
    char *folder;
};

/* The folder is copied, the form borrowed. Nothing is opened before the first use. */
struct locked_json locked_json_of(struct uv_runtime *runtime, const char *folder,
                                  const struct locked_json_form *form);
awaits void locked_json_finish(struct locked_json *files);

/* Blocks: called in a job, or for a file that is read once. The content, owned by the caller; empty
 * when there is no file. ERR_INVALID: it is damaged; ERR_LIMIT: it is longer than it may be. */
MUST_CHECK
enum err_code locked_json_read(const struct locked_json *files, const char *name, json_t **out,
                               struct err *err);
/* ERR_INVALID, with the name of the file and the hint of its form. */
enum err_code locked_json_damaged(const struct locked_json *files, const char *name,
                                  const char *why, struct err *err);

/* Changes the content, on the worker's thread; false: it stays as it is. */
typedef bool locked_json_change_fn(void *context, json_t *content);

/* A change waits for at most STORED_FILE_LOCK_WAIT_MS for other processes. Besides what
 * locked_json_read says: ERR_LIMIT when the file would become longer than it may be. */
awaits MUST_CHECK enum err_code locked_json_change(const struct locked_json *files,
                                                   const struct scope *scope, const char *name,
                                                   locked_json_change_fn *change, void *context,
                                                   struct err *err);

#endif
