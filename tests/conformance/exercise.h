/* Everything a client can do with a server without knowing it: every tool is called, every
 * resource read, every prompt got. A scenario may say in its context which calls it wants
 * instead. What a server answers does not matter, as long as it answers. */
#ifndef TESTS_CONFORMANCE_EXERCISE_H
#define TESTS_CONFORMANCE_EXERCISE_H

#include "application/ports/runtime.h"
#include "application/ports/tool_server.h"
#include "infrastructure/net/http_client.h"

/* In all. A server that still refuses after so many is left alone. */
#define EXERCISE_MAX_LOGINS 3

struct exercise {
    struct runtime *runtime;
    struct tool_server *server;
    struct http_client *http; /* of the robot that logs in */
    const json_t *context;    /* of the scenario: an object, or NULL */
    struct arena arena;
    unsigned n_logins;
};

/* The server could not be reached, did not let us in, or broke the rules. */
awaits MUST_CHECK enum err_code exercise_run(struct exercise *exercise, struct scope *scope,
                                             struct err *err);

#endif
