#include "presentation/cli/events/live_text.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

struct place {
    size_t row, column;
};

/* Where the cursor is behind one more character. A character that fills the last column leaves it
 * there: terminals wrap only when the next one comes. */
static struct place behind(struct place place, const char *character, size_t size, unsigned columns)
{
    char one[5] = { 0 };
    memcpy(one, character, size);
    if (*one == '\n')
        return (struct place){ place.row + 1, 0 };
    size_t width = text_columns(one);
    if (place.column + width > columns)
        return (struct place){ place.row + 1, width };
    return (struct place){ place.row, place.column + width };
}

static size_t character_size(const char *at, size_t left)
{
    size_t size = text_utf8_next(at, left, NULL);
    return size ? size : 1;
}

static void write_out(struct live_text *live, const char *bytes, size_t length)
{
    if (length && !live->closed)
        live->closed = !console_write(live->console, CONSOLE_OUT, bytes, length);
}

/* A terminal that was resized wraps what it shows anew. */
static struct place place_now(struct live_text *live)
{
    unsigned columns = console_columns(live->console);
    struct place place = { live->row, live->column };
    if (columns == live->columns)
        return place;
    place = (struct place){ 0 };
    const char *text = buf_string(&live->text);
    for (size_t at = 0, size; at < live->shown; at += size) {
        size = character_size(text + at, live->shown - at);
        place = behind(place, text + at, size, columns);
    }
    live->columns = columns;
    return place;
}

/* Blanks at the end wait for what follows them. */
static size_t without_blanks(const char *text, size_t length)
{
    while (length && strchr(" \t\n", text[length - 1]))
        length--;
    return length;
}

/* Shows what is new, as far as its beginning stays on the screen. */
static void show(struct live_text *live)
{
    const char *text = buf_string(&live->text);
    size_t end = without_blanks(text, live->text.length), at = live->shown, size;
    size_t last_row = console_rows(live->console) - 1;
    struct place place = place_now(live);
    for (; at < end; at += size) {
        size = character_size(text + at, end - at);
        struct place next = behind(place, text + at, size, live->columns);
        if (next.row >= last_row)
            break;
        place = next;
    }
    if (at <= live->shown)
        return;
    write_out(live, text + live->shown, at - live->shown);
    live->shown = at;
    live->row = place.row;
    live->column = place.column;
}

void live_text_init(struct live_text *live, struct console *console, struct style style)
{
    *live = (struct live_text){ .console = console, .style = style };
    buf_init(&live->text, LIVE_TEXT_MAX_BYTES);
}

void live_text_finish(struct live_text *live)
{
    buf_finish(&live->text);
}

static void begin_anew(struct live_text *live)
{
    buf_clear(&live->text);
    live->shown = live->row = live->column = 0;
}

/* Into a pipe as it is; for a terminal made safe, with the line ends of other systems as ours, and
 * blanks for tabs, whose stops are the terminal's own. */
static bool append(struct live_text *live, const char *text)
{
    if (!live->style.is_terminal)
        return buf_puts(&live->text, text);
    for (size_t length; *text; text += length + (text[length] != '\0')) {
        length = strcspn(text, "\r\t");
        if (!text_append_escaped(&live->text, text, length) ||
            (text[length] == '\t' && !buf_puts(&live->text, " ")))
            return false;
    }
    return true;
}

void live_text_add(struct live_text *live, const char *text)
{
    if (!live->text.length)
        text += strspn(text, " \t\r\n");
    if (append(live, text) && live->style.moves_cursor)
        show(live);
}

void live_text_discard(struct live_text *live)
{
    char up[32] = "\r\033[J";
    size_t row = place_now(live).row;
    if (row)
        snprintf(up, sizeof up, "\r\033[%zuA\033[J", row);
    if (live->shown)
        write_out(live, up, strlen(up));
    begin_anew(live);
}

bool live_text_accept(struct live_text *live)
{
    const char *text = buf_string(&live->text);
    size_t end = without_blanks(text, live->text.length);
    if (end) {
        write_out(live, text + live->shown, end - live->shown);
        write_out(live, "\n", 1);
    }
    begin_anew(live);
    return end > 0;
}

void live_text_leave(struct live_text *live)
{
    if (live->shown)
        write_out(live, "\n", 1);
    begin_anew(live);
}

bool live_text_is_open(const struct live_text *live)
{
    return live->shown > 0;
}
