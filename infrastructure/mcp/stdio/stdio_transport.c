#include "infrastructure/mcp/stdio/stdio_transport.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "infrastructure/mcp/keeper/lease.h"
#include "infrastructure/runtime/alarm.h"
#include "infrastructure/runtime/process.h"
#include "infrastructure/runtime/stderr_summary.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STDIO_EXIT_WAIT_MS 100

void line_framer_init(struct line_framer *framer, size_t max_line_bytes)
{
    buf_init(&framer->partial, max_line_bytes);
}

void line_framer_finish(struct line_framer *framer)
{
    buf_finish(&framer->partial);
}

void line_framer_reset(struct line_framer *framer)
{
    if (framer->partial.capacity > LINE_FRAMER_KEEP_BYTES)
        buf_finish(&framer->partial);
    else
        buf_clear(&framer->partial);
}

static bool hand_on(const char *line, size_t length, line_fn *on_line, void *context)
{
    if (length && line[length - 1] == '\r')
        length--;
    return length == 0 || on_line(context, line, length);
}

/* The line that ends with these bytes; what was kept of it is forgotten. */
static enum line_framer_end end_line(struct line_framer *framer, const char *bytes, size_t length,
                                     line_fn *on_line, void *context)
{
    bool go_on;
    if (length > framer->partial.max_bytes)
        return LINES_TOO_LONG;
    if (framer->partial.length == 0) {
        go_on = hand_on(bytes, length, on_line, context);
    } else {
        if (!buf_append(&framer->partial, bytes, length))
            return LINES_TOO_LONG;
        go_on = hand_on(framer->partial.bytes, framer->partial.length, on_line, context);
        line_framer_reset(framer);
    }
    return go_on ? LINES_DONE : LINES_STOPPED;
}

enum line_framer_end line_framer_feed(struct line_framer *framer, const char *bytes, size_t length,
                                      line_fn *on_line, void *context)
{
    enum line_framer_end end = LINES_DONE;
    const char *newline;
    while (length && (newline = memchr(bytes, '\n', length))) {
        size_t line_length = (size_t)(newline - bytes);
        end = end_line(framer, bytes, line_length, on_line, context);
        if (end) {
            line_framer_reset(framer);
            return end;
        }
        bytes = newline + 1;
        length -= line_length + 1;
    }
    if (length && !buf_append(&framer->partial, bytes, length)) {
        line_framer_reset(framer);
        return LINES_TOO_LONG;
    }
    return LINES_DONE;
}

struct stdio_transport {
    struct transport base;
    struct uv_runtime *runtime;
    const struct server_config *config;
    const struct settings *settings;
    struct stdio_keeper keeper;
    struct process *process; /* NULL while closed */
    struct lease lease;      /* of the process, where it is the keeper's */
    bool was_open;           /* before: what is opened again is to be a new process */
    json_t *note;            /* NULL: it is not handed over */
    struct line_framer framer;
    struct transport_events events;
    struct alarm *ending;
    bool is_over; /* on_closed was called, or is not wanted any more */
    bool stdout_ended, exited;
    int status, signal;
};

static struct stdio_transport *stdio_of(struct transport *t)
{
    return (struct stdio_transport *)t;
}

static void explain_end(struct stdio_transport *stdio, struct err *why)
{
    AUTO(arena) scratch = { 0 };
    size_t length;
    const char *text = process_stderr(stdio->process, &length);
    const char *how = "it closed its standard output",
               *words = stderr_summary(&scratch, text, length);
    if (stdio->exited && stdio->signal)
        how = arena_printf(&scratch, "it was ended by signal %d (%s)", stdio->signal,
                           strsignal(stdio->signal));
    else if (stdio->exited)
        how = arena_printf(&scratch, "it exited with status %d", stdio->status);
    else if (!stdio->stdout_ended)
        how = "it closed its standard input";
    err_set(why, ERR_UNAVAILABLE, 0, "%s%s%s%s", how, words ? "; its stderr says: \"" : "",
            words ? words : "", words ? "\"" : "");
}

static void announce_end(void *context)
{
    struct stdio_transport *stdio = context;
    struct err why;
    if (stdio->is_over)
        return;
    explain_end(stdio, &why);
    stdio->is_over = true;
    stdio->events.on_closed(stdio->events.context, &why);
}

/* The exit status says more than the end of a pipe, and comes right after it as a rule; that of a
 * process that is lent goes to the keeper. */
static void expect_exit(struct stdio_transport *stdio)
{
    if (!stdio->is_over)
        alarm_set(stdio->ending, stdio->lease.socket < 0 ? STDIO_EXIT_WAIT_MS : 0);
}

static void stdio_abort(struct transport *t)
{
    struct stdio_transport *stdio = stdio_of(t);
    stdio->is_over = true;
    alarm_unset(stdio->ending);
    line_framer_reset(&stdio->framer);
    if (stdio->process && !stdio->exited && stdio->lease.socket < 0)
        kill(-process_id(stdio->process), SIGKILL);
}

static bool hand_on_line(void *context, const char *line, size_t length)
{
    struct stdio_transport *stdio = context;
    stdio->events.on_message(stdio->events.context, NULL, line, length);
    return !stdio->is_over;
}

static void on_stdout(void *context, const char *bytes, size_t length)
{
    struct stdio_transport *stdio = context;
    struct err why;
    if (stdio->is_over ||
        line_framer_feed(&stdio->framer, bytes, length, hand_on_line, stdio) != LINES_TOO_LONG)
        return;
    err_set(&why, ERR_PROTOCOL, 0, "a message is longer than %lld bytes",
            (long long)stdio->settings->mcp_max_message_bytes);
    err_hint(&why, ERR_PROTOCOL, "raise mcp.max_message_bytes if the server may send so much");
    stdio_abort(&stdio->base);
    stdio->events.on_closed(stdio->events.context, &why);
}

static void on_stdout_end(void *context)
{
    struct stdio_transport *stdio = context;
    stdio->stdout_ended = true;
    expect_exit(stdio);
}

static void on_exit_status(void *context, int status, int signal)
{
    struct stdio_transport *stdio = context;
    stdio->exited = true;
    stdio->status = status;
    stdio->signal = signal;
    announce_end(stdio);
}

static void on_stderr_line(void *context, const char *line, size_t length)
{
    struct stdio_transport *stdio = context;
    if (!stdio->is_over)
        stdio->events.on_diagnostics(stdio->events.context, line, length);
}

static json_t *list_of(const char *const *texts)
{
    json_t *list = json_array();
    for (size_t i = 0; texts[i]; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

static bool are_utf8(const char *const *texts)
{
    while (*texts && text_is_utf8(*texts, strlen(*texts)))
        texts++;
    return !*texts;
}

/* What the keeper is to start, or NULL where JSON cannot say it. A folder that was made anew under
 * its old name is another. */
static json_t *describe(const struct stdio_transport *stdio, const struct process_options *options)
{
    auto_str here = getcwd(NULL, 0);
    const char *folder = options->directory ? options->directory : here;
    const char *const texts[] = { options->command, folder, NULL };
    struct stat status;
    mode_t mask = umask(077);
    umask(mask);
    if (!folder || stat(folder, &status) || !are_utf8(texts) || !are_utf8(options->arguments) ||
        !are_utf8(options->environment))
        return NULL;
    return json_pack("{s:s, s:o, s:o, s:s, s:o, s:i, s:I, s:I, s:s}", "command", options->command,
                     "arguments", list_of(options->arguments), "environment",
                     list_of(options->environment), "folder", folder, "folder_id",
                     json_sprintf("%llu:%llu", (unsigned long long)status.st_dev,
                                  (unsigned long long)status.st_ino),
                     "umask", (int)mask, "stderr_bytes", (json_int_t)options->stderr_bytes,
                     "close_wait_ms", (json_int_t)options->close_wait_ms, "offer",
                     stdio->keeper.offer);
}

/* False: there is no keeper, or it lends none, which is no reason not to start it ourselves. */
static bool borrow_process(struct stdio_transport *stdio, const struct process_options *options)
{
    AUTO(arena) scratch = { 0 };
    struct err err = { 0 };
    struct keeper_access *access = stdio->keeper.access;
    bool may_ask = access && access->folder && stdio->config->is_shared;
    json_t *open = may_ask ? describe(stdio, options) : NULL;
    if (!open)
        return false;
    enum err_code r = lease_take(access, open, stdio->was_open, &stdio->lease, &err);
    if (r && r != ERR_NOT_FOUND) {
        const char *line = arena_printf(&scratch, "started apart: %s", err.message);
        stdio->events.on_diagnostics(stdio->events.context, line, strlen(line));
    }
    if (r)
        return false;
    stdio->process = process_borrow(stdio->runtime, options, stdio->lease.pid, stdio->lease.pipes);
    return true;
}

static enum err_code start_process(struct stdio_transport *stdio, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    const struct server_config *config = stdio->config;
    const char **arguments = arena_array(&scratch, const char *, config->n_arguments + 1);
    for (size_t i = 0; i < config->n_arguments; i++)
        arguments[i] = config->arguments[i];
    char **environment = process_environment(config->environment, config->n_environment);
    struct process_options options = {
        .command = config->command,
        .arguments = arguments,
        .environment = (const char *const *)environment,
        .directory = config->directory,
        .stderr_bytes = (size_t)stdio->settings->mcp_stderr_bytes,
        .close_wait_ms = stdio->settings->mcp_close_wait_ms,
        .on_stdout = on_stdout,
        .on_stdout_end = on_stdout_end,
        .on_stderr_line = on_stderr_line,
        .on_exit = on_exit_status,
        .context = stdio,
    };
    enum err_code r = ERR_NONE;
    bool is_borrowed = borrow_process(stdio, &options);
    stdio->was_open = true;
    if (!is_borrowed)
        r = process_start(stdio->runtime, &options, &stdio->process, err);
    process_environment_free(environment);
    /* To a caller that wants its tools, a server whose program is missing is unavailable. */
    if (r == ERR_NOT_FOUND && err)
        err->code = ERR_UNAVAILABLE;
    return r == ERR_NOT_FOUND ? ERR_UNAVAILABLE : r;
}

static enum err_code stdio_open(struct transport *t, const struct transport_events *events,
                                struct err *err)
{
    struct stdio_transport *stdio = stdio_of(t);
    stdio->events = *events;
    stdio->is_over = stdio->stdout_ended = stdio->exited = false;
    if (!stdio->ending)
        stdio->ending = alarm_create(stdio->runtime, announce_end, stdio);
    return start_process(stdio, err);
}

static enum err_code stdio_send(struct transport *t, const struct transport_message *about,
                                struct buf *message, struct err *err)
{
    (void)about;
    struct stdio_transport *stdio = stdio_of(t);
    if (!stdio->process || stdio->is_over)
        return err_set(err, ERR_UNAVAILABLE, 0, "it is not running");
    enum err_code r =
        process_write(stdio->process, message, (size_t)stdio->settings->mcp_max_message_bytes, err);
    if (r != ERR_UNAVAILABLE)
        return r;
    /* It does not read any more. The reason is known as soon as its exit status is. */
    buf_clear(message);
    expect_exit(stdio);
    return ERR_NONE;
}

static const json_t *stdio_note(struct transport *t)
{
    return stdio_of(t)->lease.note;
}

static bool stdio_is_lent(struct transport *t)
{
    return stdio_of(t)->lease.socket >= 0;
}

static void stdio_hand_over(struct transport *t, json_t *note)
{
    struct stdio_transport *stdio = stdio_of(t);
    json_decref(stdio->note);
    stdio->note = note;
}

/* Given back where it can go on with the next one: between two messages. */
static void end_lease(struct stdio_transport *stdio, bool is_at_rest)
{
    if (stdio->lease.socket >= 0)
        lease_end(&stdio->lease, is_at_rest ? stdio->note : NULL);
    json_decref(stdio->note);
    stdio->note = NULL;
}

static void stdio_close(struct transport *t, const struct scope *sc)
{
    struct stdio_transport *stdio = stdio_of(t);
    struct process *process = stdio->process;
    bool is_at_rest = process && !stdio->is_over && !stdio->stdout_ended &&
                      process_has_written(process) && stdio->framer.partial.length == 0;
    stdio->is_over = true;
    if (stdio->ending)
        alarm_unset(stdio->ending);
    process_close(process, sc);
    end_lease(stdio, is_at_rest);
    stdio->process = NULL;
    line_framer_reset(&stdio->framer);
}

static void stdio_destroy(struct transport *t)
{
    struct stdio_transport *stdio = stdio_of(t);
    alarm_destroy(stdio->ending);
    line_framer_finish(&stdio->framer);
    free(stdio);
}

static const struct transport_ops stdio_ops = {
    .open = stdio_open,
    .send = stdio_send,
    .note = stdio_note,
    .is_lent = stdio_is_lent,
    .hand_over = stdio_hand_over,
    .abort = stdio_abort,
    .close = stdio_close,
    .destroy = stdio_destroy,
};

struct transport *stdio_transport_create(struct uv_runtime *runtime,
                                         const struct server_config *config,
                                         const struct settings *settings,
                                         const struct stdio_keeper *keeper)
{
    struct stdio_transport *stdio = calloc(1, sizeof *stdio);
    if (!stdio)
        abort();
    stdio->base.ops = &stdio_ops;
    stdio->runtime = runtime;
    stdio->config = config;
    stdio->settings = settings;
    stdio->keeper = *keeper;
    stdio->lease.socket = -1;
    stdio->is_over = true;
    line_framer_init(&stdio->framer, (size_t)settings->mcp_max_message_bytes);
    return &stdio->base;
}
