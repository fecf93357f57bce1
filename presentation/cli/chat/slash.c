#include "presentation/cli/chat/slash.h"
#include "application/use_cases/sessions.h"
#include "domain/base/text.h"
#include "presentation/cli/output.h"
#include <string.h>
#include <sys/stat.h>

void slash_command(struct dialogue *dialogue, struct scope *scope, command_fn *command,
                   const char **words, size_t n_words)
{
    struct arguments arguments = *dialogue->cli->args;
    struct cli cli = *dialogue->cli;
    AUTO(arena) arena = { 0 };
    arguments.operands = words;
    arguments.n_operands = n_words;
    arguments.json = false;
    arguments.output = NULL; /* is of the answers */
    cli.args = &arguments;
    cli.scope = scope;
    cli.arena = &arena;
    int status = command(&cli);
    if (status && !dialogue->is_typed) {
        dialogue->status = status;
        dialogue->leaving = true;
    }
}

static void slash_tools(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    slash_command(dialogue, scope, command_tools, &argument, argument[0] != '\0');
}

static void slash_servers(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    (void)argument;
    slash_command(dialogue, scope, command_servers, NULL, 0);
}

static void slash_model(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    if (*argument)
        output_note(dialogue->cli, "start with another model: mistro %s --model %s",
                    dialogue->kind->command, argument);
    slash_command(dialogue, scope, command_models, NULL, 0);
}

/* A command of the command line with the words of the line. */
static void run_with_words(struct dialogue *dialogue, struct scope *scope, command_fn *command,
                           const char *line)
{
    AUTO(arena) arena = { 0 };
    const char **words = NULL, *word;
    size_t n = 0, capacity = 0;
    while ((word = slash_next_word(&arena, &line)))
        *arena_push(&arena, words, n, capacity) = word;
    slash_command(dialogue, scope, command, words, n);
}

static void slash_tool(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    run_with_words(dialogue, scope, command_tool, argument);
}

static void slash_call(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    run_with_words(dialogue, scope, command_call, argument);
}

static void slash_retry(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    AUTO(arena) arena = { 0 };
    (void)argument;
    if (dialogue->asks && dialogue->kind->interrupted) /* else it would answer the question */
        dialogue->kind->interrupted(dialogue, scope);
    if (dialogue->message)
        dialogue->kind->take_turn(dialogue, scope, arena_strdup(&arena, dialogue->message));
    else
        output_note(dialogue->cli, "nothing was said yet");
}

static void slash_runs(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    const char *words[] = { "show", argument };
    slash_command(dialogue, scope, command_runs, words, *argument ? 2 : 0);
}

static void slash_sessions(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    (void)argument;
    slash_command(dialogue, scope, command_sessions, NULL, 0);
}

static void slash_exit(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    (void)scope;
    (void)argument;
    dialogue->leaving = true;
}

static slash_fn slash_help;

static const struct slash common[] = {
    { "help", "help", "this", slash_help, false },
    { "tools", "tools [SERVER]", "tools that can be used", slash_tools, false },
    { "tool", "tool NAME", "a tool with its arguments", slash_tool, false },
    { "call", "call NAME [K=V…]", "calls a tool, without a model", slash_call, true },
    { "retry", "retry", "says your last request again", slash_retry, true },
    { "servers", "servers", "servers and how each was reached", slash_servers, false },
    { "history", "history", "what was said in this session", slash_history, false },
    { "clear", "clear", "begin anew in this session", slash_clear, false },
    { "sessions", "sessions", "stored sessions", slash_sessions, false },
    { "load", "load ID", "go on with a stored session", slash_load, false },
    { "new", "new", "begin a new session", slash_new, false },
    { "save", "save [TITLE]", "give this session a title", slash_save, false },
    { "runs", "runs [ID]", "the log of what was done", slash_runs, false },
    { "model", "model [NAME]", "which model answers, and why", slash_model, false },
    { "export", "export [FILE]", "this session as JSON, shown or into a file", slash_export, true },
    { "exit", "exit", "leave (also /quit, /bye)", slash_exit, false },
    { "quit", "quit", NULL, slash_exit, false },
    { "bye", "bye", NULL, slash_exit, false },
};

/* The dialogue's own commands, then the common ones; NULL behind the last. */
static const struct slash *slash_at(const struct dialogue *dialogue, size_t index)
{
    const struct dialogue_kind *kind = dialogue->kind;
    if (index < kind->n_slashes)
        return &kind->slashes[index];
    index -= kind->n_slashes;
    return index < ARRAY_LENGTH(common) ? &common[index] : NULL;
}

static void show_help(struct dialogue *dialogue, const char *name, const char *help)
{
    enum { HELP_BYTES = 58 }; /* what 80 columns leave */
    const struct style *style = &dialogue->cli->answer_style;
    size_t cut = text_fold(help, HELP_BYTES);
    (void)output_line(dialogue->cli, "  %s%-17s%s %.*s", style->bold, name, style->reset, (int)cut,
                      help);
    if (help[cut])
        show_help(dialogue, "", help + cut);
}

static void slash_help(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    AUTO(arena) arena = { 0 };
    const struct slash *slash;
    (void)scope;
    (void)argument;
    for (size_t i = 0; (slash = slash_at(dialogue, i)); i++)
        if (slash->help)
            show_help(dialogue, arena_printf(&arena, "/%s", slash->usage), slash->help);
    if (dialogue->kind->take_prompt)
        show_help(dialogue, "/SERVER:PROMPT",
                  "[NAME=VALUE…]: a prompt of a server is what you say");
    if (dialogue->kind->attaches) {
        show_help(dialogue, "@FILE", "in a message: the file's text goes along; @@ is a plain @");
        show_help(dialogue, "@SERVER:URI", "the same with a resource of a server");
    }
    show_help(dialogue, "Tab",
              "completes commands, tools, what stands behind @, arguments of prompts and, behind "
              "/load, sessions");
    show_help(dialogue, "Ctrl-J, Alt-Enter", "a line end in the message");
    show_help(dialogue, "Ctrl-X Ctrl-E", "the message in your editor ($VISUAL, $EDITOR)");
    show_help(dialogue, "Up, Ctrl-R", "earlier messages of this folder");
    show_help(dialogue, "Ctrl-C", "ends what is running; twice within a second leaves");
    show_help(dialogue, "Ctrl-D", "leaves");
}

static void report_unknown(struct dialogue *dialogue, const char *name)
{
    AUTO(arena) arena = { 0 };
    size_t n = dialogue->kind->n_slashes + ARRAY_LENGTH(common), nearest;
    const char **names = arena_array(&arena, const char *, n);
    for (size_t i = 0; i < n; i++)
        names[i] = slash_at(dialogue, i)->name;
    struct err err;
    enum err_code r = err_set(&err, ERR_INVALID, 0, "unknown command /%s",
                              text_one_line(&arena, name, strlen(name), 40));
    if (text_nearest(name, names, n, &nearest, 1))
        err_hint(&err, r, "did you mean /%s?", names[nearest]);
    err_hint(&err, r, "/help lists the commands");
    dialogue_report(dialogue, dialogue->cli, &err);
}

static void report_words(struct dialogue *dialogue, const struct slash *slash)
{
    struct err err;
    enum err_code r = err_set(&err, ERR_INVALID, 0, "/%s takes no words", slash->name);
    err_hint(&err, r, "say /%s alone; without the slash it would be a message", slash->name);
    dialogue_report(dialogue, dialogue->cli, &err);
}

enum err_code slash_may_create(const char *path, struct err *err)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return ERR_NONE;
    return err_hint(err, err_set(err, ERR_INVALID, 0, "%.200s is there already", path),
                    "name another file, or remove that one first");
}

/* A program that reads objects from stdout must find nothing else there. */
static void run_slash(struct dialogue *dialogue, struct scope *scope, const struct slash *slash,
                      const char *argument)
{
    struct cli *cli = dialogue->cli, aside = *cli;
    bool is_read = cli->args->json || cli->args->events;
    aside.answers_aside = true;
    aside.answer_style = cli->style;
    dialogue->cli = is_read && !slash->answers ? &aside : cli;
    slash->run(dialogue, scope, argument);
    dialogue->cli = cli;
}

void slash_run(struct dialogue *dialogue, struct scope *scope, const char *line)
{
    AUTO(arena) arena = { 0 };
    const struct slash *slash;
    size_t length = strcspn(line + 1, " \t\n");
    const char *name = arena_strndup(&arena, line + 1, length);
    const char *argument = line + 1 + length;
    argument += strspn(argument, " \t\n");
    for (size_t i = 0; (slash = slash_at(dialogue, i)); i++)
        if (strcmp(slash->name, name) == 0) {
            if (*argument && !strchr(slash->usage, ' '))
                report_words(dialogue, slash);
            else
                run_slash(dialogue, scope, slash, argument);
            return;
        }
    if (dialogue->kind->take_prompt && slash_names_prompt(name)) {
        slash_server_prompt(dialogue, scope, name, argument);
        return;
    }
    report_unknown(dialogue, name);
}

void candidates_add(struct candidates *found, const char *text, const char *typed)
{
    if (text_starts_with(text, typed))
        *arena_push(found->arena, found->list, found->n, found->capacity) = text;
}

/* Behind /load: the stored sessions. Waits, as libedit's reads do. */
static void suggest_sessions(struct dialogue *dialogue, struct candidates *found, const char *typed)
{
    struct conversation_summary *sessions = NULL;
    size_t n = 0;
    if (list_sessions(dialogue->cli->services, dialogue->turn, found->arena, &sessions, &n, NULL))
        return;
    for (size_t i = 0; i < n; i++)
        candidates_add(found, sessions[i].id, typed);
}

static void suggest_tools(const struct dialogue *dialogue, struct candidates *found,
                          const char *typed)
{
    for (size_t i = 0; i < dialogue->n_completions; i++)
        candidates_add(found, dialogue->completions[i], typed);
}

void slash_complete(void *context, struct arena *arena, const char *line, const char ***out,
                    size_t *out_n)
{
    struct dialogue *dialogue = context;
    struct candidates found = { .arena = arena };
    const char *blank = strrchr(line, ' '), *word = blank ? blank + 1 : line;
    bool has_prompts = line[0] == '/' && dialogue->kind->take_prompt;
    bool is_of_prompt = has_prompts && (blank || strchr(line, ':'));
    const struct slash *slash;
    if (text_starts_with(line, "/load ")) {
        suggest_sessions(dialogue, &found, word);
    } else if (text_starts_with(line, "/tool ") || text_starts_with(line, "/call ")) {
        suggest_tools(dialogue, &found, line + strlen("/tool "));
    } else if (word[0] == '@') {
        slash_suggest_attachments(dialogue, &found, word);
    } else if (is_of_prompt) {
        slash_suggest_prompts(dialogue, &found, line);
    } else {
        for (size_t i = 0; line[0] == '/' && !blank && (slash = slash_at(dialogue, i)); i++)
            if (text_starts_with(slash->usage, word + 1))
                candidates_add(&found, arena_printf(arena, "/%s", slash->name), "");
        if (has_prompts)
            slash_suggest_prompts(dialogue, &found, line);
        if (*word && *word != '/')
            suggest_tools(dialogue, &found, word);
    }
    *out = found.list;
    *out_n = found.n;
}
