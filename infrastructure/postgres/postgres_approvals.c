/* A row for each approval; nothing is kept between two questions. */
#include "domain/base/arena.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/repositories/repository_create.h"
#include <stdlib.h>
#include <string.h>

struct postgres_approvals {
    struct approval_repository base;
    struct postgres_database *db;
    char *person;
};

static struct postgres_approvals *repository_of(struct approval_repository *r)
{
    return (struct postgres_approvals *)r;
}

static enum err_code has(struct approval_repository *base, struct scope *sc,
                         const struct approval *approval, bool *out_has, struct err *err)
{
    const struct postgres_approvals *r = repository_of(base);
    auto_result rows = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT 1 FROM mistro.approvals WHERE person = $1 AND md5(subject) = md5($3)"
        " AND kind = $2 AND subject = $3 AND hash = $4 LIMIT 1",
        r->person, approval->kind, approval->subject, approval->hash);
    statement.only_reads = true;
    enum err_code code = postgres_ask(r->db, sc, &statement, &rows, err);
    if (!code)
        *out_has = postgres_n_rows(rows) > 0;
    return code;
}

static enum err_code add(struct approval_repository *base, struct scope *sc,
                         const struct approval *approval, struct err *err)
{
    const struct postgres_approvals *r = repository_of(base);
    AUTO(arena) scratch = { 0 };
    auto_result rows = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT mistro.add_approval($1, $2, $3, $4, $5)", r->person, approval->kind,
        approval->subject, approval->hash, postgres_number(&scratch, APPROVALS_MAX_BYTES));
    return postgres_ask(r->db, sc, &statement, &rows, err);
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
