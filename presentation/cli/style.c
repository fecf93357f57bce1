#include "presentation/cli/style.h"
#include <string.h>

struct style style_make(bool is_terminal, const char *when, const char *no_color, const char *term)
{
    bool moves_cursor = is_terminal && !(term && strcmp(term, "dumb") == 0);
    bool colour = moves_cursor && !(no_color && *no_color);
    if (when && strcmp(when, "always") == 0)
        colour = true;
    if (when && strcmp(when, "never") == 0)
        colour = false;
    if (!colour)
        return (struct style){ "", "", "", "", "", "", "", is_terminal, moves_cursor };
    return (struct style){ .bold = "\033[1m",
                           .dim = "\033[2m",
                           .red = "\033[31m",
                           .green = "\033[32m",
                           .yellow = "\033[33m",
                           .blue = "\033[34m",
                           .reset = "\033[0m",
                           .is_terminal = is_terminal,
                           .moves_cursor = moves_cursor };
}
