#include "tests/support/fakes/fake_run_repository.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct fake_run_repository *fake_of(struct run_repository *r)
{
    return (struct fake_run_repository *)r;
}

static void fake_begin(struct run_repository *r, const struct run *run)
{
    struct fake_run_repository *f = fake_of(r);
    struct run *kept = arena_push(&f->arena, f->runs, f->n_runs, f->runs_capacity);
    *kept = *run;
    kept->id = arena_strdup(&f->arena, run->id);
    kept->kind = arena_strdup(&f->arena, run->kind);
    kept->session_id = arena_strdup(&f->arena, run->session_id);
    kept->title = arena_strdup(&f->arena, run->title);
    kept->meta = arena_keep_json(&f->arena, json_deep_copy(run->meta));
}

static void fake_append(struct run_repository *r, const struct event *event)
{
    struct fake_run_repository *f = fake_of(r);
    struct event *kept = arena_push(&f->arena, f->events, f->n_events, f->events_capacity);
    *kept = *event;
    kept->run_id = arena_strdup(&f->arena, event->run_id);
    kept->data = arena_keep_json(&f->arena, json_deep_copy(event->data));
}

static void fake_finish(struct run_repository *r, const struct run *run)
{
    struct fake_run_repository *f = fake_of(r);
    for (size_t i = 0; i < f->n_runs; i++) {
        if (!text_equal(f->runs[i].id, run->id))
            continue;
        f->runs[i].status = run->status;
        f->runs[i].finished_at_ms = run->finished_at_ms;
        f->runs[i].stats = arena_keep_json(&f->arena, json_deep_copy(run->stats));
    }
}

static enum err_code fake_sync(struct run_repository *r, struct scope *sc, struct err *err)
{
    struct fake_run_repository *f = fake_of(r);
    size_t n_events = f->n_events;
    if (f->on_sync)
        f->on_sync(f->context, sc);
    enum err_code code = f->next_sync;
    f->next_sync = ERR_NONE;
    f->n_syncs++;
    if (code)
        return err_set(err, code, 0, "run log: refused by the test");
    if (f->n_synced < n_events)
        f->n_synced = n_events;
    return ERR_NONE;
}

static uint64_t last_number(const struct fake_run_repository *f, const char *id)
{
    uint64_t last = 0;
    for (size_t i = 0; i < f->n_events; i++)
        if (text_equal(f->events[i].run_id, id) && f->events[i].number > last)
            last = f->events[i].number;
    return last;
}

static struct run copy_run(const struct fake_run_repository *f, const struct run *run,
                           struct arena *arena)
{
    struct run copy = *run;
    copy.id = arena_strdup(arena, run->id);
    copy.kind = arena_strdup(arena, run->kind);
    copy.session_id = arena_strdup(arena, run->session_id);
    copy.title = arena_strdup(arena, run->title);
    copy.meta = arena_keep_json(arena, json_deep_copy(run->meta));
    copy.stats = arena_keep_json(arena, json_deep_copy(run->stats));
    copy.n_events = last_number(f, run->id);
    return copy;
}

static int newest_first(const void *a, const void *b)
{
    const struct run *left = a, *right = b;
    if (left->started_at_ms != right->started_at_ms)
        return left->started_at_ms < right->started_at_ms ? 1 : -1;
    return strcmp(right->id, left->id);
}

static bool has_words(const char *title, const char *words)
{
    while (title && *title && strncasecmp(title, words, strlen(words)) != 0)
        title++;
    return title && *title;
}

static bool came_to_nothing(const struct run *run)
{
    return run->status == RUN_FAILED || run->status == RUN_CANCELLED || run->status == RUN_LIMIT;
}

static bool may_wait(const struct fake_run_repository *f, const struct run *run)
{
    bool waits = run->status == RUN_RUNNING || run->status == RUN_NEEDS_ANSWER;
    for (size_t i = 0; run->status == RUN_NEEDS_ANSWER && run->session_id && i < f->n_runs; i++)
        waits &= !text_equal(f->runs[i].session_id, run->session_id) ||
                 came_to_nothing(&f->runs[i]) || newest_first(&f->runs[i], run) >= 0;
    for (size_t i = 0; run->status == RUN_REFUSED && i < f->n_events; i++)
        waits |=
            f->events[i].kind == EVENT_APPROVAL_ASKED && strcmp(f->events[i].run_id, run->id) == 0;
    return waits;
}

static bool is_in_range(const struct fake_run_repository *f, const struct run_range *range,
                        const struct run *run)
{
    return (!range->before || newest_first(range->before, run) < 0) &&
           (!range->may_wait || may_wait(f, run)) &&
           (!range->statuses || range->statuses & 1U << run->status) &&
           (!range->kind || text_equal(range->kind, run->kind)) &&
           (!range->session_id || text_equal(range->session_id, run->session_id)) &&
           (!range->words || has_words(run->title, range->words));
}

static enum err_code fake_list(struct run_repository *r, struct scope *sc,
                               const struct run_range *range, struct arena *arena, struct run **out,
                               size_t *out_n, struct err *err)
{
    (void)sc, (void)err;
    struct fake_run_repository *f = fake_of(r);
    struct run *list = arena_array(arena, struct run, f->n_runs + 1);
    size_t n = 0;
    for (size_t i = 0; i < f->n_runs; i++)
        if (f->runs[i].id && is_in_range(f, range, &f->runs[i]))
            list[n++] = copy_run(f, &f->runs[i], arena);
    qsort(list, n, sizeof *list, newest_first);
    *out_n = n < range->max ? n : range->max;
    *out = list;
    return ERR_NONE;
}

static enum err_code fake_get(struct run_repository *r, struct scope *sc, const char *id,
                              struct arena *arena, struct run **out, struct err *err)
{
    (void)sc;
    struct fake_run_repository *f = fake_of(r);
    const struct run *found = NULL;
    const char *ids[20], *newest = "";
    size_t n = 0;
    for (size_t i = 0; i < f->n_runs; i++)
        if (f->runs[i].id && strcmp(f->runs[i].id, newest) > 0)
            newest = f->runs[i].id;
    id = text_equal(id, RUN_LATEST) ? newest : id;
    for (size_t i = 0; i < f->n_runs; i++) {
        const char *candidate = f->runs[i].id;
        if (!candidate || !text_starts_with(candidate, id))
            continue;
        bool exact = text_equal(candidate, id);
        if (!*id)
            continue;
        found = &f->runs[i];
        ids[n < ARRAY_LENGTH(ids) ? n : 0] = candidate;
        n = exact ? 1 : n + 1;
        if (exact)
            break;
    }
    if (!n)
        return err_set(err, ERR_NOT_FOUND, 0, "no run \"%s\"", id);
    if (n > 1)
        return err_ambiguous(err, "runs", id, ids, n < ARRAY_LENGTH(ids) ? n : ARRAY_LENGTH(ids));
    *out = arena_new(arena, struct run);
    **out = copy_run(f, found, arena);
    return ERR_NONE;
}

static int by_number(const void *a, const void *b)
{
    const struct event *left = a, *right = b;
    return left->number < right->number ? -1 : left->number > right->number;
}

static enum err_code fake_events(struct run_repository *r, struct scope *sc,
                                 const struct event_range *range, struct arena *arena,
                                 struct event **out, size_t *out_n, struct err *err)
{
    (void)sc, (void)err;
    struct fake_run_repository *f = fake_of(r);
    struct event *list = arena_array(arena, struct event, f->n_events + 1);
    size_t n = 0;
    for (size_t i = 0; i < f->n_events; i++) {
        const struct event *event = &f->events[i];
        bool is_of_kind = range->n_kinds == 0;
        for (size_t k = 0; k < range->n_kinds; k++)
            is_of_kind |= range->kinds[k] == event->kind;
        if (!is_of_kind || !text_equal(event->run_id, range->run_id) ||
            event->number <= range->after)
            continue;
        list[n] = *event;
        list[n].run_id = arena_strdup(arena, event->run_id);
        list[n++].data = arena_keep_json(arena, json_deep_copy(event->data));
    }
    qsort(list, n, sizeof *list, by_number);
    *out = list;
    *out_n = n < range->max ? n : range->max;
    return ERR_NONE;
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static enum err_code fake_median_ms(struct run_repository *r, struct scope *sc, const char *tool,
                                    int64_t *out_ms, struct err *err)
{
    (void)sc, (void)err;
    struct fake_run_repository *f = fake_of(r);
    int64_t durations[RUN_MEDIAN_CALLS];
    size_t n = 0;
    for (size_t i = f->n_events; i > 0 && n < RUN_MEDIAN_CALLS; i--) {
        const json_t *data = f->events[i - 1].data;
        if (f->events[i - 1].kind == EVENT_TOOL_RESULT &&
            text_equal(json_get_string(data, "tool"), tool) &&
            !json_get_bool(data, "is_error", true))
            durations[n++] = json_get_int(data, "duration_ms", 0);
    }
    qsort(durations, n, sizeof *durations, by_value);
    *out_ms = n ? durations[n / 2] : -1;
    return ERR_NONE;
}

static void remove_run(struct fake_run_repository *f, struct run *run)
{
    for (size_t i = 0; i < f->n_events; i++)
        if (text_equal(f->events[i].run_id, run->id))
            f->events[i].run_id = NULL;
    run->id = NULL;
}

static enum err_code fake_prune(struct run_repository *r, struct scope *sc,
                                const struct run_retention *keep, int64_t now_ms,
                                size_t *out_removed, struct err *err)
{
    (void)sc, (void)err;
    struct fake_run_repository *f = fake_of(r);
    size_t removed = 0;
    for (size_t i = 0; i < f->n_runs && keep->keep_ms > 0; i++) {
        struct run *run = &f->runs[i];
        int64_t ended = run->finished_at_ms ? run->finished_at_ms : run->started_at_ms;
        bool is_spared = run->id && keep->spared && strcmp(run->id, keep->spared) == 0;
        if (!run->id || is_spared || ended >= now_ms - keep->keep_ms ||
            (keep->max_runs && removed >= keep->max_runs))
            continue;
        remove_run(f, run);
        removed++;
    }
    *out_removed = removed;
    return ERR_NONE;
}

static void fake_destroy(struct run_repository *r)
{
    fake_run_repository_finish(fake_of(r));
    free(r);
}

static const struct run_repository_ops fake_ops = {
    .begin = fake_begin,
    .append = fake_append,
    .finish = fake_finish,
    .sync = fake_sync,
    .list = fake_list,
    .get = fake_get,
    .events = fake_events,
    .median_ms = fake_median_ms,
    .prune = fake_prune,
    .destroy = fake_destroy,
};

void fake_run_repository_init(struct fake_run_repository *fake)
{
    *fake = (struct fake_run_repository){ .base = { &fake_ops } };
}

void fake_run_repository_finish(struct fake_run_repository *fake)
{
    arena_finish(&fake->arena);
}

struct run_repository *fake_run_repository_create(void)
{
    struct fake_run_repository *fake = calloc(1, sizeof *fake);
    if (!fake)
        abort();
    fake_run_repository_init(fake);
    return &fake->base;
}

const struct event *fake_run_repository_event(const struct fake_run_repository *fake,
                                              enum event_kind kind, size_t n)
{
    for (size_t i = 0; i < fake->n_events; i++)
        if (fake->events[i].kind == kind && n-- == 0)
            return &fake->events[i];
    return NULL;
}
