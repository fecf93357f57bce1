#include "domain/entities/run.h"
#include "domain/base/text.h"

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
    int status = text_find(name, status_names, ARRAY_LENGTH(status_names));
    return status < 0 ? RUN_RUNNING : (enum run_status)status;
}

enum run_status run_status_of(enum err_code code)
{
    if (code == ERR_NONE)
        return RUN_COMPLETED;
    if (code == ERR_DENIED)
        return RUN_REFUSED;
    if (code == ERR_LIMIT)
        return RUN_LIMIT;
    return code == ERR_CANCELLED ? RUN_CANCELLED : RUN_FAILED;
}
