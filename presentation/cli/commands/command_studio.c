/* `mistro studio`: a conversation about the prompt of an image. A message from the arguments is one
 * turn; lines of a pipe are turns; on a terminal it is a dialogue. */
#include "application/use_cases/studio_chat.h"
#include "domain/base/text.h"
#include "presentation/cli/chat/dialogue.h"
#include "presentation/cli/chat/slash.h"
#include "presentation/cli/chat/studio_view.h"
#include "presentation/cli/command.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include <stdio.h>
#include <string.h>

struct studio_dialogue {
    struct dialogue base;
    struct studio_chat *turns;
    struct studio_view view;
};

static struct studio_dialogue *of(struct dialogue *dialogue)
{
    return (struct studio_dialogue *)dialogue;
}

static struct studio_request request_of(const struct dialogue *dialogue, const char *message)
{
    return (struct studio_request){ .message = message,
                                    .session_id =
                                        *dialogue->session_id ? dialogue->session_id : NULL,
                                    .no_session = dialogue->cli->args->no_session };
}

static void keep_session(struct dialogue *dialogue, const char *id)
{
    if (id && id != dialogue->session_id)
        snprintf(dialogue->session_id, sizeof dialogue->session_id, "%s", id);
}

static void take_turn(struct dialogue *dialogue, struct scope *scope, const char *message)
{
    struct studio_dialogue *studio = of(dialogue);
    struct cli cli = *dialogue->cli;
    AUTO(arena) arena = { 0 };
    struct studio_result result = { 0 };
    struct err err = { 0 };
    const char *session_id = NULL;
    struct studio_request request = request_of(dialogue, message);
    cli.arena = &arena;
    cli.scope = scope;
    cli.lines->stream_answer = !cli.args->json && !cli.args->output;
    cli.lines->watch_calls = true;
    enum err_code r =
        studio_chat_turn(studio->turns, scope, &arena, &request, &session_id, &result, &err);
    bool shown = event_lines_end_answer(cli.lines, !r && result.end == STUDIO_ANSWERED);
    if (r == ERR_CANCELLED && dialogue->is_typed) {
        output_note(&cli, "cancelled");
        return;
    }
    if (r) {
        dialogue_report(dialogue, &cli, &err);
        return;
    }
    keep_session(dialogue, session_id);
    dialogue_end_turn(dialogue,
                      studio_view_end_turn(&studio->view, &cli, session_id, &result, shown));
}

static void slash_prompt(struct dialogue *dialogue, struct scope *scope, const char *argument)
{
    struct studio_dialogue *studio = of(dialogue);
    AUTO(arena) arena = { 0 };
    struct studio_state state;
    struct err err = { 0 };
    struct studio_request request = request_of(dialogue, argument);
    const char *session_id = request.session_id;
    enum err_code r =
        *argument ? studio_chat_edit_prompt(studio->turns, scope, &arena, &request, &session_id,
                                            &state, &err)
                  : studio_chat_state(studio->turns, scope, &arena, session_id, &state, &err);
    if (r) {
        dialogue_report(dialogue, dialogue->cli, &err);
        return;
    }
    keep_session(dialogue, session_id);
    studio_view_show_state(&studio->view, dialogue->cli, session_id, &state);
}

/* Another session has another prompt. */
static void session_changed(struct dialogue *dialogue, struct scope *scope)
{
    struct studio_dialogue *studio = of(dialogue);
    AUTO(arena) arena = { 0 };
    struct studio_state state;
    const char *id = *dialogue->session_id ? dialogue->session_id : NULL;
    if (!id)
        studio_chat_forget(studio->turns);
    if (!studio_chat_state(studio->turns, scope, &arena, id, &state, NULL))
        studio_view_set(&studio->view, &state.image, false);
}

static enum err_code warm(struct runtime *runtime, struct scope *scope, void *argument)
{
    (void)runtime;
    studio_chat_warm(argument, scope);
    return ERR_NONE;
}

static void converse(struct studio_dialogue *studio)
{
    struct dialogue *dialogue = &studio->base;
    struct cli *cli = dialogue->cli;
    const char *message = arguments_joined(cli->arena, cli->args);
    if (message && !text_equal(message, "-")) {
        dialogue_take_line(dialogue, message);
    } else if (message || !dialogue_is_interactive(dialogue)) {
        dialogue_converse(dialogue);
    } else {
        output_note(cli,
                    "%smistro studio%s: say what the image should show. /help says what can "
                    "be typed.",
                    cli->style.bold, cli->style.reset);
        session_changed(dialogue, cli->scope);
        dialogue_converse_on_terminal(dialogue, warm, studio->turns);
    }
}

int command_studio(struct cli *cli)
{
    static const struct slash own[] = {
        { "prompt", "prompt [TEXT]", "your own words for the image's prompt; alone, shows it",
          slash_prompt, true },
    };
    static const struct dialogue_kind kind = { .command = "studio",
                                               .prompt = "studio>",
                                               .slashes = own,
                                               .n_slashes = ARRAY_LENGTH(own),
                                               .take_turn = take_turn,
                                               .session_changed = session_changed };
    struct studio_dialogue studio = { 0 };
    struct err err = { 0 };
    if (dialogue_begin(&studio.base, cli, &kind, &err))
        return output_error(cli, &err);
    studio.turns = studio_chat_create(cli->services);
    studio_view_init(&studio.view, cli);
    converse(&studio);
    studio_view_finish(&studio.view);
    dialogue_end(&studio.base);
    studio_chat_destroy(studio.turns);
    return studio.base.status;
}
