#include "presentation/cli/output/exit_status.h"

int exit_status_of_run(enum run_status status, int failure_status)
{
    switch (status) {
    case RUN_COMPLETED:
        return 0;
    case RUN_NEEDS_ANSWER:
        return 5;
    case RUN_REFUSED:
        return 6;
    case RUN_LIMIT:
        return 8;
    case RUN_CANCELLED:
        return 130;
    case RUN_RUNNING:
    case RUN_FAILED:
        return failure_status ? failure_status : 1;
    }
    return 1;
}
