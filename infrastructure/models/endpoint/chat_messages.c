#include "infrastructure/models/endpoint/chat_messages.h"
#include <string.h>

/* Without a system text some templates insert their own, with the date of the day in it. */
#define DEFAULT_SYSTEM "You are a careful assistant."
#define GO_ON "Go on."
#define LEFT_OUT "[earlier messages are left out]"
#define SO_FAR "The conversation so far:"
#define NOW "Now the user says:"

/* Texts that are to be glued together. */
struct pieces {
    const char **list;
    size_t n, capacity;
};

struct drafted_turn {
    enum model_role role;
    struct pieces text;
    const struct model_part *images[CHAT_MESSAGES_MAX_IMAGES];
    size_t n_images;
};

struct draft {
    struct arena *arena;
    struct pieces system, late; /* system messages before and after what was said */
    struct drafted_turn *turns; /* alternating */
    size_t n, capacity, n_images;
};

static void add(struct draft *draft, struct pieces *pieces, const char *text)
{
    *arena_push(draft->arena, pieces->list, pieces->n, pieces->capacity) = text;
}

static void add_paragraph(struct draft *draft, struct pieces *pieces, const char *text)
{
    if (!text[0])
        return;
    if (pieces->n)
        add(draft, pieces, "\n\n");
    add(draft, pieces, text);
}

static const char *glue(const struct draft *draft, const struct pieces *pieces)
{
    size_t length = 0;
    for (size_t i = 0; i < pieces->n; i++)
        length += strlen(pieces->list[i]);
    char *text = arena_alloc(draft->arena, length + 1), *to = text;
    for (size_t i = 0; i < pieces->n; i++)
        to = stpcpy(to, pieces->list[i]);
    *to = '\0';
    return text;
}

static struct drafted_turn *new_turn(struct draft *draft, enum model_role role)
{
    struct drafted_turn *turn = arena_push(draft->arena, draft->turns, draft->n, draft->capacity);
    *turn = (struct drafted_turn){ .role = role };
    return turn;
}

/* The last turn when it is of that role, else a new one. */
static struct drafted_turn *turn_of(struct draft *draft, enum model_role role)
{
    if (draft->n && draft->turns[draft->n - 1].role == role)
        return &draft->turns[draft->n - 1];
    return new_turn(draft, role);
}

static void add_image(struct draft *draft, struct drafted_turn *turn,
                      const struct model_part *image)
{
    if (draft->n_images == CHAT_MESSAGES_MAX_IMAGES)
        return;
    draft->n_images++;
    turn->images[turn->n_images++] = image;
}

static void add_part(struct draft *draft, enum model_role role, const struct model_part *part)
{
    if (role == MODEL_SYSTEM) {
        struct pieces *system = draft->n ? &draft->late : &draft->system;
        if (part->kind == MODEL_TEXT)
            add_paragraph(draft, system, part->text);
        return;
    }
    struct drafted_turn *turn = turn_of(draft, role);
    if (part->kind == MODEL_TEXT)
        add_paragraph(draft, &turn->text, part->text);
    else
        add_image(draft, turn, part);
}

static void read_request(struct draft *draft, const struct model_request *request)
{
    for (size_t i = 0; i < request->n_messages; i++)
        for (size_t j = 0; j < request->messages[i].n_parts; j++)
            add_part(draft, request->messages[i].role, &request->messages[i].parts[j]);
}

/* The conversation begins and ends with the user, and says something. */
static void complete(struct draft *draft)
{
    if (draft->n == 0) {
        new_turn(draft, MODEL_USER)->text = draft->system;
        draft->system = (struct pieces){ 0 };
    }
    struct drafted_turn *last = turn_of(draft, MODEL_USER);
    add_paragraph(draft, &last->text, glue(draft, &draft->late));
    if (last->text.n == 0)
        add(draft, &last->text, GO_ON);
    if (draft->turns[0].role == MODEL_USER)
        return;
    new_turn(draft, MODEL_USER);
    memmove(draft->turns + 1, draft->turns, (draft->n - 1) * sizeof *draft->turns);
    draft->turns[0] = (struct drafted_turn){ .role = MODEL_USER };
    add(draft, &draft->turns[0].text, LEFT_OUT);
}

static void print_turn(struct draft *draft, struct drafted_turn *into,
                       const struct drafted_turn *turn)
{
    add_paragraph(draft, &into->text, turn->role == MODEL_USER ? "User: " : "Assistant: ");
    add(draft, &into->text, glue(draft, &turn->text));
    for (size_t i = 0; i < turn->n_images; i++)
        into->images[into->n_images++] = turn->images[i];
}

/* All turns as the one of the user. */
static void print_transcript(struct draft *draft)
{
    const struct drafted_turn *turns = draft->turns;
    struct drafted_turn all = { .role = MODEL_USER };
    size_t n = draft->n;
    if (n == 1)
        return;
    add(draft, &all.text, SO_FAR);
    for (size_t i = 0; i + 1 < n; i++)
        print_turn(draft, &all, &turns[i]);
    add_paragraph(draft, &all.text, NOW);
    add_paragraph(draft, &all.text, glue(draft, &turns[n - 1].text));
    for (size_t i = 0; i < turns[n - 1].n_images; i++)
        all.images[all.n_images++] = turns[n - 1].images[i];
    draft->n = 0;
    *new_turn(draft, MODEL_USER) = all;
}

static struct chat_turn finished(const struct draft *draft, const struct drafted_turn *drafted)
{
    struct chat_turn turn = { .role = drafted->role, .n_images = drafted->n_images };
    const char *text = glue(draft, &drafted->text);
    turn.text = text[0] ? text : GO_ON;
    memcpy(turn.images, drafted->images, sizeof turn.images);
    return turn;
}

const char *chat_turn_role(const struct chat_turn *turn)
{
    static const char *const names[] = {
        [MODEL_SYSTEM] = "system", [MODEL_USER] = "user", [MODEL_ASSISTANT] = "assistant"
    };
    return names[turn->role];
}

struct chat_messages chat_messages_make(struct arena *arena, const struct model_request *request,
                                        struct chat_style style)
{
    struct draft draft = { .arena = arena };
    read_request(&draft, request);
    complete(&draft);
    if (!style.real_turns)
        print_transcript(&draft);
    const char *system = glue(&draft, &draft.system);
    struct chat_turn *turns = arena_array(arena, struct chat_turn, draft.n + 1);
    struct chat_messages messages = { .turns = turns };
    if (!style.no_system)
        turns[messages.n++] =
            (struct chat_turn){ .role = MODEL_SYSTEM, .text = system[0] ? system : DEFAULT_SYSTEM };
    for (size_t i = 0; i < draft.n; i++)
        turns[messages.n++] = finished(&draft, &draft.turns[i]);
    if (style.no_system && system[0])
        turns[0].text = arena_printf(arena, "%s\n\n%s", system, turns[0].text);
    return messages;
}
