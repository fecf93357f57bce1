#include "infrastructure/checking/candidate_checker.h"
#include "infrastructure/repositories/repository_create.h"
#include "infrastructure/runtime/end_signals.h"
#include "infrastructure/runtime/system_ports.h"
#include "infrastructure/runtime/uv_console.h"
#include "infrastructure/runtime/uv_runtime.h"
#include "presentation/cli/output.h"
#include "presentation/main/composition.h"
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECOND_INTERRUPT_MS = 1000, SIGNAL_STATUS = 128 };

/* A signal ends the command; twice within a second leaves at once. */
static void asked_to_end(void *context, int number)
{
    struct composition *c = context;
    int64_t now = runtime_now_ms(c->services.runtime);
    bool is_second = c->end_status && now - c->interrupted_at_ms < SECOND_INTERRUPT_MS;
    c->end_status = SIGNAL_STATUS + number;
    if (is_second)
        _exit(c->end_status);
    c->interrupted_at_ms = now;
    runtime_cancel(c->services.runtime, &c->scope);
    runtime_cancel(c->services.runtime, &c->closing);
}

static void interrupted(void *context)
{
    asked_to_end(context, SIGINT);
}

static const char *current_folder(struct arena *arena)
{
    char path[PATH_MAX];
    return getcwd(path, sizeof path) ? arena_strdup(arena, path) : NULL;
}

static void make_runtime(struct composition *c)
{
    c->runtime = uv_runtime_create();
    c->console = uv_console_create(c->runtime);
    c->services.runtime = uv_runtime_port(c->runtime);
    c->services.digest = system_digest();
    c->services.browser = system_browser();
    c->services.ids = system_ids();
    c->services.documents = yaml_documents();
    c->services.artifacts = file_artifacts_create(c->runtime);
    c->checker = candidate_checker_create(c->runtime, &c->settings, COMPOSITION_PROGRAM);
    c->services.checker = c->checker;
    c->services.folder = current_folder(&c->arena);
    c->services.approve_all = c->arguments->yes;
    c->services.wants_server_logs = c->arguments->verbose || c->arguments->events;
}

static void make_cli(struct composition *c)
{
    const struct arguments *args = c->arguments;
    const char *no_color = getenv("NO_COLOR"), *term = args->plain ? "dumb" : getenv("TERM");
    bool err_terminal = console_is_terminal(c->console, CONSOLE_ERR);
    bool out_terminal = console_is_terminal(c->console, CONSOLE_OUT);
    c->cli = (struct cli){ .args = args,
                           .services = &c->services,
                           .console = c->console,
                           .host = &c->host,
                           .scope = &c->scope,
                           .arena = &c->arena,
                           .lines = &c->lines,
                           .style = style_make(err_terminal, args->color, no_color, term),
                           .answer_style = style_make(out_terminal, args->color, no_color, term) };
    event_lines_init(&c->lines, c->console, c->cli.style, c->cli.answer_style);
    c->lines.verbosity = args->verbose;
    c->lines.quiet = args->quiet;
    c->lines.as_json = args->events;
    c->lines.args = args;
    traffic_lines_init(&c->traffic, &c->lines);
    c->services.observer = &c->lines.base;
    terminal_user_init(&c->user, c->console, c->cli.style);
    c->user.lines = &c->lines;
    user_queue_init(&c->questions, &c->user.base, c->runtime);
    c->services.user = &c->questions.base;
}

static enum err_code run_command(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct composition *c = argument;
    struct err err = { 0 };
    struct scope ticking = scope_child(scope, SCOPE_NO_DEADLINE);
    struct task *clock = NULL;
    if (c->cli.style.moves_cursor)
        clock = runtime_spawn(runtime, &ticking, event_lines_tick, &c->lines);
    if (composition_configure(c, &err)) {
        c->status = output_error(&c->cli, &err);
    } else {
        composition_expect_model(c);
        c->status = c->command->run(&c->cli);
    }
    c->status = composition_judge_cassette(c, c->status);
    composition_close_services(c);
    runtime_cancel(runtime, &ticking);
    if (clock)
        (void)runtime_wait(runtime, clock);
    return ERR_NONE;
}

static void take_down(struct composition *c)
{
    console_on_interrupt(c->console, NULL, NULL);
    end_signals_destroy(c->end_signals);
    config_assets_destroy(c->services.assets);
    terminal_user_finish(&c->user);
    event_lines_finish(&c->lines);
    uv_console_destroy(c->console);
    uv_runtime_destroy(c->runtime);
#ifndef MISTRO_RELEASE
    arena_finish(&c->arena); /* else it goes back with the process: value by value takes longer */
#endif
}

/* A full disk must not look like success. */
static int report_lost_output(struct composition *c, int status)
{
    int error = uv_console_output_error(c->console);
    if (!error)
        return status;
    fprintf(stderr, "mistro: standard output: %s\n", strerror(error));
    return status ? status : err_exit_status(ERR_FAILED);
}

int compose_and_run(const struct arguments *arguments, const struct command *command)
{
    struct composition *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->process = c;
    c->person = "";
    c->arguments = arguments;
    c->command = command;
    c->scope = scope_child(NULL, SCOPE_NO_DEADLINE);
    make_runtime(c);
    make_cli(c);
    composition_provide_services(c);
    composition_provide_host(c);
    console_on_interrupt(c->console, interrupted, c);
    c->end_signals = end_signals_create(c->runtime, asked_to_end, c);
    (void)uv_runtime_run(c->runtime, NULL, run_command, c);
    int status = c->end_status ? c->end_status : c->status;
    status = report_lost_output(c, status);
    take_down(c);
    free(c);
#ifdef MISTRO_RELEASE
    /* The exit handlers of libcurl and of the libraries behind it take 0.4 ms, and only free
     * memory. */
    fflush(NULL);
    _exit(status);
#endif
    return status;
}
