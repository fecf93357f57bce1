#include "domain/base/scope.h"
#include <stddef.h>

int64_t scope_deadline(const struct scope *scope)
{
    int64_t earliest = SCOPE_NO_DEADLINE;
    for (; scope; scope = scope->parent)
        if (scope->deadline_ms < earliest)
            earliest = scope->deadline_ms;
    return earliest;
}

bool scope_is_within(const struct scope *scope, const struct scope *ancestor)
{
    while (scope && scope != ancestor)
        scope = scope->parent;
    return scope != NULL;
}

bool scope_is_work_of(const struct scope *scope, const struct scope *ancestor)
{
    while (scope && scope != ancestor)
        scope = scope->parent ? scope->parent : scope->last_of;
    return scope;
}

enum err_code scope_check(const struct scope *scope, int64_t now_ms, struct err *err)
{
    for (const struct scope *s = scope; s; s = s->parent)
        if (s->cancelled)
            return err_set(err, ERR_CANCELLED, 0, "cancelled");
    if (now_ms >= scope_deadline(scope))
        return err_set(err, ERR_TIMEOUT, 0, "out of time");
    return ERR_NONE;
}
