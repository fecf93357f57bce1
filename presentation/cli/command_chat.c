/* `mistro chat`: a line in, a turn, its answer; until Ctrl-D. */
#include "application/use_cases/sessions.h"
#include "domain/base/text.h"
#include "presentation/cli/attachments.h"
#include "presentation/cli/chat.h"
#include "presentation/cli/command.h"
#include "presentation/cli/event_lines.h"
#include "presentation/cli/line_input.h"
#include "presentation/cli/output.h"
#include "presentation/cli/turn_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct interrupts {
    struct chat *chat;
    int64_t last_ms;
};

enum { LEAVE_WITHIN_MS = 1000 };

/* Once ends what is running, twice within a second leaves. */
static void interrupted(void *context)
{
    struct interrupts *interrupts = context;
    struct chat *chat = interrupts->chat;
    struct runtime *runtime = chat->cli->services->runtime;
    int64_t now = runtime_now_ms(runtime);
    if (interrupts->last_ms && now - interrupts->last_ms < LEAVE_WITHIN_MS) {
        chat->leaving = true;
        chat->status = err_exit_status(ERR_CANCELLED);
    }
    interrupts->last_ms = now;
    if (chat->turn)
        runtime_cancel(runtime, chat->turn);
}

static void keep_plan(struct chat *chat, struct arena *arena, const struct turn_result *result)
{
    const char *text = NULL;
    if (!result->plan)
        return;
    json_auto_t *value = plan_to_json(result->plan);
    if (documents_print_yaml(chat->cli->services->documents, value, arena, &text, NULL))
        return;
    free(chat->last_plan);
    chat->last_plan = strdup(text);
}

static void take_turn(struct chat *chat, struct scope *scope, const char *message)
{
    struct cli cli = *chat->cli;
    AUTO(arena) arena = { 0 };
    struct turn_result result;
    struct err err = { 0 };
    struct chat_request request = { .message = message,
                                    .session_id = *chat->session_id ? chat->session_id : NULL,
                                    .no_session = cli.args->no_session,
                                    .dry_run = cli.args->dry_run,
                                    .interactive = true };
    cli.arena = &arena;
    cli.scope = scope;
    cli.in_chat = true;
    size_t most = (size_t)cli.services->settings->limits_request_bytes;
    struct attachments found;
    if (attachments_read(cli.console, scope, &arena, message, most, &found, &err)) {
        (void)output_error(&cli, &err);
        return;
    }
    request.message = found.message;
    request.attached = found.text;
    cli.lines->stream_answer = true;
    enum err_code r = mistral_chat_turn(chat->turns, scope, &arena, &request, &result, &err);
    bool streamed = event_lines_end_answer(cli.lines);
    if (r == ERR_CANCELLED) {
        output_note(&cli, "cancelled");
        return;
    }
    if (r) {
        (void)output_error(&cli, &err);
        return;
    }
    (void)turn_output(&cli, &result, streamed);
    if (result.session_id)
        snprintf(chat->session_id, sizeof chat->session_id, "%s", result.session_id);
    keep_plan(chat, &arena, &result);
}

static enum err_code next_line(struct chat *chat, struct scope *scope, struct buf *pending,
                               struct arena *arena, const char **out, struct err *err)
{
    const char *before = *chat->cli->answer_style.reset ? "\1\033[1;34m\1" : "";
    const char *behind = *before ? "\1\033[0m\1" : "";
    if (chat->editor)
        return line_editor_read(chat->editor, scope,
                                arena_printf(arena, "%smistro>%s ", before, behind), arena, out,
                                err);
    enum err_code r = line_input_read(chat->cli->console, scope, pending, arena, out, err);
    if (r == ERR_CANCELLED && !scope->cancelled) {
        *out = NULL; /* the end of the pipe */
        return ERR_NONE;
    }
    return r;
}

static void converse(struct chat *chat)
{
    AUTO(buf) pending;
    buf_init(&pending, LINE_INPUT_MAX_BYTES);
    while (!chat->leaving) {
        AUTO(arena) arena = { 0 };
        struct err err = { 0 };
        struct scope scope = scope_child(chat->cli->scope, SCOPE_NO_DEADLINE);
        const char *line = NULL;
        chat->turn = &scope;
        enum err_code r = next_line(chat, &scope, &pending, &arena, &line, &err);
        if (r == ERR_CANCELLED && chat->editor && !chat->cli->scope->cancelled) {
            (void)output_line(chat->cli, "^C");
        } else if (r) {
            chat->status = output_error(chat->cli, &err);
            chat->leaving = true;
        } else if (!line) {
            chat->leaving = true;
            if (chat->editor)
                (void)output_line(chat->cli, "%s", "");
        } else if (line[0] == '/') {
            chat_command(chat, &scope, line);
        } else if (line[strspn(line, " \t\n")]) {
            take_turn(chat, &scope, line);
        }
        chat->turn = NULL;
    }
}

static void load_completions(struct chat *chat)
{
    struct cli *cli = chat->cli;
    struct tool_listing listing;
    struct err err = { 0 };
    struct scope scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
    chat->turn = &scope; /* Ctrl-C does not wait for a server that is slow to start */
    enum err_code r = list_tools(cli->services, &scope, cli->arena, NULL, &listing, &err);
    chat->turn = NULL;
    if (r) {
        output_warning(cli, err.message);
        return;
    }
    chat->completions = arena_array(cli->arena, const char *, listing.n_tools + 1);
    for (size_t i = 0; i < listing.n_tools; i++)
        chat->completions[i] = listing.tools[i].full_name;
    chat->n_completions = listing.n_tools;
    for (size_t i = 0; i < listing.n_failures; i++)
        output_warning(cli, listing.failures[i].err.message);
    size_t n_servers = 0;
    for (size_t i = 0; i < listing.n_tools; i++) /* sorted by name */
        n_servers += !i || !text_equal(listing.tools[i].server, listing.tools[i - 1].server);
    output_note(cli, "%smistro %s%s: %zu tools of %zu server%s. /help says what can be typed.",
                cli->style.bold, cli->host->version, cli->style.reset, listing.n_tools, n_servers,
                n_servers == 1 ? "" : "s");
}

static enum err_code choose_session(struct chat *chat, struct err *err)
{
    const struct cli *cli = chat->cli;
    const char *id = cli->args->session;
    enum err_code r = ERR_NONE;
    if (!id && cli->args->continue_last)
        r = latest_session(cli->services, cli->scope, cli->arena, &id, err);
    if (!r && id)
        snprintf(chat->session_id, sizeof chat->session_id, "%s", id);
    return r;
}

int command_chat(struct cli *cli)
{
    struct chat chat = { .cli = cli };
    struct interrupts interrupts = { .chat = &chat };
    struct err err = { 0 };
    if (choose_session(&chat, &err))
        return output_error(cli, &err);
    chat.turns = mistral_chat_create(cli->services);
    console_on_interrupt(cli->console, interrupted, &interrupts);
    if (console_is_terminal(cli->console, CONSOLE_IN) &&
        console_is_terminal(cli->console, CONSOLE_OUT)) {
        const char *state = cli->host->ops->state_dir(cli->host);
        const char *file = state ? arena_printf(cli->arena, "%s/history", state) : NULL;
        load_completions(&chat);
        chat.editor = line_editor_create(cli->console, file, chat_complete, &chat);
    }
    converse(&chat);
    line_editor_destroy(chat.editor);
    console_on_interrupt(cli->console, NULL, NULL);
    mistral_chat_destroy(chat.turns);
    free(chat.last_plan);
    return chat.status;
}
