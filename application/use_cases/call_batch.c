#include "application/use_cases/call_batch.h"
#include "application/orchestrators/turn_result.h"
#include "application/use_cases/job.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include <string.h>

#define BATCH_ENVELOPE_BYTES 8192 /* what stands around a result, or an error */

/* One input line on its way: read, called, finished, printed. */
struct line {
    struct batch *batch;
    struct arena arena; /* of this call alone */
    struct task *task;  /* NULL unless the call is running */
    size_t number;
    char *text; /* as read; freed with the line */
    size_t length;
    bool finished;
    struct invoke_outcome outcome;
    struct err err;
};

/* Three kinds of task beside each other: one reads ahead, up to in_flight call, one writes what is
 * finished. Lines lie in a ring; between `printed` and `started` they are on their way. */
struct batch {
    struct job *job;
    const struct batch_request *request;
    const struct tool *tool;
    struct line *ring[BATCH_MAX_UNPRINTED];
    size_t started, printed; /* counts of lines */
    size_t running;
    struct task *reader, *writer;
    struct line *next; /* read and not yet started */
    bool at_end;       /* no more input, or nobody reads the output */
    bool output_is_gone;
    size_t n_failed;
    struct err stop; /* what ends the batch as a whole */
};

static struct line *line_at(const struct batch *batch, size_t position)
{
    return batch->ring[position % BATCH_MAX_UNPRINTED];
}

static void line_free(struct line *line)
{
    if (!line)
        return;
    arena_finish(&line->arena);
    free(line->text);
    free(line);
}

static enum err_code read_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct batch *batch = argument;
    struct line *line = calloc(1, sizeof *line);
    if (!line)
        abort();
    line->batch = batch;
    enum err_code r = batch->request->read_line(batch->request->context, scope, &line->text,
                                                &line->length, &line->err);
    if (r == ERR_NONE && line->text) {
        batch->next = line;
        return ERR_NONE;
    }
    if (r)
        batch->stop = line->err;
    batch->at_end = true;
    line_free(line);
    return r;
}

static enum err_code read_arguments(struct line *line, const json_t **out)
{
    json_t *value = NULL;
    enum err_code r = json_parse(line->text, line->length, JSON_OURS, &value, &line->err);
    if (r)
        return err_prefix(&line->err, r, "line %zu", line->number);
    *out = arena_keep_json(&line->arena, value);
    if (!json_is_object(value))
        return err_set(&line->err, ERR_INVALID, 0, "line %zu: the arguments are no JSON object",
                       line->number);
    return ERR_NONE;
}

static enum err_code call_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct line *line = argument;
    struct batch *batch = line->batch;
    struct invoke_request request = { .tool = batch->tool,
                                      .named_by_user = true,
                                      .log_later = true };
    enum err_code r = read_arguments(line, &request.arguments);
    return r ? r
             : invoke(&batch->job->invoker, scope, &line->arena, &request, &line->outcome,
                      &line->err);
}

static bool append_outcome(struct buf *text, struct line *line)
{
    const struct step_result *result = &line->outcome.result;
    if (!buf_printf(text, "{\"line\":%zu,\"ok\":%s,", line->number,
                    line->err.code ? "false" : "true"))
        return false;
    if (!line->err.code) {
        /* A line break between tokens would end our line: only then is the text made anew. */
        bool is_one_line = !memchr(result->bytes, '\n', result->length);
        auto_str printed = is_one_line ? NULL : json_print(result->value);
        return buf_puts(text, "\"result\":") && buf_puts(text, printed ? printed : result->bytes) &&
               buf_puts(text, "}\n");
    }
    json_auto_t *error = err_to_json(&line->err);
    auto_str printed = json_print(error);
    return buf_printf(text, "\"error\":%s}\n", printed);
}

static bool print(struct batch *batch, struct line *line)
{
    struct buf text;
    buf_init(&text, line->outcome.result.length * 2 + BATCH_ENVELOPE_BYTES);
    bool printed = append_outcome(&text, line) &&
                   batch->request->print_line(batch->request->context, text.bytes, text.length);
    buf_finish(&text);
    return printed;
}

static bool is_finished(const struct batch *batch, size_t position)
{
    return position < batch->started && line_at(batch, position)->finished;
}

/* Prints, in input order, the lines that were finished when it began; their events are on disk by
 * then. Calls go on meanwhile. */
static enum err_code write_task(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    struct batch *batch = argument;
    size_t end = batch->printed;
    while (is_finished(batch, end))
        end++;
    enum err_code r = journal_sync(&batch->job->journal, scope, &batch->stop);
    for (; !r && !batch->output_is_gone && batch->printed < end; batch->printed++) {
        struct line *line = line_at(batch, batch->printed);
        batch->output_is_gone = !print(batch, line);
        batch->ring[batch->printed % BATCH_MAX_UNPRINTED] = NULL;
        line_free(line);
    }
    return r;
}

static void start_line(struct batch *batch)
{
    struct line *line = steal(&batch->next);
    line->number = ++batch->started;
    batch->ring[(line->number - 1) % BATCH_MAX_UNPRINTED] = line;
    line->task = runtime_spawn(batch->job->services->runtime, &batch->job->scope, call_task, line);
    batch->running++;
}

static bool is_over(const struct batch *batch)
{
    return batch->stop.code || batch->output_is_gone;
}

static bool has_room(const struct batch *batch)
{
    return batch->running < batch->request->in_flight &&
           batch->started - batch->printed < BATCH_MAX_UNPRINTED;
}

static void start_what_can_start(struct batch *batch)
{
    struct runtime *runtime = batch->job->services->runtime;
    if (!is_over(batch) && batch->next && has_room(batch))
        start_line(batch);
    if (!is_over(batch) && !batch->reader && !batch->next && !batch->at_end)
        batch->reader = runtime_spawn(runtime, &batch->job->scope, read_task, batch);
    if (!is_over(batch) && !batch->writer && is_finished(batch, batch->printed))
        batch->writer = runtime_spawn(runtime, &batch->job->scope, write_task, batch);
}

static void finish_line(struct batch *batch, struct line *line)
{
    line->task = NULL;
    line->finished = true;
    batch->running--;
    batch->n_failed += line->err.code || line->outcome.result.is_error;
    if (line->err.code == ERR_CANCELLED || line->err.code == ERR_DENIED)
        batch->stop = line->err;
}

/* Waits for the reader, the writer or a call. False when none of them is running. */
static bool wait_for_one(struct batch *batch)
{
    struct task *tasks[2 + BATCH_MAX_IN_FLIGHT] = { batch->reader, batch->writer };
    struct line *lines[2 + BATCH_MAX_IN_FLIGHT] = { NULL };
    size_t n = 2;
    for (size_t i = batch->printed; i < batch->started; i++) {
        struct line *line = line_at(batch, i);
        if (line && line->task) {
            lines[n] = line;
            tasks[n++] = line->task;
        }
    }
    if (!batch->reader && !batch->writer && n == 2)
        return false;
    enum err_code result;
    size_t i = runtime_wait_any(batch->job->services->runtime, tasks, n, &result);
    if (i == 0)
        batch->reader = NULL;
    else if (i == 1)
        batch->writer = NULL;
    else
        finish_line(batch, lines[i]);
    return true;
}

/* When it is over, what still runs is cancelled and waited for. */
static void run_lines(struct batch *batch)
{
    bool cancelled = false;
    for (;;) {
        start_what_can_start(batch);
        if (is_over(batch) && !cancelled) {
            runtime_cancel(batch->job->services->runtime, &batch->job->scope);
            cancelled = true;
        }
        if (!wait_for_one(batch))
            break;
    }
    for (size_t i = batch->printed; i < batch->started; i++)
        line_free(line_at(batch, i));
    line_free(batch->next);
}

static enum err_code call_lines(struct job *job, const struct batch_request *request,
                                struct batch_outcome *out, struct err *err)
{
    struct batch batch = { .job = job, .request = request };
    enum err_code r = job_open_tools(job, NULL, err);
    if (!r)
        r = toolbox_find(job->toolbox, &job->scope, request->tool, &batch.tool, NULL, err);
    if (!r)
        r = definition_require(batch.tool, request->expected_definition, request->schema_mode, err);
    if (r)
        return r;
    run_lines(&batch);
    *out = (struct batch_outcome){ .n_lines = batch.started, .n_failed = batch.n_failed };
    if (batch.output_is_gone || !batch.stop.code)
        return ERR_NONE;
    if (err)
        *err = batch.stop;
    return batch.stop.code;
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
    struct job job;
    AUTO(arena) arena = { 0 };
    struct err why = { 0 };
    enum err_code r = check_request(request, err);
    if (!r)
        r = job_begin(&job, services, scope, &arena, "call", NULL, request->tool, err);
    if (r)
        return r;
    r = call_lines(&job, request, out, &why);
    r = job_code(&job, r, &why);
    job_end(&job, run_status_of(r), &why);
    if (r && err)
        *err = why;
    return r;
}
