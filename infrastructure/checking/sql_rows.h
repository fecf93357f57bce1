/* What a statement gave, held against what it should have given. */
#ifndef INFRASTRUCTURE_CHECKING_SQL_ROWS_H
#define INFRASTRUCTURE_CHECKING_SQL_ROWS_H

#include "infrastructure/checking/candidate_check.h"

/* rows: array of arrays. Numbers compare by value, with the precision of a double; rows in their
 * order where the examples say `ordered`, else as often as they are there. Sets the failure. */
void sql_rows_compare(struct candidate_check *check, const json_t *rows);

#endif
