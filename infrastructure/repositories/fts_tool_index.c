/* The tool index on SQLite's FTS5, in memory: one row per tool, whose number is the row's id. */
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/sqlite_database.h"
#include "infrastructure/repositories/tool_words.h"
#include <stdlib.h>

struct fts_tool_index {
    struct tool_index base;
    struct sqlite3 *db;
    struct sqlite3_stmt *insert, *search, *count;
};

static struct fts_tool_index *fts_of(struct tool_index *x)
{
    return (struct fts_tool_index *)x;
}

static enum err_code add_tool(struct fts_tool_index *x, size_t number, const struct tool *tool,
                              struct err *err)
{
    AUTO(tool_words) words;
    tool_words_init(&words, tool);
    sqlite3_bind_int64(x->insert, 1, (sqlite3_int64)number + 1);
    sqlite_bind_borrowed(x->insert, 2, buf_string(&words.name));
    sqlite_bind_borrowed(x->insert, 3, buf_string(&words.about));
    sqlite_bind_borrowed(x->insert, 4, buf_string(&words.parameters));
    sqlite_bind_borrowed(x->insert, 5, buf_string(&words.parameter_about));
    return sqlite_step_once(x->db, x->insert, err);
}

static enum err_code fts_build(struct tool_index *base, const struct tool *const *tools, size_t n,
                               struct err *err)
{
    struct fts_tool_index *x = fts_of(base);
    enum err_code r =
        sqlite_run(x->db, "BEGIN; INSERT INTO tools_text(tools_text) VALUES('delete-all')", err);
    for (size_t i = 0; !r && i < n; i++)
        r = add_tool(x, i, tools[i], err);
    r = sqlite_end(x->db, r, err);
    return r ? err_prefix(err, r, "tool index") : ERR_NONE;
}

/* False when the words contain nothing to search for. */
static bool match_expression(struct buf *out, const char *const *words, size_t n_words)
{
    buf_init(out, TOOL_WORDS_MAX_BYTES);
    for (size_t i = 0; i < n_words && i < TOOL_INDEX_MAX_WORDS; i++)
        (void)tool_words_append_query(out, words[i]);
    return out->length > 0;
}

static enum err_code fts_search(struct tool_index *base, const struct tool_search *search,
                                struct arena *arena, struct tool_hit **out, size_t *out_n,
                                struct err *err)
{
    struct fts_tool_index *x = fts_of(base);
    AUTO(buf) expression;
    struct tool_hit *hits = NULL;
    size_t n = 0, capacity = 0;
    int step = SQLITE_DONE;
    if (match_expression(&expression, search->words, search->n_words)) {
        sqlite_bind_borrowed(x->search, 1, buf_string(&expression));
        sqlite3_bind_int64(x->search, 2,
                           search->max > INT32_MAX ? INT32_MAX : (sqlite3_int64)search->max);
        while ((step = sqlite3_step(x->search)) == SQLITE_ROW)
            *arena_push(arena, hits, n, capacity) =
                (struct tool_hit){ .tool = (size_t)sqlite3_column_int64(x->search, 0) - 1,
                                   .score = -sqlite3_column_double(x->search, 1) };
    }
    enum err_code r = step == SQLITE_DONE ? ERR_NONE : sqlite_failed(x->db, "tool index", err);
    sqlite3_reset(x->search);
    if (r)
        return r;
    *out = hits;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code fts_frequency(struct tool_index *base, const char *word, size_t *out_tools,
                                   struct err *err)
{
    struct fts_tool_index *x = fts_of(base);
    AUTO(buf) expression;
    *out_tools = 0;
    if (!match_expression(&expression, &word, 1))
        return ERR_NONE;
    sqlite_bind_borrowed(x->count, 1, buf_string(&expression));
    int step = sqlite3_step(x->count);
    enum err_code r = step == SQLITE_ROW ? ERR_NONE : sqlite_failed(x->db, "tool index", err);
    if (!r)
        *out_tools = (size_t)sqlite3_column_int64(x->count, 0);
    sqlite3_reset(x->count);
    return r;
}

static void fts_destroy(struct tool_index *base)
{
    struct fts_tool_index *x = fts_of(base);
    sqlite3_finalize(x->insert);
    sqlite3_finalize(x->search);
    sqlite3_finalize(x->count);
    sqlite3_close(x->db);
    free(x);
}

static const struct tool_index_ops fts_ops = {
    .build = fts_build,
    .search = fts_search,
    .frequency = fts_frequency,
    .destroy = fts_destroy,
};

/* Contentless: the index remembers words, not texts. A word in the name counts ten times what it
 * counts in the description of a parameter. */
static const char create_sql[] =
    "CREATE VIRTUAL TABLE tools_text USING fts5(name, about, parameters, parameter_about,"
    " content='', tokenize='porter unicode61 remove_diacritics 2')";
static const char insert_sql[] =
    "INSERT INTO tools_text(rowid, name, about, parameters, parameter_about)"
    " VALUES(?1, ?2, ?3, ?4, ?5)";
static const char search_sql[] =
    "SELECT rowid, bm25(tools_text, 10.0, 4.0, 3.0, 1.0) AS score FROM tools_text"
    " WHERE tools_text MATCH ?1 ORDER BY score, rowid LIMIT ?2";
static const char count_sql[] = "SELECT count(*) FROM tools_text WHERE tools_text MATCH ?1";

static enum err_code fts_open(struct fts_tool_index *x, struct err *err)
{
    if (sqlite3_open_v2(":memory:", &x->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return err_set(err, ERR_UNAVAILABLE, 0, "tool index: sqlite gives no database in memory");
    if (sqlite3_exec(x->db, create_sql, NULL, NULL, NULL) != SQLITE_OK)
        return err_set(err, ERR_UNAVAILABLE, 0,
                       "tool index: this sqlite has no full-text search: %s",
                       sqlite3_errmsg(x->db));
    enum err_code r = sqlite_prepare(x->db, insert_sql, &x->insert, err);
    if (!r)
        r = sqlite_prepare(x->db, search_sql, &x->search, err);
    if (!r)
        r = sqlite_prepare(x->db, count_sql, &x->count, err);
    return r;
}

enum err_code fts_tool_index_create(struct tool_index **out, struct err *err)
{
    struct fts_tool_index *x = calloc(1, sizeof *x);
    if (!x)
        abort();
    x->base.ops = &fts_ops;
    enum err_code r = fts_open(x, err);
    if (r) {
        fts_destroy(&x->base);
        return r;
    }
    *out = &x->base;
    return ERR_NONE;
}
