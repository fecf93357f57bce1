#include "tests/support/fault_sweep.h"
#include <stdio.h>

unsigned fault_sweep(fault_session *session, enum fault fault)
{
    for (unsigned n = 1; n <= FAULT_SWEEP_MOST_CALLS; n++) {
        unsigned calls = 0;
        const char *broken = session(fault, n, &calls);
        if (broken)
            fprintf(stderr, "fault %d at call %u: %s\n", (int)fault, n, broken);
        if (broken)
            return 0;
        if (calls < n)
            return n;
    }
    return 0;
}
