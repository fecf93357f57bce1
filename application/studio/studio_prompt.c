#include "application/studio/studio_prompt.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include <string.h>

static const json_t *mark_of(const struct message *message)
{
    return json_object_get(message->metadata, STUDIO_METADATA_KEY);
}

/* Other uses of the same conversation left messages as well; they are none of the studio's. */
static bool is_seen(const struct message *message)
{
    bool is_said = message->role == MESSAGE_USER || message->role == MESSAGE_ASSISTANT;
    return is_said && json_is_object(mark_of(message));
}

struct studio_history studio_history_of(struct arena *arena, const struct settings *settings,
                                        const struct conversation *conversation)
{
    size_t max = (size_t)settings->studio_history_messages;
    size_t start = conversation_live_start(conversation), n = 0;
    for (size_t i = conversation->n_messages; i > start && n < max; i--)
        n += is_seen(&conversation->messages[i - 1]);
    struct studio_history history = { .messages = arena_array(arena, const struct message *, n + 1),
                                      .n = n,
                                      .as_turns = strcmp(settings->model_turns, "chat") == 0 };
    for (size_t i = conversation->n_messages; n > 0; i--)
        if (is_seen(&conversation->messages[i - 1]))
            history.messages[--n] = &conversation->messages[i - 1];
    return history;
}

/* The text as a JSON string, so that its end is where it seems to be. */
static const char *quoted(struct arena *arena, const char *text)
{
    json_auto_t *string = json_string(text);
    return string ? sanitize_text(arena, json_print_in(arena, string)) : "\"\"";
}

/* `edited` is the person's own prompt where the model has not seen it yet, else NULL. */
static const char *with_edit(struct arena *arena, const char *edited, const char *message)
{
    const char *notice =
        edited ? arena_printf(arena, "[user edited prompt to: %s]\n", quoted(arena, edited)) : "";
    return arena_printf(arena, "%s%s", notice, sanitize_text(arena, message));
}

static const char *text_of(struct arena *arena, const struct message *message)
{
    const json_t *mark = mark_of(message);
    if (message->role == MESSAGE_USER)
        return with_edit(arena, json_get_string(mark, "edited_prompt"), message->content);
    const char *raw = json_get_string(mark, "raw");
    return sanitize_text(arena, raw ? raw : message->content);
}

/* A template shows who speaks; a transcript has to say it. */
static void add_history(struct arena *arena, const struct studio_history *history,
                        struct prompt_part *parts)
{
    for (size_t i = 0; i < history->n; i++) {
        const struct message *message = history->messages[i];
        bool by_person = message->role == MESSAGE_USER;
        const char *text = text_of(arena, message);
        parts[i] =
            (struct prompt_part){ .text = text, .keep = PROMPT_DROP_FIRST, .what = "history" };
        if (history->as_turns)
            parts[i].speaker = by_person ? PROMPT_USER : PROMPT_ASSISTANT;
        else
            parts[i].text =
                arena_printf(arena, "%s:\n%s\n\n", by_person ? "The person" : "You", text);
    }
}

/* What a compaction is made of: everything the person said, and the prompt as it is. */
static void add_wishes(struct arena *arena, const struct studio_history *history,
                       const struct studio_state *state, const char *message,
                       struct ask_prompt *out)
{
    const char **wishes = arena_array(arena, const char *, history->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < history->n; i++)
        if (history->messages[i]->role == MESSAGE_USER)
            wishes[n++] = sanitize_text(arena, history->messages[i]->content);
    wishes[n++] = sanitize_text(arena, message);
    out->wishes = wishes;
    out->n_wishes = n;
    if (*state->image.prompt)
        out->state = arena_printf(arena, "[%s: %s]",
                                  state->edited ? "user edited prompt to" : "current prompt",
                                  quoted(arena, state->image.prompt));
}

enum err_code studio_prompt_make(struct arena *arena, struct assets *assets,
                                 const struct studio_history *history,
                                 const struct studio_state *state, const char *message,
                                 struct ask_prompt *out, struct err *err)
{
    const char *system = NULL, *origin = NULL;
    const char *edited = state->edited ? state->image.prompt : NULL;
    enum err_code r = assets_get(assets, STUDIO_SYSTEM_PATH, arena, &system, &origin, err);
    if (r)
        return r;
    struct prompt_part *parts = arena_array(arena, struct prompt_part, history->n + 2);
    add_history(arena, history, parts);
    const char *said = with_edit(arena, edited, message);
    const char *speaks = history->as_turns ? "" : "The person:\n";
    parts[history->n] = (struct prompt_part){ .text = arena_printf(arena, "%s%s\n\n", speaks, said),
                                              .keep = PROMPT_KEEP_ALWAYS };
    parts[history->n + 1] =
        (struct prompt_part){ .text = arena_printf(arena, "[current prompt: %s]",
                                                   quoted(arena, state->image.prompt)),
                              .keep = PROMPT_KEEP_ALWAYS };
    *out = (struct ask_prompt){ .prompt = {
                                    .system = system, .parts = parts, .n_parts = history->n + 2 } };
    add_wishes(arena, history, state, message, out);
    return ERR_NONE;
}
