#include "domain/base/arena.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct postgres_approvals {
    struct approval_repository base;
    struct postgres_database *db;
    char *person;
};

/* A question; lies in the frame of the task that waits for the answer. */
struct question {
    const struct postgres_approvals *repository;
    const struct approval *approval;
    bool has;
};

static struct postgres_approvals *repository_of(struct approval_repository *r)
{
    return (struct postgres_approvals *)r;
}

static enum err_code has_job(void *argument, struct err *err)
{
    struct question *q = argument;
    auto_result result = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT 1 FROM mistro.approvals WHERE person = $1 AND md5(subject) = md5($3)"
        " AND kind = $2 AND subject = $3 AND hash = $4 LIMIT 1",
        q->repository->person, q->approval->kind, q->approval->subject, q->approval->hash);
    statement.only_reads = true;
    enum err_code r = postgres_query(q->repository->db, &statement, &result, err);
    q->has = !r && postgres_n_rows(result);
    return r;
}

static enum err_code has(struct approval_repository *base, struct scope *sc,
                         const struct approval *approval, bool *out_has, struct err *err)
{
    struct question q = { repository_of(base), approval, false };
    enum err_code r = worker_try(postgres_database_worker(q.repository->db), sc, has_job, &q, err);
    if (!r)
        *out_has = q.has;
    return r;
}

static enum err_code add_job(void *argument, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct question *q = argument;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.add_approval($1, $2, $3, $4, $5)", q->repository->person, q->approval->kind,
        q->approval->subject, q->approval->hash, postgres_number(&scratch, APPROVALS_MAX_BYTES));
    return postgres_query(q->repository->db, &statement, NULL, err);
}

static enum err_code add(struct approval_repository *base, struct scope *sc,
                         const struct approval *approval, struct err *err)
{
    struct question q = { repository_of(base), approval, false };
    return worker_try(postgres_database_worker(q.repository->db), sc, add_job, &q, err);
}

static void destroy(struct approval_repository *base)
{
    struct postgres_approvals *r = repository_of(base);
    free(r->person);
    free(r);
}

static const struct approval_repository_ops ops = { .has = has, .add = add, .destroy = destroy };

struct approval_repository *postgres_approvals_create(struct postgres_database *db,
                                                      const char *person)
{
    struct postgres_approvals *r = calloc(1, sizeof *r);
    char *copy = strdup(person);
    if (!r || !copy)
        abort();
    *r = (struct postgres_approvals){ .base.ops = &ops, .db = db, .person = copy };
    return &r->base;
}
