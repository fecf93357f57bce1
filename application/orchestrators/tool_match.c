#include "application/orchestrators/tool_match.h"
#include "domain/base/text.h"
#include "domain/tool/tool.h"
#include <ctype.h>
#include <string.h>

/* Long enough for every name that is offered; of a longer one no more is compared. */
struct folded {
    char text[TOOL_FULL_NAME_MAX + 1];
};

/* Letters and digits in lower case, without what separates words. */
static struct folded fold(const char *name)
{
    struct folded folded = { 0 };
    size_t n = 0;
    for (; *name && n < TOOL_FULL_NAME_MAX; name++)
        if (!strchr("-_./ :", *name))
            folded.text[n++] = (char)tolower((unsigned char)*name);
    return folded;
}

/* The rest of a folded name behind the server's, where it begins with that. */
static const char *without_server(const char *name, const struct tool *tool)
{
    const struct folded server = fold(tool->server);
    size_t length = strlen(server.text);
    return strncmp(name, server.text, length) == 0 && name[length] ? name + length : name;
}

static unsigned allowed_slips(const char *name)
{
    size_t slips = strlen(name) / TOOL_MATCH_LETTERS_PER_SLIP;
    return slips < TOOL_MATCH_MAX_SLIPS ? (unsigned)slips : TOOL_MATCH_MAX_SLIPS;
}

static bool is_exact(const struct offered_tool *offered, const char *name)
{
    return strcmp(offered->shown, name) == 0 || strcmp(offered->tool->full_name, name) == 0;
}

static bool is_folded(const struct offered_tool *offered, const char *name)
{
    const struct folded said = fold(name), full = fold(offered->tool->full_name);
    const struct folded shown = fold(offered->shown), bare = fold(offered->tool->name);
    return strcmp(said.text, full.text) == 0 || strcmp(said.text, shown.text) == 0 ||
           strcmp(said.text, bare.text) == 0;
}

static bool is_slip(const struct offered_tool *offered, const char *name)
{
    const struct folded said = fold(name), bare = fold(offered->tool->name);
    const char *rest = without_server(said.text, offered->tool);
    unsigned most = allowed_slips(rest);
    return rest[0] == bare.text[0] && text_distance(rest, bare.text, most) <= most;
}

static const struct offered_tool *only(const struct shortlist *list, const char *name,
                                       bool (*fits)(const struct offered_tool *, const char *))
{
    const struct offered_tool *found = NULL;
    for (size_t i = 0; i < list->n; i++) {
        if (!fits(&list->tools[i], name))
            continue;
        if (found)
            return NULL;
        found = &list->tools[i];
    }
    return found;
}

const struct offered_tool *tool_match(const struct shortlist *list, const char *name)
{
    const struct offered_tool *found = only(list, name, is_exact);
    if (!found)
        found = only(list, name, is_folded);
    return found ? found : only(list, name, is_slip);
}
