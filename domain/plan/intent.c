#include "domain/plan/intent.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

static json_t *evidence_to_json(const struct confidence *confidence)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "tool_match", confidence->tool_match, "completeness",
                     confidence->completeness, "validity", confidence->validity, "penalty",
                     confidence->penalty);
}

json_t *intent_to_json(const struct intent *intent)
{
    json_t *object = json_object();
    const char *goal = intent->primary_goal ? intent->primary_goal : "";
    json_object_set_new(object, "primary_goal", json_string(goal));
    json_object_set_new(object, "tools_needed",
                        json_from_texts(intent->tools_needed, intent->n_tools_needed));
    json_object_set_new(object, "parameters",
                        intent->parameters ? json_share(intent->parameters) : json_object());
    json_object_set_new(object, "needs_clarification", json_boolean(intent->needs_clarification));
    json_object_set_new(object, "confidence", json_real(intent->confidence.score));
    json_object_set_new(object, "unclear_aspects",
                        json_from_texts(intent->unclear_aspects, intent->n_unclear_aspects));
    json_object_set_new(object, "evidence", evidence_to_json(&intent->confidence));
    if (intent->reported_confidence >= 0)
        json_object_set_new(object, "reported_confidence", json_real(intent->reported_confidence));
    if (intent->analyst)
        json_object_set_new(object, "analyst", json_string(intent->analyst));
    if (intent->explanation)
        json_object_set_new(object, "explanation", json_string(intent->explanation));
    if (intent->refusal)
        json_object_set_new(object, "refusal", json_string(intent->refusal));
    if (intent->reason)
        json_object_set_new(object, "reason", json_string(intent->reason));
    return object;
}

json_t *questions_to_json(const struct question *questions, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct question *q = &questions[i];
        json_t *choices = q->choices ? json_from_texts(q->choices, q->n_choices) : NULL;
        json_t *more = q->n_more_choices ? json_integer((json_int_t)q->n_more_choices) : NULL;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s*, s:s*, s:o*, s:o*}", "key", q->key, "text",
                                        q->text, "wants", q->wants, "example", q->example,
                                        "choices", choices, "more_choices", more));
    }
    return list;
}

const char *questions_keys(struct arena *arena, const struct intent *intent, const char *before,
                           const char *behind)
{
    const char *text = "";
    for (size_t i = 0; i < intent->n_questions; i++)
        text = arena_printf(arena, "%s%s%s%s", text, before, intent->questions[i].key, behind);
    return text;
}

const char *questions_flags(struct arena *arena, const struct intent *intent)
{
    const char *text = "";
    for (size_t i = 0; i < intent->n_questions; i++)
        text = arena_printf(
            arena, "%s --answer %s", text,
            text_shell_word(arena, arena_printf(arena, "%s=…", intent->questions[i].key)));
    return text;
}

const char *question_shape(struct arena *arena, const struct question *question)
{
    const char *wants = question->wants, *example = wants ? question->example : NULL;
    return wants ? arena_printf(arena, "%c%s%s%s", toupper((unsigned char)*wants), wants + 1,
                                example ? ", for instance " : "", example ? example : "")
                 : "";
}

const char *question_say(struct arena *arena, const struct question *question)
{
    const char *shape = question_shape(arena, question);
    return arena_printf(arena, "%s%s%s", question->text, *shape ? " " : "", shape);
}

const char *question_choices(struct arena *arena, const struct question *question)
{
    const char *text = "";
    for (size_t i = 0; i < question->n_choices; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", question->choices[i]);
    if (question->n_more_choices)
        text = arena_printf(arena, "%s and %s more", text,
                            text_grouped(arena, question->n_more_choices));
    return *text ? arena_printf(arena, " (%s)", text) : "";
}

bool question_is_numbered(const struct question *question)
{
    double number;
    for (size_t i = 0; i < question->n_choices; i++)
        if (text_to_double(question->choices[i], &number))
            return false;
    return question->n_choices && !question->n_more_choices;
}
