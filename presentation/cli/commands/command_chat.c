/* `mistro chat`: a line in, a turn, its answer; until Ctrl-D. */
#include "application/use_cases/diagnose.h"
#include "application/use_cases/mistral_chat.h"
#include "application/use_cases/plans/save_plan.h"
#include "application/use_cases/run_plan.h"
#include "application/use_cases/runs/runs.h"
#include "application/use_cases/sessions.h"
#include "application/use_cases/tools/list_tools.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/command.h"
#include "presentation/cli/commands/request_words.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include "presentation/cli/output/turn_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GREETING_MS = 1500, SHOWN_COLUMNS = 300 };

struct chat {
    struct dialogue base;
    struct warm_up_tool *tools; /* in the arena of the command line */
    size_t n_tools;
    struct mistral_chat *turns;
    bool plan_only;    /* of the turn that is taken: what it comes to is not done */
    char *last_plan;   /* YAML of the last turn's plan, malloc'd; NULL at first */
    char *last_output; /* the last bytes that a step gave, likewise */
    size_t last_output_length;
};

static void keep_output(struct chat *chat, const struct turn_result *result)
{
    size_t length = 0;
    char *output = result->n_steps ? turn_output_bytes(result, &length) : NULL;
    if (!output)
        return;
    free(chat->last_output);
    chat->last_output = output;
    chat->last_output_length = length;
}

static void keep_plan(struct chat *chat, struct arena *arena, const struct turn_result *result)
{
    const char *text = NULL;
    if (!result->plan)
        return;
    json_auto_t *value = plan_to_json(result->plan);
    if (documents_print_yaml(chat->base.cli->services->documents, value, arena, &text, NULL))
        return;
    free(chat->last_plan);
    chat->last_plan = strdup(text);
}

/* "  mistral:7b, 1,204 of 8,192 tokens of context, 3.2 s", where there is room for it. */
static void show_status(struct cli *cli, const struct turn_result *result, int64_t began_ms)
{
    enum { NAME_COLUMNS = 30 };
    struct arena *arena = cli->arena;
    const struct event_lines *lines = cli->lines;
    const char *model = *lines->model ? lines->model : cli->services->settings->model_name;
    const char *text =
        arena_printf(arena, "  %s", text_one_line(arena, model, strlen(model), NAME_COLUMNS));
    if (lines->context_used >= 0)
        text = arena_printf(
            arena, "%s, %s%s tokens of context", text,
            text_grouped(arena, (size_t)lines->context_used),
            result->context_tokens > 0
                ? arena_printf(arena, " of %s", text_grouped(arena, (size_t)result->context_tokens))
                : "");
    text = arena_printf(arena, "%s, %.1f s", text,
                        (double)(runtime_now_ms(cli->services->runtime) - began_ms) / 1000);
    if (cli->takes_keys && result->usage.model_calls &&
        text_columns(text) < console_columns(cli->console))
        output_note(cli, "%s%s%s", cli->style.dim, text, cli->style.reset);
}

/* One turn; message and attached are in the arena of the cli. */
static void run_turn(struct chat *chat, struct cli *cli, const char *message, const char *attached)
{
    struct dialogue *dialogue = &chat->base;
    struct turn_result result;
    struct err err = { 0 };
    struct turn_request request = { .message = message,
                                    .attached = attached,
                                    .session_id =
                                        *dialogue->session_id ? dialogue->session_id : NULL,
                                    .no_session = cli->args->no_session,
                                    .plan_only = chat->plan_only,
                                    .dry_run = cli->args->dry_run,
                                    .interactive = true };
    cli->lines->stream_answer = !cli->args->json && !cli->args->output;
    int64_t began_ms = runtime_now_ms(cli->services->runtime);
    dialogue->asks = false;
    dialogue->n_keys = 0;
    enum err_code r =
        mistral_chat_turn(chat->turns, cli->scope, cli->arena, &request, &result, &err);
    bool streamed =
        event_lines_end_answer(cli->lines, !r && (!result.err.code || turn_has_answer(&result)));
    if (r == ERR_CANCELLED && dialogue->is_typed) {
        output_note(cli, "cancelled");
        return;
    }
    if (r) {
        dialogue_end_turn(dialogue, turn_output_failed(cli, &result, &err));
        return;
    }
    int status = turn_output(cli, &result, streamed);
    show_status(cli, &result, began_ms);
    dialogue_end_turn(dialogue, status);
    if (result.not_saved.code)
        dialogue->status = status;
    if (result.session_id)
        snprintf(dialogue->session_id, sizeof dialogue->session_id, "%s", result.session_id);
    dialogue->took_request = result.dropped && result.intent;
    dialogue->asks = result.status == RUN_NEEDS_ANSWER && result.intent;
    if (dialogue->asks)
        dialogue->n_keys = turn_output_keys(result.intent);
    keep_plan(chat, cli->arena, &result);
    keep_output(chat, &result);
}

static struct cli cli_of_turn(const struct dialogue *dialogue, struct scope *scope,
                              struct arena *arena)
{
    struct cli cli = *dialogue->cli;
    cli.arena = arena;
    cli.scope = scope;
    cli.in_chat = true;
    cli.takes_keys = cli.style.moves_cursor && dialogue_is_interactive(dialogue);
    return cli;
}

static void take_turn(struct dialogue *dialogue, struct scope *scope, const char *message)
{
    AUTO(arena) arena = { 0 };
    struct cli cli = cli_of_turn(dialogue, scope, &arena);
    struct err err = { 0 };
    const struct attachment_sources from = { cli.console, cli.services };
    size_t most = (size_t)cli.services->settings->limits_request_bytes;
    struct request_words found;
    if (request_words_attach(&from, scope, &arena, message, most, &found, &err))
        dialogue_end_turn(dialogue, output_error(&cli, &err));
    else
        run_turn((struct chat *)dialogue, &cli, found.message, found.attached);
}

/* Of a server: an '@' in it attaches nothing. */
static void take_prompt(struct dialogue *dialogue, struct scope *scope, const char *text)
{
    AUTO(arena) arena = { 0 };
    struct cli cli = cli_of_turn(dialogue, scope, &arena);
    run_turn((struct chat *)dialogue, &cli, text, NULL);
}

/* Ctrl-C at a question drops it. */
static void drop_waiting(struct dialogue *dialogue, struct scope *scope)
{
    AUTO(arena) arena = { 0 };
    const char *text = NULL;
    struct err err = { 0 };
    if (*dialogue->session_id &&
        drop_questions(dialogue->cli->services, scope, &arena, dialogue->session_id, &text, &err))
        (void)output_error(dialogue->cli, &err);
    else if (text)
        output_notice(dialogue->cli, "%s", text);
    dialogue->asks = false;
    dialogue->n_keys = 0;
}

/* Else a person could not know that the first message is taken for an answer. */
static void show_waiting(struct dialogue *dialogue, struct scope *scope)
{
    AUTO(arena) arena = { 0 };
    struct cli cli = cli_of_turn(dialogue, scope, &arena);
    const struct intent *intent = NULL;
    struct err err = { 0 };
    if (*dialogue->session_id &&
        waiting_questions(cli.services, scope, &arena, dialogue->session_id, &intent, &err))
        (void)output_error(&cli, &err);
    else if (intent)
        turn_output_questions(&cli, intent, dialogue->session_id);
    dialogue->n_keys = intent ? turn_output_keys(intent) : 0;
    dialogue->asks = intent != NULL;
}

/* For the warm-up: what may be used. */
static void keep_tools(struct chat *chat, const struct tool_listing *listing)
{
    chat->n_tools = 0;
    chat->tools = arena_array(chat->base.cli->arena, struct warm_up_tool, listing->n_tools + 1);
    for (size_t i = 0; i < listing->n_tools; i++)
        if (!listing->tools[i].quarantined)
            chat->tools[chat->n_tools++] =
                (struct warm_up_tool){ listing->tools[i].server, listing->tools[i].definition };
}

static const char *safe(struct cli *cli, const char *text)
{
    return text_one_line(cli->arena, text, strlen(text), SHOWN_COLUMNS);
}

/* "files, notes" */
static const char *servers_of(struct arena *arena, const struct tool_listing *listing)
{
    const char *names = "", *last = NULL;
    for (size_t i = 0; i < listing->n_tools; i++) { /* sorted by name */
        const char *name = listing->tools[i].server;
        if (!text_equal(name, last))
            names = arena_printf(arena, "%s%s%s", names, last ? ", " : "", name);
        last = name;
    }
    return names;
}

/* A person is not kept from typing: an endpoint that does not answer at once is told as it is named
 * in the settings, and a server that mistro itself starts is waited for by the first turn. */
static void greet_model(struct cli *cli)
{
    const struct settings *settings = cli->services->settings;
    struct scope soon = runtime_scope(cli->services->runtime, cli->scope, GREETING_MS);
    struct model_listing found = { 0 };
    struct err err = { 0 };
    if (settings_launch_counts(settings)) {
        output_note(cli, "  model: of the server that model.launch starts");
        return;
    }
    if (!list_models(cli->services, &soon, cli->arena, &found, &err))
        err = found.problem;
    if (err.code)
        output_note(cli, "  model: %s; %s", safe(cli, settings->model_name),
                    safe(cli, err.message));
    else if (found.choice == MODEL_CHOICE_LEXICAL)
        output_note(cli, "  model: none, words choose the tools;\n"
                         "    get one: ollama pull mistral:7b");
    else
        output_note(cli, "  model: %s%s%s", safe(cli, found.status.model),
                    *found.status.base_url ? " at " : "", safe(cli, found.status.base_url));
    if (*err.hint)
        output_note(cli, "    %s", safe(cli, err.hint));
}

/* Who is there: the tools of which servers, in which folder, by which model. */
static void greet(struct cli *cli, const struct tool_listing *listing)
{
    const char *folder = cli->services->folder;
    output_note(cli, "%smistro %s%s: /help says what can be typed", cli->style.bold,
                cli->host->version, cli->style.reset);
    output_note(cli, "  tools: %zu of %s", listing->n_tools,
                listing->n_tools ? safe(cli, servers_of(cli->arena, listing)) : "no server");
    if (folder)
        output_note(cli, "  folder: %s", safe(cli, folder));
    greet_model(cli);
}

static void load_completions(struct dialogue *dialogue)
{
    struct cli *cli = dialogue->cli;
    struct tool_listing listing;
    struct err err = { 0 };
    struct scope scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
    dialogue->turn = &scope; /* Ctrl-C does not wait for a server that is slow to start */
    enum err_code r = list_tools(cli->services, &scope, cli->arena, NULL, &listing, &err);
    dialogue->turn = NULL;
    if (r) {
        output_warning(cli, err.message);
        return;
    }
    dialogue->completions = arena_array(cli->arena, const char *, listing.n_tools + 1);
    for (size_t i = 0; i < listing.n_tools; i++)
        dialogue->completions[i] = listing.tools[i].full_name;
    dialogue->n_completions = listing.n_tools;
    keep_tools((struct chat *)dialogue, &listing);
    for (size_t i = 0; i < listing.n_failures; i++)
        output_warning(cli, listing.failures[i].err.message);
    greet(cli, &listing);
}

/* "save NAME" */
static void save_last_plan(struct dialogue *dialogue, struct scope *scope, const char *name)
{
    AUTO(arena) arena = { 0 };
    struct err err = { 0 };
    const char *words[] = { "save", NULL, name };
    enum err_code r =
        !*name ? err_set(&err, ERR_INVALID, 0, "under which name? /plan save NAME")
        : *dialogue->session_id
            ? save_plan_find_turn(dialogue->cli->services, scope, &arena, dialogue->session_id,
                                  &words[1], &err)
            : err_set(&err, ERR_NOT_FOUND, 0, "no turn of this session made calls yet");
    if (r)
        dialogue_report(dialogue, dialogue->cli, &err);
    else
        slash_command(dialogue, scope, command_plans, words, ARRAY_LENGTH(words));
}

static void show_plan(const struct chat *chat)
{
    if (chat->last_plan)
        (void)output_text(chat->base.cli, chat->last_plan, strlen(chat->last_plan));
    else
        output_note(chat->base.cli, "no plan was made yet");
}

static void make_plan_only(struct dialogue *dialogue, struct scope *scope, const char *message)
{
    struct chat *chat = (struct chat *)dialogue;
    free(chat->last_plan);
    chat->last_plan = NULL;
    chat->plan_only = true;
    dialogue->kind->take_turn(dialogue, scope, message);
    chat->plan_only = false;
    if (!chat->last_plan)
        return;
    show_plan(chat);
    output_note(dialogue->cli, "  /plan edit opens it in your editor, /plan run does what it says");
}

static enum err_code edit_last_plan(struct chat *chat, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct cli *cli = chat->base.cli;
    const char *edited = NULL;
    if (!chat->base.is_typed)
        return err_set(err, ERR_INVALID, 0, "there is no editor without a terminal");
    bool echo = console_set_echo(cli->console, true);
    enum err_code r =
        dialogue_edit_text(&chat->base, "plan.yml", chat->last_plan, &arena, &edited, err);
    (void)console_set_echo(cli->console, echo);
    if (r)
        return r;
    free(chat->last_plan);
    chat->last_plan = strdup(edited);
    show_plan(chat);
    return ERR_NONE;
}

/* A model wrote it, or most of it: it is no consent to its calls. */
static enum err_code run_last_plan(struct chat *chat, struct scope *scope, struct err *err)
{
    AUTO(arena) arena = { 0 };
    struct cli cli = cli_of_turn(&chat->base, scope, &arena);
    struct document document;
    struct turn_result result;
    enum err_code r = documents_parse(cli.services->documents, chat->last_plan,
                                      strlen(chat->last_plan), &arena, &document, err);
    if (r)
        return r;
    const struct run_plan_request request = { .plan = document.value,
                                              .is_foreign = true,
                                              .dry_run = cli.args->dry_run };
    if (run_plan(cli.services, scope, &arena, &request, &result, err)) {
        dialogue_end_turn(&chat->base, turn_output_failed(&cli, &result, err));
        return ERR_NONE;
    }
    dialogue_end_turn(&chat->base, turn_output(&cli, &result, /* already_streamed */ false));
    keep_output(chat, &result);
    return ERR_NONE;
}

static void slash_plan(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct chat *chat = (struct chat *)dialogue;
    AUTO(arena) arena = { 0 };
    struct err err = { 0 };
    size_t length = strcspn(argument, " ");
    const char *word = arena_strndup(&arena, argument, length);
    const char *rest = argument + length + strspn(argument + length, " ");
    bool edits = text_equal(argument, "edit"), runs = text_equal(argument, "run");
    if (*word && !edits && !runs && !text_equal(word, "save") &&
        (!text_equal(word, "make") || !*rest)) {
        err_set(&err, ERR_INVALID, 0,
                "/plan make MESSAGE, /plan edit, /plan run and /plan save NAME are all there is");
        dialogue_report(dialogue, dialogue->cli, &err);
    } else if (text_equal(word, "save"))
        save_last_plan(dialogue, scope, rest);
    else if (text_equal(word, "make") && *rest)
        make_plan_only(dialogue, scope, rest);
    else if (!chat->last_plan || (!edits && !runs))
        show_plan(chat);
    else if (edits ? edit_last_plan(chat, &err) : run_last_plan(chat, scope, &err))
        dialogue_report(dialogue, dialogue->cli, &err);
}

static void slash_output(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    const struct chat *chat = (const struct chat *)dialogue;
    struct cli cli = *dialogue->cli;
    struct arguments arguments = *cli.args;
    struct err err = { 0 };
    (void)scope;
    arguments.output = argument;
    cli.args = &arguments;
    enum err_code r =
        !*argument ? err_set(&err, ERR_INVALID, 0, "into which file? /output FILE")
        : slash_may_create(argument, &err) ? err.code
        : chat->last_output
            ? output_bytes(&cli, chat->last_output, chat->last_output_length, &err)
            : err_set(&err, ERR_INVALID, 0, "no image, nor anything else without text, came yet");
    if (r)
        dialogue_report(dialogue, &cli, &err);
}

/* The newest turn of this folder that was interrupted; NULL: none. */
static const struct run *find_unfinished(struct cli *cli, struct arena *arena)
{
    enum { LOOKED_AT = 100 };
    struct run *runs = NULL;
    size_t n = 0;
    if (list_runs(cli->services, cli->scope, arena, LOOKED_AT, &runs, &n, NULL))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (runs[i].status == RUN_INTERRUPTED && runs[i].session_id &&
            (text_equal(runs[i].kind, RUN_KIND_OF_ASK) ||
             text_equal(runs[i].kind, RUN_KIND_OF_CHAT)) &&
            text_equal(json_get_string(runs[i].meta, "folder"), cli->services->folder))
            return &runs[i];
    return NULL;
}

static void resume(struct dialogue *dialogue, const struct run *run)
{
    AUTO(arena) arena = { 0 };
    struct scope scope = scope_child(dialogue->cli->scope, SCOPE_NO_DEADLINE);
    struct conversation *conversation = NULL;
    const char *words[] = { "resume", run->id };
    dialogue->turn = &scope;
    slash_command(dialogue, &scope, command_runs, words, ARRAY_LENGTH(words));
    dialogue->turn = NULL;
    if (!show_session(dialogue->cli->services, dialogue->cli->scope, &arena, run->session_id,
                      &conversation, NULL))
        snprintf(dialogue->session_id, sizeof dialogue->session_id, "%s", conversation->id);
}

/* `chat -c` after a crash. */
static void offer_unfinished(struct dialogue *dialogue)
{
    struct cli *cli = dialogue->cli;
    AUTO(arena) arena = { 0 };
    struct err err = { 0 };
    const struct run *run = find_unfinished(cli, &arena);
    if (!run)
        return;
    const struct confirmation question = {
        .title = arena_printf(
            &arena, "This was interrupted %s, and can go on:", output_age(cli, run->started_at_ms)),
        .message = run->title,
        .question = "Go on with it?",
    };
    struct scope scope = scope_child(cli->scope, SCOPE_NO_DEADLINE);
    dialogue->turn = &scope;
    enum err_code r = user_confirm(cli->services->user, &scope, &question, &err);
    dialogue->turn = NULL;
    if (r)
        output_note(cli, "  later with: mistro runs resume %s", run->id);
    else
        resume(dialogue, run);
}

static enum err_code warm(struct runtime *runtime, struct scope *scope, void *argument)
{
    const struct chat *chat = argument;
    (void)runtime;
    warm_up_chat(chat->base.cli->services, scope, chat->tools, chat->n_tools);
    return ERR_NONE;
}

/* A first turn that was interrupted has left no session to continue. */
static enum err_code begin(struct dialogue *dialogue, struct cli *cli,
                           const struct dialogue_kind *kind, struct err *err)
{
    AUTO(arena) arena = { 0 };
    enum err_code r = dialogue_begin(dialogue, cli, kind, err);
    if (r != ERR_NOT_FOUND || !cli->args->continue_last || !dialogue_is_interactive(dialogue) ||
        !find_unfinished(cli, &arena))
        return r;
    struct arguments *anew = arena_array(cli->arena, struct arguments, 1);
    *anew = *cli->args;
    anew->continue_last = false;
    cli->args = anew;
    return dialogue_begin(dialogue, cli, kind, err);
}

int command_chat(struct cli *cli)
{
    static const struct slash own[] = {
        { "plan", "plan [WORD …]",
          "the plan of the last turn; make MESSAGE: one that is not run yet; edit: in your editor; "
          "run: does what it says; save NAME: what was done, as NAME.yml",
          slash_plan, false },
        { "output", "output FILE", "the last image, or whatever else has no text, into a file",
          slash_output, false },
    };
    static const struct dialogue_kind kind = { .command = "chat",
                                               .prompt = "mistro>",
                                               .attaches = true,
                                               .slashes = own,
                                               .n_slashes = ARRAY_LENGTH(own),
                                               .take_turn = take_turn,
                                               .take_prompt = take_prompt,
                                               .interrupted = drop_waiting,
                                               .session_changed = show_waiting };
    struct chat chat = { 0 };
    struct err err = { 0 };
    bool continues = cli->args->continue_last;
    if (begin(&chat.base, cli, &kind, &err))
        return output_error(cli, &err);
    chat.turns = mistral_chat_create(cli->services);
    if (dialogue_is_interactive(&chat.base)) {
        if (cli->style.moves_cursor) /* what is typed meanwhile is for the first line */
            (void)console_set_echo(cli->console, false);
        load_completions(&chat.base);
        if (continues)
            offer_unfinished(&chat.base);
        show_waiting(&chat.base, cli->scope);
        dialogue_converse_on_terminal(&chat.base, warm, &chat);
    } else {
        dialogue_converse(&chat.base);
    }
    dialogue_end(&chat.base);
    mistral_chat_destroy(chat.turns);
    free(chat.last_plan);
    free(chat.last_output);
    return chat.base.status;
}
