/* The ports of fake services with a counter in front: call number n goes wrong in a chosen way, all
 * others go through. A sweep over n meets every place where a turn can be hit (curl's torture
 * tests, moved to ports). It also counts what is under way, so that leftovers are seen. */
#ifndef TESTS_SUPPORT_FAKES_FAULTY_PORTS_H
#define TESTS_SUPPORT_FAKES_FAULTY_PORTS_H

#include "tests/support/fakes/fake_services.h"

enum fault { FAULT_NONE, FAULT_FAIL, FAULT_CANCEL, FAULT_TIME_OUT };

struct faulty_ports {
    struct fake_services *fake;
    struct scope *scope; /* cancelled by FAULT_CANCEL */
    unsigned calls;      /* made so far */
    unsigned hit_at;     /* the call that goes wrong, from 1 */
    enum fault fault;
    /* A latency for each call, drawn by the test; NULL: none. */
    int64_t (*latency_ms)(void *context);
    bool (*goes_wrong)(void *context); /* beside hit_at; NULL: never */
    void *context;
    struct faulty_model {
        struct model base;
        struct faulty_ports *ports;
        struct model *inner;
    } model;
    struct faulty_server {
        struct tool_server base;
        struct faulty_ports *ports;
        struct tool_server *inner;
    } servers[FAKE_SERVICES_SERVERS];
    struct faulty_conversations {
        struct conversation_repository base;
        struct faulty_ports *ports;
        struct conversation_repository *inner;
        struct conversation_repository_ops ops;
    } conversations;
    struct faulty_runs {
        struct run_repository base;
        struct faulty_ports *ports;
        struct run_repository *inner;
        struct run_repository_ops ops;
    } runs;
    struct faulty_pins {
        struct pin_repository base;
        struct faulty_ports *ports;
        struct pin_repository *inner;
    } pins;
    int under_way; /* calls that have not returned */
};

/* What the call at hand meets before it reaches the fake; for ports that are not here. */
awaits enum err_code faulty_ports_pass(struct faulty_ports *ports, struct scope *scope,
                                       struct err *err);
/* Puts itself between the services and their fakes. */
void faulty_ports_init(struct faulty_ports *ports, struct fake_services *fake, struct scope *scope);

#endif
