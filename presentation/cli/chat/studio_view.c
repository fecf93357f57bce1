#include "presentation/cli/chat/studio_view.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include "presentation/cli/terminal/prompt_pane.h"
#include <string.h>

enum { NOTE_COLUMNS = 1000 };

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

void studio_view_end_turn(struct studio_view *view, const struct studio_result *result)
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
