#include "infrastructure/checking/candidate_check.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *check_quoted(struct candidate_check *check, const char *text)
{
    return arena_printf(&check->arena, "\"%s\"",
                        text_one_line(&check->arena, text, strlen(text), CHECK_SHOWN_COLUMNS));
}

const char *check_shown(struct candidate_check *check, const json_t *value)
{
    const char *text = json_print_in(&check->arena, value);
    return text_one_line(&check->arena, text, strlen(text), CHECK_SHOWN_COLUMNS);
}

void check_fails(struct candidate_check *check, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    if (check->failure)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_trim_broken_end(text);
    check->failure = arena_strdup(&check->arena, text);
}
