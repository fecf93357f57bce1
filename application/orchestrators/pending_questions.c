#include "application/orchestrators/pending_questions.h"
#include "application/orchestrators/turn.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

enum { PENDING_TEXT_COLUMNS = 1000 };

/* The strings of an array; others are left out. */
static const char **list_from_json(struct arena *arena, const json_t *array, size_t *out_n)
{
    const char **list = arena_array(arena, const char *, json_array_size(array) + 1);
    *out_n = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_string(json_array_get(array, i)))
            list[(*out_n)++] = arena_strdup(arena, json_string_value(json_array_get(array, i)));
    return list;
}

void pending_store(struct conversation *conversation, const char *message,
                   const struct intent *intent)
{
    json_t *pending =
        json_pack("{s:i, s:s, s:s, s:o, s:O, s:s, s:o, s:O*, s:s*}", "version", PENDING_VERSION,
                  "message", message, "goal", intent->primary_goal, "tools",
                  json_from_texts(intent->tools_needed, intent->n_tools_needed), "parameters",
                  intent->parameters, "analyst", intent->analyst, "questions",
                  questions_to_json(intent->questions, intent->n_questions), "steps",
                  intent->open_step ? intent->steps : NULL, "open_step", intent->open_step);
    json_object_set_new(conversation->context, PENDING_CONTEXT_KEY, pending);
}

void pending_forget(struct conversation *conversation)
{
    json_object_del(conversation->context, PENDING_CONTEXT_KEY);
}

const char *pending_drop(struct arena *arena, struct conversation *conversation,
                         const char *command)
{
    const struct pending *pending = pending_load(arena, conversation);
    if (!pending || pending->is_dropped)
        return NULL;
    json_t *dropped = json_deep_copy(json_object_get(conversation->context, PENDING_CONTEXT_KEY));
    json_object_set_new(dropped, "dropped", json_true());
    json_object_set_new(conversation->context, PENDING_CONTEXT_KEY, dropped);
    const char *text =
        arena_printf(arena, "question dropped; answer it later with mistro %s --session %s%s",
                     command, conversation->id, questions_flags(arena, &pending->intent));
    return text_one_line(arena, text, strlen(text), PENDING_TEXT_COLUMNS);
}

static struct question question_from_json(struct arena *arena, const json_t *value)
{
    struct question question = {
        .key = arena_strdup(arena, json_get_string(value, "key")),
        .text = arena_strdup(arena, json_get_string(value, "text")),
        .wants = arena_strdup(arena, json_get_string(value, "wants")),
        .example = arena_strdup(arena, json_get_string(value, "example")),
        .n_more_choices = (size_t)json_get_int(value, "more_choices", 0),
    };
    const json_t *choices = json_object_get(value, "choices");
    if (json_array_size(choices))
        question.choices = list_from_json(arena, choices, &question.n_choices);
    return question;
}

void pending_read_questions(struct arena *arena, const json_t *values, struct intent *intent)
{
    size_t n = json_array_size(values);
    intent->questions = arena_array(arena, struct question, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct question question = question_from_json(arena, json_array_get(values, i));
        if (question.key && question.text)
            intent->questions[intent->n_questions++] = question;
    }
}

static const char *analyst_of(const json_t *value)
{
    bool is_lexical = text_equal(json_get_string(value, "analyst"), TURN_ANALYST_LEXICAL);
    return is_lexical ? TURN_ANALYST_LEXICAL : TURN_ANALYST_MODEL;
}

static void read_intent(struct arena *arena, const json_t *value, struct intent *intent)
{
    intent->primary_goal = arena_strdup(arena, json_get_string(value, "goal"));
    intent->tools_needed =
        list_from_json(arena, json_object_get(value, "tools"), &intent->n_tools_needed);
    json_t *parameters = json_deep_copy(json_object_get(value, "parameters"));
    intent->parameters = arena_keep_json(arena, parameters ? parameters : json_object());
    intent->reported_confidence = -1; /* it was about the unanswered request */
    intent->analyst = analyst_of(value);
    const json_t *steps = json_object_get(value, "steps");
    const char *open_step = json_get_string(value, "open_step");
    if (json_is_array(steps) && open_step) {
        intent->steps = arena_keep_json(arena, json_deep_copy(steps));
        intent->open_step = arena_strdup(arena, open_step);
    }
    pending_read_questions(arena, json_object_get(value, "questions"), intent);
}

struct pending *pending_load(struct arena *arena, const struct conversation *conversation)
{
    const json_t *value = json_object_get(conversation->context, PENDING_CONTEXT_KEY);
    if (json_get_int(value, "version", 0) != PENDING_VERSION || !json_get_string(value, "message"))
        return NULL;
    struct pending *pending = arena_new(arena, struct pending);
    pending->message = arena_strdup(arena, json_get_string(value, "message"));
    pending->is_dropped = json_get_bool(value, "dropped", false);
    read_intent(arena, value, &pending->intent);
    if (!pending->intent.primary_goal)
        pending->intent.primary_goal = pending->message;
    return pending->intent.n_questions ? pending : NULL;
}
