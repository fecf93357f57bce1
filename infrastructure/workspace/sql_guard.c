#include "infrastructure/workspace/sql_guard.h"
#include "domain/base/attributes.h"
#include "infrastructure/workspace/workspace_job.h"
#include <sqlite3.h>
#include <string.h>
#include <strings.h>

enum { PROGRESS_EVERY = 1000, MIN_VALUE_BYTES = 1048576 };

static const char *const functions[] = {
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_quote",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "percent_rank",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "upper",
    "->",
    "->>",
};
/* Tables that SQLite makes up by itself and that show more than what was loaded. */
static const char *const forbidden_tables[] = { "sqlite_",     "pragma_", "dbstat", "bytecode",
                                                "tables_used", "fts",     "rtree" };

static int allow_function(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(functions); i++)
        if (strcasecmp(name, functions[i]) == 0)
            return SQLITE_OK;
    return SQLITE_DENY;
}

static int allow_table(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(forbidden_tables); i++)
        if (strncasecmp(name, forbidden_tables[i], strlen(forbidden_tables[i])) == 0)
            return SQLITE_DENY;
    return SQLITE_OK;
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return allow_table(first);
    case SQLITE_FUNCTION:
        return allow_function(second);
    default:
        return SQLITE_DENY;
    }
}

static int watch(void *context)
{
    struct sql_guard *guard = context;
    guard->out_of_time = workspace_now_ms() > guard->deadline_ms;
    guard->out_of_memory = sqlite3_memory_used() - guard->memory_before > SQL_MAX_MEMORY;
    return guard->out_of_time || guard->out_of_memory;
}

void sql_guard_limit(struct sqlite3 *db, size_t max_value_bytes)
{
    size_t bytes = max_value_bytes < MIN_VALUE_BYTES ? MIN_VALUE_BYTES : max_value_bytes;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)bytes);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, WORKSPACE_MAX_SQL_BYTES);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, SQL_MAX_EXPRESSION_DEPTH);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, SQL_MAX_COMPOUND);
    sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 100);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000);
    sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 250000);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    /* Sorting may need room: not in files that others could see. */
    sqlite3_exec(db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
}

void sql_guard_attach(struct sql_guard *guard, struct sqlite3 *db, int64_t deadline_ms)
{
    *guard =
        (struct sql_guard){ .deadline_ms = deadline_ms, .memory_before = sqlite3_memory_used() };
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* Table functions declare their table when first used, which the authorizer would refuse. */
    sqlite3_exec(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, authorize, guard);
    sqlite3_progress_handler(db, PROGRESS_EVERY, watch, guard);
}
