#include "presentation/cli/chat/studio_view.h"
#include "domain/base/err_json.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include "presentation/cli/terminal/prompt_pane.h"
#include <string.h>

enum { STUDIO_OBJECT_VERSION = 1, NOTE_COLUMNS = 1000 };

static bool is_silent(const struct studio_view *view)
{
    return view->cli->args->json;
}

static void show_pane(struct studio_view *view)
{
    struct cli *cli = view->cli;
    AUTO(arena) scratch = { 0 };
    view->changed = false;
    if (is_silent(view) || (!cli->answer_style.is_terminal && cli->args->quiet))
        return;
    bool is_talk = cli->answer_style.is_terminal;
    const struct style *style = is_talk ? &cli->answer_style : &cli->style;
    const char *pane =
        prompt_pane_text(&scratch, style, console_columns(cli->console), &view->image);
    event_lines_pause(cli->lines, true);
    (void)console_write(cli->console, is_talk ? CONSOLE_OUT : CONSOLE_ERR, pane, strlen(pane));
    event_lines_pause(cli->lines, false);
}

static void keep_prompt(struct studio_view *view, const char *prompt)
{
    if (text_equal(view->image.prompt, prompt))
        return;
    arena_finish(&view->arena);
    view->image.prompt = arena_strdup(&view->arena, prompt);
    view->changed = true;
}

static void keep_settings(struct studio_view *view, const json_t *settings)
{
    struct image_prompt *image = &view->image, before = *image;
    image->steps = json_get_int(settings, "steps", image->steps);
    image->cfg = json_get_number(settings, "cfg", image->cfg);
    image->seed = json_get_int(settings, "seed", image->seed);
    view->changed = view->changed || !image_prompt_same_settings(&before, image);
}

static void observe(struct observer *observer, const struct event *event)
{
    struct studio_view *view = (struct studio_view *)observer;
    const char *prompt = json_get_string(event->data, "prompt");
    if (event->kind == EVENT_PROMPT_UPDATE && prompt)
        keep_prompt(view, prompt);
    else if (event->kind == EVENT_SETTINGS_UPDATE)
        keep_settings(view, json_object_get(event->data, "settings"));
    else if (event->kind == EVENT_GENERATION_STARTED && view->changed)
        show_pane(view);
    observer_observe(view->next, event);
}

void studio_view_init(struct studio_view *view, struct cli *cli)
{
    static const struct observer_ops ops = { observe };
    *view = (struct studio_view){ .base = { &ops },
                                  .next = cli->services->observer,
                                  .cli = cli,
                                  .image = image_prompt_default() };
    cli->services->observer = &view->base;
}

void studio_view_finish(struct studio_view *view)
{
    view->cli->services->observer = view->next;
    arena_finish(&view->arena);
}

void studio_view_set(struct studio_view *view, const struct image_prompt *image, bool always)
{
    keep_prompt(view, image->prompt);
    view->changed = view->changed || !image_prompt_same_settings(&view->image, image);
    view->image.steps = image->steps;
    view->image.cfg = image->cfg;
    view->image.seed = image->seed;
    if (view->changed || always)
        show_pane(view);
}

static void note(struct studio_view *view, const char *colour, const char *what, const char *text)
{
    struct cli *cli = view->cli;
    AUTO(arena) scratch = { 0 };
    output_note(cli, "%s%s%s%s", colour, what,
                text_one_line(&scratch, text, strlen(text), NOTE_COLUMNS), cli->style.reset);
}

/* The pane, adjustments, and what became of the image. */
static void end_turn(struct studio_view *view, const struct studio_result *result)
{
    const struct style *style = &view->cli->style;
    studio_view_set(view, &result->state.image, false);
    if (is_silent(view))
        return;
    if (result->adjusted)
        note(view, style->yellow, "", result->adjusted);
    if (result->image)
        note(view, style->green, "✓ image: ", result->image);
    if (result->not_generated && !result->err.code) /* an error is reported as all are */
        note(view, style->yellow, "no image was made: ", result->not_generated);
}

/* Every object has every member, so that a script needs no `if`. */
static json_t *object_of(const char *session_id, const struct studio_result *result)
{
    static const char *const ends[] = {
        [STUDIO_ANSWERED] = "completed", [STUDIO_RESET] = "reset", [STUDIO_FAILED] = "failed"
    };
    bool is_lost = result->end == STUDIO_ANSWERED && result->not_saved.code;
    const struct image_prompt *image = &result->state.image;
    json_t *value = json_pack(
        "{s:i, s:s?, s:s, s:s, s:s, s:b, s:{s:I, s:f, s:I}, s:s?, s:s?, s:s?}", "version",
        STUDIO_OBJECT_VERSION, "session_id", session_id, "status",
        ends[is_lost ? STUDIO_FAILED : result->end], "text", result->text ? result->text : "",
        "prompt", image->prompt, "generate_image", (int)image->generate_image, "settings", "steps",
        (json_int_t)image->steps, "cfg", image->cfg, "seed", (json_int_t)image->seed, "adjusted",
        result->adjusted, "image", result->image, "not_generated", result->not_generated);
    const struct err *why = result->err.code ? &result->err : &result->not_saved;
    bool saved = result->end != STUDIO_FAILED && !result->not_saved.code;
    json_object_set_new(value, "saved", session_id ? json_boolean(saved) : json_null());
    json_object_set_new(value, "error", why->code ? err_to_json(why) : json_null());
    return value;
}

static int exit_status(const struct studio_result *result)
{
    if (result->err.code)
        return err_exit_status(result->err.code);
    if (result->not_saved.code)
        return err_exit_status(result->not_saved.code);
    return result->end == STUDIO_ANSWERED ? 0 : err_exit_status(ERR_FAILED);
}

static int print_turn(struct studio_view *view, struct cli *cli, const char *session_id,
                      const struct studio_result *result, bool already_shown)
{
    struct err err;
    int status = exit_status(result);
    const char *text = result->end == STUDIO_FAILED || already_shown ? NULL : result->text;
    if (cli->args->json)
        return output_result_json(cli, object_of(session_id, result), status);
    if (text && *text && output_result_text(cli, text, &err))
        return output_error(cli, &err);
    end_turn(view, result);
    if (result->err.code &&
        result->end != STUDIO_RESET) /* the text of a reset is its explanation */
        (void)output_error(cli, &result->err);
    return status;
}

int studio_view_end_turn(struct studio_view *view, struct cli *cli, const char *session_id,
                         const struct studio_result *result, bool already_shown)
{
    int status = print_turn(view, cli, session_id, result, already_shown);
    if (result->not_saved.code)
        (void)output_error_text(cli, &result->not_saved);
    return status;
}

void studio_view_show_state(struct studio_view *view, struct cli *cli, const char *session_id,
                            const struct studio_state *state)
{
    const struct studio_result result = { .state = *state };
    studio_view_set(view, &state->image, true);
    if (cli->args->json)
        (void)output_result_json(cli, object_of(session_id, &result), 0);
}
