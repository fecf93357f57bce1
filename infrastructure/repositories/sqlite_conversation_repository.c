/* Conversations in one SQLite database: a row each, and a row per message. A save replaces the
 * rows of its conversation in one transaction, an addition writes those of its messages, and both
 * are on disk when they return. The bytes of a conversation are counted with what is added, each
 * time with its context, which is more than there are; only where that passes the bound all is read
 * and counted. */
#include "domain/base/json.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/repositories/sqlite_database.h"
#include <stdlib.h>
#include <string.h>

struct sqlite_store {
    struct conversation_store base;
    char *file, *migrations;
    struct sqlite3 *db; /* NULL until the first use */
};

static struct sqlite_store *sqlite_store_of(struct conversation_store *s)
{
    return (struct sqlite_store *)s;
}

static enum err_code open_store(struct sqlite_store *s, struct err *err)
{
    return s->db ? ERR_NONE : sqlite_database_open(s->file, s->migrations, &s->db, err);
}

static enum err_code begin(struct sqlite_store *s, const char *sql, struct err *err)
{
    enum err_code r = open_store(s, err);
    return r ? r : sqlite_run(s->db, sql, err);
}

/* Ends the transaction and, when it changed something, waits for the disk. */
static enum err_code end_on_disk(struct sqlite_store *s, enum err_code r, struct err *err)
{
    r = sqlite_end(s->db, r, err);
    return r ? r : sqlite_database_sync(s->db, err);
}

/* -1 when the conversation is not stored. */
static enum err_code read_version(struct sqlite_store *s, const char *id, int64_t *out_ms,
                                  struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare_for(
        s->db, "SELECT updated_at_ms FROM conversations WHERE id = ?1", id, &statement, err);
    if (r)
        return r;
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return sqlite_failed(s->db, "read conversation", err);
    *out_ms = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    return ERR_NONE;
}

/* The bytes as counted so far; 0: nobody counted. */
static enum err_code read_bytes(struct sqlite_store *s, const char *id, size_t *out,
                                struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare_for(s->db, "SELECT bytes FROM conversations WHERE id = ?1", id,
                                         &statement, err);
    if (r)
        return r;
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return sqlite_failed(s->db, "read conversation", err);
    *out = step == SQLITE_ROW ? (size_t)sqlite3_column_int64(statement, 0) : 0;
    return ERR_NONE;
}

static enum err_code write_message(struct sqlite_store *s, struct sqlite3_stmt *insert,
                                   const char *id, size_t number, const struct message *message,
                                   struct err *err)
{
    auto_str metadata = json_print(message->metadata);
    sqlite_bind_borrowed(insert, 1, id);
    sqlite3_bind_int64(insert, 2, (sqlite3_int64)number);
    sqlite_bind_borrowed(insert, 3, message_role_name(message->role));
    sqlite_bind_borrowed(insert, 4, message->content);
    sqlite3_bind_int64(insert, 5, message->timestamp_ms);
    sqlite_bind_borrowed(insert, 6, metadata);
    return sqlite_step_once(s->db, insert, err);
}

static enum err_code write_messages(struct sqlite_store *s, const struct conversation *c,
                                    struct err *err)
{
    auto_statement insert = NULL;
    enum err_code r = sqlite_prepare(
        s->db,
        "INSERT INTO messages(conversation_id, number, role, content, timestamp_ms, metadata)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
        &insert, err);
    for (size_t i = 0; !r && i < c->n_messages; i++)
        r = write_message(s, insert, c->id, c->n_earlier + i, &c->messages[i], err);
    return r;
}

static enum err_code write_head(struct sqlite_store *s, const struct conversation *c, size_t bytes,
                                struct err *err)
{
    auto_statement upsert = NULL;
    auto_str context = json_print(c->context);
    enum err_code r = sqlite_prepare(
        s->db,
        "INSERT INTO conversations(id, title, created_at_ms, updated_at_ms, context, bytes)"
        " VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(id) DO UPDATE SET title = excluded.title,"
        " created_at_ms = excluded.created_at_ms, updated_at_ms = excluded.updated_at_ms,"
        " context = excluded.context, bytes = excluded.bytes",
        &upsert, err);
    if (r)
        return r;
    sqlite_bind_borrowed(upsert, 1, c->id);
    sqlite_bind_borrowed(upsert, 2, c->title);
    sqlite3_bind_int64(upsert, 3, c->created_at_ms);
    sqlite3_bind_int64(upsert, 4, c->updated_at_ms);
    sqlite_bind_borrowed(upsert, 5, context);
    sqlite3_bind_int64(upsert, 6, (sqlite3_int64)bytes);
    return sqlite_step_once(s->db, upsert, err);
}

static enum err_code run_with_id(struct sqlite_store *s, const char *sql, const char *id,
                                 struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare_for(s->db, sql, id, &statement, err);
    return r ? r : sqlite_step_once(s->db, statement, err);
}

static enum err_code check_version(struct sqlite_store *s, const struct conversation *c,
                                   int64_t loaded_version_ms, struct err *err)
{
    int64_t stored_ms = 0;
    enum err_code r = read_version(s, c->id, &stored_ms, err);
    return r ? r : conversation_check_version(c->id, stored_ms, loaded_version_ms, err);
}

static enum err_code replace_rows(struct sqlite_store *s, const struct conversation *c,
                                  size_t bytes, int64_t loaded_version_ms, struct err *err)
{
    enum err_code r = check_version(s, c, loaded_version_ms, err);
    if (!r)
        r = write_head(s, c, bytes, err);
    if (!r)
        r = run_with_id(s, "DELETE FROM messages WHERE conversation_id = ?1", c->id, err);
    return r ? r : write_messages(s, c, err);
}

static enum err_code sqlite_save(struct conversation_store *base, const char *id, const char *text,
                                 size_t length, int64_t loaded_version_ms, struct err *err)
{
    (void)id;
    struct sqlite_store *s = sqlite_store_of(base);
    AUTO(arena) arena = { 0 };
    struct conversation *c;
    enum err_code r = conversation_parse(&arena, text, length, &c, err);
    if (!r)
        r = begin(s, "BEGIN IMMEDIATE", err);
    return r ? r : end_on_disk(s, replace_rows(s, c, length, loaded_version_ms, err), err);
}

static enum err_code column_json(struct arena *arena, struct sqlite3_stmt *statement, int at,
                                 json_t **out, struct err *err)
{
    return conversation_parse_column(arena, (const char *)sqlite3_column_text(statement, at), out,
                                     err);
}

static enum err_code read_head(struct sqlite_store *s, struct arena *arena, const char *id,
                               struct conversation *out, struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare_for(s->db,
                                         "SELECT title, created_at_ms, updated_at_ms, context"
                                         " FROM conversations WHERE id = ?1",
                                         id, &statement, err);
    if (r)
        return r;
    int step = sqlite3_step(statement);
    if (step == SQLITE_DONE)
        return err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", id);
    if (step != SQLITE_ROW)
        return sqlite_failed(s->db, "read conversation", err);
    *out = (struct conversation){ .id = arena_strdup(arena, id),
                                  .title = sqlite_column_copy(arena, statement, 0),
                                  .created_at_ms = sqlite3_column_int64(statement, 1),
                                  .updated_at_ms = sqlite3_column_int64(statement, 2) };
    return column_json(arena, statement, 3, &out->context, err);
}

static enum err_code read_message(struct arena *arena, struct sqlite3_stmt *row,
                                  struct message *out, struct err *err)
{
    json_t *metadata;
    enum err_code r = column_json(arena, row, 3, &metadata, err);
    out->content = sqlite_column_copy(arena, row, 1);
    out->timestamp_ms = sqlite3_column_int64(row, 2);
    out->metadata = metadata;
    if (!r && !message_role_parse((const char *)sqlite3_column_text(row, 0), &out->role))
        r = err_set(err, ERR_INVALID, 0, "damaged row: unknown role");
    return r;
}

/* The last n. */
static enum err_code read_messages(struct sqlite_store *s, struct arena *arena, size_t n,
                                   struct conversation *c, struct err *err)
{
    auto_statement statement = NULL;
    enum err_code r = sqlite_prepare_for(
        s->db,
        "SELECT * FROM (SELECT role, content, timestamp_ms, metadata, number FROM messages"
        " WHERE conversation_id = ?1 ORDER BY number DESC LIMIT ?2) ORDER BY number",
        c->id, &statement, err);
    if (r)
        return r;
    sqlite3_bind_int64(statement, 2, n > INT64_MAX ? INT64_MAX : (sqlite3_int64)n);
    int step = SQLITE_DONE;
    while (!r && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (!c->n_messages)
            c->n_earlier = (size_t)sqlite3_column_int64(statement, 4);
        struct message *message = arena_push(arena, c->messages, c->n_messages, c->capacity);
        r = read_message(arena, statement, message, err);
    }
    return r || step == SQLITE_DONE ? r : sqlite_failed(s->db, "read messages", err);
}

/* Within a transaction, so that head and messages are of one moment. */
static enum err_code read_rows(struct sqlite_store *s, struct arena *arena, const char *id,
                               size_t n, struct conversation *out, struct err *err)
{
    enum err_code r = read_head(s, arena, id, out, err);
    return r ? r : read_messages(s, arena, n, out, err);
}

static enum err_code sqlite_load(struct conversation_store *base, const char *id, size_t n,
                                 struct stored_text *stored, struct err *err)
{
    struct sqlite_store *s = sqlite_store_of(base);
    AUTO(arena) arena = { 0 };
    struct conversation c;
    enum err_code r = begin(s, "BEGIN", err);
    if (r)
        return r;
    r = sqlite_end(s->db, read_rows(s, &arena, id, n, &c, err), err);
    return r ? r : conversation_print(&c, &stored->text, err);
}

/* With all messages read again and printed; ERR_LIMIT above the bound. */
static enum err_code count_bytes(struct sqlite_store *s, struct arena *arena,
                                 const struct conversation *added, size_t *out, struct err *err)
{
    AUTO(buf) whole;
    struct conversation c = { 0 };
    buf_init(&whole, s->base.max_bytes);
    enum err_code r = read_rows(s, arena, added->id, CONVERSATION_WHOLE, &c, err);
    if (!r && !conversation_join(arena, &c, added))
        r = err_set(err, ERR_INVALID, 0, "conversation %s: what is added does not follow", c.id);
    if (!r)
        r = conversation_print(&c, &whole, err);
    *out = whole.length;
    return r;
}

static enum err_code add_rows(struct sqlite_store *s, struct arena *arena,
                              const struct conversation *added, int64_t loaded_version_ms,
                              struct err *err)
{
    AUTO(buf) text;
    size_t bytes = 0;
    buf_init(&text, s->base.max_bytes);
    enum err_code r = check_version(s, added, loaded_version_ms, err);
    if (!r)
        r = read_bytes(s, added->id, &bytes, err);
    if (!r)
        r = conversation_print(added, &text, err);
    bool is_known = bytes && bytes + text.length <= s->base.max_bytes;
    bytes += text.length;
    if (!r && !is_known)
        r = count_bytes(s, arena, added, &bytes, err);
    if (!r)
        r = write_head(s, added, bytes, err);
    return r ? r : write_messages(s, added, err);
}

static enum err_code sqlite_append(struct conversation_store *base, const char *id,
                                   const char *text, size_t length, int64_t loaded_version_ms,
                                   struct err *err)
{
    (void)id;
    struct sqlite_store *s = sqlite_store_of(base);
    AUTO(arena) arena = { 0 };
    struct conversation *added;
    enum err_code r = conversation_parse(&arena, text, length, &added, err);
    if (!r)
        r = begin(s, "BEGIN IMMEDIATE", err);
    if (r)
        return r;
    return end_on_disk(s, add_rows(s, &arena, added, loaded_version_ms, err), err);
}

static enum err_code sqlite_list(struct conversation_store *base, struct arena *arena,
                                 struct conversation_summary **out, size_t *out_n, struct err *err)
{
    struct sqlite_store *s = sqlite_store_of(base);
    auto_statement statement = NULL;
    struct conversation_summary *list = NULL;
    size_t n = 0, capacity = 0;
    int step;
    enum err_code r = open_store(s, err);
    if (!r)
        r = sqlite_prepare(
            s->db,
            "SELECT id, title, created_at_ms, updated_at_ms,"
            " (SELECT count(*) FROM messages WHERE conversation_id = id),"
            " (SELECT content FROM messages WHERE conversation_id = id AND role = 'user'"
            "  ORDER BY number LIMIT 1),"
            " (SELECT content FROM messages WHERE conversation_id = id AND role = 'user'"
            "  ORDER BY number DESC LIMIT 1),"
            " context FROM conversations ORDER BY updated_at_ms DESC LIMIT ?1",
            &statement, err);
    if (r)
        return r;
    sqlite3_bind_int(statement, 1, CONVERSATIONS_MAX_LISTED);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct conversation_row row = {
            .id = (const char *)sqlite3_column_text(statement, 0),
            .title = (const char *)sqlite3_column_text(statement, 1),
            .created_at_ms = sqlite3_column_int64(statement, 2),
            .updated_at_ms = sqlite3_column_int64(statement, 3),
            .n_messages = (size_t)sqlite3_column_int64(statement, 4),
            .first_request = (const char *)sqlite3_column_text(statement, 5),
            .last_request = (const char *)sqlite3_column_text(statement, 6),
            .context = (const char *)sqlite3_column_text(statement, 7),
        };
        *arena_push(arena, list, n, capacity) = conversation_summarise_row(arena, &row, s->file);
    }
    if (step != SQLITE_DONE)
        return sqlite_failed(s->db, "list conversations", err);
    *out = list;
    *out_n = n;
    return ERR_NONE;
}

static enum err_code sqlite_remove(struct conversation_store *base, const char *id, struct err *err)
{
    struct sqlite_store *s = sqlite_store_of(base);
    enum err_code r = begin(s, "BEGIN IMMEDIATE", err);
    if (r)
        return r;
    r = run_with_id(s, "DELETE FROM conversations WHERE id = ?1", id, err);
    if (!r && sqlite3_changes(s->db) == 0)
        r = err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", id);
    return end_on_disk(s, r, err);
}

static void sqlite_destroy(struct conversation_store *base)
{
    struct sqlite_store *s = sqlite_store_of(base);
    sqlite3_close(s->db);
    free(s->file);
    free(s->migrations);
    free(s);
}

static const struct conversation_store_ops sqlite_ops = {
    .save = sqlite_save,
    .append = sqlite_append,
    .load = sqlite_load,
    .list = sqlite_list,
    .remove = sqlite_remove,
    .destroy = sqlite_destroy,
};

struct conversation_repository *sqlite_conversation_repository_create(
    struct uv_runtime *runtime, const char *file, const struct settings *settings,
    struct assets *assets)
{
    struct sqlite_store *s = calloc(1, sizeof *s);
    char *path = strdup(file);
    if (!s || !path)
        abort();
    s->base.ops = &sqlite_ops;
    s->base.max_bytes = (size_t)settings->storage_max_conversation_bytes;
    s->file = path;
    s->base.place = path;
    s->migrations = sqlite_migrations(assets, "data/migrations/conversations.sql");
    return conversation_jobs_create(runtime, NULL, &s->base);
}
