#include "application/use_cases/sessions.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/output.h"
#include <stdio.h>
#include <string.h>

static void session_changed(struct dialogue *dialogue, struct scope *scope)
{
    if (dialogue->kind->session_changed)
        dialogue->kind->session_changed(dialogue, scope);
}

/* "user      what it said", as wide as the terminal. */
static const char *in_short(const struct cli *cli, const struct style *style, struct arena *arena,
                            const struct message *message)
{
    return arena_printf(arena, "%s%-9s%s %s", style->bold, message_role_name(message->role),
                        style->reset,
                        text_one_line(arena, message->content, strlen(message->content),
                                      console_columns(cli->console) - 12));
}

void slash_history(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct cli *cli = dialogue->cli;
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    size_t n;
    (void)argument;
    if (!*dialogue->session_id) {
        output_note(cli, "nothing was said yet");
        return;
    }
    if (show_session(cli->services, scope, &arena, dialogue->session_id, &conversation, &err)) {
        dialogue_report(dialogue, cli, &err);
        return;
    }
    size_t memory = (size_t)cli->services->settings->conversation_memory_size;
    const struct message *messages = conversation_recent(conversation, memory, &n);
    size_t first = conversation->n_messages - n, live = conversation_live_start(conversation);
    if (*dialogue->left_id)
        (void)output_line(cli, "-- new session; /load %s goes back --", dialogue->left_id);
    for (size_t i = 0; i <= n; i++) {
        if (live && first + i == live)
            (void)output_line(cli, "-- cleared: what is above is not looked at again --");
        if (i < n)
            (void)output_line(cli, "%s", in_short(cli, &cli->answer_style, &arena, &messages[i]));
    }
}

void slash_clear(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct err err = { 0 };
    (void)argument;
    if (*dialogue->session_id &&
        clear_session(dialogue->cli->services, scope, dialogue->session_id, &err)) {
        dialogue_report(dialogue, dialogue->cli, &err);
        return;
    }
    output_note(dialogue->cli, "cleared: what was said stays stored, but is not looked at again");
    session_changed(dialogue, scope);
}

void slash_load(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct cli *cli = dialogue->cli;
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    size_t n;
    enum err_code r =
        *argument ? show_session(cli->services, scope, &arena, argument, &conversation, &err)
                  : err_set(&err, ERR_INVALID, 0, "which session? /load ID");
    if (r) {
        dialogue_report(dialogue, cli, &err);
        return;
    }
    snprintf(dialogue->session_id, sizeof dialogue->session_id, "%s", conversation->id);
    *dialogue->left_id = '\0';
    output_note(cli, "session %s: %s (%s, %zu messages)", conversation->id,
                conversation_label(&arena, conversation),
                output_age(cli, conversation->updated_at_ms), conversation->n_messages);
    const struct message *last = conversation_recent(conversation, 2, &n);
    for (size_t i = 0; i < n; i++)
        output_note(cli, "  %s", in_short(cli, &cli->style, &arena, &last[i]));
    session_changed(dialogue, scope);
}

void slash_new(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    (void)argument;
    if (*dialogue->session_id)
        memcpy(dialogue->left_id, dialogue->session_id, sizeof dialogue->left_id);
    dialogue->session_id[0] = '\0';
    output_note(dialogue->cli, "a new session begins with your next message");
    session_changed(dialogue, scope);
}

void slash_save(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct err err = { 0 };
    if (!*dialogue->session_id)
        output_note(dialogue->cli, "nothing was said yet");
    else if (*argument &&
             rename_session(dialogue->cli->services, scope, dialogue->session_id, argument, &err))
        dialogue_report(dialogue, dialogue->cli, &err);
    else
        output_note(dialogue->cli, "saved as session %s (every turn is)", dialogue->session_id);
}

void slash_export(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct cli cli = *dialogue->cli;
    struct arguments arguments = *cli.args;
    AUTO(arena) arena = { 0 };
    struct conversation *conversation = NULL;
    struct err err = { 0 };
    if (!*dialogue->session_id) {
        output_note(dialogue->cli, "nothing was said yet");
        return;
    }
    arguments.output = *argument ? argument : NULL;
    cli.args = &arguments;
    enum err_code r = slash_may_create(argument, &err);
    if (!r)
        r = show_session(cli.services, scope, &arena, dialogue->session_id, &conversation, &err);
    json_auto_t *value = r ? NULL : conversation_to_json(conversation);
    auto_str text = r ? NULL : json_print_pretty(value);
    if (!r)
        r = output_result_text(&cli, text, &err);
    if (r)
        dialogue_report(dialogue, &cli, &err);
    else if (*argument)
        output_note(&cli, "written to %s", text_one_line(&arena, argument, strlen(argument), 200));
}
