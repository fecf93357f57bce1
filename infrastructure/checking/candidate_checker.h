/* The candidate_checker of the product: PCRE2 and SQLite, under limits, off the loop. */
#ifndef INFRASTRUCTURE_CHECKING_CANDIDATE_CHECKER_H
#define INFRASTRUCTURE_CHECKING_CANDIDATE_CHECKER_H

#include "application/ports/candidate_checker.h"
#include "application/settings.h"

struct uv_runtime;

/* settings (consensus.check_ms, consensus.check_rows) must live as long. */
struct candidate_checker *candidate_checker_create(struct uv_runtime *runtime,
                                                   const struct settings *settings);
/* NULL is fine. */
awaits void candidate_checker_destroy(struct candidate_checker *checker);

#endif
