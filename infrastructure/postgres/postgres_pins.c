/* A row for each configuration of a server, with the text that infrastructure/repositories/
 * pins_text.h describes: its head by itself, because while nothing changes only that is read. */
#include "domain/base/buf.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/repositories/pins_text.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct postgres_pins {
    struct pin_repository base;
    struct postgres_database *db;
    char *person;
};

/* One operation; lies in the frame of the task that waits for it. */
struct pin_job {
    const struct postgres_pins *repository;
    const char *identity;
    struct buf text; /* what was read, or is to be written */
    int64_t seen;    /* the revision that the writer has read before */
    bool wants_tools, is_found;
};

static struct postgres_pins *repository_of(struct pin_repository *r)
{
    return (struct postgres_pins *)r;
}

static enum err_code run_job(struct pin_job *job, struct scope *sc, failing_job_fn *fn,
                             struct err *err)
{
    if (!pins_identity_is_valid(job->identity))
        return err_set(err, ERR_INVALID, 0, "pinned tools: the identity is not a hash");
    return worker_try(postgres_database_worker(job->repository->db), sc, fn, job, err);
}

static enum err_code damaged(const char *flaw, struct err *err)
{
    err_set(err, ERR_INVALID, 0, "pinned tools in PostgreSQL: %s", flaw);
    return err_hint(err, ERR_INVALID,
                    "delete the row of mistro.pins; what the server lists next then counts as "
                    "approved");
}

static enum err_code read_job(void *argument, struct err *err)
{
    struct pin_job *job = argument;
    auto_result row = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        job->wants_tools ? "SELECT head, tools FROM mistro.pins WHERE person = $1 AND identity = $2"
                         : "SELECT head, '' FROM mistro.pins WHERE person = $1 AND identity = $2",
        job->repository->person, job->identity);
    statement.only_reads = true;
    enum err_code r = postgres_query(job->repository->db, &statement, &row, err);
    job->is_found = !r && postgres_n_rows(row);
    if (job->is_found && !(buf_puts(&job->text, postgres_text(row, 0, 0)) &&
                           buf_puts(&job->text, postgres_text(row, 0, 1))))
        r = err_set(err, ERR_LIMIT, 0, "pinned tools: more than %d bytes", PINS_MAX_BYTES);
    return r;
}

static enum err_code look(struct pin_repository *base, struct scope *sc, const char *identity,
                          struct pins_head *out, struct err *err)
{
    struct pin_job job = { .repository = repository_of(base), .identity = identity };
    struct pins_head head = { 0 };
    int64_t n;
    buf_init(&job.text, PINS_HEAD_MAX_BYTES);
    enum err_code r = run_job(&job, sc, read_job, err);
    const char *flaw = NULL;
    if (!r && job.is_found)
        flaw = pins_read_head(buf_string(&job.text), job.text.length, &head, &n);
    if (flaw)
        r = damaged(flaw, err);
    buf_finish(&job.text);
    if (!r)
        *out = head;
    return r;
}

static enum err_code load(struct pin_repository *base, struct scope *sc, const char *identity,
                          struct arena *arena, struct pins *out, struct err *err)
{
    struct pin_job job = { .repository = repository_of(base),
                           .identity = identity,
                           .wants_tools = true };
    struct pins pins;
    buf_init(&job.text, PINS_MAX_BYTES);
    enum err_code r = run_job(&job, sc, read_job, err);
    if (!r && !job.is_found)
        r = err_set(err, ERR_NOT_FOUND, 0, "nothing is pinned for %s", identity);
    const char *flaw = r ? NULL : pins_read(&job.text, identity, arena, &pins);
    if (flaw)
        r = damaged(flaw, err);
    buf_finish(&job.text);
    if (!r)
        *out = pins;
    return r;
}

static enum err_code save_job(void *argument, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct pin_job *job = argument;
    const char *text = buf_string(&job->text);
    size_t head = (size_t)(strchr(text, '\n') + 1 - text);
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.put_pins($1, $2, $3, $4, $5, $6)", job->repository->person, job->identity,
        postgres_number(&scratch, job->seen), arena_strndup(&scratch, text, head), text + head,
        postgres_number(&scratch, PINS_MAX_SERVERS));
    return postgres_query(job->repository->db, &statement, NULL, err);
}

static enum err_code save(struct pin_repository *base, struct scope *sc, const struct pins *pins,
                          struct err *err)
{
    struct pin_job job = { .repository = repository_of(base),
                           .identity = pins->identity,
                           .seen = pins->head.revision };
    enum err_code r;
    buf_init(&job.text, PINS_MAX_BYTES);
    if (pins_print(&job.text, pins))
        r = run_job(&job, sc, save_job, err);
    else
        r = err_set(err, ERR_LIMIT, 0, "pinned tools of %s: more than %d bytes", pins->server,
                    PINS_MAX_BYTES);
    buf_finish(&job.text);
    return r;
}

static void destroy(struct pin_repository *base)
{
    struct postgres_pins *r = repository_of(base);
    free(r->person);
    free(r);
}

static const struct pin_repository_ops ops = {
    .look = look,
    .load = load,
    .save = save,
    .destroy = destroy,
};

struct pin_repository *postgres_pins_create(struct postgres_database *db, const char *person)
{
    struct postgres_pins *r = calloc(1, sizeof *r);
    char *copy = strdup(person);
    if (!r || !copy)
        abort();
    *r = (struct postgres_pins){ .base.ops = &ops, .db = db, .person = copy };
    return &r->base;
}
