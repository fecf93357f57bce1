/* Foreign text is escaped line by line and folded to the width of the screen; text_fold cuts at a
 * blank where there is one. */
#include "presentation/cli/terminal_quote.h"
#include "domain/base/text.h"
#include <stdint.h>
#include <string.h>

#define ESCAPE_MAX_COLUMNS 4 /* of one escaped byte, as \x1b */
#define BAR_COLUMNS 5        /* the bar, and one that terminals keep for the cursor */

struct quoting {
    struct console *console;
    enum console_stream stream;
    size_t line_bytes, lines_left;
    unsigned indent;
};

static bool write_text(const struct quoting *q, const char *text)
{
    return console_write(q->console, q->stream, text, strlen(text));
}

/* One line of the foreign text. Once escaped, none of its bytes takes more than one column. False
 * when there is no room for more lines. */
static bool quote_line(struct quoting *q, const char *line, size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *rest = text_one_line(&scratch, line, length, ESCAPE_MAX_COLUMNS * length + 1);
    unsigned indent = 0;
    do {
        if (q->lines_left-- == 0) {
            (void)write_text(q, "  | …\n");
            return false;
        }
        size_t cut = text_fold(rest, q->line_bytes - indent);
        if (!write_text(q,
                        arena_printf(&scratch, "  | %*s%.*s\n", (int)indent, "", (int)cut, rest)))
            return false;
        rest += cut;
        indent = q->indent;
    } while (*rest);
    return true;
}

static bool quote(struct quoting *q, const char *text)
{
    unsigned columns = console_columns(q->console);
    q->line_bytes = columns > BAR_COLUMNS ? columns - BAR_COLUMNS : 0;
    if (q->line_bytes > TERMINAL_QUOTE_LINE_BYTES)
        q->line_bytes = TERMINAL_QUOTE_LINE_BYTES;
    if (q->line_bytes < TERMINAL_QUOTE_MIN_BYTES)
        q->line_bytes = TERMINAL_QUOTE_MIN_BYTES;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (!quote_line(q, text, length))
            return false;
        text += length + (text[length] != '\0');
    }
    return true;
}

void terminal_quote(struct console *console, const char *text, size_t max_lines)
{
    struct quoting q = { .console = console, .stream = CONSOLE_ERR, .lines_left = max_lines };
    (void)quote(&q, text);
}

bool terminal_quote_all(struct console *console, enum console_stream stream, const char *text,
                        unsigned indent)
{
    struct quoting q = { .console = console,
                         .stream = stream,
                         .lines_left = SIZE_MAX,
                         .indent = indent < TERMINAL_QUOTE_MAX_INDENT ? indent
                                                                      : TERMINAL_QUOTE_MAX_INDENT };
    return quote(&q, text);
}
