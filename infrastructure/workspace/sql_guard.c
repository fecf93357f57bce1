#include "infrastructure/workspace/sql_guard.h"
#include "domain/base/attributes.h"
#include "infrastructure/workspace/workspace_job.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PROGRESS_EVERY = 1000 };

/* Names with a blank between them. */
static const char functions[] =
    "abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling char coalesce concat "
    "concat_ws cos cosh count cume_dist date datetime degrees dense_rank exp first_value "
    "floor format glob group_concat hex ifnull iif instr json json_array json_array_length "
    "json_extract json_group_array json_group_object json_insert json_object json_patch "
    "json_quote json_remove json_replace json_set json_type json_valid julianday lag last_value "
    "lead length like ln log log10 log2 lower ltrim max "
    "min mod nth_value ntile nullif percent_rank pi pow power printf quote radians random "
    "rank replace round row_number rtrim sign sin sinh sqrt strftime string_agg substr "
    "substring sum tan tanh time timediff total trim trunc typeof unicode unixepoch upper "
    "-> ->>";

/* Tables that SQLite makes up by itself and that show more than what was loaded. */
static const char *const forbidden_tables[] = { "sqlite_",     "pragma_", "dbstat", "bytecode",
                                                "tables_used", "fts",     "rtree" };

static int allow_function(const char *name)
{
    if (!name)
        return SQLITE_DENY;
    size_t length = strlen(name);
    for (const char *at = functions; *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");
        if (word == length && strncasecmp(at, name, length) == 0)
            return SQLITE_OK;
        at += word;
    }
    return SQLITE_DENY;
}

bool sql_guard_allows_table(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(forbidden_tables); i++)
        if (strncasecmp(name, forbidden_tables[i], strlen(forbidden_tables[i])) == 0)
            return false;
    return true;
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
        return sql_guard_allows_table(first) ? SQLITE_OK : SQLITE_DENY;
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
    guard->out_of_memory = sqlite3_memory_used() - guard->memory_before > guard->max_memory;
    return guard->out_of_time || guard->out_of_memory;
}

/* printf() of a connection without this guard, for one that has it. */
struct format {
    sqlite3 *db;
    sqlite3_stmt *statement; /* with n arguments */
    int n;
};

static void format_free(void *context)
{
    struct format *format = context;
    sqlite3_finalize(format->statement);
    sqlite3_close(format->db);
    free(format);
}

static int format_prepare(struct format *format, int n, int max_bytes)
{
    if (!format->db && sqlite3_open(":memory:", &format->db) != SQLITE_OK)
        return SQLITE_NOMEM;
    sqlite3_limit(format->db, SQLITE_LIMIT_LENGTH, max_bytes);
    if (format->statement && format->n == n)
        return SQLITE_OK;
    sqlite3_finalize(format->statement);
    format->n = n;
    /* The x tells an empty text from one that is too long, which are both NULL. */
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "SELECT printf('x'||?");
    for (int i = 1; i < n; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int status = sqlite3_prepare_v2(format->db, text, -1, &format->statement, NULL);
    sqlite3_free(text);
    return status;
}

static void format_text(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct format *format = sqlite3_user_data(context);
    if (n == 0 || sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    int max_bytes = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
    int status = format_prepare(format, n, max_bytes);
    for (int i = 0; i < n && status == SQLITE_OK; i++)
        status = sqlite3_bind_value(format->statement, i + 1, values[i]);
    if (status == SQLITE_OK)
        status = sqlite3_step(format->statement);
    const char *text =
        status == SQLITE_ROW ? (const char *)sqlite3_column_text(format->statement, 0) : NULL;
    if (text)
        sqlite3_result_text(context, text + 1, sqlite3_column_bytes(format->statement, 0) - 1,
                            SQLITE_TRANSIENT);
    else
        sqlite3_result_error_code(context, status == SQLITE_ROW ? SQLITE_TOOBIG : status);
    sqlite3_reset(format->statement);
    sqlite3_clear_bindings(format->statement);
}

static void define_format(struct sqlite3 *db, const char *name)
{
    struct format *format = calloc(1, sizeof *format);
    if (!format)
        abort();
    sqlite3_create_function_v2(db, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                               format, format_text, NULL, NULL, format_free);
}

int sql_execute(struct sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, /* on row= */ NULL, /* context= */ NULL, /* message= */ NULL);
}

void sql_guard_limit(struct sqlite3 *db, size_t max_value_bytes)
{
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)max_value_bytes);
    define_format(db, "printf");
    define_format(db, "format");
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
    sql_execute(db, "PRAGMA temp_store=MEMORY");
    /* Table functions declare their table when first used, which the authorizer would refuse. */
    sql_execute(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')");
}

void sql_guard_attach(struct sql_guard *guard, struct sqlite3 *db, int64_t deadline_ms)
{
    *guard = (struct sql_guard){ .deadline_ms = deadline_ms,
                                 .memory_before = sqlite3_memory_used(),
                                 .max_memory = SQL_MAX_MEMORY };
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_set_authorizer(db, authorize, guard);
    sqlite3_progress_handler(db, PROGRESS_EVERY, watch, guard);
}
