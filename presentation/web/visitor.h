/* Who makes a request over HTTP, once it is known: a person with a token, or the one that everybody
 * is where nobody is told apart. */
#ifndef PRESENTATION_WEB_VISITOR_H
#define PRESENTATION_WEB_VISITOR_H

#include "application/services.h"

struct visitor {
    const char *name;          /* of the person; "" where nobody is told apart */
    bool is_admin;             /* sees and approves what is everybody's */
    struct services *services; /* with the person's own sessions, runs, approvals and pins */
};

#endif
