#include "infrastructure/models/chat_messages.h"

static const char *join(struct arena *arena, const char *text, const char *more)
{
    return text[0] ? arena_printf(arena, "%s\n\n%s", text, more) : more;
}

static void fold_part(struct arena *arena, struct chat_messages *folded, enum model_role role,
                      const struct model_part *part)
{
    if (part->kind == MODEL_IMAGE) {
        if (folded->n_images < ARRAY_LENGTH(folded->images))
            folded->images[folded->n_images++] = part;
        return;
    }
    const char **text = role == MODEL_SYSTEM ? &folded->system : &folded->user;
    *text = join(arena, *text, part->text);
}

struct chat_messages chat_messages_fold(struct arena *arena, const struct model_request *request)
{
    struct chat_messages folded = { .system = "", .user = "" };
    for (size_t i = 0; i < request->n_messages; i++)
        for (size_t j = 0; j < request->messages[i].n_parts; j++)
            fold_part(arena, &folded, request->messages[i].role, &request->messages[i].parts[j]);
    /* Without one, some templates insert their own, with the date of the day in it. */
    if (!folded.system[0])
        folded.system = "You are a careful assistant.";
    if (!folded.user[0])
        folded.user = "Go on.";
    return folded;
}
