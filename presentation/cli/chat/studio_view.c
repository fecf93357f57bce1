/* First the pane: the prompt in its box, made of the lines that fit it. Then the view, which keeps
 * what the image is according to events and shows the pane when that changed, and the end of a turn
 * as text or as one object. */
#include "presentation/cli/chat/studio_view.h"
#include "domain/base/err.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_lines.h"
#include "presentation/cli/output.h"
#include <string.h>

enum { STUDIO_OBJECT_VERSION = 1, NOTE_COLUMNS = 1000 };

/* Corner, edge and blank on both sides, and the last column, which stays free. */
enum { FRAME_COLUMNS = 5, MOST_INNER_COLUMNS = 96 };

static const char title[] = " prompt ", no_prompt[] = "(none yet)";

/* The text in its lines, and the box around them. */
struct pane {
    struct arena *arena;
    const struct style *style;
    const char **lines;
    size_t n, capacity;
    size_t inner; /* columns between the edges' blanks */
};

/* "4 steps, cfg 1, random seed" */
static const char *settings_text(struct arena *arena, const struct image_prompt *image)
{
    const char *seed = image->seed == IMAGE_SEED_RANDOM
                           ? "random seed"
                           : arena_printf(arena, "seed %lld", (long long)image->seed);
    return arena_printf(arena, "%lld step%s, cfg %g, %s", (long long)image->steps,
                        image->steps == 1 ? "" : "s", image->cfg, seed);
}

static const char *made_safe(struct arena *arena, const char *text)
{
    AUTO(buf) shown;
    buf_init(&shown, strlen(text) * 8 + 16);
    if (!text_append_escaped(&shown, text, strlen(text)))
        return "";
    char *safe = arena_strdup(arena, buf_string(&shown));
    for (char *tab = safe; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    return safe;
}

/* Length of the part of a paragraph that fits one line: whole words where there is a blank. */
static size_t line_length(const char *text, size_t length, size_t columns)
{
    size_t at = 0, used = 0, blank = 0;
    while (at < length) {
        char one[5] = { 0 };
        size_t size = text_utf8_next(text + at, length - at, NULL);
        memcpy(one, text + at, size ? size : 1);
        used += text_columns(one);
        if (used > columns)
            return blank ? blank : at ? at : size ? size : 1;
        if (*one == ' ')
            blank = at;
        at += size ? size : 1;
    }
    return length;
}

static void add_lines(struct pane *pane, const char *text, size_t columns)
{
    while (*text) {
        size_t paragraph = strcspn(text, "\n");
        size_t length = line_length(text, paragraph, columns);
        const char *line = arena_strndup(pane->arena, text, length);
        size_t width = text_columns(line);
        *arena_push(pane->arena, pane->lines, pane->n, pane->capacity) = line;
        pane->inner = width > pane->inner ? width : pane->inner;
        text += length;
        text += *text == ' ' || *text == '\n';
    }
}

static const char *repeated(struct arena *arena, const char *sign, size_t n)
{
    AUTO(buf) text;
    buf_init(&text, n * strlen(sign) + 1);
    while (n-- && buf_puts(&text, sign))
        continue;
    return arena_strdup(arena, buf_string(&text));
}

/* "┌─ prompt ──────┐" */
static const char *edge(const struct pane *pane, const char *left, const char *word,
                        const char *right)
{
    size_t rest = pane->inner + 1 - text_columns(word);
    return arena_printf(pane->arena, "%s%s─%s%s%s%s%s\n", pane->style->dim, left,
                        pane->style->reset, word, pane->style->dim,
                        arena_printf(pane->arena, "%s%s", repeated(pane->arena, "─", rest), right),
                        pane->style->reset);
}

static const char *draw(const struct pane *pane, const char *settings)
{
    const char *text = edge(pane, "┌", title, "┐");
    for (size_t i = 0; i < pane->n; i++) {
        int padding = (int)(pane->inner - text_columns(pane->lines[i]));
        text = arena_printf(pane->arena, "%s%s│%s %s%s%s%*s %s│%s\n", text, pane->style->dim,
                            pane->style->reset, pane->style->bold, pane->lines[i],
                            pane->style->reset, padding, "", pane->style->dim, pane->style->reset);
    }
    return arena_printf(pane->arena, "%s%s", text, edge(pane, "└", settings, "┘"));
}

const char *prompt_pane_text(struct arena *arena, const struct style *style, unsigned columns,
                             const struct image_prompt *image)
{
    const char *prompt = *image->prompt ? made_safe(arena, image->prompt) : no_prompt;
    const char *settings = settings_text(arena, image);
    const char *footer = arena_printf(arena, " %s ", settings);
    struct pane pane = { .arena = arena, .style = style, .inner = text_columns(footer) - 1 };
    if (!style->moves_cursor || columns < pane.inner + FRAME_COLUMNS)
        return arena_printf(arena, "[prompt: %s; %s]\n", prompt, settings);
    size_t room = columns - FRAME_COLUMNS;
    add_lines(&pane, prompt, room < MOST_INNER_COLUMNS ? room : MOST_INNER_COLUMNS);
    return draw(&pane, footer);
}

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
    if (result->kept)
        note(view, style->yellow, "", result->kept);
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
    json_t *value =
        json_pack("{s:i, s:s?, s:s, s:s, s:s, s:b, s:{s:I, s:f, s:I}, s:s?, s:s?, s:s?, s:s?}",
                  "version", STUDIO_OBJECT_VERSION, "session_id", session_id, "status",
                  ends[is_lost ? STUDIO_FAILED : result->end], "text",
                  result->text ? result->text : "", "prompt", image->prompt, "generate_image",
                  (int)image->generate_image, "settings", "steps", (json_int_t)image->steps, "cfg",
                  image->cfg, "seed", (json_int_t)image->seed, "kept", result->kept, "adjusted",
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
