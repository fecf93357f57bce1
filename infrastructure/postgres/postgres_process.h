/* This process as the database knows it: a name of chance, and the runs that it has. While it has
 * any it is heard of three times within the time that a lease lasts, so that nobody takes them
 * away; a worker's heartbeat counts as well. data/migrations/postgres/04_runs.sql says how a lease
 * keeps two processes from writing the same run, and why that is enough for no call to be made
 * twice that may not be.
 *
 * What the process has is noted in jobs of the database's worker, in the job that changed it. A
 * lease that the database has and the process does not know of, because an answer was lost, goes
 * with the next renewal. */
#ifndef INFRASTRUCTURE_POSTGRES_POSTGRES_PROCESS_H
#define INFRASTRUCTURE_POSTGRES_POSTGRES_PROCESS_H

#include "domain/base/arena.h"
#include "domain/base/attributes.h"
#include "domain/base/err.h"
#include "infrastructure/postgres/postgres_database.h"

struct postgres_process;

/* One for all stores on the database, which is borrowed. A lease lasts lease_s, 3 or more. */
struct postgres_process *postgres_process_create(struct uv_runtime *runtime,
                                                 struct postgres_database *db, int64_t lease_s);
/* All stores are gone. It is freed once a renewal that is under way is over. NULL is fine. */
void postgres_process_destroy(struct postgres_process *process);

struct postgres_database *postgres_process_database(struct postgres_process *process);
/* Values for the functions of the schema: the name of chance, how long a lease lasts, and, in jobs,
 * the fences of all claims, in the arena. */
const char *postgres_process_id(const struct postgres_process *process);
const char *postgres_process_lease_ms(const struct postgres_process *process);
const char *postgres_process_fences(const struct postgres_process *process, struct arena *arena);

/* Something that the process has. */
struct postgres_holding {
    struct postgres_holding *next;
    int64_t fence;
    char *person, *run_id;
};

/* In jobs. Fails as run_states_claim does. *out is the caller's until it is released. */
MUST_CHECK
enum err_code postgres_process_claim(struct postgres_process *process, const char *person,
                                     const char *run_id, struct postgres_holding **out,
                                     struct err *err);
void postgres_process_release(struct postgres_process *process, struct postgres_holding *holding);
/* In jobs. The fence of the newest claim of the run; 0, which no lease has, where there is none. */
int64_t postgres_process_fence(const struct postgres_process *process, const char *person,
                               const char *run_id);
/* In jobs. As run_states_prune. */
MUST_CHECK
enum err_code postgres_process_prune(struct postgres_process *process, const char *person,
                                     int64_t before_ms, int64_t max_bytes, int64_t max_states,
                                     int64_t *out_removed, struct err *err);
/* On the loop, after a job in which something was claimed: it is kept from now on. */
void postgres_process_keep(struct postgres_process *process);
/* On the loop: a heartbeat has just renewed everything. */
void postgres_process_was_heard(struct postgres_process *process);

#endif
