#include "application/tools/asker.h"

json_t *asker_event(const struct asker *asker)
{
    static const char *const members[] = { "tool", "resource", "prompt" };
    json_t *data =
        json_pack("{s:s, s:s}", "server", asker->server, members[asker->work], asker->name);
    if (asker->step_id)
        json_object_set_new(data, "step", json_string(asker->step_id));
    return data;
}

const char *asker_title(struct arena *arena, const struct asker *asker, const char *what)
{
    static const char *const before[] = { "", "its resource ", "its prompt " };
    static const char *const after[] = { " runs", " is read", " is made" };
    return arena_printf(arena, "the server \"%s\" %s, while %s%s%s", asker->server, what,
                        before[asker->work], asker->name, after[asker->work]);
}
