/* What the tests of served pages share: a visitor with a log, another person, an admin who sees
 * both, and requests that are answered at once. */
#ifndef TESTS_UNIT_PRESENTATION_WEB_PAGES_BENCH_H
#define TESTS_UNIT_PRESENTATION_WEB_PAGES_BENCH_H

#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/web/pages.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_exchange.h"
#include "tests/support/fakes/fake_run_states.h"
#include "tests/support/service_bench.h"
#include <stdio.h>
#include <stdlib.h>

#define HOSTILE "</pre></td><script>alert(1)</script><img src=x onerror=alert(1)>\"'&"
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TOOLS                                                                                      \
    "[{\"name\":\"charge\",\"description\":\"Charges the card\",\"inputSchema\":{\"type\":"        \
    "\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}},"             \
    "{\"name\":\"note\",\"inputSchema\":{\"type\":\"object\"}}]"

struct pages_bench {
    struct service_bench *own, *other;
    struct fake_run_states states;
    struct visitor visitor, neighbour, admin;
    struct visitors visitors;
    size_t held;           /* services */
    size_t n_crowd;        /* persons p0000, p0001, … in place of bob */
    size_t most_looked_at; /* persons whose services a page had at the same time */
    enum err_code identify_fails;
    const char *unreadable; /* who cannot have services now */
    struct pages *pages;
    struct fake_exchange x;
    struct arena arena;
};

static inline enum err_code bench_identify(void *context, struct scope *scope, const char *token,
                                           struct visitor *out, bool *out_known, struct err *err)
{
    struct pages_bench *bench = context;
    (void)scope;
    *out_known = false;
    if (bench->identify_fails)
        return err_set(err, bench->identify_fails, 0, "refused by the test");
    *out_known = token && strcmp(token, "right-token") == 0;
    *out = bench->visitor;
    bench->held += *out_known;
    return ERR_NONE;
}

static inline enum err_code bench_names(void *context, struct scope *scope, struct arena *arena,
                                        const char ***out, size_t *out_n, struct err *err)
{
    struct pages_bench *bench = context;
    (void)scope;
    (void)err;
    size_t n = 1;
    *out = arena_array(arena, const char *, bench->n_crowd + 2);
    (*out)[0] = bench->visitor.name;
    if (!bench->n_crowd)
        (*out)[n++] = bench->neighbour.name;
    for (size_t i = 0; i < bench->n_crowd; i++)
        (*out)[n++] = arena_printf(arena, "p%04zu", i);
    *out_n = n;
    return ERR_NONE;
}

/* A run in a log that began so long ago. */
static inline void log_run(struct service_bench *of, struct run run, int64_t age_ms)
{
    enum run_status status = run.status;
    struct run_repository *log = &of->services.runs.base;
    run.started_at_ms = IMMEDIATE_WALL_START_MS - age_ms;
    run.status = RUN_RUNNING;
    run.kind = run.kind ? run.kind : "run";
    run_repository_begin(log, &run);
    if (status == RUN_RUNNING)
        return;
    run.status = status;
    run.finished_at_ms = run.started_at_ms + 1500;
    run_repository_finish(log, &run);
}

#define CROWD_RUNS 3 /* of each in the crowd */

/* One log serves for the whole crowd: it becomes that of whoever is looked at. */
static inline void log_as(struct pages_bench *bench, const char *name)
{
    struct fake_run_repository *log = &bench->other->services.runs;
    int person = atoi(name + 1);
    fake_run_repository_finish(log);
    fake_run_repository_init(log);
    for (int i = 0; i < CROWD_RUNS; i++) {
        char id[32];
        snprintf(id, sizeof id, "%s-%d", name, i);
        log_run(bench->other, (struct run){ .id = id, .title = id, .status = RUN_COMPLETED },
                (int64_t)i * 100000 + person);
    }
}

static inline enum err_code bench_services_of(void *context, const char *name,
                                              struct services **out, struct err *err)
{
    struct pages_bench *bench = context;
    if (text_equal(name, bench->unreadable))
        return err_hint(err, err_set(err, ERR_LIMIT, 0, "96 persons have something running"),
                        "try again");
    *out = text_equal(name, "ada") ? bench->visitor.services : bench->neighbour.services;
    if (name[0] == 'p')
        log_as(bench, name);
    bench->held++;
    bench->most_looked_at =
        bench->held > bench->most_looked_at ? bench->held : bench->most_looked_at;
    return ERR_NONE;
}

static inline void bench_hold(void *context, struct services *services)
{
    struct pages_bench *bench = context;
    (void)services;
    bench->held++;
}

static inline void bench_release(void *context, struct services *services)
{
    struct pages_bench *bench = context;
    (void)services;
    bench->held--;
}

static inline int set_up(void **state)
{
    struct pages_bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->own = service_bench_create("shop", TOOLS);
    bench->other = service_bench_create("shop", TOOLS);
    fake_run_states_init(&bench->states);
    struct services *services = &bench->own->services.base;
    services->run_states = &bench->states.base;
    bench->visitor = (struct visitor){ "ada", false, services };
    bench->neighbour = (struct visitor){ "bob", false, &bench->other->services.base };
    bench->admin = (struct visitor){ "eve", true, services };
    const struct pages_options options = { .runtime = &bench->own->runtime.port,
                                           .scope = &bench->own->scope,
                                           .digest = services->digest,
                                           .ids = services->ids,
                                           .visitors = &bench->visitors };
    bench->visitors = (struct visitors){ .identify = bench_identify,
                                         .names = bench_names,
                                         .services_of = bench_services_of,
                                         .hold = bench_hold,
                                         .release = bench_release,
                                         .context = bench };
    bench->pages = pages_create(&options);
    bench->own->services.ids.n = 0; /* runs are counted from one */
    fake_exchange_init(&bench->x, "GET", "/", NULL);
    *state = bench;
    return 0;
}

static inline int tear_down(void **state)
{
    struct pages_bench *bench = *state;
    void *own = bench->own, *other = bench->other;
    pages_destroy(bench->pages);
    assert_int_equal(bench->held, 0);
    assert_int_equal(bench->own->runtime.tasks, 0);
    fake_exchange_finish(&bench->x);
    fake_run_states_finish(&bench->states);
    arena_finish(&bench->arena);
    free(bench);
    return service_bench_tear_down(&own) + service_bench_tear_down(&other);
}

/* Answered at once; what came is in bench->x until the next request. */
static inline const char *request_as(struct pages_bench *bench, const struct visitor *visitor,
                                     const char *method, const char *path, const char *body)
{
    fake_exchange_finish(&bench->x);
    fake_exchange_init(&bench->x, method, path, body);
    bench->x.cookie = visitor ? "other=1; " PAGES_COOKIE "=right-token" : NULL;
    assert_true(pages_answer(bench->pages, &bench->own->scope, &bench->x.base, visitor));
    assert_true(bench->x.base.is_answered);
    return buf_string(&bench->x.body);
}

static inline const char *get(struct pages_bench *bench, const char *path)
{
    return request_as(bench, &bench->visitor, "GET", path, NULL);
}

/* The value of the first hidden field of that name on the last page, as it is there. */
static inline const char *hidden(struct pages_bench *bench, const char *name)
{
    const char *begin = arena_printf(&bench->arena, "name=\"%s\" value=\"", name);
    const char *at = strstr(buf_string(&bench->x.body), begin);
    if (!at)
        return NULL;
    at += strlen(begin);
    return arena_strndup(&bench->arena, at, strcspn(at, "\""));
}

/* Posts fields with the token and the event of a page that was just got. */
static inline const char *post(struct pages_bench *bench, const char *page, const char *path,
                               const char *fields)
{
    (void)get(bench, page);
    const char *csrf = hidden(bench, "csrf"), *event = hidden(bench, "event");
    const char *body = arena_printf(&bench->arena, "csrf=%s&event=%s&%s", csrf ? csrf : "",
                                    event ? event : "", fields);
    return request_as(bench, &bench->visitor, "POST", path, body);
}

static inline void has(const char *page, const char *words)
{
    if (!strstr(page, words))
        fail_msg("the page has no \"%s\":\n%s", words, page);
}

static inline void has_not(const char *page, const char *words)
{
    if (strstr(page, words))
        fail_msg("the page has \"%s\"", words);
}

/* Steals data. Numbers are those of the whole log. */
static inline void log_event(struct service_bench *of, const char *run_id, enum event_kind kind,
                             json_t *data)
{
    assert_non_null(data);
    json_auto_t *owned = data;
    struct fake_run_repository *log = &of->services.runs;
    run_repository_append(&log->base, &(struct event){ .run_id = run_id,
                                                       .number = log->n_events + 1,
                                                       .time_ms = IMMEDIATE_WALL_START_MS,
                                                       .kind = kind,
                                                       .data = owned });
}

#endif
