/* One call of a workspace tool, as a job that can run on any thread: it owns its arguments as
 * a copy that nothing else refers to (the counts of jansson's values are not atomic), does one
 * operation from beginning to end and leaves the JSON text of a CallToolResult. No arena enters or
 * leaves it.
 *
 * A tool is a definition (data/tools/NAME.json), against whose input schema the arguments are
 * checked, and the function that does it. What that function reports as err becomes a result with
 * isError: the model can act on it. */
#ifndef INFRASTRUCTURE_WORKSPACE_WORKSPACE_JOB_H
#define INFRASTRUCTURE_WORKSPACE_WORKSPACE_JOB_H

#include "application/settings.h"
#include "domain/base/buf.h"
#include "infrastructure/workspace/confined_path.h"
#include <jansson.h>

#define WORKSPACE_MAX_EDITS 100 /* data/tools/edit_file.json has it as well */
#define WORKSPACE_MAX_SQL_BYTES 65536
#define WORKSPACE_MAX_QUERY_BYTES 4096  /* what search_files looks for */
#define WORKSPACE_LISTS_MAX_ROWS 100000 /* of query: of all its tables, and of its result */
#define WORKSPACE_LISTS_MAX_MEMORY (64 * 1024 * 1024)

struct workspace_limits {
    size_t max_file_bytes, max_entries, max_rows, max_result_bytes;
    int64_t query_ms;
};

/* What a tool says: the value for programs and the text for people and models. */
struct workspace_answer {
    json_t *structured; /* object */
    struct buf text;
};

struct workspace_job;
typedef enum err_code workspace_fn(const struct workspace_job *job, struct workspace_answer *out,
                                   struct err *err);

struct workspace_tool {
    const char *name;
    workspace_fn *run;
    bool writes;
    bool runs_in_child;   /* sql_child.h */
    int64_t memory_bytes; /* of the child; 0: as the size of a file wants it */
};

struct workspace_job {
    const struct workspace_tool *tool;
    const struct confined_root *root; /* borrowed: outlives every job */
    struct workspace_limits limits;
    json_t *arguments; /* they fit the input schema; none is null */
    char *result;      /* after workspace_job_run: JSON text, owned */
};

struct json_schema;

struct workspace_limits workspace_limits_of(const struct settings *settings);

/* Copies the arguments. schema: the input schema of the tool where it is compiled already; NULL is
 * fine. ERR_INVALID names the parameter and what it has to be. */
MUST_CHECK
enum err_code workspace_job_init(struct workspace_job *out, const struct workspace_tool *tool,
                                 const struct confined_root *root,
                                 const struct workspace_limits *limits,
                                 const struct json_schema *schema, const json_t *arguments,
                                 struct err *err);
void workspace_job_finish(struct workspace_job *job);
/* A job_fn. */
void workspace_job_run(void *job);
/* The CallToolResult text of a tool's own failure; malloc'd. */
char *workspace_failure(const struct err *err);

/* For tools. The parameter `path`, normalised; the root when it was left out. */
MUST_CHECK
enum err_code workspace_path(const struct workspace_job *job,
                             char out_path[static CONFINED_MAX_PATH + 1], struct err *err);
/* Opens the folder that the parameter `path` names. */
MUST_CHECK
enum err_code workspace_open_folder(const struct workspace_job *job,
                                    char out_path[static CONFINED_MAX_PATH + 1], int *out_fd,
                                    struct err *err);
/* The whole file that the parameter `path` names, NUL-terminated, owned by the caller. ERR_LIMIT
 * beyond max_file_bytes. */
MUST_CHECK
enum err_code workspace_read(const struct workspace_job *job,
                             char out_path[static CONFINED_MAX_PATH + 1], char **out_bytes,
                             size_t *out_length, struct err *err);
/* Reads from a descriptor until its end; false (errno) when that fails or it is more than max. */
MUST_CHECK
bool workspace_read_fd(int fd, size_t max_bytes, char **out_bytes, size_t *out_length);
/* ERR_LIMIT: the result is larger than tools.max_result_bytes. */
enum err_code workspace_too_large(const struct workspace_job *job, struct err *err);
int64_t workspace_now_ms(void);

#endif
