#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/confidence.h"
#include "domain/plan/confidence_evidence.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define TOOLS_OFFERED 3
#define DESCRIPTION_COLUMNS 160

struct asking {
    struct arena *arena;
    struct intent *intent;
    const struct confidence_input *input;
    size_t room;
};

static bool is_asked(const struct asking *asking, const char *key)
{
    for (size_t i = 0; i < asking->intent->n_questions; i++)
        if (strcmp(asking->intent->questions[i].key, key) == 0)
            return true;
    return false;
}

/* A slot for one more question, NULL when the key is asked about already or there is no room. */
static struct question *new_question(const struct asking *asking, const char *key)
{
    struct intent *intent = asking->intent;
    if (intent->n_questions == asking->room || is_asked(asking, key))
        return NULL;
    struct question *question = &intent->questions[intent->n_questions++];
    question->key = key;
    return question;
}

/* " (path of the file, relative to the folder)": what the schema says of the parameter. */
static const char *explanation(struct arena *arena, const struct parameter *parameter)
{
    const json_t *schema = schema_view_resolve(parameter->tool->input_schema, parameter->schema);
    const char *text = json_get_string(parameter->schema, "description");
    if (!text)
        text = json_get_string(schema, "description");
    if (!text)
        text = json_get_string(schema, "title");
    if (!text || !*text)
        return "";
    return arena_printf(arena, " (%s)",
                        text_one_line(arena, text, strlen(text), DESCRIPTION_COLUMNS));
}

static void set_choices(struct arena *arena, struct question *question, const json_t *schema)
{
    const json_t *choices = json_object_get(schema, "enum"), *choice;
    size_t i;
    if (!json_array_size(choices))
        return;
    question->choices = arena_array(arena, const char *, json_array_size(choices));
    json_array_foreach (choices, i, choice)
        question->choices[question->n_choices++] =
            json_is_string(choice) ? json_string_value(choice) : json_print_in(arena, choice);
}

static void ask_parameter(const struct asking *asking, const struct parameter *parameter)
{
    struct arena *arena = asking->arena;
    struct question *question = new_question(asking, parameter->name);
    if (!question)
        return;
    const json_t *root = parameter->tool->input_schema;
    const char *value = parameter->value ? json_print_in(arena, parameter->value) : "";
    const char *given = text_one_line(arena, value, strlen(value), 60);
    const char *about = explanation(arena, parameter);
    if (parameter->state == PARAMETER_MISSING)
        question->text = arena_printf(arena, "What should \"%s\" of %s be?%s", parameter->name,
                                      parameter->tool->full_name, about);
    else if (parameter->state == PARAMETER_INVALID)
        question->text = arena_printf(
            arena, "%s does not fit \"%s\" of %s, which must be %s. What should it be?%s", given,
            parameter->name, parameter->tool->full_name,
            schema_view_type_text(arena, root, parameter->schema), about);
    else
        question->text = arena_printf(arena, "Is %s right for \"%s\" of %s? What should it be?%s",
                                      given, parameter->name, parameter->tool->full_name, about);
    set_choices(arena, question, schema_view_resolve(root, parameter->schema));
}

static void ask_state(const struct asking *asking, const struct evidence *evidence,
                      enum parameter_state state)
{
    for (size_t i = 0; i < evidence->n_parameters; i++) {
        const struct parameter *parameter = &evidence->parameters[i];
        bool wanted = state != PARAMETER_MISSING || parameter->required;
        if (state == PARAMETER_FITS)
            wanted = parameter->unclear;
        if (parameter->state == state && wanted)
            ask_parameter(asking, parameter);
    }
}

/* Optional parameters are asked about only where the model named them as unclear. */
static void ask_unclear_optional(const struct asking *asking, const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->n_parameters; i++)
        if (evidence->parameters[i].unclear)
            ask_parameter(asking, &evidence->parameters[i]);
}

static void ask_tool(const struct asking *asking)
{
    struct arena *arena = asking->arena;
    size_t n =
        asking->input->n_shortlist < TOOLS_OFFERED ? asking->input->n_shortlist : TOOLS_OFFERED;
    struct question *question = n ? new_question(asking, "tool") : NULL;
    if (!question)
        return;
    question->text = "Which of these should do it?";
    question->choices = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        question->choices[question->n_choices++] = asking->input->shortlist[i]->full_name;
    question->choices[question->n_choices++] = "none";
}

/* When nothing more precise can be asked: what the model itself found unclear. */
static void ask_goal(const struct asking *asking)
{
    struct question *question = new_question(asking, "goal");
    if (!question)
        return;
    const char *aspect =
        asking->intent->n_unclear_aspects ? asking->intent->unclear_aspects[0] : NULL;
    question->text = "What exactly should be done?";
    if (aspect && *aspect)
        question->text =
            arena_printf(asking->arena, "What exactly should be done? Unclear: %s",
                         text_one_line(asking->arena, aspect, strlen(aspect), DESCRIPTION_COLUMNS));
}

void confidence_make_questions(struct arena *arena, struct intent *intent,
                               const struct confidence_input *input)
{
    struct evidence evidence;
    struct asking asking = { arena, intent, input, input->max_questions };
    confidence_collect(arena, intent, input, &evidence);
    intent->questions = arena_array(arena, struct question, asking.room);
    intent->n_questions = 0;
    ask_state(&asking, &evidence, PARAMETER_MISSING);
    ask_state(&asking, &evidence, PARAMETER_INVALID);
    if (evidence.tool_match < CONFIDENCE_ALIAS)
        ask_tool(&asking);
    ask_state(&asking, &evidence, PARAMETER_FITS);
    ask_unclear_optional(&asking, &evidence);
    if (!intent->n_questions)
        ask_goal(&asking);
}
