#include "infrastructure/runtime/process_places.h"
#include <stdlib.h>
#include <string.h>

#define LONG_MS (24 * 60 * 60 * INT64_C(1000))

/* In the frame of the task that waits. */
struct waiter {
    struct waiter *next;
    struct scope scope; /* its end is the news */
    bool has_place;
};

/* A name; there are as many as servers and endpoints in the settings. */
struct place {
    struct place *next;
    char *name;
    unsigned n_taken;
    struct waiter *waiters; /* in the order in which they came */
};

struct process_places {
    struct places base;
    struct runtime *runtime;
    struct place *first;
};

static struct place *find(struct process_places *places, const char *name)
{
    struct place *place = places->first;
    while (place && strcmp(place->name, name) != 0)
        place = place->next;
    if (place)
        return place;
    place = calloc(1, sizeof *place);
    char *copy = strdup(name);
    if (!place || !copy)
        abort();
    *place = (struct place){ .next = places->first, .name = copy };
    places->first = place;
    return place;
}

static void add(struct place *place, struct waiter *waiter)
{
    struct waiter **end = &place->waiters;
    while (*end)
        end = &(*end)->next;
    *end = waiter;
}

static void drop(struct place *place, const struct waiter *waiter)
{
    struct waiter **at = &place->waiters;
    while (*at && *at != waiter)
        at = &(*at)->next;
    if (*at)
        *at = waiter->next;
}

static enum err_code take(struct places *p, struct scope *scope, const char *name, unsigned most,
                          struct place **out, struct err *err)
{
    struct process_places *places = (struct process_places *)p;
    struct place *place = find(places, name);
    struct waiter waiter = { .scope = scope_child(scope, SCOPE_NO_DEADLINE) };
    enum err_code r = ERR_NONE;
    if (place->n_taken < most && !place->waiters) {
        place->n_taken++;
        *out = place;
        return ERR_NONE;
    }
    add(place, &waiter);
    while (!r && !waiter.has_place) {
        (void)!runtime_sleep(places->runtime, &waiter.scope, LONG_MS, NULL);
        r = waiter.has_place ? ERR_NONE : scope_check(scope, runtime_now_ms(places->runtime), err);
    }
    drop(place, &waiter);
    *out = r ? NULL : place;
    return r;
}

/* The place goes to who waits for it, so that nobody who comes later is before them. */
static void give_back(struct places *p, struct place *place)
{
    struct waiter *next = place->waiters;
    if (!next) {
        place->n_taken--;
        return;
    }
    next->has_place = true;
    drop(place, next);
    runtime_cancel(((struct process_places *)p)->runtime, &next->scope);
}

static void destroy(struct places *p)
{
    struct process_places *places = (struct process_places *)p;
    for (struct place *at = places->first, *next; at; at = next) {
        next = at->next;
        free(at->name);
        free(at);
    }
    free(places);
}

struct places *process_places_create(struct runtime *runtime)
{
    static const struct places_ops ops = { take, give_back, destroy };
    struct process_places *places = calloc(1, sizeof *places);
    if (!places)
        abort();
    *places = (struct process_places){ .base = { &ops }, .runtime = runtime };
    return &places->base;
}
