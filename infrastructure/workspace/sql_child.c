#include "infrastructure/workspace/sql_child.h"
#include "domain/base/json.h"
#include "infrastructure/runtime/bounded_child.h"
#include "infrastructure/runtime/descriptor.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "infrastructure/workspace/sql_guard.h"
#include "infrastructure/workspace/workspace_job.h"
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define ALARM "milliseconds"
#define MEMORY "memory_bytes"

enum err_code sql_child_run(struct uv_runtime *runtime, const struct scope *scope,
                            const struct sql_child *child, json_t *request, char **out_text,
                            struct err *err)
{
    const char *const arguments[] = { child->word, NULL };
    struct err why = { 0 };
    json_object_set_new(request, ALARM, json_integer(child->milliseconds));
    json_object_set_new(request, MEMORY, json_integer(child->memory_bytes));
    auto_str input = json_print(request);
    if (strlen(input) > SQL_CHILD_MAX_REQUEST_BYTES)
        return err_set(err, ERR_LIMIT, 0, "the arguments of the query are larger than %d MiB",
                       SQL_CHILD_MAX_REQUEST_BYTES >> 20);
    AUTO(buf) output;
    buf_init(&output, child->max_bytes);
    struct bounded_child program = {
        .command = child->program,
        .arguments = arguments,
        .input = input,
        .milliseconds = child->milliseconds + SQL_CHILD_GRACE_MS,
        .output = &output,
    };
    enum err_code r = bounded_child_run(runtime, scope, &program, &why);
    if (!r) {
        *out_text = output.bytes ? buf_take(&output) : strdup("");
        return ERR_NONE;
    }
    int64_t now_ms = runtime_now_ms(uv_runtime_port(runtime));
    enum err_code over = scope_check(scope, now_ms, err);
    if (over)
        return over;
    if (r == ERR_TIMEOUT || (r == ERR_FAILED && why.origin == -SIGALRM))
        return err_set(err, ERR_LIMIT, 0, "the query ran longer than %lld ms",
                       (long long)child->milliseconds);
    return err_set(err, ERR_FAILED, why.origin, "the process of the query: %.300s", why.message);
}

/* Nothing in SQLite is interrupted: the signal ends the process. */
static void set_alarm(int64_t milliseconds)
{
    struct itimerval timer = { .it_value = { .tv_sec = milliseconds / 1000,
                                             .tv_usec = milliseconds % 1000 * 1000 } };
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

int sql_child_serve(sql_child_fn *answer)
{
    auto_str text = NULL;
    size_t length = 0;
    json_auto_t *request = NULL;
    if (!workspace_read_fd(STDIN_FILENO, SQL_CHILD_MAX_REQUEST_BYTES, &text, &length) ||
        json_parse(text, length, JSON_OURS, &request, NULL))
        return err_exit_status(ERR_INVALID);
    /* Also what a single step takes, which sql_guard sees only afterwards. */
    sqlite3_hard_heap_limit64(json_get_int(request, MEMORY, SQL_MAX_MEMORY));
    set_alarm(json_get_int(request, ALARM, 1));
    auto_str said = answer(request);
    return descriptor_write(STDOUT_FILENO, said, strlen(said)) ? 0 : err_exit_status(ERR_FAILED);
}
