/* A region of work that can be cancelled or run out of time. It lies in the frame of the function
 * that opened it; everything started under it is gone before it ends. A child ends no later than
 * its parent. Only runtime_cancel (application/ports/runtime.h) sets `cancelled`, because sleeping
 * tasks must be woken as well. */
#ifndef DOMAIN_BASE_SCOPE_H
#define DOMAIN_BASE_SCOPE_H

#include "domain/base/err.h"
#include <stdbool.h>
#include <stdint.h>

#define SCOPE_NO_DEADLINE INT64_MAX

struct scope {
    const struct scope *parent; /* NULL for the outermost */
    int64_t deadline_ms;        /* monotonic clock of the runtime */
    bool cancelled;
    /* Of an outermost one that does the last work of another, which may have ended: that one. */
    const struct scope *last_of;
};

static inline struct scope scope_child(const struct scope *parent, int64_t deadline_ms)
{
    return (struct scope){ .parent = parent, .deadline_ms = deadline_ms };
}

/* The earliest deadline of the scope and its ancestors. */
int64_t scope_deadline(const struct scope *scope);
/* True when `ancestor` is the scope itself or encloses it. */
bool scope_is_within(const struct scope *scope, const struct scope *ancestor);
/* The same, where the last work of a scope counts as within it. */
bool scope_is_work_of(const struct scope *scope, const struct scope *ancestor);
/* ERR_NONE, ERR_CANCELLED or ERR_TIMEOUT, with its message. */
enum err_code scope_check(const struct scope *scope, int64_t now_ms, struct err *err);

#endif
