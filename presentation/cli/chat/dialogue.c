#include "presentation/cli/chat/dialogue.h"
#include "application/use_cases/sessions.h"
#include "application/use_cases/user_text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include "presentation/cli/terminal/line_input.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void interrupted(void *context)
{
    struct dialogue *dialogue = context;
    struct runtime *runtime = dialogue->cli->services->runtime;
    int64_t now = runtime_now_ms(runtime);
    if (dialogue->interrupted_ms && now - dialogue->interrupted_ms < DIALOGUE_LEAVE_WITHIN_MS) {
        dialogue->leaving = true;
        dialogue->status = err_exit_status(ERR_CANCELLED);
    }
    dialogue->interrupted_ms = now;
    if (dialogue->turn)
        runtime_cancel(runtime, dialogue->turn);
}

enum err_code dialogue_begin(struct dialogue *dialogue, struct cli *cli,
                             const struct dialogue_kind *kind, struct err *err)
{
    dialogue->cli = cli;
    dialogue->kind = kind;
    const char *id = NULL;
    enum err_code r = choose_session(cli->services, cli->scope, cli->arena, cli->args->session,
                                     cli->args->continue_last, &id, err);
    if (r)
        return r;
    snprintf(dialogue->session_id, sizeof dialogue->session_id, "%s", id ? id : "");
    console_on_interrupt(cli->console, interrupted, dialogue);
    return ERR_NONE;
}

void dialogue_end(struct dialogue *dialogue)
{
    line_editor_destroy(dialogue->editor);
    dialogue->editor = NULL;
    free(dialogue->message);
    dialogue->message = NULL;
    console_on_interrupt(dialogue->cli->console, /* handler */ NULL, /* context */ NULL);
}

bool dialogue_is_interactive(const struct dialogue *dialogue)
{
    struct console *console = dialogue->cli->console;
    return console_is_terminal(console, CONSOLE_IN) && console_is_terminal(console, CONSOLE_OUT);
}

void dialogue_end_turn(struct dialogue *dialogue, int status)
{
    if (!dialogue->is_typed)
        dialogue->status = status;
}

void dialogue_report(struct dialogue *dialogue, struct cli *cli, const struct err *err)
{
    dialogue_end_turn(dialogue, output_error(cli, err));
    dialogue->leaving = !dialogue->is_typed;
}

/* At the end of a pipe: what stands behind its last newline, else NULL. */
static enum err_code last_line(struct buf *pending, struct arena *arena, const char **out,
                               struct err *err)
{
    size_t length = pending->length;
    const char *line = arena_strndup(arena, buf_string(pending), length);
    buf_clear(pending);
    if (strlen(line) != length)
        return err_set(err, ERR_INVALID, 0, "a line with a NUL byte is not text");
    *out = length ? line : NULL;
    return ERR_NONE;
}

static void show_typed(void *editor, bool shown)
{
    line_editor_show(editor, shown);
}

/* What the warm-up tells meanwhile goes above the line. */
static enum err_code edit_line(struct dialogue *dialogue, struct scope *scope, const char *prompt,
                               struct arena *arena, const char **out, struct err *err)
{
    if (dialogue->cli->style.moves_cursor)
        event_lines_typing(dialogue->cli->lines, show_typed, dialogue->editor);
    line_editor_expect_choice(dialogue->editor, dialogue->n_keys);
    enum err_code r = line_editor_read(dialogue->editor, scope, prompt, arena, out, err);
    event_lines_typing(dialogue->cli->lines, NULL, NULL);
    return r;
}

enum { TERMINAL_LINE_MAX = 4095 }; /* without an editor: the system drops the rest */

static enum err_code next_line(struct dialogue *dialogue, struct scope *scope, struct buf *pending,
                               struct arena *arena, const char **out, struct err *err)
{
    const char *before = *dialogue->cli->answer_style.reset ? "\1\033[1;34m\1" : "";
    const char *behind = *before ? "\1\033[0m\1" : "";
    if (dialogue->editor)
        return edit_line(dialogue, scope,
                         arena_printf(arena, "%s%s%s ", before, dialogue->kind->prompt, behind),
                         arena, out, err);
    if (dialogue->is_typed)
        (void)console_write(dialogue->cli->console, CONSOLE_OUT,
                            arena_printf(arena, "%s ", dialogue->kind->prompt),
                            strlen(dialogue->kind->prompt) + 1);
    enum err_code r = line_input_read(dialogue->cli->console, scope, pending, arena, out, err);
    if (!r && dialogue->is_typed && strlen(*out) >= TERMINAL_LINE_MAX)
        return err_hint(err, err_set(err, ERR_LIMIT, 0, "the end of the line did not arrive"),
                        "a terminal takes no longer one%s",
                        dialogue->kind->attaches ? "; put it into a file, and say @FILE" : "");
    return r == ERR_CANCELLED && !scope->cancelled ? last_line(pending, arena, out, err) : r;
}

/* The answer to a question is nothing that could be said again. */
static void take_message(struct dialogue *dialogue, struct scope *scope, const char *message)
{
    bool answers = dialogue->asks && dialogue->message;
    dialogue->took_request = false;
    dialogue->kind->take_turn(dialogue, scope, message);
    if (answers && !dialogue->took_request)
        return;
    free(dialogue->message);
    dialogue->message = strdup(message);
}

/* What is typed ahead is read as the next line. It is not echoed, for it would stand within the
 * answer. */
static void take_line(struct dialogue *dialogue, struct scope *scope, const char *line)
{
    struct console *console = dialogue->cli->console;
    bool echo = dialogue->editor && console_set_echo(console, false);
    /* "/etc/hosts" is a path in a message, "/notes:a/b" the prompt of a server. */
    if (line[0] == '/' && line[1 + strcspn(line + 1, " \t\n:/")] != '/')
        slash_run(dialogue, scope, line);
    else if (line[strspn(line, " \t\n")])
        take_message(dialogue, scope, line);
    if (echo)
        (void)console_set_echo(console, true);
}

void dialogue_take_line(struct dialogue *dialogue, const char *line)
{
    struct scope scope = scope_child(dialogue->cli->scope, SCOPE_NO_DEADLINE);
    dialogue->turn = &scope;
    take_line(dialogue, &scope, line);
    dialogue->turn = NULL;
}

void dialogue_converse(struct dialogue *dialogue)
{
    struct cli *cli = dialogue->cli;
    AUTO(buf) pending;
    buf_init(&pending, LINE_INPUT_MAX_BYTES);
    while (!dialogue->leaving) {
        AUTO(arena) arena = { 0 };
        struct err err = { 0 };
        struct scope scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
        const char *line = NULL;
        dialogue->turn = &scope;
        enum err_code r = next_line(dialogue, &scope, &pending, &arena, &line, &err);
        if (r == ERR_CANCELLED && dialogue->is_typed && !cli->scope->cancelled) {
            (void)output_line(cli, "%s", dialogue->editor ? "^C" : "");
            scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
            if (dialogue->kind->interrupted)
                dialogue->kind->interrupted(dialogue, &scope);
        } else if (dialogue->is_typed && (r == ERR_LIMIT || r == ERR_INVALID)) {
            buf_clear(&pending);
            (void)output_error(cli, &err);
        } else if (r) {
            dialogue->status = output_error(cli, &err);
            dialogue->leaving = true;
        } else if (!line) {
            dialogue->leaving = true;
            if (dialogue->is_typed && !dialogue->editor)
                (void)output_line(cli, "%s", "");
        } else {
            take_line(dialogue, &scope, line);
        }
        dialogue->turn = NULL;
    }
    if (dialogue->status && pending.length)
        output_note(cli, "  the lines behind it were not read: they could mean something else now");
}

static void not_interrupted(void *context)
{
    (void)context;
}

enum err_code dialogue_edit_text(struct dialogue *dialogue, const char *file, const char *text,
                                 struct arena *arena, const char **out, struct err *err)
{
    struct cli_host *host = dialogue->cli->host;
    console_on_interrupt(dialogue->cli->console, not_interrupted, dialogue);
    enum err_code r = host->ops->edit_text(host, file, text, arena, out, err);
    console_on_interrupt(dialogue->cli->console, interrupted, dialogue);
    return r;
}

/* Ctrl-X Ctrl-E */
static const char *edit_elsewhere(void *context, struct arena *arena, const char *text)
{
    struct dialogue *dialogue = context;
    struct err err = { 0 };
    const char *edited = NULL;
    if (dialogue_edit_text(dialogue, "message.md", text, arena, &edited, &err)) {
        (void)output_error(dialogue->cli, &err);
        return NULL;
    }
    size_t length = strlen(edited);
    return arena_strndup(arena, edited, length - (length && edited[length - 1] == '\n'));
}

/* Enter: what a turn would refuse stays in the line. */
static bool accept(void *context, const char *text)
{
    struct dialogue *dialogue = context;
    struct err err;
    int64_t most = dialogue->cli->services->settings->limits_request_bytes;
    enum err_code r = user_text_check(
        text, "message", most < LINE_EDITOR_LINE_MAX ? most : LINE_EDITOR_LINE_MAX, &err);
    if (!r)
        return true;
    err_hint(&err, r, "shorten it%s",
             dialogue->kind->attaches ? ", or put it into a file and attach that with @FILE" : "");
    line_editor_show(dialogue->editor, false);
    (void)output_error(dialogue->cli, &err);
    return false;
}

/* What was typed in this folder. NULL: it is not kept. */
static const char *history_file(struct cli *cli)
{
    enum { OF_FOLDER = 16 };
    char hex[DIGEST_HEX_SIZE];
    const char *state = cli->host->ops->state_dir(cli->host), *folder = cli->services->folder;
    if (!state || !folder)
        return NULL;
    digest_sha256(cli->services->digest, folder, strlen(folder), hex);
    return arena_printf(cli->arena, "%s/history-%.*s", state, OF_FOLDER, hex);
}

void dialogue_converse_on_terminal(struct dialogue *dialogue, task_fn *warm, void *argument)
{
    struct cli *cli = dialogue->cli;
    struct runtime *runtime = cli->services->runtime;
    struct scope scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
    struct task *task = runtime_spawn(runtime, &scope, warm, argument);
    const struct line_editor_helpers helpers = { slash_complete, edit_elsewhere, accept, dialogue };
    dialogue->is_typed = true;
    if (cli->style.moves_cursor) {
        (void)console_set_echo(cli->console, true);
        dialogue->editor = line_editor_create(cli->console, history_file(cli), &helpers);
    }
    dialogue_converse(dialogue);
    runtime_cancel(runtime, &scope);
    (void)runtime_wait(runtime, task);
}
