#include "presentation/cli/event_lines.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

enum { BAR_COLUMNS = 16, SHOWN_COLUMNS = 100, LONG_COLUMNS = 1000 };

static struct event_lines *of(struct observer *observer)
{
    return (struct event_lines *)observer;
}

static void say(struct event_lines *l, const char *text)
{
    (void)console_write(l->console, CONSOLE_ERR, text, strlen(text));
}

static bool redraws(const struct event_lines *l)
{
    return l->style.is_terminal && !l->quiet && !l->as_json && !l->paused;
}

/* Takes the running steps' lines off the terminal. */
static void erase(struct event_lines *l)
{
    char up[32];
    if (!l->drawn)
        return;
    snprintf(up, sizeof up, "\r\033[%zuA\033[J", l->drawn);
    say(l, up);
    l->drawn = 0;
}

static void draw_bar(char *bar, size_t size, const struct event_line *line)
{
    if (line->total <= 0) {
        snprintf(bar, size, "%s", line->note);
        return;
    }
    double share = line->progress / line->total;
    int full = share >= 1 ? BAR_COLUMNS : share <= 0 ? 0 : (int)(share * BAR_COLUMNS);
    int at = 0;
    bar[at++] = '[';
    for (int i = 0; i < BAR_COLUMNS; i++)
        bar[at++] = i < full ? '=' : ' ';
    snprintf(bar + at, size - (size_t)at, "] %s", line->note);
}

static void draw(struct event_lines *l)
{
    AUTO(arena) scratch = { 0 };
    if (!redraws(l))
        return;
    size_t columns = console_columns(l->console);
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++) {
        const struct event_line *line = &l->running[i];
        char bar[128];
        if (!line->used)
            continue;
        draw_bar(bar, sizeof bar, line);
        const char *text = arena_printf(&scratch, "  … %s %s %s", line->step, line->tool, bar);
        say(l,
            arena_printf(&scratch, "%s%s%s\n", l->style.dim,
                         text_one_line(&scratch, text, strlen(text), columns - 1), l->style.reset));
        l->drawn++;
    }
}

/* A line that stays; the running ones are drawn again below it. */
static void print_line(struct event_lines *l, const char *text)
{
    if (l->quiet)
        return;
    if (l->stream_answer && l->streamed && l->answer_style.is_terminal)
        return; /* the answer is being written on this terminal */
    if (redraws(l))
        erase(l);
    say(l, text);
    say(l, "\n");
    draw(l);
}

static const char *field(struct arena *arena, const json_t *data, const char *key)
{
    const char *text = json_get_string(data, key);
    return text ? text_one_line(arena, text, strlen(text), SHOWN_COLUMNS) : "";
}

static const char *long_field(struct arena *arena, const json_t *data, const char *key)
{
    const char *text = json_get_string(data, key);
    return text ? text_one_line(arena, text, strlen(text), LONG_COLUMNS) : "";
}

static struct event_line *line_of(struct event_lines *l, const char *step)
{
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++)
        if (l->running[i].used && strcmp(l->running[i].step, step) == 0)
            return &l->running[i];
    return NULL;
}

static void on_step_started(struct event_lines *l, struct arena *arena, const json_t *data)
{
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++) {
        struct event_line *line = &l->running[i];
        if (line->used)
            continue;
        *line = (struct event_line){ .used = true };
        snprintf(line->step, sizeof line->step, "%s", field(arena, data, "step"));
        snprintf(line->tool, sizeof line->tool, "%s", field(arena, data, "tool"));
        break;
    }
    if (redraws(l))
        erase(l);
    draw(l);
}

static void on_step_progress(struct event_lines *l, struct arena *arena, const json_t *data)
{
    struct event_line *line = line_of(l, field(arena, data, "step"));
    if (!line)
        return;
    line->progress = json_get_number(data, "progress", 0);
    line->total = json_get_number(data, "total", 0);
    snprintf(line->note, sizeof line->note, "%s", field(arena, data, "message"));
    if (redraws(l))
        erase(l);
    draw(l);
}

static void on_step_finished(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const char *step = field(arena, data, "step"), *status = field(arena, data, "status");
    bool ok = strcmp(status, "ok") == 0 || strcmp(status, "cached") == 0;
    bool skipped = strcmp(status, "skipped") == 0;
    struct event_line *line = line_of(l, step);
    if (line)
        line->used = false;
    const char *error = field(arena, data, "error");
    print_line(l,
               arena_printf(arena, "  %s%s%s %s %s %s%s%s%s%s",
                            ok        ? l->style.green
                            : skipped ? l->style.yellow
                                      : l->style.red,
                            ok        ? "✓"
                            : skipped ? "-"
                                      : "✗",
                            l->style.reset, step, field(arena, data, "tool"), l->style.dim,
                            skipped ? "skipped"
                                    : arena_printf(arena, "%lld ms",
                                                   (long long)json_get_int(data, "duration_ms", 0)),
                            l->style.reset, *error ? ": " : "", error));
}

static void on_plan(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const json_t *steps = json_object_get(json_object_get(data, "plan"), "steps");
    size_t n = json_array_size(steps);
    if (n > 1)
        print_line(l,
                   arena_printf(arena, "%splan of %zu steps%s", l->style.bold, n, l->style.reset));
}

static void on_answer_token(struct event_lines *l, const json_t *data)
{
    const char *text = json_get_string(data, "text");
    if (!l->stream_answer || !text)
        return;
    if (redraws(l))
        erase(l);
    AUTO(buf) shown;
    buf_init(&shown, strlen(text) * 8 + 16);
    bool fits = l->answer_style.is_terminal ? text_append_escaped(&shown, text, strlen(text))
                                            : buf_puts(&shown, text);
    if (fits && !console_write(l->console, CONSOLE_OUT, buf_string(&shown), shown.length))
        l->closed = true;
    l->streamed = true;
}

static void print_json(struct event_lines *l, const struct event *event)
{
    json_auto_t *value = event_to_json(event);
    auto_str text = json_print(value);
    if (!l->closed)
        l->closed = !console_write(l->console, CONSOLE_OUT, text, strlen(text)) ||
                    !console_write(l->console, CONSOLE_OUT, "\n", 1);
}

/* What -v adds: the event's name and its data on one line. */
static void print_details(struct event_lines *l, struct arena *arena, const struct event *event)
{
    auto_str text = json_print(event->data);
    size_t columns = l->verbosity > 1 ? 4000 : 240;
    print_line(l, arena_printf(arena, "%s  · %s %s%s", l->style.dim, event_kind_name(event->kind),
                               text_one_line(arena, text, strlen(text), columns), l->style.reset));
}

/* `files: ready in 12 ms (stdio, legacy 2025-11-25)` */
static const char *describe_ready(struct arena *arena, const json_t *data)
{
    int64_t start_ms = json_get_int(data, "start_ms", -1);
    const char *era = field(arena, data, "era"), *version = field(arena, data, "protocol_version");
    const char *time = start_ms < 0 ? "" : arena_printf(arena, " in %lld ms", (long long)start_ms);
    return arena_printf(arena, "ready%s (%s%s%s%s%s)", time, field(arena, data, "transport"),
                        *era ? ", " : "", era, *version ? " " : "", version);
}

static void on_server_state(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const char *state = field(arena, data, "state"), *what = state;
    if (strcmp(state, "ready") == 0)
        what = describe_ready(arena, data);
    else if (json_get_string(data, "message"))
        what = arena_printf(arena, "%s: %s", state, long_field(arena, data, "message"));
    print_line(l, arena_printf(arena, "%s  · %s: %s%s", l->style.dim, field(arena, data, "server"),
                               what, l->style.reset));
}

static void on_server_log(struct event_lines *l, struct arena *arena, const json_t *data)
{
    print_line(l, arena_printf(arena, "%s  · %s [%s] %s%s", l->style.dim,
                               field(arena, data, "server"), field(arena, data, "level"),
                               long_field(arena, data, "text"), l->style.reset));
}

static void on_tools_changed(struct event_lines *l, struct arena *arena, const json_t *data)
{
    print_line(l, arena_printf(arena, "%s  · %s: its list of tools changed%s", l->style.dim,
                               field(arena, data, "server"), l->style.reset));
}

/* What only -v shows. */
static void on_detail(struct event_lines *l, struct arena *arena, const struct event *event)
{
    if (event->kind == EVENT_SERVER_STATE)
        on_server_state(l, arena, event->data);
    else if (event->kind == EVENT_SERVER_LOG)
        on_server_log(l, arena, event->data);
    else if (event->kind == EVENT_TOOLS_CHANGED)
        on_tools_changed(l, arena, event->data);
    else if (event->kind != EVENT_MODEL_TOKEN)
        print_details(l, arena, event);
}

static void observe(struct observer *observer, const struct event *event)
{
    struct event_lines *l = of(observer);
    AUTO(arena) scratch = { 0 };
    if (l->as_json) {
        print_json(l, event);
        return;
    }
    if (event->kind == EVENT_STEP_STARTED)
        on_step_started(l, &scratch, event->data);
    else if (event->kind == EVENT_STEP_PROGRESS)
        on_step_progress(l, &scratch, event->data);
    else if (event->kind == EVENT_STEP_FINISHED)
        on_step_finished(l, &scratch, event->data);
    else if (event->kind == EVENT_PLAN)
        on_plan(l, &scratch, event->data);
    else if (event->kind == EVENT_ANSWER_TOKEN)
        on_answer_token(l, event->data);
    else if (event->kind == EVENT_WARNING)
        print_line(l, arena_printf(&scratch, "%smistro: warning: %s%s", l->style.yellow,
                                   field(&scratch, event->data, "text"), l->style.reset));
    else if (l->verbosity)
        on_detail(l, &scratch, event);
}

void event_lines_init(struct event_lines *lines, struct console *console, struct style style,
                      struct style answer_style)
{
    static const struct observer_ops ops = { observe };
    *lines = (struct event_lines){
        .base = { &ops }, .console = console, .style = style, .answer_style = answer_style
    };
}

void event_lines_pause(struct event_lines *lines, bool paused)
{
    if (!lines)
        return;
    if (paused && redraws(lines))
        erase(lines);
    lines->paused += paused ? 1 : (unsigned)-1;
    draw(lines);
}

void event_lines_say(struct event_lines *lines, const char *text)
{
    AUTO(arena) scratch = { 0 };
    print_line(lines, arena_printf(&scratch, "%s%s%s", lines->style.dim, text, lines->style.reset));
}

bool event_lines_end_answer(struct event_lines *lines)
{
    bool streamed = lines->streamed;
    if (streamed && !lines->closed)
        (void)console_write(lines->console, CONSOLE_OUT, "\n", 1);
    lines->streamed = false;
    return streamed;
}
