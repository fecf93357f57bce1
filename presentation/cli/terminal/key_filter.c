#include "presentation/cli/terminal/key_filter.h"

enum { PASTE_BEGINS = 200, PASTE_ENDS = 201, NUMBER_BOUND = 1000 };

static void escaped(struct key_filter *filter, char byte)
{
    bool is_string = byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_';
    filter->number = 0;
    filter->state = byte == '['   ? KEY_PARAMETERS
                    : byte == 'O' ? KEY_ONE_MORE
                    : is_string   ? KEY_STRING
                                  : KEY_PLAIN;
}

static void parameter(struct key_filter *filter, char byte)
{
    if (byte >= '0' && byte <= '9')
        filter->number = (filter->number * 10 + (unsigned)(byte - '0')) % NUMBER_BOUND;
    if (byte < '@' || byte > '~')
        return;
    filter->state = KEY_PLAIN;
    if (byte == '~' && (filter->number == PASTE_BEGINS || filter->number == PASTE_ENDS))
        filter->pasting = filter->number == PASTE_BEGINS;
}

bool key_filter_takes(struct key_filter *filter, char byte)
{
    bool is_plain = filter->state == KEY_PLAIN && !filter->pasting && byte != '\033';
    if (byte == '\033')
        filter->state = KEY_ESCAPED;
    else if (filter->state == KEY_ESCAPED)
        escaped(filter, byte);
    else if (filter->state == KEY_PARAMETERS)
        parameter(filter, byte);
    else if (filter->state == KEY_ONE_MORE || byte == '\a' || byte == '\r' || byte == '\n')
        filter->state = KEY_PLAIN;
    return is_plain;
}
