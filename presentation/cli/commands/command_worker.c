/* `mistro worker`: does runs of a queue, a line on stderr for each, until it is asked to end. */
#include "application/workers/work.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/command.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 128, ERROR_COLUMNS = 300 };

static const char *const end_words[] = {
#define X(end, word) word,
    WORK_ENDS(X)
#undef X
};

struct worker_lines {
    struct work_watch base;
    struct cli *cli;
    int64_t n[ARRAY_LENGTH(end_words)];
};

static void tell_begin(struct work_watch *watch, const struct queued_run *run)
{
    struct cli *cli = ((struct worker_lines *)watch)->cli;
    if (cli->args->verbose)
        output_note(cli, "%s  begins", run->run_id);
}

static void tell_end(struct work_watch *watch, const struct work_report *report)
{
    AUTO(arena) scratch = { 0 };
    struct worker_lines *lines = (struct worker_lines *)watch;
    const struct err *err = &report->result->err;
    bool has_ended = report->end == WORK_ENDED;
    const char *why = has_ended && err->code ? err->message : "";
    lines->n[report->end]++;
    output_note(lines->cli, "%s  %s after %lld ms%s%s", report->run->run_id,
                has_ended ? run_status_name(report->result->status) : end_words[report->end],
                (long long)report->took_ms, *why ? ": " : "",
                text_one_line(&scratch, why, strlen(why), ERROR_COLUMNS));
}

static void tell_store(struct work_watch *watch, const struct err *why)
{
    AUTO(arena) scratch = { 0 };
    struct cli *cli = ((struct worker_lines *)watch)->cli;
    if (why)
        output_warning(cli, arena_printf(&scratch, "the store is away, and is asked again: %s",
                                         text_one_line(&scratch, why->message, strlen(why->message),
                                                       ERROR_COLUMNS)));
    else
        output_note(cli, "the store is back");
}

static json_t *summary_of(const struct worker_lines *lines)
{
    return json_pack("{s:i, s:I, s:I, s:I}", "version", 1, "ended",
                     (json_int_t)lines->n[WORK_ENDED], "given_back",
                     (json_int_t)lines->n[WORK_GIVEN_BACK], "lost",
                     (json_int_t)lines->n[WORK_LOST]);
}

int command_worker(struct cli *cli)
{
    char host[NAME_BYTES] = "", name[NAME_BYTES + 16];
    const char *queue = cli->args->queue ? cli->args->queue : QUEUE_DEFAULT;
    struct worker_lines lines = { .base = { tell_begin, tell_end, tell_store }, .cli = cli };
    struct work_options options = { .name = name,
                                    .queue = queue,
                                    .jobs = (unsigned)cli->services->settings->worker_jobs,
                                    .watch = &lines.base };
    struct run_queue *runs = NULL;
    struct err err = { 0 };
    if (!queue_name_is_valid(queue))
        return command_misused(cli, "worker",
                               "a queue has a name of 1 to 64 letters, digits, '_', '-' or '.'");
    if (arguments_count("--jobs", cli->args->parallel, WORK_MAX_JOBS, &options.jobs, &err))
        return output_error(cli, &err);
    if (services_queue(cli->services, &runs, &err))
        return output_error(cli, &err);
    (void)!gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "%s:%lld", host, (long long)getpid());
    cli->lines->quiet |= !cli->args->events; /* the steps of several runs would be one tangle */
    output_note(cli, "%s works at the queue %s", name, queue);
    if (work(cli->services, cli->scope, &options, &err))
        return output_error(cli, &err);
    return cli->args->json ? output_status_json(cli, summary_of(&lines), 0) : 0;
}
