#include "presentation/cli/terminal/line_editor.h"
#include "domain/base/buf.h"
#include "domain/base/text.h"
#include "presentation/cli/terminal/key_filter.h"
#include "presentation/cli/terminal/line_display.h"
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* libedit edits one line, so this sign stands for the line ends in it until the message is taken.
 */
static const wchar_t line_end_sign = 0x23CE;
static const char paste_begin[] = "\033[200~", paste_end[] = "\033[201~";

enum { CANDIDATES_SHOWN = 60 };

struct line_editor {
    EditLine *edit;
    FILE *nowhere; /* what libedit draws */
    History *history;
    struct console *console;
    struct line_display display;
    struct scope *scope; /* of the read that is going on */
    const char *prompt;
    const char *history_file;
    struct line_editor_helpers helpers;
    size_t n_choices;       /* that one key means */
    struct key_filter keys; /* of what libedit was given */
    char input[4096];       /* read, not yet given to libedit */
    size_t at, n;
    bool reading, pasting, interrupted;
    bool pasted_return; /* the character before was a CR */
};

static struct line_editor *of(EditLine *edit)
{
    void *editor = NULL;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *no_prompt(EditLine *edit)
{
    static char prompt[] = "";
    (void)edit;
    return prompt;
}

static void set_paste(struct line_editor *e, const char *mode)
{
    (void)console_write(e->console, CONSOLE_OUT, mode, strlen(mode));
}

static void draw(struct line_editor *e)
{
    const LineInfo *info = el_line(e->edit);
    line_display_draw(&e->display, e->prompt, info->buffer, (size_t)(info->lastchar - info->buffer),
                      (size_t)(info->cursor - info->buffer));
}

/* At least one more byte in the input; false at the end or when interrupted. */
static bool fill(struct line_editor *e)
{
    size_t n = 0;
    if (e->at == e->n)
        e->at = e->n = 0;
    if (e->n == sizeof e->input) {
        memmove(e->input, e->input + e->at, e->n - e->at);
        e->n -= e->at;
        e->at = 0;
    }
    if (!e->pasting)
        draw(e);
    struct err err;
    if (console_read(e->console, e->scope, e->input + e->n, sizeof e->input - e->n, &n, &err)) {
        e->interrupted = true;
        return false;
    }
    e->n += n;
    return n > 0;
}

/* Takes a marker of bracketed paste off the input. */
static bool take_marker(struct line_editor *e, const char *marker)
{
    size_t length = strlen(marker);
    while (e->n - e->at < length && memcmp(e->input + e->at, marker, e->n - e->at) == 0 &&
           e->n - e->at > 1)
        if (!fill(e))
            return false;
    if (e->n - e->at < length || memcmp(e->input + e->at, marker, length) != 0)
        return false;
    e->at += length;
    return true;
}

/* A character of the input; 0 at the end. */
static int read_character(struct line_editor *e, wchar_t *out)
{
    for (;;) {
        if (e->at == e->n && !fill(e))
            return 0;
        if (e->input[e->at] != '\033')
            break;
        if (take_marker(e, e->pasting ? paste_end : paste_begin))
            e->pasting = !e->pasting;
        else
            break;
    }
    uint32_t code = 0;
    size_t size = text_utf8_next(e->input + e->at, e->n - e->at, &code);
    while (!size && e->n - e->at < 4 && (unsigned char)e->input[e->at] >= 0xC2 && fill(e))
        size = text_utf8_next(e->input + e->at, e->n - e->at, &code);
    e->at += size ? size : 1;
    *out = size ? (wchar_t)code : L'?';
    return 1;
}

/* What a pasted character stands for in the line; NUL for nothing: control characters would be keys
 * to libedit. CR LF is one line end, and what the line has no room for is left out. */
static wchar_t pasted(struct line_editor *e, wchar_t character)
{
    const LineInfoW *info = el_wline(e->edit);
    bool is_second = character == L'\n' && e->pasted_return;
    e->pasted_return = character == L'\r';
    if (is_second || info->lastchar - info->buffer > LINE_EDITOR_LINE_MAX)
        return L'\0';
    if (character == L'\r' || character == L'\n')
        return line_end_sign;
    if (character == L'\t')
        return L' ';
    return character < L' ' || (character >= 0x7F && character < 0xA0) ? L'\0' : character;
}

/* The next character as libedit wants it: 1, or 0 at the end. */
static int next_character(EditLine *edit, wchar_t *out)
{
    struct line_editor *e = of(edit);
    int n;
    do {
        n = read_character(e, out);
        if (n && e->pasting)
            *out = pasted(e, *out);
    } while (n && e->pasting && !*out);
    return n;
}

static bool is_empty(const struct line_editor *e)
{
    const LineInfo *info = el_line(e->edit);
    return info->lastchar == info->buffer;
}

/* A key that is a whole answer: Enter follows by itself. What was pasted, or typed before the
 * question, comes in one piece. */
static int next_key(EditLine *edit, wchar_t *out)
{
    struct line_editor *e = of(edit);
    int n = next_character(edit, out);
    bool is_key = n == 1 && *out < 0x80 && key_filter_takes(&e->keys, (char)*out);
    bool answers = is_key && *out >= L'1' && *out < L'1' + (wchar_t)e->n_choices;
    if (answers && !e->pasting && e->n == 1 && e->at == 1 && is_empty(e)) {
        e->input[0] = '\r';
        e->at = 0;
    }
    return n;
}

void line_editor_expect_choice(struct line_editor *e, size_t n)
{
    e->n_choices = n > 9 ? 0 : n;
}

static size_t common_prefix(const char **candidates, size_t n)
{
    size_t length = strlen(candidates[0]);
    for (size_t i = 1; i < n; i++)
        for (size_t at = 0; at < length; at++)
            if (candidates[i][at] != candidates[0][at])
                length = at;
    return length;
}

static void show_candidates(struct line_editor *e, struct arena *arena, const char **candidates,
                            size_t n)
{
    const char *text = "";
    size_t width = 0, columns = console_columns(e->console);
    for (size_t i = 0; i < n; i++) /* files and servers named them */
        candidates[i] = text_one_line(arena, candidates[i], strlen(candidates[i]), columns);
    for (size_t i = 0; i < n; i++)
        width = text_columns(candidates[i]) > width ? text_columns(candidates[i]) : width;
    size_t per_line = columns / (width + 2) ? columns / (width + 2) : 1;
    for (size_t i = 0; i < n && i < CANDIDATES_SHOWN; i++) {
        int padding = (int)(width + 2 - text_columns(candidates[i]));
        text = arena_printf(arena, "%s%s%*s%s", text, candidates[i], padding, "",
                            (i + 1) % per_line ? "" : "\n");
    }
    text = arena_printf(arena, "%s\n", text);
    if (n > CANDIDATES_SHOWN)
        text = arena_printf(arena, "%sand %zu more\n", text, n - CANDIDATES_SHOWN);
    line_display_leave(&e->display);
    (void)console_write(e->console, CONSOLE_ERR, text, strlen(text));
}

static unsigned char complete_word(EditLine *edit, int key)
{
    (void)key;
    struct line_editor *e = of(edit);
    AUTO(arena) scratch = { 0 };
    const LineInfo *info = el_line(edit);
    const char *before =
        arena_strndup(&scratch, info->buffer, (size_t)(info->cursor - info->buffer));
    const char *blank = strrchr(before, ' '), *word = blank ? blank + 1 : before;
    const char **candidates = NULL;
    size_t n = 0, typed = strlen(word);
    e->helpers.complete(e->helpers.context, &scratch, before, &candidates, &n);
    if (!n)
        return CC_ERROR;
    size_t length = common_prefix(candidates, n);
    if (length > typed)
        el_insertstr(edit, arena_strndup(&scratch, candidates[0] + typed, length - typed));
    if (n == 1 && !strchr("=/:", candidates[0][length - 1]))
        el_insertstr(edit, " ");
    else if (length == typed)
        show_candidates(e, &scratch, candidates, n);
    return CC_NORM;
}

static unsigned char clear_screen(EditLine *edit, int key)
{
    static const char clear[] = "\033[H\033[2J";
    struct line_editor *e = of(edit);
    (void)key;
    line_display_erase(&e->display);
    (void)console_write(e->console, CONSOLE_OUT, clear, strlen(clear));
    return CC_NORM;
}

static unsigned char add_line_end(EditLine *edit, int key)
{
    (void)key;
    return el_insertstr(edit, LINE_DISPLAY_LINE_END) ? CC_ERROR : CC_REFRESH;
}

static const char *with_line_ends(struct arena *arena, const char *line)
{
    AUTO(buf) text;
    buf_init(&text, SIZE_MAX);
    for (const char *sign; (sign = strstr(line, LINE_DISPLAY_LINE_END)); line = sign + 3) {
        (void)!buf_append(&text, line, (size_t)(sign - line));
        (void)!buf_puts(&text, "\n");
    }
    (void)!buf_puts(&text, line);
    return arena_strdup(arena, buf_string(&text));
}

static void replace_line(struct line_editor *e, const char *text)
{
    const LineInfoW *info = el_wline(e->edit);
    int length = (int)(info->lastchar - info->buffer);
    AUTO(buf) line;
    buf_init(&line, SIZE_MAX);
    for (const char *c = text; *c; c++)
        (void)!buf_append(&line, *c == '\n' ? LINE_DISPLAY_LINE_END : c, *c == '\n' ? 3 : 1);
    el_cursor(e->edit, (int)(info->lastchar - info->cursor));
    el_deletestr(e->edit, length);
    (void)el_insertstr(e->edit, buf_string(&line));
}

static unsigned char edit_elsewhere(EditLine *edit, int key)
{
    (void)key;
    struct line_editor *e = of(edit);
    AUTO(arena) scratch = { 0 };
    const LineInfo *info = el_line(edit);
    const char *line =
        arena_strndup(&scratch, info->buffer, (size_t)(info->lastchar - info->buffer));
    line_display_erase(&e->display);
    e->reading = false;
    set_paste(e, LINE_EDITOR_PASTE_OFF);
    el_set(edit, EL_PREP_TERM, 0);
    const char *text =
        e->helpers.edit_elsewhere(e->helpers.context, &scratch, with_line_ends(&scratch, line));
    el_set(edit, EL_PREP_TERM, 1);
    set_paste(e, LINE_EDITOR_PASTE_ON);
    e->reading = true;
    if (text)
        replace_line(e, text);
    return CC_REFRESH;
}

static unsigned char end_line(EditLine *edit, int key)
{
    (void)key;
    struct line_editor *e = of(edit);
    AUTO(arena) scratch = { 0 };
    const LineInfo *info = el_line(edit);
    size_t length = (size_t)(info->lastchar - info->buffer);
    const char *line = arena_strndup(&scratch, info->buffer, length);
    int to_the_end = (int)(info->lastchar - info->cursor); /* or more */
    if (!e->helpers.accept(e->helpers.context, with_line_ends(&scratch, line)))
        return CC_REFRESH;
    el_cursor(edit, to_the_end);
    return el_insertstr(edit, "\n") ? CC_ERROR : CC_NEWLINE;
}

static void resized(void *editor)
{
    struct line_editor *e = editor;
    if (e->reading && !e->pasting)
        draw(e);
}

/* The terminal, which others had meanwhile, is libedit's once more. */
static void continued(void *editor)
{
    struct line_editor *e = editor;
    if (!e->reading)
        return;
    el_set(e->edit, EL_PREP_TERM, 0);
    el_set(e->edit, EL_PREP_TERM, 1);
    set_paste(e, LINE_EDITOR_PASTE_ON);
    line_display_forget(&e->display);
    resized(e);
}

/* What the file has takes the place of what is known, unless it can not be read. */
static void load_history(struct line_editor *e)
{
    HistEvent event;
    History *loaded = history_init();
    history(loaded, &event, H_SETSIZE, LINE_EDITOR_HISTORY_MAX);
    history(loaded, &event, H_SETUNIQUE, 1);
    int n = e->history_file ? history(loaded, &event, H_LOAD, e->history_file) : -1;
    if (e->history && n < 0) {
        history_end(loaded);
        return;
    }
    if (e->history)
        history_end(e->history);
    e->history = loaded;
    el_set(e->edit, EL_HIST, history, e->history);
}

struct line_editor *line_editor_create(struct console *console, const char *history_file,
                                       const struct line_editor_helpers *helpers)
{
    FILE *nowhere = fopen("/dev/null", "we");
    struct line_editor *e = nowhere ? calloc(1, sizeof *e) : NULL;
    if (!nowhere)
        return NULL;
    if (!e)
        abort();
    *e = (struct line_editor){
        .nowhere = nowhere, .console = console, .history_file = history_file, .helpers = *helpers
    };
    line_display_init(&e->display, console);
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    e->edit =
        el_init_fd("mistro", stdin, nowhere, nowhere, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
    el_set(e->edit, EL_CLIENTDATA, e);
    el_set(e->edit, EL_PROMPT, no_prompt);
    el_set(e->edit, EL_EDITOR, "emacs");
    el_set(e->edit, EL_SIGNAL, 0);
    el_set(e->edit, EL_GETCFN, next_key);
    el_set(e->edit, EL_ADDFN, "mistro-complete", "complete a word", complete_word);
    el_set(e->edit, EL_ADDFN, "mistro-clear", "clear the screen", clear_screen);
    el_set(e->edit, EL_BIND, "^L", "mistro-clear", NULL);
    el_set(e->edit, EL_BIND, "^I", "mistro-complete", NULL);
    el_set(e->edit, EL_ADDFN, "mistro-line-end", "a line end in the message", add_line_end);
    el_set(e->edit, EL_BIND, "^J", "mistro-line-end", NULL);
    el_set(e->edit, EL_BIND, "^[^M", "mistro-line-end", NULL);
    el_set(e->edit, EL_BIND, "^[^J", "mistro-line-end", NULL);
    el_set(e->edit, EL_SETTY, "-d", "-inlcr", "-icrnl",
           NULL); /* Enter is another key than Ctrl-J */
    el_set(e->edit, EL_ADDFN, "mistro-end", "end the message", end_line);
    el_set(e->edit, EL_BIND, "^M", "mistro-end", NULL);
    el_set(e->edit, EL_ADDFN, "mistro-elsewhere", "edit with $EDITOR", edit_elsewhere);
    el_set(e->edit, EL_BIND, "^X^E", "mistro-elsewhere", NULL);
    el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    load_history(e);
    console_on_resize(console, resized, e);
    console_on_continue(console, continued, e);
    set_paste(e, LINE_EDITOR_PASTE_ON);
    return e;
}

void line_editor_destroy(struct line_editor *e)
{
    if (!e)
        return;
    set_paste(e, LINE_EDITOR_PASTE_OFF);
    console_on_resize(e->console, /* handler */ NULL, /* context */ NULL);
    console_on_continue(e->console, /* handler */ NULL, /* context */ NULL);
    history_end(e->history);
    el_end(e->edit);
    fclose(e->nowhere);
    line_display_finish(&e->display);
    free(e);
}

/* Other chats of the folder have the same file: they take turns, and find it whole at any time. */
static void remember(struct line_editor *e, const char *line)
{
    HistEvent event;
    AUTO(arena) scratch = { 0 };
    const char *file = e->history_file ? e->history_file : "";
    const char *next = arena_printf(&scratch, "%s.new", file);
    FILE *lock = *file ? fopen(arena_printf(&scratch, "%s.lock", file), "ae") : NULL;
    if (lock && lockf(fileno(lock), F_LOCK, 0) == 0)
        load_history(e);
    history(e->history, &event, H_ENTER, line);
    if (lock && history(e->history, &event, H_SAVE, next) >= 0)
        (void)rename(next, file);
    if (lock)
        fclose(lock);
}

void line_editor_show(struct line_editor *e, bool shown)
{
    if (e->reading && shown)
        draw(e);
    else if (e->reading)
        line_display_erase(&e->display);
}

enum err_code line_editor_read(struct line_editor *e, struct scope *scope, const char *prompt_text,
                               struct arena *arena, const char **out, struct err *err)
{
    int n = 0;
    e->scope = scope;
    e->prompt = prompt_text;
    e->pasting = e->interrupted = false;
    e->reading = true;
    const char *line = el_gets(e->edit, &n);
    e->reading = false;
    e->n_choices = 0;
    size_t length = line && n > 0 ? (size_t)n - (line[n - 1] == '\n') : 0;
    if (length) /* as it is at last, also where all of it was typed ahead */
        line_display_draw(&e->display, e->prompt, line, length, length);
    line_display_leave(&e->display);
    if (e->interrupted) {
        el_reset(e->edit);
        return err_set(err, ERR_CANCELLED, 0, "interrupted");
    }
    if (!line || n <= 0) {
        *out = NULL;
        return ERR_NONE;
    }
    const char *copy = arena_strndup(arena, line, length);
    if (length && length <= LINE_EDITOR_REMEMBERED_MAX)
        remember(e, copy);
    *out = with_line_ends(arena, copy);
    return ERR_NONE;
}
