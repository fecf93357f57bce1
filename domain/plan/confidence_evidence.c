#include "domain/plan/confidence_evidence.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/json_schema.h"
#include "domain/schema/schema_view.h"
#include <ctype.h>
#include <string.h>

/* The same name written another way: server__tool, a bare name, another case, the title. */
static bool is_alias(const char *name, const struct tool *tool)
{
    char flat[TOOL_FULL_NAME_MAX * 2];
    snprintf(flat, sizeof flat, "%s__%s", tool->server, tool->name);
    return strcasecmp(name, tool->full_name) == 0 || strcasecmp(name, tool->name) == 0 ||
           strcasecmp(name, flat) == 0 || (tool->title && strcasecmp(name, tool->title) == 0);
}

double confidence_match_tool(const char *name, const struct confidence_input *input,
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

/* "<path>", "{file name}": what a model writes where it knows nothing. */
static bool is_placeholder(const json_t *value)
{
    const char *text = json_string_value(value);
    size_t length = json_string_length(value);
    return text && length > 2 &&
           ((text[0] == '<' && text[length - 1] == '>') ||
            (text[0] == '{' && text[length - 1] == '}' && !strchr(text, ':')));
}

static bool is_there(const json_t *value)
{
    return value && !json_is_null(value) &&
           !(json_is_string(value) && json_string_length(value) == 0);
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
    return is_there(value) && !is_placeholder(value) && fits(tool, schema, value);
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
        .required = schema_view_requires(tool->input_schema, name),
    };
    parameter.placeholder = is_placeholder(parameter.value);
    for (size_t i = 0; i < intent->n_unclear_aspects; i++)
        parameter.unclear = parameter.unclear || names_parameter(intent->unclear_aspects[i], name);
    if (!is_there(parameter.value))
        parameter.state = PARAMETER_MISSING;
    else if (parameter.placeholder || !fits(tool, parameter.schema, parameter.value))
        parameter.state = PARAMETER_INVALID;
    else
        parameter.state = PARAMETER_FITS;
    out->parameters[out->n_parameters++] = parameter;
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
    size_t room = out->n_parameters + json_object_size(properties) + json_array_size(required);
    struct parameter *grown = arena_array(arena, struct parameter, room + 1);
    if (out->n_parameters)
        memcpy(grown, out->parameters, out->n_parameters * sizeof *grown);
    out->parameters = grown;
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

void confidence_collect(struct arena *arena, const struct intent *intent,
                        const struct confidence_input *input, struct evidence *out)
{
    *out = (struct evidence){ .tool_match = 1 };
    for (size_t i = 0; i < intent->n_tools_needed; i++) {
        const struct tool *tool;
        double match = confidence_match_tool(intent->tools_needed[i], input, &tool);
        out->tool_match = match < out->tool_match ? match : out->tool_match;
        if (tool)
            collect_tool(arena, intent, tool, i == 0, out);
    }
}
