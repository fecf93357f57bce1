#include "infrastructure/runtime/stderr_summary.h"
#include "domain/base/text.h"
#include <stdbool.h>
#include <string.h>

static bool ends_with(const char *word, size_t length, const char *end)
{
    size_t end_length = strlen(end);
    return length >= end_length && memcmp(word + length - end_length, end, end_length) == 0;
}

/* `Error: …`, `TypeError [ERR_X]: …`, `json.JSONDecodeError: …`, `RuntimeException: …` */
static bool names_error(const char *line, size_t length)
{
    size_t word = 0;
    while (word < length && line[word] != ':' && line[word] != ' ')
        word++;
    bool goes_on = word + 1 < length && (line[word] == ':' || line[word + 1] == '[');
    return goes_on && (ends_with(line, word, "rror") || ends_with(line, word, "Exception"));
}

static size_t line_start(const char *text, size_t end)
{
    while (end && text[end - 1] != '\n')
        end--;
    return end;
}

const char *stderr_summary(struct arena *arena, const char *text, size_t length)
{
    size_t from, lines = 0;
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    for (size_t end = length; end;) {
        size_t start = line_start(text, end);
        if (names_error(text + start, end - start))
            return text_one_line(arena, text + start, end - start, LAST_WORDS_COLUMNS);
        end = start ? start - 1 : 0;
    }
    from = length;
    while (from && length - from < LAST_WORDS_COLUMNS) {
        if (text[from - 1] == '\n' && ++lines == LAST_WORDS_LINES)
            break;
        from--;
    }
    return from == length ? NULL
                          : text_one_line(arena, text + from, length - from, LAST_WORDS_COLUMNS);
}
