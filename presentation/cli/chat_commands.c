#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/chat.h"
#include "presentation/cli/command.h"
#include "presentation/cli/output.h"
#include "presentation/cli/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void slash_fn(struct chat *chat, struct scope *scope, const char *argument);

struct slash {
    const char *name, *usage, *help; /* help: NULL for another name of the same */
    slash_fn *run;
};

static const struct slash *slash_table(size_t *out_n);

/* Runs a command of the command line within the chat: its words are replaced for the time. */
static void run_command(struct chat *chat, struct scope *scope, command_fn *command,
                        const char **words, size_t n_words)
{
    struct arguments arguments = *chat->cli->args;
    struct cli cli = *chat->cli;
    AUTO(arena) arena = { 0 };
    arguments.operands = words;
    arguments.n_operands = n_words;
    arguments.json = false;
    cli.args = &arguments;
    cli.scope = scope;
    cli.arena = &arena;
    (void)command(&cli);
}

static void slash_help(struct chat *chat, struct scope *scope, const char *argument)
{
    static const struct {
        const char *name, *help;
    } keys[] = { { "@FILE", "in a message: the file's text goes along; @@ is a plain @" },
                 { "Tab", "completes commands, tools and, behind /load, sessions" },
                 { "Up, Ctrl-R", "earlier messages" },
                 { "Ctrl-C", "ends what is running; twice within a second leaves" },
                 { "Ctrl-D", "leaves" } };
    size_t n;
    const struct slash *all = slash_table(&n);
    (void)scope;
    (void)argument;
    const struct style *style = &chat->cli->answer_style;
    for (size_t i = 0; i < n; i++)
        if (all[i].help)
            (void)output_line(chat->cli, "  %s/%-16s%s %s", style->bold, all[i].usage, style->reset,
                              all[i].help);
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        (void)output_line(chat->cli, "  %s%-17s%s %s", style->bold, keys[i].name, style->reset,
                          keys[i].help);
}

static void slash_tools(struct chat *chat, struct scope *scope, const char *argument)
{
    run_command(chat, scope, command_tools, &argument, argument[0] != '\0');
}

static void slash_servers(struct chat *chat, struct scope *scope, const char *argument)
{
    (void)argument;
    run_command(chat, scope, command_servers, NULL, 0);
}

static void slash_model(struct chat *chat, struct scope *scope, const char *argument)
{
    if (*argument)
        output_note(chat->cli, "start with another model: mistro chat --model %s", argument);
    run_command(chat, scope, command_models, NULL, 0);
}

static void slash_runs(struct chat *chat, struct scope *scope, const char *argument)
{
    const char *words[] = { "show", argument };
    run_command(chat, scope, command_runs, words, *argument ? 2 : 0);
}

static void slash_sessions(struct chat *chat, struct scope *scope, const char *argument)
{
    (void)argument;
    run_command(chat, scope, command_sessions, NULL, 0);
}

static void slash_history(struct chat *chat, struct scope *scope, const char *argument)
{
    struct cli *cli = chat->cli;
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    size_t n;
    (void)argument;
    if (!*chat->session_id) {
        output_note(cli, "nothing was said yet");
        return;
    }
    if (show_session(cli->services, scope, &arena, chat->session_id, &conversation, &err)) {
        (void)output_error(cli, &err);
        return;
    }
    size_t memory = (size_t)cli->services->settings->conversation_memory_size;
    const struct message *messages = conversation_recent(conversation, memory, &n);
    for (size_t i = 0; i < n; i++)
        (void)output_line(cli, "%s%-9s%s %s", cli->answer_style.bold,
                          message_role_name(messages[i].role), cli->answer_style.reset,
                          text_one_line(&arena, messages[i].content, strlen(messages[i].content),
                                        console_columns(cli->console) - 12));
}

static void slash_clear(struct chat *chat, struct scope *scope, const char *argument)
{
    struct err err = { 0 };
    (void)argument;
    if (*chat->session_id && clear_session(chat->cli->services, scope, chat->session_id, &err))
        (void)output_error(chat->cli, &err);
    else
        output_note(chat->cli, "cleared: what was said stays stored, but is not looked at again");
}

static void slash_load(struct chat *chat, struct scope *scope, const char *argument)
{
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (!*argument) {
        output_note(chat->cli, "which one? /load ID");
        return;
    }
    if (show_session(chat->cli->services, scope, &arena, argument, &conversation, &err)) {
        (void)output_error(chat->cli, &err);
        return;
    }
    snprintf(chat->session_id, sizeof chat->session_id, "%s", conversation->id);
    const char *label = conversation_label(&arena, conversation);
    output_note(chat->cli, "session %s: %s", conversation->id,
                text_one_line(&arena, label, strlen(label), CONVERSATION_TITLE_MAX));
}

static void slash_new(struct chat *chat, struct scope *scope, const char *argument)
{
    (void)scope;
    (void)argument;
    chat->session_id[0] = '\0';
    output_note(chat->cli, "a new session begins with your next message");
}

static void slash_save(struct chat *chat, struct scope *scope, const char *argument)
{
    struct err err = { 0 };
    if (!*chat->session_id)
        output_note(chat->cli, "nothing was said yet");
    else if (*argument &&
             rename_session(chat->cli->services, scope, chat->session_id, argument, &err))
        (void)output_error(chat->cli, &err);
    else
        output_note(chat->cli, "saved as session %s (every turn is)", chat->session_id);
}

static void slash_plan(struct chat *chat, struct scope *scope, const char *argument)
{
    (void)scope;
    (void)argument;
    if (chat->last_plan)
        (void)output_text(chat->cli, chat->last_plan, strlen(chat->last_plan));
    else
        output_note(chat->cli, "no plan was made yet");
}

static void slash_export(struct chat *chat, struct scope *scope, const char *argument)
{
    struct cli cli = *chat->cli;
    struct arguments arguments = *cli.args;
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (!*chat->session_id) {
        output_note(chat->cli, "nothing was said yet");
        return;
    }
    arguments.output = *argument ? argument : NULL;
    cli.args = &arguments;
    enum err_code r =
        show_session(cli.services, scope, &arena, chat->session_id, &conversation, &err);
    json_auto_t *value = r ? NULL : conversation_to_json(conversation);
    auto_str text = r ? NULL : json_print_pretty(value);
    if (!r) {
        const char *line = arena_printf(&arena, "%s\n", text);
        r = output_bytes(&cli, line, strlen(line), &err);
    }
    if (r)
        (void)output_error(&cli, &err);
    else if (*argument)
        output_note(&cli, "written to %s", text_one_line(&arena, argument, strlen(argument), 200));
}

static void slash_exit(struct chat *chat, struct scope *scope, const char *argument)
{
    (void)scope;
    (void)argument;
    chat->leaving = true;
}

static const struct slash *slash_table(size_t *out_n)
{
    static const struct slash table[] = {
        { "help", "help", "this", slash_help },
        { "tools", "tools [SERVER]", "tools that can be used", slash_tools },
        { "servers", "servers", "servers and how each was reached", slash_servers },
        { "history", "history", "what was said in this session", slash_history },
        { "clear", "clear", "begin anew in this session", slash_clear },
        { "sessions", "sessions", "stored sessions", slash_sessions },
        { "load", "load ID", "go on with a stored session", slash_load },
        { "new", "new", "begin a new session", slash_new },
        { "save", "save [TITLE]", "give this session a title", slash_save },
        { "plan", "plan", "the plan of the last turn", slash_plan },
        { "runs", "runs [ID]", "the log of what was done", slash_runs },
        { "model", "model", "which model answers, and why", slash_model },
        { "export", "export [FILE]", "this session as JSON, shown or into a file", slash_export },
        { "exit", "exit", "leave (also /quit, /bye)", slash_exit },
        { "quit", "quit", NULL, slash_exit },
        { "bye", "bye", NULL, slash_exit },
    };
    *out_n = ARRAY_LENGTH(table);
    return table;
}

static void report_unknown(struct chat *chat, const char *name)
{
    size_t n, nearest;
    const struct slash *all = slash_table(&n);
    const char *names[32];
    for (size_t i = 0; i < n && i < ARRAY_LENGTH(names); i++)
        names[i] = all[i].name;
    AUTO(arena) arena = { 0 };
    const char *shown = text_one_line(&arena, name, strlen(name), 40);
    if (text_nearest(name, names, n, &nearest, 1))
        output_note(chat->cli, "unknown command /%s; did you mean /%s?", shown, names[nearest]);
    else
        output_note(chat->cli, "unknown command /%s; see /help", shown);
}

void chat_command(struct chat *chat, struct scope *scope, const char *line)
{
    AUTO(arena) arena = { 0 };
    size_t n, length = strcspn(line + 1, " \t");
    const struct slash *all = slash_table(&n);
    const char *name = arena_strndup(&arena, line + 1, length);
    const char *argument = line + 1 + length;
    argument += strspn(argument, " \t");
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0) {
            all[i].run(chat, scope, argument);
            return;
        }
    report_unknown(chat, name);
}

/* Tab behind /load: the stored sessions. Waits, as libedit's reads do. */
static size_t session_ids(struct chat *chat, struct arena *arena, const char *word,
                          const char ***out)
{
    struct conversation_summary *sessions = NULL;
    size_t n = 0, n_found = 0, capacity = 0;
    const char **found = NULL;
    if (list_sessions(chat->cli->services, chat->turn, arena, &sessions, &n, NULL))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (text_starts_with(sessions[i].id, word))
            *arena_push(arena, found, n_found, capacity) = sessions[i].id;
    *out = found;
    return n_found;
}

void chat_complete(void *context, struct arena *arena, const char *line, const char ***out,
                   size_t *out_n)
{
    struct chat *chat = context;
    size_t n = 0, capacity = 0, n_slash;
    const char **found = NULL;
    const char *blank = strrchr(line, ' '), *word = blank ? blank + 1 : line;
    const struct slash *all = slash_table(&n_slash);
    if (text_starts_with(line, "/load ")) {
        *out_n = session_ids(chat, arena, word, out);
        return;
    }
    for (size_t i = 0; line[0] == '/' && !blank && i < n_slash; i++)
        if (text_starts_with(all[i].usage, word + 1))
            *arena_push(arena, found, n, capacity) = arena_printf(arena, "/%s", all[i].name);
    for (size_t i = 0; *word && *word != '/' && i < chat->n_completions; i++)
        if (text_starts_with(chat->completions[i], word))
            *arena_push(arena, found, n, capacity) = chat->completions[i];
    *out = found;
    *out_n = n;
}
