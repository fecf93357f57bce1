#include "presentation/cli/terminal_quote.h"
#include "domain/base/text.h"
#include <string.h>

/* Of one byte: \x1b; of three: \u202e. */
#define ESCAPE_MAX_COLUMNS 4
#define BAR_COLUMNS 5 /* the bar, and one that terminals keep for the cursor */

struct quoting {
    struct terminal_user *user;
    size_t line_bytes, lines_left;
};

static void say(struct terminal_user *user, const char *text)
{
    (void)console_write(user->console, CONSOLE_ERR, text, strlen(text));
}

/* One line of theirs; escaped text has no byte that takes more than a column. False: there is no
 * more room. */
static bool quote_line(struct quoting *q, const char *line, size_t length)
{
    AUTO(arena) scratch = { 0 };
    const char *rest = text_one_line(&scratch, line, length, ESCAPE_MAX_COLUMNS * length + 1);
    do {
        if (q->lines_left-- == 0) {
            say(q->user, "  | …\n");
            return false;
        }
        size_t cut = text_fold(rest, q->line_bytes);
        say(q->user, arena_printf(&scratch, "  | %.*s\n", (int)cut, rest));
        rest += cut;
    } while (*rest);
    return true;
}

void terminal_quote(struct terminal_user *user, const char *text, size_t max_lines)
{
    unsigned columns = console_columns(user->console);
    size_t room = columns > BAR_COLUMNS ? columns - BAR_COLUMNS : 0;
    struct quoting q = { .user = user, .line_bytes = room, .lines_left = max_lines };
    if (q.line_bytes > TERMINAL_QUOTE_LINE_BYTES)
        q.line_bytes = TERMINAL_QUOTE_LINE_BYTES;
    if (q.line_bytes < TERMINAL_QUOTE_MIN_BYTES)
        q.line_bytes = TERMINAL_QUOTE_MIN_BYTES;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (!quote_line(&q, text, length))
            return;
        text += length + (text[length] != '\0');
    }
}
