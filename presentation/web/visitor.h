/* Who makes a request over HTTP, once it is known: a person with a token, or the one that everybody
 * is where nobody is told apart. */
#ifndef PRESENTATION_WEB_VISITOR_H
#define PRESENTATION_WEB_VISITOR_H

#include "application/services.h"
#include "domain/base/arena.h"
#include "domain/entities/person.h"
#include <stddef.h>

struct visitor {
    char name[PERSON_NAME_SIZE]; /* of the person; "" where nobody is told apart */
    bool is_admin;               /* sees and approves what is everybody's */
    struct services *services; /* with the person's own sessions, runs, approvals and pins; held for
                                * as long as something is done with them, else they may be closed */
};

/* Where visitors come from. All mandatory. */
struct visitors {
    /* Who comes with this token, or with none (NULL), with services that are held; *out_known is
     * false where that is nobody. Wrong tokens take as long as right ones. ERR_LIMIT: too many
     * persons are served at the moment. May wait. */
    enum err_code (*identify)(void *context, struct scope *scope, const char *token,
                              struct visitor *out, bool *out_known, struct err *err);
    /* The names of all there are, in the arena. May wait. */
    enum err_code (*names)(void *context, struct scope *scope, struct arena *arena,
                           const char ***out, size_t *out_n, struct err *err);
    /* The services of one of them, held. Only few persons can have services at a time, so release
     * them before you ask for those of the next. ERR_LIMIT as above. May wait. */
    enum err_code (*services_of)(void *context, const char *name, struct services **out,
                                 struct err *err);
    /* Holds services that are held already once more; takes that back. */
    void (*hold)(void *context, struct services *services);
    void (*release)(void *context, struct services *services);
    void *context;
};

#endif
