#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/worker.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
    RENEWALS = 3, /* within the time that a lease lasts */
    RETRY_MS = 1000,
    RANDOM_BYTES = 16,
    PRUNED_AT_ONCE = 500, /* states, in one transaction */
    FENCE_BYTES = 21,     /* with the comma behind it */
};

struct postgres_process {
    struct uv_runtime *runtime;
    struct postgres_database *db;
    char id[2 * RANDOM_BYTES + 1];
    char label[UV_MAXHOSTNAMESIZE + 24]; /* host and process */
    char lease_ms[24];
    int64_t renewal_ms;
    struct alarm *renewal;
    bool is_kept;                   /* it is set, or its job is under way */
    bool is_renewing, is_destroyed; /* with both, the job's end frees the process */
    /* By jobs only. */
    struct postgres_holding *first;
    bool is_untidy; /* the database may know of a lease that the process does not */
    /* By the renewal's job, then by its end. */
    int64_t next_ms; /* until the next one; 0: there is nothing to renew */
};

static void start_renewal(void *argument);

struct postgres_process *postgres_process_create(struct uv_runtime *runtime,
                                                 struct postgres_database *db, int64_t lease_s)
{
    struct postgres_process *process = calloc(1, sizeof *process);
    unsigned char random[RANDOM_BYTES];
    char host[UV_MAXHOSTNAMESIZE] = "";
    size_t size = sizeof host;
    if (!process || uv_random(NULL, NULL, random, sizeof random, 0, NULL) != 0)
        abort();
    process->runtime = runtime;
    process->db = db;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(process->id + 2 * i, 3, "%02x", random[i]);
    (void)uv_os_gethostname(host, &size);
    snprintf(process->label, sizeof process->label, "%s:%ld", host, (long)uv_os_getpid());
    snprintf(process->lease_ms, sizeof process->lease_ms, "%" PRId64, lease_s * 1000);
    process->renewal_ms = lease_s * 1000 / RENEWALS;
    process->renewal = alarm_create(runtime, start_renewal, process);
    return process;
}

void postgres_process_destroy(struct postgres_process *process)
{
    if (!process)
        return;
    alarm_destroy(process->renewal);
    process->is_destroyed = true;
    if (!process->is_renewing)
        free(process);
}

struct postgres_database *postgres_process_database(struct postgres_process *process)
{
    return process->db;
}

/* Whether a statement took effect whose answer was lost, nobody has to know: what it may have left
 * is cleared up by the next renewal, or ends with the process. */
static enum err_code ask(struct postgres_process *process, struct postgres_statement statement,
                         PGresult **out, struct err *err)
{
    statement.only_reads = true;
    enum err_code r = postgres_query(process->db, &statement, out, err);
    process->is_untidy |= r != ERR_NONE;
    return r;
}

const char *postgres_process_id(const struct postgres_process *process)
{
    return process->id;
}

const char *postgres_process_lease_ms(const struct postgres_process *process)
{
    return process->lease_ms;
}

const char *postgres_process_fences(const struct postgres_process *process, struct arena *arena)
{
    size_t n = 0, length = 1;
    for (const struct postgres_holding *h = process->first; h; h = h->next)
        n++;
    char *text = arena_calloc(arena, n + 1, FENCE_BYTES);
    text[0] = '{';
    for (const struct postgres_holding *h = process->first; h; h = h->next)
        length += (size_t)snprintf(text + length, FENCE_BYTES + 1, "%" PRId64 ",", h->fence);
    text[n ? length - 1 : length] = '}';
    return text;
}

static void renew(struct postgres_process *process)
{
    AUTO(arena) arena = { 0 };
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT mistro.renew($1, $2, $3, $4)", process->id, process->label,
                           process->lease_ms, postgres_process_fences(process, &arena));
    process->is_untidy = ask(process, statement, NULL, NULL) != ERR_NONE;
}

static void renewal_job(void *argument)
{
    struct postgres_process *process = argument;
    if (process->first || process->is_untidy)
        renew(process);
    process->next_ms = process->first || process->is_untidy ? process->renewal_ms : 0;
    if (process->is_untidy && RETRY_MS < process->renewal_ms)
        process->next_ms = RETRY_MS;
}

static void renewal_done(void *argument)
{
    struct postgres_process *process = argument;
    process->is_renewing = false;
    process->is_kept = process->next_ms != 0;
    if (process->is_destroyed)
        free(process);
    else if (process->is_kept)
        alarm_set(process->renewal, process->next_ms);
}

static void start_renewal(void *argument)
{
    struct postgres_process *process = argument;
    process->is_renewing = true;
    worker_post(postgres_database_worker(process->db), renewal_job, renewal_done, process);
}

void postgres_process_keep(struct postgres_process *process)
{
    if (!process->is_kept)
        alarm_set(process->renewal, process->renewal_ms);
    process->is_kept = true;
}

void postgres_process_was_heard(struct postgres_process *process)
{
    if (process->is_kept && !process->is_renewing)
        alarm_set(process->renewal, process->renewal_ms);
}

int64_t postgres_process_fence(const struct postgres_process *process, const char *person,
                               const char *run_id)
{
    const struct postgres_holding *h = process->first;
    while (h && (strcmp(h->run_id, run_id) != 0 || strcmp(h->person, person) != 0))
        h = h->next;
    return h ? h->fence : 0;
}

static struct postgres_holding *add_holding(struct postgres_process *process, const char *person,
                                            const char *run_id, int64_t fence)
{
    struct postgres_holding *h = calloc(1, sizeof *h);
    if (!h || !(h->person = strdup(person)) || !(h->run_id = strdup(run_id)))
        abort();
    h->fence = fence;
    h->next = process->first;
    return process->first = h;
}

static void remove_holding(struct postgres_process *process, struct postgres_holding *holding)
{
    struct postgres_holding **link = &process->first;
    while (*link != holding)
        link = &(*link)->next;
    *link = holding->next;
    free(holding->person);
    free(holding->run_id);
    free(holding);
}

enum err_code postgres_process_claim(struct postgres_process *process, const char *person,
                                     const char *run_id, struct postgres_holding **out,
                                     struct err *err)
{
    AUTO(arena) arena = { 0 };
    auto_result result = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT new_fence, owner FROM mistro.claim($1, $2, $3, $4, $5, $6)", person, run_id,
        process->id, process->label, process->lease_ms,
        postgres_number(&arena, postgres_process_fence(process, person, run_id)));
    enum err_code r = ask(process, statement, &result, err);
    if (r)
        return r;
    const char *owner = postgres_text(result, 0, 1);
    if (owner) {
        err_set(err, ERR_INVALID, 0, "run %.40s is being run by process %.200s", run_id, owner);
        return err_hint(err, ERR_INVALID, "wait until it ends, or end it");
    }
    *out = add_holding(process, person, run_id, postgres_integer(result, 0, 0));
    return ERR_NONE;
}

void postgres_process_release(struct postgres_process *process, struct postgres_holding *holding)
{
    AUTO(arena) arena = { 0 };
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT mistro.release($1, $2, $3, $4)", holding->person,
                           holding->run_id, postgres_number(&arena, holding->fence), process->id);
    (void)!ask(process, statement, NULL, NULL);
    remove_holding(process, holding);
}

enum err_code postgres_process_prune(struct postgres_process *process, const char *person,
                                     int64_t before_ms, int64_t max_bytes, int64_t max_states,
                                     int64_t *out_removed, struct err *err)
{
    AUTO(arena) arena = { 0 };
    int64_t at_once = max_states && max_states < PRUNED_AT_ONCE ? max_states : PRUNED_AT_ONCE;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.prune_states($1, $2, $3, $4, $5, $6, $7)", person, process->id,
        process->label, process->lease_ms, postgres_number(&arena, before_ms),
        postgres_number(&arena, max_bytes), postgres_number(&arena, at_once));
    enum err_code r = ERR_NONE;
    *out_removed = 0;
    for (int64_t n = at_once; !r && n == at_once && (!max_states || *out_removed < max_states);) {
        auto_result result = NULL;
        r = ask(process, statement, &result, err);
        n = r ? 0 : postgres_integer(result, 0, 0);
        *out_removed += n;
    }
    return r;
}
