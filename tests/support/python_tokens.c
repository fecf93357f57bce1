#include "tests/support/python_tokens.h"
#include <ctype.h>
#include <string.h>

#define MAX_DEPTH 32

/* The length of an escape behind its backslash; 0: none that mistro writes. */
static size_t escape_length(const char *at)
{
    size_t digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0;
    for (size_t i = 1; i <= digits; i++)
        if (!isxdigit((unsigned char)at[i]))
            return 0;
    return digits ? digits + 1 : *at == 'n' || *at == '"' || *at == '\\';
}

/* Behind the closing quote, or NULL. */
static const char *pass_string(const char *at)
{
    for (at++; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return NULL;
        if (*at != '\\')
            continue;
        size_t length = escape_length(at + 1);
        if (!length)
            return NULL;
        at += length;
    }
    return at + 1;
}

static const char *pass_docstring(const char *script)
{
    const char *end = strncmp(script, "\"\"\"", 3) == 0 ? strstr(script + 3, "\"\"\"") : NULL;
    return end ? end + 3 : NULL;
}

static bool closes(char open, char c)
{
    return (open == '(' && c == ')') || (open == '[' && c == ']') || (open == '{' && c == '}');
}

bool python_tokens_balance(const char *script, size_t *out_strings)
{
    char open[MAX_DEPTH];
    size_t depth = 0;
    const char *at = pass_docstring(script);
    *out_strings = 0;
    while (at && *at) {
        if (*at == '"') {
            at = pass_string(at);
            ++*out_strings;
            continue;
        }
        if (*at == '#')
            at += strcspn(at, "\n");
        if (*at == '\'' || ((unsigned char)*at < 0x20 && *at != '\n') || (unsigned char)*at >= 0x7f)
            return false;
        if (*at && strchr("([{", *at)) {
            if (depth == MAX_DEPTH)
                return false;
            open[depth++] = *at;
        } else if (*at && strchr(")]}", *at) && (!depth || !closes(open[--depth], *at))) {
            return false;
        }
        at += *at != '\0';
    }
    return at && !depth;
}
