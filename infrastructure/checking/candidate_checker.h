/* The candidate_checker of the product: PCRE2 and SQLite, under limits, off the loop. */
#ifndef INFRASTRUCTURE_CHECKING_CANDIDATE_CHECKER_H
#define INFRASTRUCTURE_CHECKING_CANDIDATE_CHECKER_H

#include "application/ports/candidate_checker.h"
#include "application/settings.h"
#include <jansson.h>

struct uv_runtime;

#define CANDIDATE_CHILD_WORD "--check-child"

/* settings (consensus.check_ms, consensus.check_rows) must live as long. child_program: mistro, for
 * SQL (infrastructure/workspace/sql_child.h), borrowed; NULL: SQL runs in this process. */
struct candidate_checker *candidate_checker_create(struct uv_runtime *runtime,
                                                   const struct settings *settings,
                                                   const char *child_program);
/* In the child: a sql_child_fn. */
char *candidate_child_answer(const json_t *request);
/* NULL is fine. */
awaits void candidate_checker_destroy(struct candidate_checker *checker);

#endif
