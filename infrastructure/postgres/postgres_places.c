/* Places that all processes on one database share. Each is an advisory lock of a session, so that
 * the server gives back the places of a process that died. Nothing tells a process that a place is
 * free: it asks again after pauses that grow. Of the tasks that want the same, one asks and the
 * others wait for their turn; whoever gives a place back leaves it to the next one of this process
 * without a query, until the process has had it for so long that others shall have a chance.
 *
 * With the connection the locks are lost. Who has a place then goes on, and gives nothing back: by
 * the session that a place has, it is known whether its lock still stands. This process does not
 * take the same place again before that is over; another one may. */
#include "domain/base/arena.h"
#include "domain/base/buf.h"
#include "infrastructure/postgres/postgres_connection.h"
#include "infrastructure/postgres/postgres_create.h"
#include "infrastructure/runtime/completion.h"
#include "infrastructure/runtime/process_places.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/runtime/worker.h"
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_PAUSE_MS = 10,
    LAST_PAUSE_MS = 500,
    KEPT_MS = 5000,   /* a place, by a process whose tasks wait for it */
    NUMBER_BYTES = 5, /* with the comma behind it */
};

struct place {
    struct place *next;
    struct bound *bound;
    unsigned number;  /* 1 to `most` */
    unsigned session; /* that has its lock */
    int64_t taken_ms; /* from the database */
    bool is_spare;    /* for the next task of this process */
};

/* A name; there are as many as servers and endpoints in the settings. */
struct bound {
    struct bound *next;
    struct postgres_places *owner;
    char *name;
    struct place *places; /* that this process has */
    unsigned n_waiting;
    struct completion *asker; /* completed when there is a spare place; NULL: nobody asks now */
    int64_t pause_ms;         /* the next one */
};

struct postgres_places {
    struct places base;
    struct uv_runtime *runtime;
    struct postgres_database *db;
    struct worker *worker; /* a wait for the server keeps no store waiting */
    struct places *turns;  /* to ask: one of each name */
    struct bound *first;
    /* By jobs only. */
    struct postgres_connection connection;
    unsigned session; /* how many there were */
};

static int64_t now_ms(const struct postgres_places *places)
{
    return runtime_now_ms(uv_runtime_port(places->runtime));
}

static struct bound *find(struct postgres_places *places, const char *name)
{
    struct bound *bound = places->first;
    while (bound && strcmp(bound->name, name) != 0)
        bound = bound->next;
    if (bound)
        return bound;
    bound = calloc(1, sizeof *bound);
    char *copy = strdup(name);
    if (!bound || !copy)
        abort();
    *bound = (struct bound){
        .next = places->first, .owner = places, .name = copy, .pause_ms = FIRST_PAUSE_MS
    };
    places->first = bound;
    return bound;
}

static struct place *find_spare(const struct bound *bound)
{
    struct place *place = bound->places;
    while (place && !place->is_spare)
        place = place->next;
    return place;
}

static bool has_lock(struct postgres_places *places, unsigned session)
{
    return session == places->session && postgres_connection_stands(&places->connection);
}

/* The server asks the network whether the process is still there: of a machine that is gone it
 * would else keep the places for hours. */
static enum err_code connect_if_lost(struct postgres_places *places, struct err *err)
{
    struct postgres_connection *c = &places->connection;
    const struct postgres_statement keepalives = {
        .sql = "SELECT set_config('tcp_keepalives_idle', '15', false),"
               " set_config('tcp_keepalives_interval', '5', false),"
               " set_config('tcp_keepalives_count', '3', false)",
        .only_reads = true,
    };
    if (postgres_connection_stands(c))
        return ERR_NONE;
    postgres_connection_close(c);
    places->session++;
    enum err_code r = libpq_get(&c->pq, err);
    if (!r)
        r = postgres_connect(places->db, &c->pg, err);
    return r ? r : postgres_connection_send(c, &keepalives, 1, NULL, err);
}

#define KEY_OF(number) POSTGRES_PLACES_LOCK ", hashtext($1::text || ' ' || " number ")"

static void release_job(void *argument)
{
    const struct place *place = argument;
    struct postgres_places *places = place->bound->owner;
    AUTO(arena) arena = { 0 };
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT pg_advisory_unlock(" KEY_OF("$2") ")", place->bound->name,
                           postgres_number(&arena, place->number));
    if (has_lock(places, place->session) &&
        postgres_connection_send(&places->connection, &statement, 1, NULL, NULL))
        postgres_connection_close(&places->connection); /* or nobody would get that place again */
}

/* Nobody waits until the database knows of it. */
static void release(struct place *place)
{
    struct place **at = &place->bound->places;
    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    worker_post(place->bound->owner->worker, release_job, free, place);
}

struct question {
    struct postgres_places *places;
    const char *name, *most, *in_use; /* numbers of places that are not asked for */
    unsigned number, session;         /* a spare place, then the one that was got; 0: none */
};

/* Each lock is tried in turn until one is got; CASE keeps those from being tried that this session
 * has, of which the server would give it any number. */
static enum err_code ask_job(void *argument, struct err *err)
{
    struct question *question = argument;
    struct postgres_places *places = question->places;
    auto_result result = NULL;
    const struct postgres_statement statement =
        POSTGRES_STATEMENT("SELECT number FROM generate_series(1, $2::integer) number"
                           " WHERE CASE WHEN number = ANY ($3::integer[]) THEN false"
                           " ELSE pg_try_advisory_lock(" KEY_OF("number") ") END LIMIT 1",
                           question->name, question->most, question->in_use);
    if (question->number && has_lock(places, question->session))
        return ERR_NONE;
    question->number = 0;
    enum err_code r = connect_if_lost(places, err);
    if (!r)
        r = postgres_connection_send(&places->connection, &statement, 1, &result, err);
    if (r)
        return err_prefix(err, r, "places of %s", question->name);
    if (postgres_n_rows(result)) {
        question->number = (unsigned)postgres_integer(result, 0, 0);
        question->session = places->session;
    }
    return ERR_NONE;
}

static const char *numbers_in_use(struct arena *arena, const struct bound *bound,
                                  const struct place *spare)
{
    AUTO(buf) text;
    bool fits = true;
    buf_init(&text, NUMBER_BYTES * PLACES_MAX + 2);
    fits = buf_puts(&text, "{");
    for (const struct place *place = bound->places; fits && place; place = place->next)
        if (place != spare)
            fits = buf_printf(&text, "%s%u", text.length > 1 ? "," : "", place->number);
    if (!fits || !buf_puts(&text, "}"))
        abort(); /* their numbers differ */
    return arena_strdup(arena, buf_string(&text));
}

static struct place *new_place(struct bound *bound)
{
    struct place *place = calloc(1, sizeof *place);
    if (!place)
        abort();
    *place =
        (struct place){ .next = bound->places, .bound = bound, .taken_ms = now_ms(bound->owner) };
    bound->pause_ms = FIRST_PAUSE_MS;
    return bound->places = place;
}

/* *out stays NULL where no place is free. */
static enum err_code ask(struct bound *bound, const struct scope *scope, unsigned most,
                         struct place **out, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct postgres_places *places = bound->owner;
    struct place *spare = find_spare(bound);
    struct question question = { places,
                                 bound->name,
                                 postgres_number(&arena, most),
                                 numbers_in_use(&arena, bound, spare),
                                 spare ? spare->number : 0,
                                 spare ? spare->session : 0 };
    enum err_code r = worker_try(places->worker, scope, ask_job, &question, err);
    if (r)
        return r;
    bool is_lost = spare && (!question.number || question.session != spare->session);
    if (is_lost)
        release(spare);
    if (!question.number)
        return ERR_NONE;
    *out = spare && !is_lost ? spare : new_place(bound);
    (*out)->number = question.number;
    (*out)->session = question.session;
    (*out)->is_spare = false;
    return ERR_NONE;
}

static enum err_code pause_asking(struct bound *bound, const struct scope *scope, struct err *err)
{
    struct postgres_places *places = bound->owner;
    int64_t until_ms = now_ms(places) + bound->pause_ms;
    bound->pause_ms = bound->pause_ms * 2 < LAST_PAUSE_MS ? bound->pause_ms * 2 : LAST_PAUSE_MS;
    (void)!completion_await_until(bound->asker, scope, &until_ms, NULL);
    *bound->asker = completion_of(places->runtime);
    return scope_check(scope, now_ms(places), err);
}

static enum err_code ask_until_free(struct bound *bound, const struct scope *scope, unsigned most,
                                    struct place **out, struct err *err)
{
    struct completion told = completion_of(bound->owner->runtime);
    enum err_code r = ERR_NONE;
    bound->asker = &told;
    while (!r && !*out) {
        r = ask(bound, scope, most, out, err);
        if (!r && !*out)
            r = pause_asking(bound, scope, err);
    }
    bound->asker = NULL;
    return r;
}

static enum err_code take(struct places *p, struct scope *scope, const char *name, unsigned most,
                          struct place **out, struct err *err)
{
    struct postgres_places *places = (struct postgres_places *)p;
    struct bound *bound = find(places, name);
    struct place *turn;
    bound->n_waiting++;
    enum err_code r = places_take(places->turns, scope, name, 1, &turn, err);
    if (!r)
        r = ask_until_free(bound, scope, most, out, err);
    places_give_back(places->turns, turn);
    bound->n_waiting--;
    for (struct place *spare; !bound->n_waiting && (spare = find_spare(bound));)
        release(spare);
    return r;
}

static void give_back(struct places *p, struct place *place)
{
    struct bound *bound = place->bound;
    if (!bound->n_waiting || now_ms((struct postgres_places *)p) - place->taken_ms >= KEPT_MS) {
        release(place);
        return;
    }
    place->is_spare = true;
    if (bound->asker)
        completion_complete(bound->asker);
}

static void destroy(struct places *p)
{
    struct postgres_places *places = (struct postgres_places *)p;
    worker_destroy(places->worker);
    postgres_connection_close(&places->connection);
    places_destroy(places->turns);
    for (struct bound *at = places->first, *next; at; at = next) {
        next = at->next;
        free(at->name);
        free(at);
    }
    free(places);
}

struct places *postgres_places_create(struct uv_runtime *runtime, struct postgres_database *db)
{
    static const struct places_ops ops = { take, give_back, destroy };
    struct postgres_places *places = calloc(1, sizeof *places);
    if (!places)
        abort();
    *places = (struct postgres_places){ .base = { &ops },
                                        .runtime = runtime,
                                        .db = db,
                                        .worker = worker_create(runtime),
                                        .turns = process_places_create(uv_runtime_port(runtime)) };
    return &places->base;
}
