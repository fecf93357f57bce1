/* The state of one run as a SQLite file of its own, and who owns the run. Everything here blocks:
 * what touches a database is called in jobs of a worker. FOLDER/ID.db is the state, raw and
 * therefore 0600 in a folder of 0700. FOLDER/ID.ndjson, where it is, has what passed in the run
 * (docs/cassettes.md) and goes with it. FOLDER/ID.lock is there while a process works at the run,
 * which holds a lock on it (flock); in it are its process id and the id of the boot, for people. A
 * lock on the database itself would be lost when SQLite closes it. */
#ifndef INFRASTRUCTURE_REPOSITORIES_RUN_STATE_FILE_H
#define INFRASTRUCTURE_REPOSITORIES_RUN_STATE_FILE_H

#include "domain/base/arena.h"
#include "domain/base/err.h"
#include "infrastructure/repositories/buffered_run_states.h"
#include <sqlite3.h>

struct run_state_file {
    char *path; /* of the database */
    struct sqlite3 *db;
    struct sqlite3_stmt *put_fact, *put_call;
};

/* *file has the path, and is closed after a failure. With is_new there was no such file. Fails as
 * run_states_open does. */
MUST_CHECK
enum err_code run_state_file_open(struct run_state_file *file, const char *migrations, bool is_new,
                                  struct err *err);
MUST_CHECK
enum err_code run_state_file_read(struct run_state_file *file, struct arena *arena,
                                  struct run_contents *out, struct err *err);
/* One transaction. */
MUST_CHECK
enum err_code run_state_file_write(struct run_state_file *file,
                                   const struct run_state_entry *entries, bool to_disk,
                                   struct err *err);
void run_state_file_close(struct run_state_file *file, bool remove);

/* As run_states_list; a folder that cannot be read has none. Returns how many there are. */
size_t run_state_files_list(const char *folder, struct arena *arena, const char ***out_ids);
/* As run_states_prune, for the files of a folder; returns how many are gone. */
size_t run_state_files_prune(const char *folder, int64_t before_ms, int64_t max_bytes,
                             size_t max_states);

/* *out_lock is a descriptor; run_owner_release closes it. Fails as run_states_claim does. */
MUST_CHECK
enum err_code run_owner_claim(const char *folder, const char *run_id, int *out_lock,
                              struct err *err);
void run_owner_release(const char *folder, const char *run_id, int lock);
/* The process that owns the run; 0 when none does. */
int64_t run_owner_of(const char *folder, const char *run_id);

#endif
