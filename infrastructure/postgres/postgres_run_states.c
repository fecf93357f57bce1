/* The states of runs in tables of all persons and processes. Each transaction that writes one
 * begins with mistro.hold, which fails where the run was taken away.
 *
 * So no call is made twice that may not be. Its intent is committed before it is sent, by whoever
 * has the run then. Whoever takes the run over has waited for that transaction, finds the intent,
 * and does not send it again, whatever the former owner does afterwards. A commit that failed, or
 * whose answer was lost, is followed by no call: the most that it leaves is an intent that was
 * never sent, of which a person is asked. */
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/postgres/postgres_process.h"
#include "infrastructure/repositories/buffered_run_states.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

struct postgres_run_states {
    struct buffered_run_states buffered;
    struct postgres_process *process;
    char *person;
};

struct kept_state {
    struct postgres_run_states *states;
    struct postgres_database *db;
    char *run_id;
    int64_t fence; /* of the claim, once it is open */
};

static struct postgres_run_states *states_of(struct run_states *s)
{
    return (struct postgres_run_states *)s;
}

static struct worker *worker_of(struct buffered_run_states *s)
{
    return postgres_database_worker(postgres_process_database(states_of(&s->base)->process));
}

struct claiming {
    struct postgres_run_states *states;
    const char *run_id;
    struct postgres_holding *holding;
};

static enum err_code claim_job(void *argument, struct err *err)
{
    struct claiming *claiming = argument;
    return postgres_process_claim(claiming->states->process, claiming->states->person,
                                  claiming->run_id, &claiming->holding, err);
}

static enum err_code claim(struct run_states *s, struct scope *scope, const char *run_id,
                           struct run_claim **out, struct err *err)
{
    struct postgres_run_states *states = states_of(s);
    struct claiming claiming = { .states = states, .run_id = run_id };
    enum err_code r = worker_try(worker_of(&states->buffered), scope, claim_job, &claiming, err);
    postgres_process_keep(states->process);
    *out = (struct run_claim *)claiming.holding;
    return r;
}

static void release_job(void *argument)
{
    struct claiming *claiming = argument;
    postgres_process_release(claiming->states->process, claiming->holding);
}

static void release(struct run_states *s, struct run_claim *claim)
{
    struct postgres_run_states *states = states_of(s);
    struct scope unbounded = { .deadline_ms = SCOPE_NO_DEADLINE };
    struct claiming claiming = { .states = states, .holding = (struct postgres_holding *)claim };
    (void)!worker_run(worker_of(&states->buffered), &unbounded, release_job, &claiming, NULL);
}

static enum err_code is_owned(struct run_states *s, struct scope *scope, const char *run_id,
                              bool *out, struct err *err)
{
    const struct postgres_run_states *states = states_of(s);
    auto_result rows = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT FROM mistro.leases WHERE person = $1 AND run_id = $2 AND mistro.is_alive(process)",
        states->person, run_id);
    statement.only_reads = true;
    enum err_code r =
        postgres_ask(postgres_process_database(states->process), scope, &statement, &rows, err);
    *out = !r && postgres_n_rows(rows) > 0;
    return r;
}

static void *make(struct buffered_run_states *s, const char *run_id)
{
    struct kept_state *kept = calloc(1, sizeof *kept);
    if (!kept || !(kept->run_id = strdup(run_id)))
        abort();
    kept->states = states_of(&s->base);
    kept->db = postgres_process_database(kept->states->process);
    return kept;
}

static void discard(void *argument)
{
    struct kept_state *kept = argument;
    free(kept->run_id);
    free(kept);
}

/* The statements of one transaction, in the arena. */
struct writing {
    const struct kept_state *kept;
    struct arena *arena;
    struct postgres_statement *list;
    size_t n, capacity;
};

/* The first two values of every statement are person and run. */
static struct postgres_statement *add(struct writing *w, const char *sql, int n,
                                      const char *const *more)
{
    const char *values[POSTGRES_MAX_VALUES] = { w->kept->states->person, w->kept->run_id };
    for (int i = 0; i < n; i++)
        values[i + 2] = more[i];
    struct postgres_statement *statement = arena_push(w->arena, w->list, w->n, w->capacity);
    *statement = postgres_statement(w->arena, sql, n + 2, values);
    /* An unanswered write is a failed one for whoever wants to make a call, which is then not made.
     */
    statement->only_reads = true;
    return statement;
}

static struct writing writing_of(const struct kept_state *kept, struct arena *arena)
{
    struct writing w = { .kept = kept, .arena = arena };
    add(&w, "SELECT mistro.hold($1, $2, $3)", 1,
        (const char *const[]){ postgres_number(arena, kept->fence) });
    return w;
}

static enum err_code send(const struct writing *w, struct err *err)
{
    return postgres_write(w->kept->db, w->list, w->n, err);
}

/* Value `at`, counted from the ones that every statement has, is sent as bytes. */
static void send_as_bytes(struct writing *w, struct postgres_statement *statement, int at,
                          size_t length)
{
    int *lengths = arena_array(w->arena, int, (size_t)statement->n);
    for (int i = 0; i < statement->n; i++)
        lengths[i] = i == at + 2 ? (int)length : -1;
    statement->lengths = lengths;
}

static void add_fact(struct writing *w, const struct run_fact *fact)
{
    struct postgres_statement *statement =
        add(w,
            "INSERT INTO mistro.facts(person, run_id, name, value) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (person, run_id, name) DO UPDATE SET value = excluded.value",
            2, (const char *const[]){ fact->name, fact->text });
    send_as_bytes(w, statement, 1, strlen(fact->text));
}

static const char put_call_sql[] =
    "INSERT INTO mistro.calls(person, run_id, path, state, attempt, tool, args, effect_id,"
    " sent_at_ms, duration_ms, result, error, task, argument)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    " ON CONFLICT (person, run_id, path) DO UPDATE SET state = excluded.state,"
    " attempt = excluded.attempt, tool = excluded.tool, args = excluded.args,"
    " effect_id = excluded.effect_id, sent_at_ms = excluded.sent_at_ms,"
    " duration_ms = excluded.duration_ms, result = excluded.result, error = excluded.error,"
    " task = excluded.task, argument = excluded.argument";

static void add_call(struct writing *w, const struct call_record *call)
{
    enum { RESULT = 8, N = 12 };
    const char *const values[N] = { call->path,
                                    call_state_name(call->state),
                                    postgres_number(w->arena, call->attempt),
                                    call->tool,
                                    call->args,
                                    call->effect_id,
                                    postgres_number(w->arena, call->sent_at_ms),
                                    postgres_number(w->arena, call->duration_ms),
                                    call->result,
                                    call->error,
                                    call->task,
                                    call->argument };
    struct postgres_statement *statement = add(w, put_call_sql, N, values);
    if (call->result)
        send_as_bytes(w, statement, RESULT, call->result_length);
}

static enum err_code write_entries(void *argument, const struct run_state_entry *entries,
                                   bool to_disk, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct writing w = writing_of(argument, &arena);
    size_t bytes = 0;
    if (!entries && !to_disk) /* every transaction is on disk, and finds out who has the run */
        return ERR_NONE;
    for (const struct run_state_entry *entry = entries; entry; entry = entry->next) {
        if (entry->fact.name)
            add_fact(&w, &entry->fact);
        else
            add_call(&w, &entry->call);
        bytes += entry->fact.name ? strlen(entry->fact.text)
                                  : strlen(entry->call.args) + entry->call.result_length;
    }
    add(&w,
        "UPDATE mistro.run_states SET changed_ms = mistro.now_ms(), bytes = bytes + $3"
        " WHERE person = $1 AND run_id = $2",
        1, (const char *const[]){ postgres_number(&arena, (int64_t)bytes) });
    enum err_code r = send(&w, err);
    return r ? err_prefix(err, r, "state of the run") : ERR_NONE;
}

/* Two digits for each byte: as encode writes them, whatever bytea_output is. */
static const char *bytes_of(struct arena *arena, const char *text, size_t *out_length)
{
    static const char digits[] = "0123456789abcdef";
    if (!text)
        return NULL;
    *out_length = strlen(text) / 2;
    char *bytes = arena_alloc(arena, *out_length + 1);
    for (size_t i = 0; i < *out_length; i++) {
        const char *pair = text + 2 * i;
        bytes[i] =
            (char)((strchr(digits, pair[0]) - digits) << 4 | (strchr(digits, pair[1]) - digits));
    }
    bytes[*out_length] = '\0';
    return bytes;
}

static enum err_code read_facts(const struct kept_state *kept, struct arena *arena,
                                struct run_contents *out, struct err *err)
{
    auto_result rows = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT name, encode(value, 'hex') FROM mistro.run_states LEFT JOIN mistro.facts"
        " USING (person, run_id) WHERE person = $1 AND run_id = $2",
        kept->states->person, kept->run_id);
    statement.only_reads = true;
    enum err_code r = postgres_query(kept->db, &statement, &rows, err);
    if (!r && !postgres_n_rows(rows))
        r = err_set(err, ERR_NOT_FOUND, 0, "no state of this run is kept");
    for (int row = 0; !r && row < postgres_n_rows(rows); row++) {
        size_t length;
        const char *name = postgres_text(rows, row, 0);
        if (name)
            *arena_push(arena, out->facts, out->n_facts, out->facts_capacity) =
                (struct run_fact){ arena_strdup(arena, name),
                                   bytes_of(arena, postgres_text(rows, row, 1), &length) };
    }
    return r;
}

static struct call_record call_of(const PGresult *rows, int row, struct arena *arena)
{
    struct call_record call = {
        .path = arena_strdup(arena, postgres_text(rows, row, 0)),
        .state = call_state_parse(postgres_text(rows, row, 1)),
        .attempt = (unsigned)postgres_integer(rows, row, 2),
        .tool = arena_strdup(arena, postgres_text(rows, row, 3)),
        .args = arena_strdup(arena, postgres_text(rows, row, 4)),
        .effect_id = arena_strdup(arena, postgres_text(rows, row, 5)),
        .sent_at_ms = postgres_integer(rows, row, 6),
        .duration_ms = postgres_integer(rows, row, 7),
        .error = arena_strdup(arena, postgres_text(rows, row, 9)),
        .task = arena_strdup(arena, postgres_text(rows, row, 10)),
        .argument = arena_strdup(arena, postgres_text(rows, row, 11)),
    };
    call.result = bytes_of(arena, postgres_text(rows, row, 8), &call.result_length);
    return call;
}

static enum err_code read_calls(const struct kept_state *kept, struct arena *arena,
                                struct run_contents *out, struct err *err)
{
    auto_result rows = NULL;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT path, state, attempt, tool, args, effect_id, sent_at_ms, duration_ms,"
        " encode(result, 'hex'), error, task, argument FROM mistro.calls"
        " WHERE person = $1 AND run_id = $2 ORDER BY number",
        kept->states->person, kept->run_id);
    statement.only_reads = true;
    enum err_code r = postgres_query(kept->db, &statement, &rows, err);
    for (int row = 0; !r && row < postgres_n_rows(rows); row++)
        *arena_push(arena, out->calls, out->n_calls, out->calls_capacity) =
            call_of(rows, row, arena);
    return r;
}

/* Nobody writes between the two reads: the run is the caller's. */
static enum err_code open_state(void *argument, bool is_new, struct arena *arena,
                                struct run_contents *out, struct err *err)
{
    struct kept_state *kept = argument;
    AUTO(arena) scratch = { 0 };
    kept->fence = postgres_process_fence(kept->states->process, kept->states->person, kept->run_id);
    if (is_new) {
        struct writing w = writing_of(kept, &scratch);
        add(&w, "INSERT INTO mistro.run_states VALUES ($1, $2, mistro.now_ms(), 0)", 0, NULL);
        return send(&w, err);
    }
    enum err_code r = read_facts(kept, arena, out, err);
    if (!r)
        r = read_calls(kept, arena, out, err);
    run_contents_index(out, arena);
    return r;
}

static const char count_sql[] =
    "UPDATE mistro.run_states SET bytes ="
    " (SELECT coalesce(sum(octet_length(value)), 0) FROM mistro.facts"
    "  WHERE person = $1 AND run_id = $2) +"
    " (SELECT coalesce(sum(octet_length(args) + coalesce(octet_length(result), 0)), 0)"
    "  FROM mistro.calls WHERE person = $1 AND run_id = $2)"
    " WHERE person = $1 AND run_id = $2";

/* A state that stays because it could not be removed is pruned when it is old. */
static void close_state(void *argument, bool remove)
{
    AUTO(arena) arena = { 0 };
    struct writing w = writing_of(argument, &arena);
    add(&w, remove ? "DELETE FROM mistro.run_states WHERE person = $1 AND run_id = $2" : count_sql,
        0, NULL);
    (void)!send(&w, NULL);
}

static enum err_code list(struct buffered_run_states *s, struct arena *arena, const char ***out_ids,
                          size_t *out_n, struct err *err)
{
    struct postgres_run_states *states = states_of(&s->base);
    auto_result rows = NULL;
    size_t capacity = 0;
    struct postgres_statement statement = POSTGRES_STATEMENT(
        "SELECT run_id FROM mistro.run_states WHERE person = $1 ORDER BY run_id DESC",
        states->person);
    statement.only_reads = true;
    *out_n = 0;
    enum err_code r =
        postgres_query(postgres_process_database(states->process), &statement, &rows, err);
    for (int row = 0; !r && row < postgres_n_rows(rows); row++)
        *arena_push(arena, *out_ids, *out_n, capacity) =
            arena_strdup(arena, postgres_text(rows, row, 0));
    return r;
}

static enum err_code prune(struct buffered_run_states *s, int64_t before_ms, int64_t max_bytes,
                           size_t max_states, size_t *out_removed, struct err *err)
{
    struct postgres_run_states *states = states_of(&s->base);
    int64_t n = 0;
    enum err_code r = postgres_process_prune(states->process, states->person, before_ms, max_bytes,
                                             (int64_t)max_states, &n, err);
    *out_removed = (size_t)n;
    return r;
}

static void destroy(struct run_states *s)
{
    struct postgres_run_states *states = states_of(s);
    free(states->person);
    free(states);
}

struct run_states *postgres_run_states_create(struct uv_runtime *runtime,
                                              struct postgres_process *process, const char *person)
{
    static const struct run_state_database_ops database = { .worker = worker_of,
                                                            .make = make,
                                                            .discard = discard,
                                                            .open = open_state,
                                                            .write = write_entries,
                                                            .close = close_state,
                                                            .list = list,
                                                            .prune = prune };
    static const struct run_states_ops ops = { .claim = claim,
                                               .release = release,
                                               .is_owned = is_owned,
                                               .create = buffered_run_states_create,
                                               .open = buffered_run_states_open,
                                               .list = buffered_run_states_list,
                                               .prune = buffered_run_states_prune,
                                               .destroy = destroy };
    struct postgres_run_states *states = calloc(1, sizeof *states);
    if (!states || !(states->person = strdup(person)))
        abort();
    states->buffered = (struct buffered_run_states){ { &ops }, runtime, &database };
    states->process = process;
    return &states->buffered.base;
}
