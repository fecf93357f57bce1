#include "presentation/cli/events/event_lines.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "presentation/cli/events/event_text.h"
#include "presentation/cli/output.h"
#include <stdio.h>
#include <string.h>

enum { BAR_COLUMNS = 16, SHOWN_COLUMNS = 100, ERROR_COLUMNS = 600, WARNING_COLUMNS = 1000 };
enum { PIPE_COLUMNS = 160, LEAST_COLUMNS = 12 }; /* of arguments in a line */
enum { TICK_MS = 250, IDLE_TICK_MS = 1000 };

static int64_t now_ms(const struct event_lines *l)
{
    return l->runtime ? runtime_now_ms(l->runtime) : 0;
}

static const char *field(struct arena *arena, const json_t *data, const char *key)
{
    const char *text = json_get_string(data, key);
    return text ? text_one_line(arena, text, strlen(text), SHOWN_COLUMNS) : "";
}

static void write_text(struct event_lines *l, const char *text)
{
    (void)console_write(l->console, CONSOLE_ERR, text, strlen(text));
}

static bool redraws(const struct event_lines *l)
{
    return l->style.moves_cursor && !l->quiet && !l->as_json && !l->paused && !l->show_typed;
}

/* Takes the running steps' lines off the terminal. */
static void erase(struct event_lines *l)
{
    char up[32];
    if (!l->drawn)
        return;
    snprintf(up, sizeof up, "\r\033[%zuA\033[J", l->drawn);
    write_text(l, up);
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

/* What is left of a line for arguments beside the rest of its words: on a terminal the line is not
 * to wrap. */
static size_t room_beside(const struct event_lines *l, const char *words)
{
    size_t columns = l->style.is_terminal ? console_columns(l->console) : PIPE_COLUMNS;
    size_t taken = text_columns(words) + 2; /* the blank before them, and the last column */
    return columns > taken + LEAST_COLUMNS ? columns - taken : LEAST_COLUMNS;
}

/* A line that is erased later: were it wider than the terminal, its wrapped end would stay. */
static void draw_line(struct event_lines *l, struct arena *scratch, const char *text)
{
    size_t columns = console_columns(l->console);
    write_text(l, arena_printf(scratch, "%s%s%s\n", l->style.dim,
                               text_one_line(scratch, text, strlen(text), columns - 1),
                               l->style.reset));
    l->drawn++;
}

/* While the model has not answered, a line says what it works on and for how long. */
static void draw_wait(struct event_lines *l, struct arena *scratch)
{
    if (model_wait_is_on(&l->wait))
        draw_line(l, scratch,
                  model_wait_text(scratch, &l->wait, now_ms(l), console_columns(l->console) - 1));
}

/* "  … s1 files/read_file {path: "notes.md"} [====    ] reading". Of a call that belongs to no step
 * the person has said the arguments. */
static void draw_running(struct event_lines *l, struct arena *scratch,
                         const struct event_line *line)
{
    char bar[128];
    draw_bar(bar, sizeof bar, line);
    const char *step = line->is_server ? "starting" : field(scratch, line->data, "step");
    const char *tool = field(scratch, line->data, line->is_server ? "server" : "tool");
    const char *words = arena_printf(scratch, "  … %s%s%s", step, *step ? " " : "", tool),
               *args = "";
    size_t room = room_beside(l, arena_printf(scratch, "%s %s", words, bar));
    if (*step)
        args = event_arguments(scratch, json_object_get(line->data, "args"), room);
    draw_line(l, scratch, arena_printf(scratch, "%s%s %s", words, args, bar));
}

/* "  … sizes  412/1000  830/s  3 failed". On a narrow terminal the step's name gives way. */
static void draw_loop(struct event_lines *l, struct arena *scratch, const struct event_line *line)
{
    double seconds = (double)(line->latest_ms - line->first_ms) / 1000;
    double pace = seconds > 0 ? (line->progress - line->first_progress) / seconds : 0;
    const char *counts = arena_printf(scratch, "  %.0f", line->progress);
    if (line->total > 0)
        counts = arena_printf(scratch, "%s/%.0f", counts, line->total);
    if (pace >= 0.1)
        counts = arena_printf(scratch, "%s  %.*f/s", counts, pace < 10 ? 1 : 0, pace);
    if (line->n_failed > 0)
        counts = arena_printf(scratch, "%s  %.0f failed", counts, line->n_failed);
    size_t columns = console_columns(l->console), taken = text_columns(counts) + strlen("  x  ");
    const char *step = field(scratch, line->data, "step");
    step = text_one_line(scratch, step, strlen(step), columns > taken + 1 ? columns - taken : 1);
    draw_line(l, scratch, arena_printf(scratch, "  … %s%s", step, counts));
}

/* Puts the lines of what is running in place of those that stand there. */
static void redraw(struct event_lines *l)
{
    AUTO(arena) scratch = { 0 };
    if (!redraws(l))
        return;
    erase(l);
    draw_wait(l, &scratch);
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING && l->drawn < EVENT_LINES_MAX_DRAWN; i++)
        if (l->running[i].is_loop)
            draw_loop(l, &scratch, &l->running[i]);
        else if (l->running[i].data)
            draw_running(l, &scratch, &l->running[i]);
}

/* A line that stays; the running ones are drawn again below it. */
static void print_line(struct event_lines *l, const char *text)
{
    if (l->quiet)
        return;
    /* An answer is being written on this terminal, or a question waits there. */
    if (live_text_is_open(&l->live) || l->paused) {
        (void)!(buf_puts(&l->waiting, text) && buf_puts(&l->waiting, "\n"));
        return;
    }
    if (redraws(l))
        erase(l);
    if (l->show_typed)
        l->show_typed(l->typed, false);
    write_text(l, text);
    write_text(l, "\n");
    if (l->show_typed)
        l->show_typed(l->typed, true);
    redraw(l);
}

/* Lines that came while an answer was written or a question stood. */
static void flush_waiting(struct event_lines *l)
{
    if (live_text_is_open(&l->live) || l->paused)
        return;
    if (l->waiting.length)
        write_text(l, buf_string(&l->waiting));
    buf_clear(&l->waiting);
}

/* The line whose event has this text under the key; one without it is the lone call's. */
static struct event_line *line_of(struct event_lines *l, bool is_server, const char *key,
                                  const json_t *data)
{
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++) {
        struct event_line *line = &l->running[i];
        if (line->data && line->is_server == is_server &&
            text_equal(json_get_string(line->data, key), json_get_string(data, key)))
            return line;
    }
    return NULL;
}

static void begin_line(struct event_lines *l, const json_t *data, bool is_server)
{
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++) {
        struct event_line *line = &l->running[i];
        if (line->data)
            continue;
        *line = (struct event_line){ .data = json_share(data), .is_server = is_server };
        break;
    }
    redraw(l);
}

static void end_line(struct event_line *line)
{
    if (line)
        json_decref(line->data);
    if (line)
        *line = (struct event_line){ 0 };
}

/* How many elements of a loop are done. */
static void on_loop_progress(struct event_lines *l, const struct event *event)
{
    struct event_line *line = line_of(l, false, "step", event->data);
    if (!line) {
        begin_line(l, event->data, false);
        line = line_of(l, false, "step", event->data);
    }
    if (!line)
        return;
    line->progress = json_get_number(event->data, "progress", 0);
    line->total = json_get_number(event->data, "total", 0);
    line->n_failed = json_get_number(event->data, "failed", 0);
    line->latest_ms = event->time_ms;
    if (!line->is_loop) {
        line->is_loop = true;
        line->first_ms = event->time_ms;
        line->first_progress = line->progress;
    }
    redraw(l);
}

/* Progress of a call, or the state of the task that it has become: the message, else a number or
 * the state. */
static void on_progress(struct event_lines *l, struct arena *arena, const struct event *event)
{
    const json_t *data = event->data;
    struct event_line *line = line_of(l, false, "step", data);
    const char *note = field(arena, data, "message");
    if (!line)
        return;
    if (event->kind == EVENT_STEP_PROGRESS) {
        line->progress = json_get_number(data, "progress", 0);
        line->total = json_get_number(data, "total", 0);
        if (!*note && line->total <= 0)
            note = arena_printf(arena, "%g", line->progress);
    } else if (!*note) {
        note = arena_printf(arena, "as a task: %s", field(arena, data, "status"));
    }
    snprintf(line->note, sizeof line->note, "%s", note);
    text_trim_broken_end(line->note);
    redraw(l);
}

/* A server has a line while it starts. */
static void on_server_state(struct event_lines *l, const json_t *data)
{
    end_line(line_of(l, true, "server", data));
    if (text_equal(json_get_string(data, "state"), "starting"))
        begin_line(l, data, true);
    else
        redraw(l);
}

/* The error without the tool's name before it, which the line has already. */
static const char *error_of(struct arena *arena, const json_t *data)
{
    const char *error = json_get_string(data, "error"), *tool = json_get_string(data, "tool");
    const char *named = arena_printf(arena, "%s: ", tool ? tool : "");
    if (!error)
        return "";
    if (tool && text_starts_with(error, named))
        error += strlen(named);
    return text_one_line(arena, error, strlen(error), ERROR_COLUMNS);
}

static void on_step_finished(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const char *step = field(arena, data, "step"), *status = field(arena, data, "status");
    bool is_taken_over = strcmp(status, "cached") == 0;
    bool ok = strcmp(status, "ok") == 0 || is_taken_over;
    bool skipped = strcmp(status, "skipped") == 0;
    const char *mark = ok ? "✓" : skipped ? "-" : "✗", *error = error_of(arena, data);
    const char *colour = ok ? l->style.green : skipped ? l->style.yellow : l->style.red;
    const char *tool = field(arena, data, "tool"), *args = "";
    const char *end =
        skipped ? *error ? "skipped" : "skipped: its condition does not hold"
        : is_taken_over
            ? "taken over"
            : arena_printf(arena, "%lld ms", (long long)json_get_int(data, "duration_ms", 0));
    struct event_line *line = line_of(l, false, "step", data);
    if (line) {
        const char *words = arena_printf(arena, "  %s %s %s %s", mark, step, tool, end);
        args = event_arguments(arena, json_object_get(line->data, "args"), room_beside(l, words));
        if (line->n_failed > 0)
            end = arena_printf(arena, "%s, %.0f failed", end, line->n_failed);
        end_line(line);
    }
    print_line(l, arena_printf(arena, "  %s%s%s %s %s%s %s%s%s%s%s", colour, mark, l->style.reset,
                               step, tool, args, l->style.dim, end, l->style.reset,
                               *error ? ": " : "", error));
}

/* Of a run that goes on from its first step there is nothing to tell. */
static void on_steps_kept(struct event_lines *l, struct arena *arena, const struct event *event)
{
    bool has_steps = json_get_int(event->data, "steps", 0) > 0;
    if (has_steps || json_object_get(event->data, "run"))
        print_line(l, arena_printf(arena, "  %s%s%s %s", l->style.green, has_steps ? "✓" : "-",
                                   l->style.reset, event_text(arena, event)));
}

/* Why the lexical analyst chose what it chose: one line per word and per candidate; of a model's
 * plan where each value comes from. */
static void print_explanation(struct event_lines *l, struct arena *arena, const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        print_line(l,
                   arena_printf(arena, "%s      %s%s", l->style.dim,
                                text_one_line(arena, text, length, SHOWN_COLUMNS), l->style.reset));
        text += length + (text[length] == '\n');
    }
}

static void on_plan(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const json_t *steps = json_object_get(json_object_get(data, "plan"), "steps");
    size_t n = json_array_size(steps);
    if (n > 1)
        print_line(l,
                   arena_printf(arena, "%splan of %zu steps%s", l->style.bold, n, l->style.reset));
    if (l->verbosity)
        print_explanation(l, arena, json_get_string(data, "explanation"));
}

static void end_wait(struct event_lines *l)
{
    if (model_wait_end(&l->wait))
        redraw(l);
}

static void note_reply(struct event_lines *l, struct arena *arena, const json_t *data)
{
    int64_t prompt = json_get_int(data, "prompt_tokens", -1);
    int64_t completion = json_get_int(data, "completion_tokens", -1);
    snprintf(l->model, sizeof l->model, "%s", field(arena, data, "model"));
    text_trim_broken_end(l->model);
    l->context_used = prompt < 0 || completion < 0 ? -1 : prompt + completion;
}

/* From the prompt to the reply, or to the attempt that says why there is none. */
static void watch_model(struct event_lines *l, struct arena *arena, const struct event *event)
{
    const char *class = field(arena, event->data, "class");
    if (event->kind == EVENT_PROMPT_SENT) {
        model_wait_begin(&l->wait, field(arena, event->data, "purpose"), now_ms(l));
        redraw(l);
    } else if (event->kind == EVENT_MODEL_REPLIED ||
               (event->kind == EVENT_ATTEMPT &&
                (strcmp(class, "transport") == 0 || strcmp(class, "timeout") == 0))) {
        end_wait(l);
    }
    if (event->kind == EVENT_MODEL_REPLIED)
        note_reply(l, arena, event->data);
    l->wait.tokens += event->kind == EVENT_MODEL_TOKEN || event->kind == EVENT_ANSWER_TOKEN ||
                      event->kind == EVENT_TOKEN;
    bool is_over = event->kind == EVENT_SAMPLING_ANSWERED || event->kind == EVENT_RUN_FINISHED;
    while (is_over && model_wait_is_on(&l->wait))
        end_wait(l);
}

static void on_text(struct event_lines *l, const json_t *data)
{
    const char *text = json_get_string(data, "text");
    if (!l->stream_answer || !text)
        return;
    l->wait = (struct model_wait){ 0 };
    if (redraws(l))
        erase(l);
    live_text_add(&l->live, text);
}

/* The text is complete and counts; other lines may be written again. */
static void accept_text(struct event_lines *l)
{
    if (!live_text_accept(&l->live))
        return;
    l->streamed = true;
    flush_waiting(l);
}

static void print_json(struct event_lines *l, const struct event *event)
{
    json_auto_t *value = event_to_json(event);
    auto_str text = json_print(value);
    AUTO(buf) shown;
    buf_init(&shown, strlen(text) * 8 + 16);
    bool fits = l->answer_style.is_terminal ? text_append_escaped(&shown, text, strlen(text))
                                            : buf_puts(&shown, text);
    if (fits && buf_puts(&shown, "\n") && !l->closed)
        l->closed = !console_write(l->console, CONSOLE_OUT, buf_string(&shown), shown.length);
}

/* The line that -v adds: the event's name and its sentence. */
static void print_details(struct event_lines *l, struct arena *arena, const struct event *event)
{
    const char *text = event_text(arena, event);
    size_t columns = l->verbosity > 1 ? 4000 : 1000;
    bool speaks_for_itself = event->kind == EVENT_SERVER_STATE || event->kind == EVENT_SERVER_LOG ||
                             event->kind == EVENT_TOOLS_CHANGED ||
                             event->kind == EVENT_RESOURCE_UPDATED;
    print_line(l, arena_printf(arena, "%s  · %s%s%s%s", l->style.dim,
                               speaks_for_itself ? "" : event_kind_name(event->kind),
                               speaks_for_itself ? "" : " ",
                               text_one_line(arena, text, strlen(text), columns), l->style.reset));
    if (event->kind == EVENT_INTENT)
        print_explanation(l, arena, json_get_string(event->data, "explanation"));
}

/* A warning is printed once in a conversation. Its hash stands for it. */
static void on_warning(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const char *text = json_get_string(data, "text");
    size_t length = text ? strlen(text) : 0;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    for (size_t i = 0; i < l->n_warned; i++)
        if (l->warned[i] == hash)
            return;
    if (l->n_warned < EVENT_LINES_MAX_WARNED)
        l->warned[l->n_warned++] = hash;
    const char *line = text_one_line(arena, text ? text : "", length, WARNING_COLUMNS);
    if (l->args)
        line = output_with_flags(arena, l->args, line);
    print_line(
        l, arena_printf(arena, "%smistro: warning: %s%s", l->style.yellow, line, l->style.reset));
}

/* With -q as well, as the question was: it is about what the person does next. */
static void on_questions_dropped(struct event_lines *l, struct arena *arena, const json_t *data)
{
    bool quiet = l->quiet;
    const char *text = json_get_string(data, "text");
    l->quiet = false;
    print_line(l, text_one_line(arena, text, strlen(text), WARNING_COLUMNS));
    l->quiet = quiet;
}

/* Lines that stay, in a pipe as well: a model may take minutes to load. */
static void on_model_state(struct event_lines *l, struct arena *arena, const json_t *data)
{
    const char *text = event_model_state(arena, data);
    if (*text)
        print_line(l, arena_printf(arena, "%s  %s%s", l->style.dim, text, l->style.reset));
}

/* Agents and stages take turns: each gets a line, in a pipe as well. */
static void on_job(struct event_lines *l, struct arena *arena, const struct event *event)
{
    const char *text = event_text(arena, event);
    print_line(l, arena_printf(arena, "%s  · %s%s", l->style.dim,
                               text_one_line(arena, text, strlen(text), ERROR_COLUMNS),
                               l->style.reset));
}

static bool is_progress_of_job(enum event_kind kind)
{
    return kind == EVENT_CONSENSUS_STARTED || kind == EVENT_ENVELOPE ||
           kind == EVENT_ARBITER_HINT || kind == EVENT_FIGURE_STARTED ||
           kind == EVENT_STAGE_FINISHED || kind == EVENT_FIGURE_RENDERED;
}

static void observe(struct observer *observer, const struct event *event)
{
    struct event_lines *l = (struct event_lines *)observer;
    AUTO(arena) scratch = { 0 };
    if (l->as_json) {
        print_json(l, event);
        return;
    }
    watch_model(l, &scratch, event);
    /* A studio's settings are updated once the whole reply has been judged: its text counts. */
    if (event->kind == EVENT_SETTINGS_UPDATE ||
        (event->kind == EVENT_ATTEMPT && text_equal(json_get_string(event->data, "class"), "ok")))
        accept_text(l);
    if (event->kind == EVENT_ATTEMPT_DISCARDED) {
        live_text_discard(&l->live);
        flush_waiting(l);
    }
    if (event->kind == EVENT_SERVER_STATE)
        on_server_state(l, event->data);
    if (event->kind == EVENT_TASK)
        on_progress(l, &scratch, event);
    /* A call without a step has no line that stays: the command prints its result. */
    bool lone_call = l->watch_calls && !json_object_get(event->data, "step");
    if (event->kind == EVENT_TOOL_RESULT && lone_call) {
        end_line(line_of(l, false, "step", event->data));
        redraw(l);
    }
    if (event->kind == EVENT_STEP_STARTED || (event->kind == EVENT_TOOL_CALL && lone_call))
        begin_line(l, event->data, false);
    else if (event->kind == EVENT_STEP_PROGRESS && json_get_bool(event->data, "items", false))
        on_loop_progress(l, event);
    else if (event->kind == EVENT_STEP_PROGRESS)
        on_progress(l, &scratch, event);
    else if (event->kind == EVENT_STEP_FINISHED)
        on_step_finished(l, &scratch, event->data);
    else if (event->kind == EVENT_STEPS_KEPT)
        on_steps_kept(l, &scratch, event);
    else if (event->kind == EVENT_PLAN)
        on_plan(l, &scratch, event->data);
    else if (event->kind == EVENT_ANSWER_TOKEN || event->kind == EVENT_TOKEN)
        on_text(l, event->data);
    else if (event->kind == EVENT_WARNING)
        on_warning(l, &scratch, event->data);
    else if (event->kind == EVENT_QUESTIONS_DROPPED)
        on_questions_dropped(l, &scratch, event->data);
    else if (event->kind == EVENT_MODEL_STATE)
        on_model_state(l, &scratch, event->data);
    else if (!l->verbosity && is_progress_of_job(event->kind))
        on_job(l, &scratch, event);
    else if (l->verbosity && event->kind != EVENT_MODEL_TOKEN)
        print_details(l, &scratch, event);
}

void event_lines_init(struct event_lines *lines, struct console *console, struct style style,
                      struct style answer_style)
{
    static const struct observer_ops ops = { observe };
    *lines = (struct event_lines){
        .base = { &ops }, .console = console, .style = style, .answer_style = answer_style
    };
    live_text_init(&lines->live, console, answer_style);
    buf_init(&lines->waiting, EVENT_LINES_MAX_WAITING_BYTES);
}

void event_lines_pause(struct event_lines *lines, bool paused)
{
    if (!lines)
        return;
    if (paused && redraws(lines))
        erase(lines);
    lines->paused += paused ? 1 : (unsigned)-1;
    flush_waiting(lines);
    redraw(lines);
}

void event_lines_typing(struct event_lines *lines, event_lines_typed_fn *show, void *context)
{
    if (!lines)
        return;
    if (redraws(lines))
        erase(lines);
    lines->show_typed = show;
    lines->typed = context;
    redraw(lines);
}

void event_lines_add(struct event_lines *lines, const char *text)
{
    AUTO(arena) scratch = { 0 };
    print_line(lines, arena_printf(&scratch, "%s%s%s", lines->style.dim, text, lines->style.reset));
}

bool event_lines_end_answer(struct event_lines *lines, bool counts)
{
    bool streamed = lines->streamed;
    if (!counts)
        live_text_leave(&lines->live);
    else if (live_text_accept(&lines->live))
        streamed = true;
    lines->streamed = false;
    flush_waiting(lines);
    return streamed;
}

enum err_code event_lines_tick(struct runtime *runtime, struct scope *scope, void *lines)
{
    struct event_lines *l = lines;
    struct err ended = { 0 };
    bool waits = false;
    l->runtime = runtime;
    while (!runtime_sleep(runtime, scope, waits ? TICK_MS : IDLE_TICK_MS, &ended)) {
        waits = model_wait_is_on(&l->wait);
        if (waits)
            redraw(l);
    }
    return ERR_NONE;
}

void event_lines_finish(struct event_lines *lines)
{
    for (size_t i = 0; i < EVENT_LINES_MAX_RUNNING; i++)
        end_line(&lines->running[i]);
    live_text_finish(&lines->live);
    buf_finish(&lines->waiting);
}
