/* Four kinds of task run beside each other: one reads lines ahead, one logs their calls in
 * groups, several make the calls, and one writes what is finished. run_lines starts them, waits
 * until one of them ends, and starts what can start then. So that a call costs no task of its own,
 * each goes on by itself as long as it can: it ends when it has nothing to do, or when another task
 * has to be started.
 *
 * The file follows a line: it is read, logged together with those that have arrived meanwhile,
 * called, gathered as text when all before it are, written. Then comes who starts what, and the
 * end. */
#include "application/use_cases/tools/call_batch.h"
#include "application/runs/run_session.h"
#include "application/tools/invoke.h"
#include "domain/base/buf.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include <stdlib.h>
#include <string.h>

/* One line: the arguments as they were read, and in the end the envelope that answers them. */
struct batch_line {
    struct arena arena; /* of this call alone */
    size_t number;
    char *text; /* as read; freed with the line */
    size_t length;
    bool finished;
    struct invoke_request request; /* once it was parsed */
    struct invoke_outcome outcome;
    struct err err;
};

static void batch_line_free(struct batch_line *line)
{
    if (!line)
        return;
    arena_finish(&line->arena);
    free(line->text);
    free(line);
}

/* A line of blanks asks for nothing; it keeps its number all the same. */
static bool batch_line_is_blank(const struct batch_line *line)
{
    return strspn(line->text, " \t\r") == line->length;
}

static enum err_code batch_line_parse(struct batch_line *line, const json_t **out)
{
    json_t *value = NULL;
    enum err_code r = json_parse(line->text, line->length, JSON_OURS, &value, &line->err);
    if (r)
        return err_prefix(&line->err, r, "line %zu", line->number);
    *out = arena_keep_json(&line->arena, value);
    if (!json_is_object(value))
        return err_set(&line->err, ERR_INVALID, 0, "line %zu: the arguments are not a JSON object",
                       line->number);
    return ERR_NONE;
}

static bool batch_line_print(const struct batch_line *line, struct buf *text)
{
    const struct step_result *result = &line->outcome.result;
    bool ok = !line->err.code && !result->is_error;
    if (!buf_puts(text, "{\"line\":") || !buf_append_integer(text, (int64_t)line->number) ||
        !buf_puts(text, ok ? ",\"ok\":true," : ",\"ok\":false,"))
        return false;
    if (!line->err.code) {
        return buf_puts(text, ok ? "\"result\":" : "\"tool_error\":true,\"result\":") &&
               json_append_on_one_line(text, result->bytes, result->length) &&
               buf_puts(text, "}\n");
    }
    json_auto_t *error = err_to_json(&line->err);
    auto_str printed = json_print(error);
    return buf_printf(text, "\"error\":%s}\n", printed);
}

#define BATCH_MAX_AHEAD (2 * BATCH_MAX_GROUP) /* lines that wait to be logged */
#define BATCH_MAX_BYTES_AHEAD (1024 * 1024)
#define BATCH_MAX_PREPARED 8  /* calls that are ready to be sent */
#define BATCH_GATHER_MS 20    /* how long a finished line waits for others */
#define BATCH_WRITE_LINES 256 /* so many wait for no more */
#define BATCH_WRITE_BYTES (1024 * 1024)
#define BATCH_MAX_OUTPUT_BYTES (4 * 1024 * 1024) /* then no more lines are read */

/* A task that makes calls as long as there are lines. */
struct caller {
    struct batch *batch;
    struct task *task; /* NULL: free */
    struct batch_line *line;
};

/* Lines lie in a ring, by their place in the input: below `printed` they are out, below `gathered`
 * they have become text, below `started` they are on their way or finished, below `logged` they may
 * be called, below `n_read` they wait. */
struct batch {
    struct run_session *session;
    const struct batch_request *request;
    const struct tool *tool;
    struct batch_line *ring[BATCH_MAX_UNPRINTED];
    size_t n_read, logged, started, gathered, printed; /* counts of lines, but for blank ones */
    size_t line_number;                                /* of the input, the last one read */
    size_t bytes_ahead;                                /* of the lines from `started` on */
    struct buf output; /* of the lines from `printed` to `gathered` */
    struct caller callers[2 * BATCH_MAX_IN_FLIGHT];
    size_t n_callers, running;
    struct task *reader, *logger, *writer;
    struct scope gathering; /* of the writer's wait for more lines */
    bool at_end;            /* no more input, or the output is not read any more */
    bool is_refused;        /* a line ends the batch: those after it are not logged */
    bool output_is_gone;
    size_t n_failed;
    struct err stop;          /* what ends the batch as a whole */
    struct err input_failure; /* behind the last line: those before it are called all the same */
};

static struct runtime *runtime_of(const struct batch *batch)
{
    return batch->session->services->runtime;
}

static struct batch_line **line_at(struct batch *batch, size_t position)
{
    return &batch->ring[position % BATCH_MAX_UNPRINTED];
}

static bool is_over(const struct batch *batch)
{
    return batch->stop.code || batch->output_is_gone;
}

static bool may_read(const struct batch *batch)
{
    return !is_over(batch) && !batch->at_end && batch->n_read - batch->logged < BATCH_MAX_AHEAD &&
           batch->bytes_ahead < BATCH_MAX_BYTES_AHEAD &&
           batch->output.length < BATCH_MAX_OUTPUT_BYTES &&
           batch->n_read - batch->printed < BATCH_MAX_UNPRINTED;
}

/* The next group is logged while the calls of the one before it are made. */
static bool may_log(const struct batch *batch)
{
    return !is_over(batch) && !batch->is_refused && !batch->logger &&
           batch->logged < batch->n_read && batch->logged - batch->started < BATCH_MAX_GROUP;
}

/* What came first is what ended the batch: the rest is cancelled because of it. */
static enum err_code stop(struct batch *batch, enum err_code code, const struct err *why)
{
    if (code && !batch->stop.code)
        batch->stop = *why;
    return code;
}

/* ERR_UNAVAILABLE: the log could not be written. */
static enum err_code stop_without_log(struct batch *batch, enum err_code code, struct err *why)
{
    if (code == ERR_UNAVAILABLE)
        (void)err_prefix(why, code, "the run log is incomplete");
    return stop(batch, code, why);
}

static enum err_code read_one(struct batch *batch, struct scope *scope)
{
    struct err err = { 0 };
    struct batch_line *line = calloc(1, sizeof *line);
    if (!line)
        abort();
    enum err_code r =
        batch->request->read_line(batch->request->context, scope, &line->text, &line->length, &err);
    if (r || !line->text) {
        batch->at_end = true;
        batch_line_free(line);
        if (r == ERR_CANCELLED || r == ERR_TIMEOUT)
            return stop(batch, r, &err);
        batch->input_failure = err;
        return r;
    }
    line->number = ++batch->line_number;
    if (batch_line_is_blank(line)) {
        batch_line_free(line);
        return ERR_NONE;
    }
    *line_at(batch, batch->n_read++) = line;
    batch->bytes_ahead += line->length;
    return ERR_NONE;
}

/* A line that can be logged at once ends the task. */
static enum err_code read_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct batch *batch = argument;
    enum err_code r;
    do
        r = read_one(batch, scope);
    while (!r && !may_log(batch) && may_read(batch));
    return r;
}

/* A bad line does not stop the batch; a denial or a cancellation does. */
static bool ends_batch(const struct err *err)
{
    return err->code == ERR_CANCELLED || err->code == ERR_DENIED;
}

/* False: it cannot be called, for the reason in its err. */
static bool permit_line(struct batch *batch, struct scope *scope, struct batch_line *line)
{
    line->request = (struct invoke_request){ .tool = batch->tool,
                                             .line = line->number,
                                             .named_by_user = true,
                                             .max_in_flight = batch->request->in_flight };
    enum err_code r = batch_line_parse(line, &line->request.arguments);
    if (!r)
        r = invoke_permit(&batch->session->invoker, scope, &line->arena, &line->request,
                          &line->err);
    batch->is_refused = ends_batch(&line->err);
    return r == ERR_NONE;
}

/* Logs a group: the lines that have arrived, without waiting for more. No person is asked on the
 * way, because a tool that the user named needs no approval. A line that is denied ends the group,
 * and the batch when its turn comes. */
static enum err_code log_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct batch *batch = argument;
    struct invoke_request *group[BATCH_MAX_GROUP];
    size_t n = 0, end = batch->logged;
    do {
        struct batch_line *line = *line_at(batch, end++);
        if (permit_line(batch, scope, line))
            group[n++] = &line->request;
    } while (!batch->is_refused && end < batch->n_read && end - batch->logged < BATCH_MAX_GROUP);
    struct err err = { 0 };
    enum err_code r = invoke_log(&batch->session->invoker, scope, group, n, &err);
    if (!r)
        batch->logged = end;
    return stop_without_log(batch, r, &err);
}

/* What ended the batch is told by the batch as a whole. */
static bool is_printable(struct batch *batch, size_t position)
{
    if (position >= batch->started)
        return false;
    const struct batch_line *line = *line_at(batch, position);
    return line->finished && !ends_batch(&line->err);
}

static void write_soon(struct batch *batch)
{
    if (batch->writer)
        runtime_cancel(runtime_of(batch), &batch->gathering);
}

/* Lines that are finished become text in input order; what they took is given back at once. */
static void gather_finished(struct batch *batch)
{
    while (is_printable(batch, batch->gathered)) {
        struct batch_line *line = *line_at(batch, batch->gathered++);
        (void)!batch_line_print(line, &batch->output); /* the buffer takes all */
        batch_line_free(line);
    }
    if (batch->gathered - batch->printed >= BATCH_WRITE_LINES ||
        batch->output.length >= BATCH_WRITE_BYTES)
        write_soon(batch);
}

static void finish_line(struct batch *batch, struct batch_line *line)
{
    line->finished = true;
    batch->n_failed += line->err.code || line->outcome.result.is_error;
    if (ends_batch(&line->err))
        (void)stop(batch, line->err.code, &line->err);
    gather_finished(batch);
}

static struct batch_line *take_line(struct batch *batch)
{
    struct batch_line *line = *line_at(batch, batch->started++);
    batch->bytes_ahead -= line->length;
    return line;
}

/* Whether a task is missing beside the callers. */
static bool lacks_task(struct batch *batch)
{
    bool lines_run_low = batch->n_read - batch->logged <= BATCH_MAX_AHEAD / 2;
    return (!batch->writer && batch->output.length) || may_log(batch) ||
           (!batch->reader && lines_run_low && may_read(batch));
}

static enum err_code call_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct caller *caller = argument;
    struct batch *batch = caller->batch;
    for (;;) {
        struct batch_line *line = caller->line;
        if (!line->err.code)
            (void)!invoke_send(&batch->session->invoker, scope, &line->arena, &line->request,
                               &line->outcome, &line->err); /* the line knows */
        finish_line(batch, line);
        if (is_over(batch) || lacks_task(batch) || batch->started == batch->logged)
            return ERR_NONE;
        caller->line = take_line(batch);
    }
}

static bool is_idle(const struct batch *batch)
{
    return batch->running == 0 && batch->started == batch->n_read;
}

static void print(struct batch *batch, const struct buf *text)
{
    if (text->length && !batch->output_is_gone)
        batch->output_is_gone =
            !batch->request->print_lines(batch->request->context, text->bytes, text->length);
}

/* Prints the lines once their events are on disk, or cannot be put there: what was called is told
 * in either case. Calls go on meanwhile, and while they do it waits a moment for more lines to
 * write at once. */
static enum err_code write_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct batch *batch = argument;
    if (!is_idle(batch) && batch->gathered - batch->printed < BATCH_WRITE_LINES)
        (void)!runtime_sleep(runtime, &batch->gathering, BATCH_GATHER_MS, NULL);
    AUTO(buf) text = batch->output;
    size_t end = batch->gathered;
    buf_init(&batch->output, SIZE_MAX);
    struct err err = { 0 };
    enum err_code r = journal_sync(&batch->session->journal, scope, &err);
    print(batch, &text);
    batch->printed = end;
    return stop_without_log(batch, r, &err);
}

static void start_caller(struct batch *batch)
{
    struct caller *caller = batch->callers;
    while (caller->task)
        caller++;
    *caller = (struct caller){ .batch = batch, .line = take_line(batch) };
    batch->running++;
    caller->task = runtime_spawn(runtime_of(batch), &batch->session->scope, call_task, caller);
}

/* Calls that are on their way when the batch stops may end, but for what was asked to end. */
static bool may_write(const struct batch *batch)
{
    return !batch->output_is_gone && batch->stop.code != ERR_CANCELLED &&
           batch->stop.code != ERR_TIMEOUT;
}

static void start_what_can_start(struct batch *batch)
{
    struct runtime *runtime = runtime_of(batch);
    while (!is_over(batch) && batch->running < batch->n_callers && batch->started < batch->logged)
        start_caller(batch);
    if (may_log(batch))
        batch->logger = runtime_spawn(runtime, &batch->session->scope, log_task, batch);
    if (!batch->reader && may_read(batch))
        batch->reader = runtime_spawn(runtime, &batch->session->scope, read_task, batch);
    if (!batch->writer && may_write(batch) && batch->output.length) {
        batch->gathering = runtime_scope(runtime, &batch->session->scope, 0);
        batch->writer = runtime_spawn(runtime, &batch->session->scope, write_task, batch);
    }
    if (is_idle(batch))
        write_soon(batch);
}

/* Waits for one of the tasks. False when none of them is running. */
static bool wait_for_one(struct batch *batch)
{
    struct task **others[] = { &batch->reader, &batch->logger, &batch->writer };
    const size_t n = ARRAY_LENGTH(others);
    struct task *tasks[ARRAY_LENGTH(others) + 2 * BATCH_MAX_IN_FLIGHT];
    for (size_t i = 0; i < n; i++)
        tasks[i] = *others[i];
    if (!batch->reader && !batch->logger && !batch->writer && !batch->running)
        return false;
    for (size_t i = 0; i < batch->n_callers; i++)
        tasks[n + i] = batch->callers[i].task;
    enum err_code result;
    size_t i = runtime_wait_any(runtime_of(batch), tasks, n + batch->n_callers, &result);
    *(i < n ? others[i] : &batch->callers[i - n].task) = NULL;
    batch->running -= i >= n;
    return true;
}

static bool must_cancel(const struct batch *batch)
{
    bool waits_for_input =
        batch->reader && is_over(batch) && !batch->running && !batch->logger && !batch->writer;
    return !may_write(batch) || waits_for_input;
}

/* Each call that was logged gets an end in the log, although it is not sent. */
static void withdraw_lines(struct batch *batch)
{
    struct err why;
    (void)err_set(&why, ERR_CANCELLED, 0, "the batch ended before it");
    for (size_t i = batch->started; i < batch->logged; i++) {
        struct batch_line *line = *line_at(batch, i);
        if (!line->err.code)
            invoke_withdraw(&batch->session->invoker, &line->request, &why);
    }
}

static void run_lines(struct batch *batch)
{
    bool cancelled = false;
    for (;;) {
        start_what_can_start(batch);
        if (!cancelled && must_cancel(batch)) {
            runtime_cancel(runtime_of(batch), &batch->session->scope);
            cancelled = true;
        }
        if (!wait_for_one(batch))
            break;
    }
    withdraw_lines(batch);
    print(batch, &batch->output);
    for (size_t i = batch->gathered; i < batch->n_read; i++)
        batch_line_free(*line_at(batch, i));
    buf_finish(&batch->output);
}

/* With a server that holds calls, the next ones are made ready while others are under way. */
static size_t count_callers(struct batch *batch)
{
    struct tool_server *server = toolbox_server_of(batch->session->toolbox, batch->tool);
    size_t in_flight = batch->request->in_flight;
    size_t ahead = in_flight < BATCH_MAX_PREPARED ? in_flight : BATCH_MAX_PREPARED;
    return tool_server_holds_calls(server) ? in_flight + ahead : in_flight;
}

static enum err_code call_lines(struct run_session *session, void *context, struct err *err)
{
    struct batch *batch = context;
    const struct batch_request *request = batch->request;
    batch->session = session;
    enum err_code r = run_session_open_tools(session, NULL, err);
    if (!r)
        r = toolbox_find(session->toolbox, &session->scope, request->tool, &batch->tool,
                         /* out_server */ NULL, err);
    if (!r)
        r = definition_require(batch->tool, request->expected_definition, request->schema_mode,
                               err);
    if (r)
        return r;
    batch->n_callers = count_callers(batch);
    buf_init(&batch->output, SIZE_MAX);
    run_lines(batch);
    if (!batch->stop.code)
        batch->stop = batch->input_failure;
    if (batch->output_is_gone || !batch->stop.code)
        return ERR_NONE;
    *err = batch->stop;
    return batch->stop.code;
}

static enum err_code check_request(const struct batch_request *request, struct err *err)
{
    if (request->in_flight >= 1 && request->in_flight <= BATCH_MAX_IN_FLIGHT)
        return ERR_NONE;
    return err_set(err, ERR_INVALID, 0, "calls in flight: %u is outside 1 to %d",
                   request->in_flight, BATCH_MAX_IN_FLIGHT);
}

enum err_code call_batch(struct services *services, struct scope *scope,
                         const struct batch_request *request, struct batch_outcome *out,
                         struct err *err)
{
    const struct run_options options = { .kind = "call", .title = request->tool };
    struct batch batch = { .request = request };
    AUTO(arena) arena = { 0 };
    enum err_code r = check_request(request, err);
    if (r)
        return r;
    r = run_session_do(services, scope, &arena, &options, call_lines, &batch, err);
    *out = (struct batch_outcome){ .n_lines = batch.started, .n_failed = batch.n_failed };
    return r;
}
