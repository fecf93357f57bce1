#include "application/structured/closing.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void step_outside(struct closing *closing, char c)
{
    if (c == '\n')
        closing->is_within_line = false;
    if (is_blank(c))
        return;
    if (c == '{' || c == '[') {
        closing->state = CLOSING_OPENED;
        closing->bracket = c;
        closing->is_root = c == '{' && !closing->is_within_line;
    } else {
        closing->before = c;
    }
    closing->is_within_line = true;
}

static void step_inside(struct closing *closing, char c)
{
    if (closing->in_string) {
        closing->in_string = closing->escaped || c != '"';
        closing->escaped = !closing->escaped && c == '\\';
        return;
    }
    closing->in_string = c == '"';
    if (c == '{' || c == '[')
        closing->depth++;
    if ((c == '}' || c == ']') && --closing->depth == 0)
        closing->state = closing->is_root ? CLOSING_CLOSED : CLOSING_OUTSIDE;
}

static bool begins_value(char bracket, char c)
{
    return strchr(bracket == '{' ? "\"}" : "]{[\"-0123456789tfn", c) != NULL;
}

static void step_opened(struct closing *closing, char c)
{
    if (is_blank(c))
        return;
    if (closing->before == ']' || closing->before == '>') {
        closing->state = CLOSING_NEVER;
    } else if (c && begins_value(closing->bracket, c)) {
        closing->state = CLOSING_INSIDE;
        closing->depth = 1;
        step_inside(closing, c);
    } else {
        closing->state = CLOSING_OUTSIDE;
        closing->before = closing->bracket;
        step_outside(closing, c);
    }
}

static void step(struct closing *closing, char c)
{
    switch (closing->state) {
    case CLOSING_OUTSIDE:
        step_outside(closing, c);
        break;
    case CLOSING_OPENED:
        step_opened(closing, c);
        break;
    case CLOSING_INSIDE:
        step_inside(closing, c);
        break;
    case CLOSING_CLOSED:
    case CLOSING_NEVER:
        break;
    }
}

bool closing_feed(struct closing *closing, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (closing->state == CLOSING_CLOSED && !is_blank(bytes[i]) && bytes[i] != '`')
            return true;
        step(closing, bytes[i]);
    }
    return false;
}
