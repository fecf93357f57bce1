#include "domain/entities/run.h"
#include "domain/base/attributes.h"
#include <stddef.h>
#include <string.h>

static const char *const status_names[] = {
#define X(status, name) [RUN_##status] = name,
    RUN_STATUSES(X)
#undef X
};

const char *run_status_name(enum run_status status)
{
    return status_names[status];
}

enum run_status run_status_parse(const char *name)
{
    for (size_t i = 0; name && i < ARRAY_LENGTH(status_names); i++)
        if (strcmp(status_names[i], name) == 0)
            return (enum run_status)i;
    return RUN_RUNNING;
}
