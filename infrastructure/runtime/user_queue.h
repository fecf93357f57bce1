/* A person is asked one thing at a time: calls run side by side, and each may come
 * with a question. The user port in front of another one; those who come while a question stands
 * wait in order, and may give up waiting. */
#ifndef INFRASTRUCTURE_RUNTIME_USER_QUEUE_H
#define INFRASTRUCTURE_RUNTIME_USER_QUEUE_H

#include "application/ports/user.h"
#include "infrastructure/runtime/task_lock.h"

struct user_queue {
    struct user base;
    struct user *person; /* borrowed */
    struct uv_runtime *runtime;
    struct task_lock lock;
};

void user_queue_init(struct user_queue *queue, struct user *person, struct uv_runtime *runtime);

#endif
