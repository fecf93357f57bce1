#include "domain/plan/intent.h"
#include "domain/base/json.h"

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
    if (intent->reason)
        json_object_set_new(object, "reason", json_string(intent->reason));
    return object;
}

json_t *questions_to_json(const struct question *questions, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "key", json_string(questions[i].key));
        json_object_set_new(object, "text", json_string(questions[i].text));
        if (questions[i].choices)
            json_object_set_new(object, "choices",
                                json_from_texts(questions[i].choices, questions[i].n_choices));
        json_array_append_new(list, object);
    }
    return list;
}
