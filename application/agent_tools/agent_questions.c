#include "application/agent_tools/agent_questions.h"
#include "domain/base/json.h"

static const char *check_text(const void *context, struct arena *arena, size_t field,
                              const json_t *answer)
{
    (void)context;
    (void)arena;
    (void)field;
    return json_string_has_nul(answer) ? "U+0000 is not allowed" : NULL;
}

static struct form form_of(struct arena *arena, const struct intent *intent)
{
    struct form_field *fields = arena_array(arena, struct form_field, intent->n_questions);
    for (size_t i = 0; i < intent->n_questions; i++) {
        const struct question *question = &intent->questions[i];
        fields[i] = (struct form_field){ .key = question->key,
                                         .label = question->text,
                                         .kind = question->n_choices ? FORM_CHOICE : FORM_TEXT,
                                         .choices = question->choices,
                                         .n_choices = question->n_choices,
                                         .required = true };
    }
    const char *goal = intent->primary_goal;
    return (struct form){ .title = goal && *goal
                                       ? arena_printf(arena, "mistro has to know more: %s", goal)
                                       : "mistro has to know more",
                          .fields = fields,
                          .n_fields = intent->n_questions,
                          .check = check_text };
}

bool agent_questions_ask(struct user *user, struct scope *scope, struct arena *arena,
                         const struct turn_result *turn, struct chat_request *out)
{
    const struct intent *intent = turn->intent;
    json_t *given = NULL;
    if (!intent || !intent->n_questions || !turn->session_id || !user_present(user))
        return false;
    const struct form form = form_of(arena, intent);
    if (user_ask(user, scope, &form, arena, &given, NULL))
        return false;
    struct chat_answer *answers = arena_array(arena, struct chat_answer, intent->n_questions);
    for (size_t i = 0; i < intent->n_questions; i++)
        answers[i] = (struct chat_answer){
            .key = intent->questions[i].key,
            .value = json_get_string(given, intent->questions[i].key),
        };
    out->session_id = turn->session_id;
    out->answers = answers;
    out->n_answers = intent->n_questions;
    return true;
}
