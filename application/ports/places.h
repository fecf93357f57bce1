/* Bounds on how much is done at once: calls of a server, requests to an endpoint. Each bound has a
 * name and so many places; whoever wants to do it takes one and gives it back. The adapter decides
 * who shares the places: the tasks of this process, or every process on one store. */
#ifndef APPLICATION_PORTS_PLACES_H
#define APPLICATION_PORTS_PLACES_H

#include "domain/base/attributes.h"
#include "domain/base/scope.h"

#define PLACES_NAME_MAX 200 /* bytes */
#define PLACES_MAX 1000     /* of one name */

struct place;
struct places;

struct places_ops {
    /* All mandatory. */
    enum err_code (*take)(struct places *p, struct scope *sc, const char *name, unsigned most,
                          struct place **out, struct err *err);
    void (*give_back)(struct places *p, struct place *place);
    void (*destroy)(struct places *p);
};

struct places {
    const struct places_ops *ops;
};

/* One of the `most` places of that name, as soon as there is one; who came first is served first
 * within a process. *out is NULL, without a wait, where nothing is bounded: most is 0, or p is
 * NULL. ERR_UNAVAILABLE: nobody can tell who has places now. */
awaits MUST_CHECK static inline enum err_code places_take(struct places *p, struct scope *sc,
                                                          const char *name, unsigned most,
                                                          struct place **out, struct err *err)
{
    *out = NULL;
    return p && most ? p->ops->take(p, sc, name, most, out, err) : ERR_NONE;
}
/* NULL is fine. A process that ends without this has given its places back. */
awaits static inline void places_give_back(struct places *p, struct place *place)
{
    if (place)
        p->ops->give_back(p, place);
}
/* Every place was given back. NULL is fine. */
awaits static inline void places_destroy(struct places *p)
{
    if (p)
        p->ops->destroy(p);
}

#endif
