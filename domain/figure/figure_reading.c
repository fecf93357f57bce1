#include "domain/figure/figure_reading.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_COLUMNS = 60 };

void figure_complain(const struct figure_reading *reading, const char *key, const char *fix,
                     const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *path = json_path_member(reading->problems->arena, reading->path, key);
    problems_add(reading->problems, NULL, path, "%s", message)->fix = fix;
}

const char *figure_shown(const struct figure_reading *reading, const char *text)
{
    return text_one_line(reading->problems->arena, text, strlen(text), SHOWN_COLUMNS);
}

const char *figure_list_words(const struct figure_reading *reading, struct figure_names names)
{
    const char *all = names.list[0];
    for (size_t i = 1; i < names.n; i++)
        all = arena_printf(reading->problems->arena, "%s, %s", all, names.list[i]);
    return all;
}

int figure_read_word(const struct figure_reading *reading, const char *key,
                     struct figure_names names)
{
    const char *word = json_get_string(reading->object, key);
    for (size_t i = 0; word && i < names.n; i++)
        if (strcmp(word, names.list[i]) == 0)
            return (int)i;
    figure_complain(
        reading, key,
        arena_printf(reading->problems->arena, "use one of %s", figure_list_words(reading, names)),
        "\"%s\" is not a valid %s", word ? figure_shown(reading, word) : "", key);
    return -1;
}

void figure_refuse_unknown(const struct figure_reading *reading, struct figure_names names)
{
    problems_refuse_unknown(reading->problems, NULL, reading->path, reading->object, names.list,
                            names.n);
}
