/* Three parts: the evidence (which tools an intent means, and what is known of their parameters),
 * the score that follows from it, and the questions that would raise the score. */
#include "domain/plan/confidence.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/value_origin.h"
#include "domain/schema/json_schema.h"
#include "domain/schema/schema_shape.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

#define PENALTY_UNCLEAR 0.1
#define TOOLS_OFFERED 3
#define DESCRIPTION_COLUMNS 160
#define CONFIDENCE_ALIAS 0.9
#define CONFIDENCE_GUESS 0.5

enum parameter_state {
    PARAMETER_MISSING,
    PARAMETER_LEFT, /* missing, and the planner's to write */
    PARAMETER_INVALID,
    PARAMETER_FITS,
};

struct parameter {
    const struct tool *tool;
    const char *name;
    const json_t *schema; /* NULL when the tool does not know the parameter */
    const json_t *value;
    enum parameter_state state;
    bool required;
    bool unclear; /* an unclear aspect names it */
    bool repeats; /* a list of values, each for a step of its own */
};

struct evidence {
    double tool_match; /* the worst of the needed tools */
    struct parameter *parameters;
    size_t n_parameters, capacity;
    bool has_planner;
};

/* Another way to write the name: server__tool, a bare name, another case, the title. */
static bool is_alias(const char *name, const struct tool *tool)
{
    char flat[TOOL_FULL_NAME_MAX * 2];
    snprintf(flat, sizeof flat, "%s__%s", tool->server, tool->name);
    return strcasecmp(name, tool->full_name) == 0 || strcasecmp(name, tool->name) == 0 ||
           strcasecmp(name, flat) == 0 || (tool->title && strcasecmp(name, tool->title) == 0);
}

/* How well a name fits the best tool of the shortlist: 1 its full name, CONFIDENCE_ALIAS another
 * way to write it, CONFIDENCE_GUESS a slip, 0 none. *out_tool is NULL below CONFIDENCE_ALIAS. */
static double match_tool(const char *name, const struct confidence_input *input,
                         const struct tool **out_tool)
{
    *out_tool = NULL;
    double best = 0;
    for (size_t i = 0; i < input->n_shortlist && best < 1; i++) {
        const struct tool *tool = input->shortlist[i];
        size_t nearest;
        double match = 0;
        if (strcmp(name, tool->full_name) == 0)
            match = 1;
        else if (is_alias(name, tool))
            match = CONFIDENCE_ALIAS;
        else if (text_nearest(name, &tool->full_name, 1, &nearest, 1) ||
                 text_nearest(name, &tool->name, 1, &nearest, 1))
            match = CONFIDENCE_GUESS;
        if (match <= best)
            continue;
        best = match;
        *out_tool = match >= CONFIDENCE_ALIAS ? tool : NULL;
    }
    return best;
}

/* Whether the words of a parameter's name stand in the text: "max_lines" in "Max lines?". */
static bool names_parameter(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (size_t at = 0; text[at]; at++) {
        size_t i = 0;
        if (at && isalnum((unsigned char)text[at - 1]))
            continue;
        while (i < length &&
               (tolower((unsigned char)text[at + i]) == tolower((unsigned char)name[i]) ||
                (strchr("_- ", name[i]) && text[at + i] && strchr("_- ", text[at + i]))))
            i++;
        if (i == length && !isalnum((unsigned char)text[at + i]))
            return length > 0;
    }
    return false;
}

static bool is_there(const json_t *value)
{
    return value && !json_is_null(value);
}

/* The parameter's own schema, with the definitions of the whole one beside it for its $refs. */
static bool fits(const struct tool *tool, const json_t *schema, const json_t *value)
{
    static const char *const shared[] = { "$schema", "$defs", "definitions" };
    json_auto_t *property = json_share(schema);
    if (!json_is_object(property))
        return !json_is_false(property);
    json_auto_t *alone = json_copy(property);
    for (size_t i = 0; i < ARRAY_LENGTH(shared); i++) {
        const json_t *member = json_object_get(tool->input_schema, shared[i]);
        if (member)
            json_object_set_new(alone, shared[i], json_share(member));
    }
    bool accepts = false;
    /* A schema that cannot be used says nothing against the value; the plan check reports it. */
    return json_schema_check(alone, value, NULL, &accepts, NULL) || accepts;
}

bool confidence_value_fits(const struct tool *tool, const char *name, const json_t *value)
{
    const json_t *schema = json_object_get(json_object_get(tool->input_schema, "properties"), name);
    return is_there(value) && fits(tool, schema, value);
}

/* A list where one value is taken, and each element is such a value. */
static bool repeats(const struct tool *tool, const struct parameter *parameter)
{
    bool each_fits =
        json_array_size(parameter->value) > 0 && !fits(tool, parameter->schema, parameter->value);
    for (size_t i = 0; each_fits && i < json_array_size(parameter->value); i++)
        each_fits =
            confidence_value_fits(tool, parameter->name, json_array_get(parameter->value, i));
    return each_fits;
}

static void add_parameter(struct arena *arena, const struct intent *intent, const struct tool *tool,
                          const char *name, struct evidence *out)
{
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    struct parameter parameter = {
        .tool = tool,
        .name = arena_strdup(arena, name),
        .schema = json_object_get(properties, name),
        .value = json_object_get(intent->parameters, name),
        .required =
            schema_view_requires(tool->input_schema, name) ||
            text_equal(schema_view_lacks_one_of(tool->input_schema, intent->parameters), name),
    };
    parameter.repeats = out->has_planner && repeats(tool, &parameter);
    for (size_t i = 0; i < intent->n_unclear_aspects; i++)
        parameter.unclear = parameter.unclear || names_parameter(intent->unclear_aspects[i], name);
    if (!is_there(parameter.value))
        parameter.state = out->has_planner && parameter.required && !parameter.unclear &&
                                  !parameter.value && value_is_written(tool, name)
                              ? PARAMETER_LEFT
                              : PARAMETER_MISSING;
    else if (!parameter.repeats && !fits(tool, parameter.schema, parameter.value))
        parameter.state = PARAMETER_INVALID;
    else
        parameter.state = PARAMETER_FITS;
    *arena_push(arena, out->parameters, out->n_parameters, out->capacity) = parameter;
}

static bool is_known(const struct evidence *evidence, const char *name)
{
    for (size_t i = 0; i < evidence->n_parameters; i++)
        if (strcmp(evidence->parameters[i].name, name) == 0)
            return true;
    return false;
}

static void collect_tool(struct arena *arena, const struct intent *intent, const struct tool *tool,
                         bool is_first, struct evidence *out)
{
    const json_t *properties = json_object_get(tool->input_schema, "properties"), *one;
    const json_t *required = json_object_get(tool->input_schema, "required");
    const char *name;
    size_t i;
    json_array_foreach (required, i, one) {
        name = json_string_value(one);
        bool given = name && is_there(json_object_get(intent->parameters, name));
        if (name && (is_first || given) && !is_known(out, name))
            add_parameter(arena, intent, tool, name, out);
    }
    json_each_member (properties, name, one)
        if (!is_known(out, name) && (is_first || json_object_get(intent->parameters, name)))
            add_parameter(arena, intent, tool, name, out);
}

/* The evidence: parameters of the first tool, and of later ones what the request gives. What a
 * later tool still lacks may come from the results of earlier ones. */
static void collect(struct arena *arena, const struct intent *intent,
                    const struct confidence_input *input, struct evidence *out)
{
    *out = (struct evidence){ .tool_match = 1, .has_planner = input->has_planner };
    for (size_t i = 0; i < intent->n_tools_needed; i++) {
        const struct tool *tool;
        double match = match_tool(intent->tools_needed[i], input, &tool);
        out->tool_match = match < out->tool_match ? match : out->tool_match;
        if (tool && !input->is_planned)
            collect_tool(arena, intent, tool, i == 0, out);
    }
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 1;
}

static void weigh_parameters(const struct evidence *evidence, struct intent *intent,
                             struct confidence *out)
{
    size_t required = 0, there = 0, fitting = 0, given = 0;
    intent->has_gaps_to_write = intent->has_lists_of_steps = false;
    for (size_t i = 0; i < evidence->n_parameters; i++) {
        const struct parameter *parameter = &evidence->parameters[i];
        bool left = parameter->state == PARAMETER_LEFT;
        bool missing = parameter->state == PARAMETER_MISSING;
        intent->has_gaps_to_write = intent->has_gaps_to_write || left;
        intent->has_lists_of_steps = intent->has_lists_of_steps || parameter->repeats;
        required += parameter->required && !left;
        given += !missing && !left;
        there += parameter->required && !missing && !left;
        fitting += parameter->state == PARAMETER_FITS;
        out->penalty += parameter->unclear ? PENALTY_UNCLEAR : 0;
    }
    out->completeness = share(there, required);
    out->validity = share(fitting, given);
}

/* The model's own number only lowers the score, towards itself and not by much. */
static double reported_doubt(double reported, double score)
{
    double doubt = reported >= 0 && reported < score ? score - reported : 0;
    return doubt < CONFIDENCE_REPORTED_MAX_EFFECT ? doubt : CONFIDENCE_REPORTED_MAX_EFFECT;
}

void confidence_score(struct arena *arena, struct intent *intent,
                      const struct confidence_input *input)
{
    struct evidence evidence;
    struct confidence confidence = { 0 };
    collect(arena, intent, input, &evidence);
    confidence.tool_match = evidence.tool_match * (1 - intent->tool_doubt);
    weigh_parameters(&evidence, intent, &confidence);
    double score = confidence.tool_match * confidence.completeness * confidence.validity;
    score = score > confidence.penalty ? score - confidence.penalty : 0;
    double doubt = reported_doubt(intent->reported_confidence, score);
    confidence.penalty += doubt;
    confidence.score = score > doubt ? score - doubt : 0;
    intent->confidence = confidence;
}

bool confidence_needs_questions(const struct intent *intent, const struct confidence_input *input)
{
    AUTO(arena) scratch = { 0 };
    struct evidence evidence;
    if (!intent->n_tools_needed)
        return intent->needs_clarification;
    if (intent->confidence.score < input->threshold)
        return true;
    collect(&scratch, intent, input, &evidence);
    for (size_t i = 0; i < evidence.n_parameters; i++) {
        const struct parameter *parameter = &evidence.parameters[i];
        bool is_missing = parameter->required && parameter->state == PARAMETER_MISSING;
        if (is_missing || (intent->needs_clarification && parameter->unclear))
            return true;
    }
    return false;
}

struct asking {
    struct arena *arena;
    struct intent *intent;
    const struct confidence_input *input;
    size_t room;
};

/* A slot for one more question, NULL when the key is asked about already or there is no room. */
static struct question *new_question(const struct asking *asking, const char *key)
{
    struct intent *intent = asking->intent;
    for (size_t i = 0; i < intent->n_questions; i++)
        if (strcmp(intent->questions[i].key, key) == 0)
            return NULL;
    if (intent->n_questions == asking->room)
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

/* What the schema says of the answer: the choices, or its shape. */
static void set_shape(struct arena *arena, struct question *question, const json_t *root,
                      const json_t *schema)
{
    static const char *const yes_no[] = { "yes", "no" };
    const json_t *own = schema_view_resolve(root, schema), *choices = json_object_get(own, "enum");
    struct schema_shape shape = schema_shape(arena, root, schema, question->key);
    bool is_yes_no = !choices && text_equal(json_get_string(own, "type"), "boolean");
    size_t n = is_yes_no ? 2 : json_array_size(choices);
    question->example = is_yes_no ? yes_no[0] : shape.example;
    question->wants = n ? NULL : shape.words;
    question->n_choices = n < QUESTION_MAX_CHOICES ? n : QUESTION_MAX_CHOICES;
    question->n_more_choices = n - question->n_choices;
    question->choices = n ? arena_array(arena, const char *, n) : NULL;
    for (size_t i = 0; i < question->n_choices; i++) {
        const json_t *choice = json_array_get(choices, i);
        question->choices[i] = is_yes_no                ? yes_no[i]
                               : json_is_string(choice) ? json_string_value(choice)
                                                        : json_print_in(arena, choice);
    }
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
    set_shape(arena, question, root, parameter->schema);
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

static void ask_tool(const struct asking *asking, const struct tool *const *tools, size_t n_tools)
{
    struct arena *arena = asking->arena;
    size_t n = n_tools < TOOLS_OFFERED ? n_tools : TOOLS_OFFERED;
    struct question *question = n ? new_question(asking, "tool") : NULL;
    if (!question)
        return;
    question->text = "Which of these should do it?";
    question->choices = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        question->choices[question->n_choices++] = tools[i]->full_name;
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

void confidence_ask_for(struct arena *arena, struct intent *intent,
                        const struct confidence_input *input, const struct tool *tool,
                        const char *name)
{
    struct asking asking = { arena, intent, input, input->max_questions };
    const struct parameter parameter = {
        .tool = tool,
        .name = name,
        .schema = json_object_get(json_object_get(tool->input_schema, "properties"), name),
    };
    if (!intent->questions)
        intent->questions = arena_array(arena, struct question, asking.room);
    ask_parameter(&asking, &parameter);
}

void confidence_ask_tool(struct arena *arena, struct intent *intent,
                         const struct confidence_input *input, const struct tool *const *tools,
                         size_t n_tools)
{
    struct asking asking = { arena, intent, input, input->max_questions };
    intent->questions = arena_array(arena, struct question, asking.room);
    ask_tool(&asking, tools, n_tools);
}

void confidence_ask_confirm(struct arena *arena, struct intent *intent,
                            const struct confidence_input *input, const struct tool *tool,
                            const json_t *args, const char *doubt)
{
    static const char *const yes_no[] = { "yes", "no" };
    struct asking asking = { arena, intent, input, input->max_questions };
    intent->questions = arena_array(arena, struct question, asking.room);
    struct question *question = new_question(&asking, "confirm");
    if (!question)
        return;
    const char *given = json_print_in(arena, args);
    question->text =
        arena_printf(arena, "%c%s. Call %s with %s all the same?", toupper((unsigned char)*doubt),
                     doubt + 1, tool->full_name, text_one_line(arena, given, strlen(given), 300));
    question->choices = arena_array(arena, const char *, ARRAY_LENGTH(yes_no));
    for (size_t i = 0; i < ARRAY_LENGTH(yes_no); i++)
        question->choices[question->n_choices++] = yes_no[i];
}

void confidence_make_questions(struct arena *arena, struct intent *intent,
                               const struct confidence_input *input)
{
    struct evidence evidence;
    struct asking asking = { arena, intent, input, input->max_questions };
    collect(arena, intent, input, &evidence);
    intent->questions = arena_array(arena, struct question, asking.room);
    intent->n_questions = 0;
    ask_state(&asking, &evidence, PARAMETER_MISSING);
    ask_state(&asking, &evidence, PARAMETER_INVALID);
    if (evidence.tool_match < CONFIDENCE_ALIAS)
        ask_tool(&asking, input->shortlist, input->n_shortlist);
    ask_state(&asking, &evidence, PARAMETER_FITS);
    /* Optional parameters are asked about only where the model named them as unclear. */
    for (size_t i = 0; i < evidence.n_parameters; i++)
        if (evidence.parameters[i].unclear)
            ask_parameter(&asking, &evidence.parameters[i]);
    if (!intent->n_questions)
        ask_goal(&asking);
}
