/* A row for each conversation and for each message. Whether a conversation still is as it was
 * loaded, and how many bytes it has, is found out by the functions of the schema, in the
 * transaction that writes. The bytes are counted as sqlite_conversation_repository.c counts them:
 * by what is added, and anew where that passes the bound. */
#include "domain/base/json.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_database.h"
#include "infrastructure/repositories/conversation_jobs.h"
#include <stdlib.h>
#include <string.h>

struct postgres_conversations {
    struct conversation_store base;
    struct postgres_database *db;
    char *person;
};

static struct postgres_conversations *store_of(struct conversation_store *s)
{
    return (struct postgres_conversations *)s;
}

#define PUT_SQL "SELECT mistro.put_conversation($1, $2, $3, $4, $5, $6, $7, $8)"
#define EXTEND_SQL "SELECT mistro.extend_conversation($1, $2, $3, $4, $5, $6, $7, $8, $9)"

/* The statements of one transaction, in the arena. */
struct writing {
    struct postgres_conversations *s;
    struct arena *arena;
    const struct conversation *c;
    int64_t loaded_version_ms;
    struct postgres_statement *list;
    size_t n, capacity;
};

static void add_statement(struct writing *w, const char *sql, int n, const char *const *values)
{
    *arena_push(w->arena, w->list, w->n, w->capacity) =
        postgres_statement(w->arena, sql, n, values);
}

/* max_bytes: of a conversation that is extended; NULL: bytes are those of all of it. */
static void add_head(struct writing *w, size_t bytes, const char *max_bytes)
{
    const struct conversation *c = w->c;
    auto_str context = json_print(c->context);
    const char *const values[] = {
        w->s->person,
        c->id,
        postgres_number(w->arena, w->loaded_version_ms),
        c->title,
        postgres_number(w->arena, c->created_at_ms),
        postgres_number(w->arena, c->updated_at_ms),
        arena_strdup(w->arena, context),
        postgres_number(w->arena, (int64_t)bytes),
        max_bytes,
    };
    add_statement(w, max_bytes ? EXTEND_SQL : PUT_SQL, max_bytes ? 9 : 8, values);
}

static void add_messages(struct writing *w)
{
    for (size_t i = 0; i < w->c->n_messages; i++) {
        const struct message *message = &w->c->messages[i];
        auto_str metadata = json_print(message->metadata);
        const char *const values[] = { w->s->person,
                                       w->c->id,
                                       postgres_number(w->arena, (int64_t)(w->c->n_earlier + i)),
                                       message_role_name(message->role),
                                       message->content,
                                       postgres_number(w->arena, message->timestamp_ms),
                                       metadata ? arena_strdup(w->arena, metadata) : NULL };
        add_statement(w, "INSERT INTO mistro.messages VALUES ($1, $2, $3, $4, $5, $6, $7)",
                      ARRAY_LENGTH(values), values);
    }
}

/* The functions of the schema say which version is stored. */
static enum err_code write_all(const struct writing *w, struct err *err)
{
    struct err why = { 0 };
    enum err_code r = postgres_write(w->s->db, w->list, w->n, &why);
    if (r == ERR_MISMATCH) {
        r = conversation_check_version(w->c->id, strtoll(why.message, NULL, 10),
                                       w->loaded_version_ms, err);
        return r ? r : err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", w->c->id);
    }
    if (r)
        *err = why;
    return r;
}

static enum err_code save(struct conversation_store *base, const char *id, const char *text,
                          size_t length, int64_t loaded_version_ms, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct conversation *c;
    enum err_code r = conversation_parse(&arena, text, length, &c, err);
    if (r)
        return r;
    struct writing w = { store_of(base), &arena, c, .loaded_version_ms = loaded_version_ms };
    add_head(&w, length, NULL);
    if (loaded_version_ms)
        add_statement(&w, "DELETE FROM mistro.messages WHERE person = $1 AND conversation_id = $2",
                      2, (const char *const[]){ w.s->person, id });
    add_messages(&w);
    return write_all(&w, err);
}

/* One statement, so that head and messages are of one moment. The head is the first row. */
static const char load_sql[] =
    "SELECT -1::bigint AS number, title, context, NULL, created_at_ms, updated_at_ms"
    " FROM mistro.conversations WHERE person = $1 AND id = $2 UNION ALL"
    " (SELECT number, role, content, metadata, timestamp_ms, NULL FROM mistro.messages"
    "  WHERE person = $1 AND conversation_id = $2 ORDER BY number DESC LIMIT $3) ORDER BY number";

static enum err_code read_message(struct arena *arena, const PGresult *rows, int row,
                                  struct message *out, struct err *err)
{
    json_t *metadata;
    enum err_code r = conversation_parse_column(arena, postgres_text(rows, row, 3), &metadata, err);
    out->content = arena_strdup(arena, postgres_text(rows, row, 2));
    out->timestamp_ms = postgres_integer(rows, row, 4);
    out->metadata = metadata;
    if (!r && !message_role_parse(postgres_text(rows, row, 1), &out->role))
        r = err_set(err, ERR_INVALID, 0, "damaged row: unknown role");
    return r;
}

static enum err_code read_rows(struct postgres_conversations *s, struct arena *arena,
                               const char *id, size_t n, struct conversation *out, struct err *err)
{
    auto_result rows = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        load_sql, s->person, id, postgres_number(arena, n > INT64_MAX ? INT64_MAX : (int64_t)n));
    statement.only_reads = true;
    enum err_code r = postgres_query(s->db, &statement, &rows, err);
    if (r)
        return r;
    if (!postgres_n_rows(rows) || postgres_integer(rows, 0, 0) != -1)
        return err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", id);
    *out = (struct conversation){ .id = arena_strdup(arena, id),
                                  .title = arena_strdup(arena, postgres_text(rows, 0, 1)),
                                  .created_at_ms = postgres_integer(rows, 0, 4),
                                  .updated_at_ms = postgres_integer(rows, 0, 5) };
    r = conversation_parse_column(arena, postgres_text(rows, 0, 2), &out->context, err);
    if (postgres_n_rows(rows) > 1)
        out->n_earlier = (size_t)postgres_integer(rows, 1, 0);
    for (int row = 1; !r && row < postgres_n_rows(rows); row++)
        r = read_message(arena, rows, row,
                         arena_push(arena, out->messages, out->n_messages, out->capacity), err);
    return r;
}

static enum err_code load(struct conversation_store *base, const char *id, size_t n,
                          struct stored_text *stored, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct conversation c;
    enum err_code r = read_rows(store_of(base), &arena, id, n, &c, err);
    return r ? r : conversation_print(&c, &stored->text, err);
}

/* With all messages read again and printed; ERR_LIMIT above the bound. */
static enum err_code count_bytes(const struct writing *w, size_t *out, struct err *err)
{
    AUTO(buf) whole;
    struct conversation c = { 0 };
    buf_init(&whole, w->s->base.max_bytes);
    enum err_code r = read_rows(w->s, w->arena, w->c->id, CONVERSATION_WHOLE, &c, err);
    if (!r && !conversation_join(w->arena, &c, w->c))
        r = err_set(err, ERR_INVALID, 0, "conversation %s: what is added does not follow", c.id);
    if (!r)
        r = conversation_print(&c, &whole, err);
    *out = whole.length;
    return r;
}

static enum err_code append(struct conversation_store *base, const char *id, const char *text,
                            size_t length, int64_t loaded_version_ms, struct err *err)
{
    (void)id;
    AUTO(arena) arena = { 0 };
    AUTO(buf) added;
    struct conversation *c;
    size_t bytes;
    buf_init(&added, base->max_bytes);
    enum err_code r = conversation_parse(&arena, text, length, &c, err);
    if (!r)
        r = conversation_print(c, &added, err);
    if (r)
        return r;
    struct writing w = { store_of(base), &arena, c, .loaded_version_ms = loaded_version_ms };
    add_head(&w, added.length, postgres_number(&arena, (int64_t)base->max_bytes));
    add_messages(&w);
    r = write_all(&w, err);
    if (r != ERR_LIMIT)
        return r;
    r = count_bytes(&w, &bytes, err);
    if (r)
        return r;
    w.n = 0;
    add_head(&w, bytes, NULL);
    add_messages(&w);
    return write_all(&w, err);
}

/* Of what was said, as much as a line of a listing may have room for. */
static const char list_sql[] =
    "SELECT id, title, created_at_ms, updated_at_ms, (SELECT count(*) FROM mistro.messages"
    " WHERE person = $1 AND conversation_id = id),"
    " (SELECT left(content, 1000) FROM mistro.messages WHERE person = $1"
    "  AND conversation_id = id AND role = 'user' ORDER BY number LIMIT 1),"
    " (SELECT left(content, 1000) FROM mistro.messages WHERE person = $1"
    "  AND conversation_id = id AND role = 'user' ORDER BY number DESC LIMIT 1), context"
    " FROM mistro.conversations WHERE person = $1 ORDER BY updated_at_ms DESC LIMIT $2";

static enum err_code list(struct conversation_store *base, struct arena *arena,
                          struct conversation_summary **out, size_t *out_n, struct err *err)
{
    struct postgres_conversations *s = store_of(base);
    auto_result rows = NULL;
    struct postgres_statement statement =
        POSTGRES_STATEMENT(list_sql, s->person, postgres_number(arena, CONVERSATIONS_MAX_LISTED));
    statement.only_reads = true;
    enum err_code r = postgres_query(s->db, &statement, &rows, err);
    if (r)
        return r;
    size_t n = (size_t)postgres_n_rows(rows);
    *out = arena_array(arena, struct conversation_summary, n + 1);
    for (size_t i = 0; i < n; i++) {
        int at = (int)i;
        const struct conversation_row row = {
            .id = postgres_text(rows, at, 0),
            .title = postgres_text(rows, at, 1),
            .created_at_ms = postgres_integer(rows, at, 2),
            .updated_at_ms = postgres_integer(rows, at, 3),
            .n_messages = (size_t)postgres_integer(rows, at, 4),
            .first_request = postgres_text(rows, at, 5),
            .last_request = postgres_text(rows, at, 6),
            .context = postgres_text(rows, at, 7),
        };
        (*out)[i] = conversation_summarise_row(arena, &row, base->place);
    }
    *out_n = n;
    return ERR_NONE;
}

static enum err_code remove_one(struct conversation_store *base, const char *id, struct err *err)
{
    struct postgres_conversations *s = store_of(base);
    auto_result result = NULL;
    const struct postgres_statement statement = POSTGRES_STATEMENT(
        "DELETE FROM mistro.conversations WHERE person = $1 AND id = $2", s->person, id);
    enum err_code r = postgres_query(s->db, &statement, &result, err);
    if (!r && !postgres_n_changed(result))
        r = err_set(err, ERR_NOT_FOUND, 0, "no conversation %s", id);
    return r;
}

static void destroy(struct conversation_store *base)
{
    struct postgres_conversations *s = store_of(base);
    free(s->person);
    free(s);
}

static const struct conversation_store_ops ops = {
    .save = save,
    .append = append,
    .load = load,
    .list = list,
    .remove = remove_one,
    .destroy = destroy,
};

struct conversation_repository *postgres_conversations_create(struct uv_runtime *runtime,
                                                              struct postgres_database *db,
                                                              const char *person,
                                                              const struct settings *settings)
{
    struct postgres_conversations *s = calloc(1, sizeof *s);
    char *copy = strdup(person);
    if (!s || !copy)
        abort();
    s->base.ops = &ops;
    s->base.place = "PostgreSQL";
    s->base.max_bytes = (size_t)settings->storage_max_conversation_bytes;
    s->db = db;
    s->person = copy;
    return conversation_jobs_create(runtime, postgres_database_worker(db), &s->base);
}
