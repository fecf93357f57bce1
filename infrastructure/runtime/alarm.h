/* A timer that can be set again: for the few things that happen without a task waiting for
 * them. */
#ifndef INFRASTRUCTURE_RUNTIME_ALARM_H
#define INFRASTRUCTURE_RUNTIME_ALARM_H

#include <stdint.h>

struct alarm;
struct uv_runtime;

/* fn is called on the loop's stack: it must not wait. */
struct alarm *alarm_create(struct uv_runtime *runtime, void (*fn)(void *context), void *context);
/* Rings once, ms from now; an earlier setting is forgotten. */
void alarm_set(struct alarm *alarm, int64_t ms);
void alarm_unset(struct alarm *alarm);
/* fn is not called any more. NULL is fine. */
void alarm_destroy(struct alarm *alarm);

#endif
