/* What the parts of run_queue_contract.h share: two processes at one queue, inside a task, and the
 * steps that most tests are made of. Private to them. */
#ifndef TESTS_SUPPORT_FULL_CONTRACTS_RUN_QUEUE_FIXTURE_H
#define TESTS_SUPPORT_FULL_CONTRACTS_RUN_QUEUE_FIXTURE_H

#include "domain/base/text.h"
#include "domain/repositories/run_queue.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/contracts/run_queue_contract.h"
#include <stdio.h>
#include <string.h>

#define HOUR_MS INT64_C(3600000)

extern struct queue_subject *queue_under_test;

/* One body of a test, inside a task, with two processes. */
struct fixture {
    struct run_queue *queue, *other;
    void (*body)(struct fixture *f);
    struct scope *scope;
    struct arena arena;
    struct err err;
    bool is_wrong;
};

/* Within a task nothing may jump out of it. */
#define CHECK(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #claim, f->err.message);       \
            f->is_wrong = true;                                                                    \
        }                                                                                          \
    } while (0)

static inline enum err_code run_body(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct fixture *f = argument;
    f->scope = scope;
    f->body(f);
    return ERR_NONE;
}

static inline void in_task(void (*body)(struct fixture *f))
{
    struct repository_subject *s = &queue_under_test->base;
    struct fixture f = { .body = body };
    f.queue = s->open(s);
    f.other = s->open(s);
    assert_int_equal(s->run(s, run_body, &f), ERR_NONE);
    run_queue_destroy(f.queue);
    run_queue_destroy(f.other);
    s->close(s);
    arena_finish(&f.arena);
    assert_false(f.is_wrong);
}

static const char *const both_servers[] = { "files", "shop" };
static const struct queue_worker ann = {
    .name = "ann:1", .queue = "q", .servers = both_servers, .n_servers = 2, .jobs = 4
};
static const struct queue_worker bob = {
    .name = "bob:2", .queue = "q", .servers = both_servers, .n_servers = 2, .jobs = 4
};

static inline struct queued_run run_named(const char *id)
{
    return (struct queued_run){ .run_id = id, .queue = "q" };
}

/* The id that the queue answers with. */
static inline const char *added(struct fixture *f, const struct queued_run *run)
{
    const char *id = "";
    CHECK(run_queue_add(f->queue, f->scope, run, &f->arena, &id, &f->err) == ERR_NONE);
    return id;
}

static inline void add(struct fixture *f, const char *id)
{
    const struct queued_run run = run_named(id);
    CHECK(text_equal(added(f, &run), id));
}

/* The run that the worker gets; one without an id where it gets none. */
static inline struct queued_run take(struct fixture *f, struct run_queue *queue,
                                     const struct queue_worker *worker)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_take(queue, f->scope, worker, &f->arena, &run, &f->err) == ERR_NONE);
    CHECK(!run || (run->state == QUEUE_TAKEN && run->taking));
    return run ? *run : (struct queued_run){ .run_id = "" };
}

static inline const char *taken(struct fixture *f, struct run_queue *queue,
                                const struct queue_worker *worker)
{
    return take(f, queue, worker).run_id;
}

static inline enum err_code end(struct fixture *f, struct run_queue *queue,
                                const struct queued_run *run)
{
    return run_queue_end(queue, f->scope, run, QUEUE_ENDED, "{\"answer\":\"42\"}", &f->err);
}

static inline enum err_code give_back(struct fixture *f, struct run_queue *queue,
                                      const struct queued_run *run)
{
    return run_queue_give_back(queue, f->scope, run, &f->err);
}

static inline struct queued_run found(struct fixture *f, const char *id)
{
    struct queued_run *run = NULL;
    CHECK(run_queue_find(f->other, f->scope, id, &f->arena, &run, &f->err) == ERR_NONE);
    return run ? *run : (struct queued_run){ .run_id = "" };
}

static inline struct queue_pulse beaten(struct fixture *f, struct run_queue *queue,
                                        const struct queue_worker *worker)
{
    struct queue_pulse pulse = { 0 };
    CHECK(run_queue_beat(queue, f->scope, worker, &pulse, &f->err) == ERR_NONE);
    return pulse;
}

/* The run is the next. */
static inline void die_over(struct fixture *f, const char *id)
{
    for (unsigned i = 1; i <= QUEUE_MAX_DEATHS; i++) {
        CHECK(text_equal(taken(f, f->queue, &ann), id));
        queue_under_test->lapse(queue_under_test, f->scope);
        (void)beaten(f, f->other, &bob); /* who was silent as well */
        (void)beaten(f, f->other, &bob);
        CHECK(found(f, id).n_deaths == i);
    }
}

/* run_queue_lists.c: lists, totals and what is forgotten. Returns what main returns. */
int run_run_queue_lists(void);

#endif
