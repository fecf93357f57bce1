/* A repository subject on the real runtime and an empty schema in PostgreSQL: for the contract
 * suites of the adapters. */
#ifndef TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_SUBJECT_H
#define TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_SUBJECT_H

#include "infrastructure/postgres/postgres_database.h"
#include "tests/support/full/uv_subject.h"

struct postgres_subject {
    struct uv_subject uv;                         /* uv.base is what a suite is given */
    void *(*connect)(struct postgres_subject *s); /* makes a repository on s->db */
    struct postgres_database *db;
};

struct postgres_subject postgres_subject(void *(*connect)(struct postgres_subject *s));

#endif
