#include "application/structured/prompt.h"
#include "application/structured/sanitize.h"
#include "domain/contract/token_estimate.h"
#include <math.h>
#include <string.h>

/* A prompt while it is made to fit. */
struct fitting {
    struct arena *arena;
    struct prompt_part *parts;
    size_t n_parts;
    int64_t tokens, max_tokens;
    double scale;
    struct prompt_trim *trim;
};

#define SPEAKER(speaker) (1u << (unsigned)(speaker))

/* The parts of these speakers, joined. */
static char *join(struct arena *arena, const struct prompt *prompt, unsigned speakers)
{
    size_t length = 0;
    for (size_t i = 0; i < prompt->n_parts; i++)
        length += strlen(prompt->parts[i].text);
    char *text = arena_alloc(arena, length + 1), *to = text;
    for (size_t i = 0; i < prompt->n_parts; i++) {
        size_t part = strlen(prompt->parts[i].text);
        if (!(speakers & SPEAKER(prompt->parts[i].speaker)))
            continue;
        memcpy(to, prompt->parts[i].text, part);
        to += part;
    }
    *to = '\0';
    return text;
}

const char *prompt_system_text(struct arena *arena, const struct prompt *prompt)
{
    const char *opening = sanitize_text(arena, join(arena, prompt, SPEAKER(PROMPT_OPENING)));
    return arena_printf(arena, "%s%s", prompt->system ? prompt->system : "", opening);
}

const char *prompt_user_text(struct arena *arena, const struct prompt *prompt)
{
    return join(arena, prompt, ~SPEAKER(PROMPT_OPENING));
}

static int64_t tokens_of(const char *text, double scale)
{
    return text ? (int64_t)ceil((double)token_estimate(text, strlen(text)) * scale) : 0;
}

int64_t prompt_tokens(const struct prompt *prompt, double scale)
{
    int64_t tokens = tokens_of(prompt->system, scale);
    for (size_t i = 0; i < prompt->n_parts; i++)
        tokens += tokens_of(prompt->parts[i].text, scale);
    return tokens;
}

/* Adds the kind to "history, result" unless it is the one named last. */
static void note(struct fitting *fitting, const char *what)
{
    const char *noted = fitting->trim->what;
    size_t length = strlen(noted);
    if (!what || (length >= strlen(what) && strcmp(noted + length - strlen(what), what) == 0))
        return;
    fitting->trim->what = arena_printf(fitting->arena, "%s%s%s", noted, length ? ", " : "", what);
}

static void drop(struct fitting *fitting, struct prompt_part *part)
{
    const char *instead = part->instead ? part->instead : "";
    fitting->tokens -= tokens_of(part->text, fitting->scale);
    fitting->tokens += tokens_of(instead, fitting->scale);
    fitting->trim->dropped++;
    note(fitting, part->what);
    part->text = instead;
    part->keep = PROMPT_KEEP_ALWAYS;
}

static void drop_kind(struct fitting *fitting, enum prompt_keep kind)
{
    for (size_t i = 0; i < fitting->n_parts && fitting->tokens > fitting->max_tokens; i++)
        if (fitting->parts[i].keep == kind)
            drop(fitting, &fitting->parts[i]);
}

bool prompt_fit(struct arena *arena, const struct prompt *prompt, int64_t max_tokens, double scale,
                struct prompt *out, struct prompt_trim *out_trim)
{
    struct prompt_trim trim = { .what = "", .tokens_before = prompt_tokens(prompt, scale) };
    struct fitting fitting = {
        .arena = arena,
        .parts = arena_array(arena, struct prompt_part, prompt->n_parts + 1),
        .n_parts = prompt->n_parts,
        .tokens = trim.tokens_before,
        .max_tokens = max_tokens,
        .scale = scale,
        .trim = &trim,
    };
    for (size_t i = 0; i < prompt->n_parts; i++)
        fitting.parts[i] = prompt->parts[i];
    drop_kind(&fitting, PROMPT_DROP_FIRST);
    drop_kind(&fitting, PROMPT_DROP_SOON);
    drop_kind(&fitting, PROMPT_DROP_LAST);
    trim.tokens = fitting.tokens;
    *out = *prompt;
    out->parts = fitting.parts;
    *out_trim = trim;
    return trim.tokens <= max_tokens;
}

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
        bool was_said = part->speaker >= PROMPT_USER && part->speaker <= PROMPT_SYSTEM;
        if (was_said && part->text[0])
            add(listing, roles[part->speaker], sanitize_text(listing->arena, part->text));
    }
}

static const char *request_text(struct arena *arena, const struct prompt *prompt)
{
    unsigned present = SPEAKER(PROMPT_NOBODY) | SPEAKER(PROMPT_TASK);
    return sanitize_text(arena, join(arena, prompt, present));
}

size_t prompt_messages(struct arena *arena, const struct prompt *prompt,
                       const struct model_message **out)
{
    struct listing listing = { .arena = arena };
    listing.messages = arena_array(arena, struct model_message, prompt->n_parts + 2);
    add(&listing, MODEL_SYSTEM, prompt_system_text(arena, prompt));
    add_said(&listing, prompt);
    add_request(&listing, request_text(arena, prompt), prompt);
    *out = listing.messages;
    return listing.n;
}
