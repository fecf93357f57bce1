#include "application/studio/studio.h"
#include "domain/base/json.h"

struct studio_state studio_state_of(struct arena *arena, const struct conversation *conversation)
{
    const json_t *stored = json_object_get(conversation->context, STUDIO_CONTEXT_KEY);
    struct studio_state state = {
        .image = image_prompt_from_json(arena, json_object_get(stored, "image")),
        .edited = json_get_bool(stored, "edited", false),
    };
    (void)image_prompt_clamp(arena, &state.image); /* people edit stored conversations */
    return state;
}

void studio_state_store(struct conversation *conversation, const struct studio_state *state)
{
    json_object_set_new(conversation->context, STUDIO_CONTEXT_KEY,
                        json_pack("{s:o, s:b}", "image", image_prompt_to_json(&state->image),
                                  "edited", (int)state->edited));
}

void studio_edit_prompt(struct arena *arena, struct conversation *conversation, const char *text,
                        int64_t now_ms)
{
    struct studio_state state = studio_state_of(arena, conversation);
    state.image.prompt = text;
    state.image.generate_image = false;
    state.edited = true;
    studio_state_store(conversation, &state);
    bool is_later = now_ms > conversation->updated_at_ms;
    conversation->updated_at_ms = is_later ? now_ms : conversation->updated_at_ms + 1;
}
