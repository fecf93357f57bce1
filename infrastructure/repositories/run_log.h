/* The run log in SQLite, as operations that block: they are called in jobs of a worker, one at a
 * time. Rows come back as text; the loop's thread parses them (sqlite_run_repository.c). */
#ifndef INFRASTRUCTURE_REPOSITORIES_RUN_LOG_H
#define INFRASTRUCTURE_REPOSITORIES_RUN_LOG_H

#include "domain/base/buf.h"
#include "domain/repositories/run_repository.h"
#include <sqlite3.h>

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
};

struct run_entry *run_entry_of_event(const struct event *event);
struct run_entry *run_entry_of_begin(const struct run *run);
struct run_entry *run_entry_of_finish(const struct run *run);
/* Moves the events of `more` into the group before it, and frees `more`. False: they need a group
 * of their own, and nothing is changed. */
bool run_entry_join(struct run_entry *group, struct run_entry *more);
void run_entries_free(struct run_entry *first);

struct run_log {
    char *file, *migrations;
    struct sqlite3 *db; /* NULL until the first use */
    struct sqlite3_stmt *begin, *events, *finish;
    int wal_pages; /* after the last commit */
};

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

void run_log_close(struct run_log *log);

/* Opens if need be. One transaction; with `durable` it is on disk afterwards, and everything
 * before it. */
MUST_CHECK
enum err_code run_log_write(struct run_log *log, const struct run_entry *first, bool durable,
                            struct err *err);

/* What run_repository.h says of list, get, events, median_ms and prune. A log that does not exist
 * yet is created. Rows live in the arena, which belongs to the job. */
MUST_CHECK
enum err_code run_log_list(struct run_log *log, const struct run_range *range, struct arena *arena,
                           struct run_row **out, size_t *out_n, struct err *err);
MUST_CHECK
enum err_code run_log_get(struct run_log *log, const char *id, struct arena *arena,
                          struct run_row *out, struct err *err);
MUST_CHECK
enum err_code run_log_events(struct run_log *log, const struct event_range *range,
                             struct arena *arena, struct event_rows *out, struct err *err);
MUST_CHECK
enum err_code run_log_median_ms(struct run_log *log, const char *tool, int64_t *out_ms,
                                struct err *err);
MUST_CHECK
enum err_code run_log_prune(struct run_log *log, const struct run_retention *keep, int64_t now_ms,
                            size_t *out_removed, struct err *err);

#endif
