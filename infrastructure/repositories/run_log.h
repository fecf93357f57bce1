/* A run log in a database, as operations that block: they are called in jobs of a worker, one at a
 * time. Rows come back as text; the loop's thread parses them (run_log_repository.c). */
#ifndef INFRASTRUCTURE_REPOSITORIES_RUN_LOG_H
#define INFRASTRUCTURE_REPOSITORIES_RUN_LOG_H

#include "domain/base/buf.h"
#include "domain/repositories/run_repository.h"

enum run_entry_kind { RUN_ENTRY_BEGIN, RUN_ENTRY_EVENTS, RUN_ENTRY_FINISH };

#define RUN_GROUP_BYTES (64 * 1024) /* of lines; a group that has so many takes no more events */

/* One row to be written, with all memory of its own: a run that begins or ends, or a group of
 * events that follow each other in one run. */
struct run_entry {
    struct run_entry *next;
    enum run_entry_kind kind;
    enum run_status status;
    /* When the run began or ended, or the group's last successful call of a tool. */
    int64_t time_ms;
    char *run_id, *title;
    char *kind_name;  /* of the run */
    char *session_id; /* may be NULL */
    char *meta;       /* JSON of the run; where it ends, what its events count */
    uint64_t last_number;
    struct buf lines;     /* data/migrations/run_log.sql says what is in them */
    char *tool;           /* the tool whose successful results are in the group, or NULL */
    struct buf durations; /* of these */
    size_t bytes;         /* of the whole entry */
    bool was_sent;        /* it may be written already, and has to stay as it is */
};

struct run_entry *run_entry_of_event(const struct event *event);
struct run_entry *run_entry_of_begin(const struct run *run);
struct run_entry *run_entry_of_finish(const struct run *run);
/* Moves the events of `more` into the group before it, and frees `more`. False: they need a group
 * of their own, and nothing is changed. */
bool run_entry_join(struct run_entry *group, struct run_entry *more);
void run_entries_free(struct run_entry *first);

struct run_row {
    struct run run;
    const char *meta;  /* JSON text */
    const char *stats; /* the same, or NULL */
};

struct event_row {
    uint64_t number;
    int64_t time_ms;
    const char *kind, *data; /* data: JSON text */
};

struct event_rows {
    struct event_row *list;
    size_t n, capacity;
};

struct run_log;
struct uv_runtime;
struct worker;

/* All mandatory but close. What run_repository.h says of list, get, events, median_ms and prune; a
 * log that does not exist yet is created. Rows live in the arena, which belongs to the job. */
struct run_log_ops {
    /* One transaction; with `durable` it is on disk afterwards, and everything before it. */
    enum err_code (*write)(struct run_log *log, const struct run_entry *first, bool durable,
                           struct err *err);
    enum err_code (*list)(struct run_log *log, const struct run_range *range, struct arena *arena,
                          struct run_row **out, size_t *out_n, struct err *err);
    enum err_code (*get)(struct run_log *log, const char *id, struct arena *arena,
                         struct run_row *out, struct err *err);
    enum err_code (*events)(struct run_log *log, const struct event_range *range,
                            struct arena *arena, struct event_rows *out, struct err *err);
    enum err_code (*median_ms)(struct run_log *log, const char *tool, int64_t *out_ms,
                               struct err *err);
    enum err_code (*prune)(struct run_log *log, const struct run_retention *keep, int64_t now_ms,
                           size_t *out_removed, struct err *err);
    void (*close)(struct run_log *log);   /* the last job, where there was one before */
    void (*destroy)(struct run_log *log); /* on the loop's thread */
};

struct run_log {
    const struct run_log_ops *ops;
    /* A write that failed with ERR_UNAVAILABLE is made again until it succeeds: twice has the same
     * effect as once. Else what could not be written is lost. */
    bool writes_again;
};

/* Steals the log. Its operations run on the worker, which is borrowed; NULL: on one of its own. */
struct run_repository *run_log_repository_create(struct uv_runtime *runtime, struct worker *worker,
                                                 struct run_log *log);

/* For the logs. A run that never said that it ended counts as dead after a day. */
#define RUN_LOG_DEAD_AFTER_MS (24 * 60 * 60 * INT64_C(1000))
#define RUN_LOG_BITE_BYTES (8 * 1024 * 1024) /* removed where not all are removed at once */
#define RUN_LOG_CANDIDATES 20                /* more than an error has room for */

/* Which of the runs is meant: those whose id begins with what was typed, at most
 * RUN_LOG_CANDIDATES, in the order of their ids; for RUN_LATEST the latest. */
MUST_CHECK
enum err_code run_log_pick(const char *id, struct run_row *rows, size_t n, struct run_row *out,
                           struct err *err);
/* Adds the events of the range that are in the lines of a group, as long as there are fewer than it
 * may have. The lines are cut into pieces, which the rows borrow. */
MUST_CHECK
enum err_code run_log_add_group(struct arena *arena, char *lines, const struct event_range *range,
                                struct event_rows *rows, struct err *err);

/* Of the last calls of a tool. */
struct run_durations {
    int64_t list[RUN_MEDIAN_CALLS];
    size_t n;
};

/* Takes the last of the numbers, between blanks, as long as there is room. */
void run_durations_add(struct run_durations *durations, const char *numbers);
/* -1: there are none. */
int64_t run_durations_median(struct run_durations *durations);

#endif
