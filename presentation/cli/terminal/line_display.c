#include "presentation/cli/terminal/line_display.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

struct place {
    size_t row, column;
};

/* A character, or a byte that begins none. */
static size_t cell_size(const char *text, size_t length)
{
    size_t size = text_utf8_next(text, length, NULL);
    return size ? size : 1;
}

/* Where a character begins that would begin at the place, were the row long enough. */
static struct place begin_of(struct place place, const char *cell, size_t size, size_t columns,
                             size_t *out_width)
{
    char one[5] = { 0 };
    memcpy(one, cell, size);
    *out_width = *cell == '\n' ? 0 : text_columns(one);
    if (place.column + *out_width > columns)
        return (struct place){ place.row + 1, 0 };
    return place;
}

static struct place place_of(const char *text, size_t length, size_t at, size_t columns)
{
    struct place place = { 0 };
    size_t width;
    for (size_t i = 0, size; i < at; i += size) {
        size = cell_size(text + i, length - i);
        place = begin_of(place, text + i, size, columns, &width);
        place.column += width;
        if (text[i] == '\n')
            place = (struct place){ place.row + 1, 0 };
    }
    return at < length
               ? begin_of(place, text + at, cell_size(text + at, length - at), columns, &width)
               : place;
}

/* The first character in a row, or the end. */
static size_t begin_of_row(const char *text, size_t length, size_t row, size_t columns)
{
    struct place place = { 0 };
    size_t width, i = 0;
    for (size_t size; i < length; i += size) {
        size = cell_size(text + i, length - i);
        place = begin_of(place, text + i, size, columns, &width);
        if (place.row >= row)
            return i;
        place.column += width;
        if (text[i] == '\n')
            place = (struct place){ place.row + 1, 0 };
    }
    return i;
}

/* What of a prompt takes columns, or what takes none. */
static void add_prompt(struct buf *into, const char *prompt, bool with_colours)
{
    for (bool counts = true; *prompt; counts = !counts) {
        size_t length = strcspn(prompt, (const char[]){ LINE_DISPLAY_MARK, '\0' });
        if (counts || with_colours)
            (void)!buf_append(into, prompt, length);
        prompt += length + (prompt[length] != '\0');
    }
}

/* The text as it is drawn. A line end of libedit's own stands before the words of a search. */
static void add_text(struct buf *into, const char *text, size_t length)
{
    static const size_t sign = sizeof LINE_DISPLAY_LINE_END - 1;
    for (size_t i = 0, size; i < length; i += size) {
        size = cell_size(text + i, length - i);
        if (size == sign && memcmp(text + i, LINE_DISPLAY_LINE_END, sign) == 0)
            (void)!buf_puts(into, " \n");
        else
            (void)!text_append_escaped(into, text[i] == '\t' ? " " : text + i, size);
    }
}

void line_display_init(struct line_display *display, struct console *console)
{
    *display = (struct line_display){ .console = console };
    buf_init(&display->drawn, SIZE_MAX);
}

void line_display_finish(struct line_display *display)
{
    buf_finish(&display->drawn);
}

static void add_moves(struct buf *out, size_t n, char direction)
{
    char moves[32];
    snprintf(moves, sizeof moves, "\033[%zu%c", n, direction);
    if (n)
        (void)!buf_puts(out, moves);
}

static struct place place_drawn(const struct line_display *display, size_t at)
{
    return place_of(buf_string(&display->drawn), display->drawn.length, at,
                    console_columns(display->console));
}

static void add_way(struct buf *out, struct place from, struct place to)
{
    (void)!buf_puts(out, "\r");
    add_moves(out, from.row > to.row ? from.row - to.row : 0, 'A');
    add_moves(out, to.row > from.row ? to.row - from.row : 0, 'B');
    add_moves(out, to.column, 'C');
}

static void write_out(const struct line_display *display, const struct buf *out)
{
    if (out->length)
        (void)console_write(display->console, CONSOLE_OUT, buf_string(out), out->length);
}

/* Leaves the rows around the cursor, as many as the screen has. Returns whether it begins with the
 * prompt. */
static bool cut_to_screen(struct buf *text, size_t *cursor, size_t columns, size_t rows)
{
    const char *all = buf_string(text);
    size_t row = place_of(all, text->length, *cursor, columns).row;
    size_t first = row + 1 > rows ? row + 1 - rows : 0;
    size_t begin = begin_of_row(all, text->length, first, columns);
    size_t end = begin_of_row(all, text->length, first + rows, columns);
    text->length = end - (end < text->length && all[end - 1] == '\n');
    buf_terminate(text);
    buf_consume(text, begin);
    *cursor -= begin;
    return first == 0;
}

/* How much at the beginning of the text is as it is drawn; whole characters. */
static size_t same_length(const char *drawn, const char *next)
{
    size_t at = 0;
    while (drawn[at] && drawn[at] == next[at])
        at++;
    while (at && ((unsigned char)next[at] & 0xC0) == 0x80)
        at--;
    return at;
}

/* The whole row: a terminal that wraps it anew counts columns that were written and then cleared.
 * At the end of the row before it a wide character may have found no room, so that one counts too.
 */
static size_t begin_of_change(const char *text, size_t length, size_t at, size_t columns)
{
    struct place place = place_of(text, length, at, columns);
    size_t row = place.row - (place.row && !place.column);
    return begin_of_row(text, length, row, columns);
}

/* The last character of the row above is written once more, so that the terminal wraps behind it.
 */
static void add_rows(struct buf *out, const char *prompt, const char *text, size_t from,
                     size_t columns)
{
    size_t length = strlen(text), before = from;
    while (before && ((unsigned char)text[--before] & 0xC0) == 0x80)
        ;
    if (from && text[before] != '\n') {
        add_way(out, place_of(text, length, from, columns),
                place_of(text, length, before, columns));
        from = before;
    } else if (!from && prompt) {
        AUTO(buf) plain;
        buf_init(&plain, SIZE_MAX);
        add_prompt(&plain, prompt, /* with_colours */ false);
        add_prompt(out, prompt, /* with_colours */ true);
        from = plain.length;
    }
    for (const char *c = text + from; *c; c++)
        (void)!buf_append(out, *c == '\n' ? "\r\n" : c, *c == '\n' ? 2 : 1);
}

/* From the place of the cursor on: its row and what is below. (At the top of the screen \33[J alone
 * makes some terminals keep what they clear.) */
static const char clear_rows[] = "\0337\033[2K\033[B\033[J\0338";

void line_display_draw(struct line_display *display, const char *prompt, const char *text,
                       size_t length, size_t cursor)
{
    size_t columns = console_columns(display->console), rows = console_rows(display->console);
    AUTO(buf) next;
    AUTO(buf) out;
    buf_init(&next, SIZE_MAX);
    buf_init(&out, SIZE_MAX);
    add_prompt(&next, prompt, /* with_colours */ false);
    add_text(&next, text, cursor);
    size_t at = next.length;
    add_text(&next, text + cursor, length - cursor);
    (void)!buf_puts(&next, " ");
    bool has_prompt = cut_to_screen(&next, &at, columns, rows);
    struct place place = place_drawn(display, display->cursor);
    const char *shown = buf_string(&next);
    size_t same = same_length(buf_string(&display->drawn), shown);
    bool is_changed = same < next.length || same < display->drawn.length;
    if (is_changed) {
        size_t from = begin_of_change(shown, next.length, same, columns);
        add_way(&out, place, place_of(shown, next.length, from, columns));
        (void)!buf_puts(&out, clear_rows);
        add_rows(&out, has_prompt ? prompt : NULL, shown, from, columns);
        buf_clear(&display->drawn);
        (void)!buf_append(&display->drawn, shown, next.length);
        place = place_drawn(display, next.length);
    }
    if (is_changed || at != display->cursor)
        add_way(&out, place, place_drawn(display, at));
    display->cursor = at;
    write_out(display, &out);
}

void line_display_forget(struct line_display *display)
{
    buf_clear(&display->drawn);
    display->cursor = 0;
}

/* Where the cursor goes when the line is drawn no more. */
static void finish(struct line_display *display, size_t at, const char *then)
{
    AUTO(buf) out;
    buf_init(&out, 64);
    if (!display->drawn.length)
        return;
    add_way(&out, place_drawn(display, display->cursor), place_drawn(display, at));
    (void)!buf_puts(&out, then);
    write_out(display, &out);
    line_display_forget(display);
}

void line_display_erase(struct line_display *display)
{
    finish(display, 0, clear_rows);
}

void line_display_leave(struct line_display *display)
{
    finish(display, display->drawn.length, "\r\n");
}
