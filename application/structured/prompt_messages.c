#include "application/structured/prompt_messages.h"
#include "application/structured/defuse.h"

struct listing {
    struct arena *arena;
    struct model_message *messages;
    size_t n;
};

static void add(struct listing *listing, enum model_role role, const char *text)
{
    struct model_part *part = arena_new(listing->arena, struct model_part);
    *part = (struct model_part){ .kind = MODEL_TEXT, .text = text };
    listing->messages[listing->n++] = (struct model_message){ role, part, 1 };
}

/* The text, and the pictures behind it. */
static void add_request(struct listing *listing, const char *text, const struct prompt *prompt)
{
    struct model_part *parts = arena_array(listing->arena, struct model_part, prompt->n_images + 1);
    parts[0] = (struct model_part){ .kind = MODEL_TEXT, .text = text };
    for (size_t i = 0; i < prompt->n_images; i++)
        parts[i + 1] = prompt->images[i];
    listing->messages[listing->n++] =
        (struct model_message){ MODEL_USER, parts, prompt->n_images + 1 };
}

static void add_said(struct listing *listing, const struct prompt *prompt)
{
    static const enum model_role roles[] = { [PROMPT_USER] = MODEL_USER,
                                             [PROMPT_ASSISTANT] = MODEL_ASSISTANT,
                                             [PROMPT_SYSTEM] = MODEL_SYSTEM };
    for (size_t i = 0; i < prompt->n_parts; i++) {
        const struct prompt_part *part = &prompt->parts[i];
        if (part->speaker != PROMPT_NOBODY && part->text[0])
            add(listing, roles[part->speaker], defuse_text(listing->arena, part->text));
    }
}

static const char *request_text(struct arena *arena, const struct prompt *prompt)
{
    struct prompt present = { .parts = NULL };
    struct prompt_part *parts = arena_array(arena, struct prompt_part, prompt->n_parts + 1);
    for (size_t i = 0; i < prompt->n_parts; i++)
        if (prompt->parts[i].speaker == PROMPT_NOBODY)
            parts[present.n_parts++] = prompt->parts[i];
    present.parts = parts;
    return defuse_text(arena, prompt_user_text(arena, &present));
}

size_t prompt_messages(struct arena *arena, const struct prompt *prompt,
                       const struct model_message **out)
{
    struct listing listing = { .arena = arena };
    listing.messages = arena_array(arena, struct model_message, prompt->n_parts + 2);
    add(&listing, MODEL_SYSTEM, prompt->system ? prompt->system : "");
    add_said(&listing, prompt);
    add_request(&listing, request_text(arena, prompt), prompt);
    *out = listing.messages;
    return listing.n;
}
