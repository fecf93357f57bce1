#include "presentation/cli/commands/list_options.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <string.h>

enum { FOLDER_MAX_BYTES = 28 };

const char *list_options_time(struct arena *arena, int64_t ms)
{
    char text[RFC3339_SIZE];
    return ms ? arena_strdup(arena, rfc3339_print(ms, text)) : "";
}

const char *list_options_local_time(const struct cli *cli, int64_t ms)
{
    enum { AT_T = 10, AT_FRACTION = 19 };
    char text[RFC3339_SIZE];
    if (!ms)
        return "";
    rfc3339_print(runtime_local_ms_of(cli->services->runtime, ms), text);
    text[AT_T] = ' ';
    return arena_strndup(cli->arena, text, AT_FRACTION);
}

const char *list_options_folder(const struct cli *cli, const char *folder)
{
    size_t length = folder ? strlen(folder) : 0;
    if (length <= FOLDER_MAX_BYTES || !cli->answer_style.is_terminal)
        return folder;
    const char *tail = folder + length - FOLDER_MAX_BYTES, *slash = strchr(tail, '/');
    return arena_printf(cli->arena, "…%s", slash ? slash : strrchr(folder, '/'));
}

bool list_options_limit(const struct cli *cli, size_t *out_n)
{
    int64_t n = LIST_OPTIONS_DEFAULT_LIMIT;
    if (cli->args->limit && (!text_to_int64(cli->args->limit, &n) || n < 0))
        return false;
    *out_n = (size_t)n;
    return true;
}
