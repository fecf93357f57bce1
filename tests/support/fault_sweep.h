/* One session after another, each with the next of its calls to a port broken, until one goes
 * through untouched. */
#ifndef TESTS_SUPPORT_FAULT_SWEEP_H
#define TESTS_SUPPORT_FAULT_SWEEP_H

#include "tests/support/fakes/faulty_ports.h"

#define FAULT_SWEEP_MOST_CALLS 200 /* more than a session makes */

/* A whole session with its n-th call broken: sets *out_calls to how many there were and returns the
 * rule that was broken, or NULL. */
typedef const char *fault_session(enum fault fault, unsigned n, unsigned *out_calls);

/* How many sessions it took; 0 when one of them broke a rule. */
unsigned fault_sweep(fault_session *session, enum fault fault);

#endif
