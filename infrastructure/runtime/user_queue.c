#include "infrastructure/runtime/user_queue.h"

static struct user_queue *of(struct user *user)
{
    return (struct user_queue *)user;
}

static bool present(struct user *user)
{
    return user_present(of(user)->person);
}

static enum err_code ask(struct user *user, struct scope *scope, const struct form *form,
                         struct arena *arena, json_t **out_answers, struct err *err)
{
    struct user_queue *queue = of(user);
    enum err_code r = task_lock_take(&queue->lock, queue->runtime, scope, err);
    if (r)
        return r;
    r = user_ask(queue->person, scope, form, arena, out_answers, err);
    task_lock_release(&queue->lock);
    return r;
}

static enum err_code confirm(struct user *user, struct scope *scope,
                             const struct confirmation *confirmation, struct err *err)
{
    struct user_queue *queue = of(user);
    enum err_code r = task_lock_take(&queue->lock, queue->runtime, scope, err);
    if (r)
        return r;
    r = user_confirm(queue->person, scope, confirmation, err);
    task_lock_release(&queue->lock);
    return r;
}

static enum err_code approve(struct user *user, struct scope *scope,
                             const struct approval_request *request, enum approval_answer *out,
                             struct err *err)
{
    struct user_queue *queue = of(user);
    enum err_code r = task_lock_take(&queue->lock, queue->runtime, scope, err);
    if (r)
        return r;
    r = user_approve(queue->person, scope, request, out, err);
    task_lock_release(&queue->lock);
    return r;
}

void user_queue_init(struct user_queue *queue, struct user *person, struct uv_runtime *runtime)
{
    static const struct user_ops ops = { present, ask, confirm, approve };
    *queue = (struct user_queue){ .base = { &ops }, .person = person, .runtime = runtime };
}
