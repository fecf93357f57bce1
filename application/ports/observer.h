/* Watches a run as it happens: a terminal, `--events`, a test. */
#ifndef APPLICATION_PORTS_OBSERVER_H
#define APPLICATION_PORTS_OBSERVER_H

#include "domain/entities/event.h"

struct observer;

struct observer_ops {
    /* Must not wait. The event is borrowed. */
    void (*observe)(struct observer *o, const struct event *event);
};

struct observer {
    const struct observer_ops *ops;
};

static inline void observer_observe(struct observer *o, const struct event *event)
{
    o->ops->observe(o, event);
}

#endif
