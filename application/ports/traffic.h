/* What goes over the wire between mistro and a server, for people who look for a fault (-vv).
 * Without -vv nothing is reported, and it costs nothing. */
#ifndef APPLICATION_PORTS_TRAFFIC_H
#define APPLICATION_PORTS_TRAFFIC_H

#include <stddef.h>

struct traffic;

enum traffic_direction { TRAFFIC_TO_SERVER, TRAFFIC_FROM_SERVER };

struct traffic_ops {
    /* Mandatory. On the loop's stack: must not wait. The bytes are as they travel, without the end
     * of the line: they may hold secrets, and what a server sends may be anything. */
    void (*saw)(struct traffic *t, const char *server, enum traffic_direction direction,
                const char *bytes, size_t length);
};

struct traffic {
    const struct traffic_ops *ops;
};

static inline void traffic_saw(struct traffic *t, const char *server,
                               enum traffic_direction direction, const char *bytes, size_t length)
{
    t->ops->saw(t, server, direction, bytes, length);
}

#endif
