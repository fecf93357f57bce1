#include "application/orchestrators/lexical/lexical_carry.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/schema/schema_view.h"

const char *lexical_missing(const struct lexical_call *call)
{
    const char *name;
    json_t *schema;
    json_object_foreach (json_object_get(call->tool->input_schema, "properties"), name, schema)
        if (schema_view_requires(call->tool->input_schema, name) &&
            !json_object_get(call->args, name))
            return name;
    return NULL;
}

static bool is_same_type(const json_t *a, const json_t *b)
{
    const char *type = json_get_string(a, "type");
    return type && text_equal(type, json_get_string(b, "type"));
}

/* "s1.matches[0].path", where the results have a list of objects with such a member. */
static const char *reference_to(struct arena *arena, const struct lexical_call *call, size_t number,
                                const char *name, const json_t *schema)
{
    const char *list;
    json_t *property;
    const json_t *results = json_object_get(call->tool->output_schema, "properties");
    if (!call->tool->output_schema)
        return NULL;
    json_object_foreach ((json_t *)(uintptr_t)results, list, property) {
        const json_t *items = json_object_get(property, "items");
        const json_t *member = json_object_get(json_object_get(items, "properties"), name);
        if (member && is_same_type(member, schema))
            return arena_printf(arena, "{s%zu.%s[0].%s}", number, list, name);
    }
    return NULL;
}

/* The parameter that "it" and "the first match" are for: a required one that is open, else one that
 * the call before has a value for. */
static const char *open_parameter(const struct lexical_call *call)
{
    const char *name = lexical_missing(call);
    json_t *schema;
    if (name)
        return name;
    json_object_foreach (json_object_get(call->tool->input_schema, "properties"), name, schema)
        if (json_object_get(call[-1].args, name) && !json_object_get(call->args, name))
            return name;
    return NULL;
}

bool lexical_carry_over(struct arena *arena, enum lexical_back back, struct lexical_call *call,
                        size_t number)
{
    const char *name = number > 1 ? open_parameter(call) : NULL;
    if (!name)
        return false;
    const json_t *properties = json_object_get(call->tool->input_schema, "properties");
    json_t *value = json_object_get(call[-1].args, name);
    const char *reference =
        reference_to(arena, call - 1, number - 1, name, json_object_get(properties, name));
    bool is_same = back == BACK_SAME;
    for (const char *other;
         is_same && (other = lexical_missing(call)) && json_object_get(call[-1].args, other);)
        json_object_set(call->args, other, json_object_get(call[-1].args, other));
    if (is_same ? value != NULL : reference != NULL)
        json_object_set_new(call->args, name,
                            is_same ? json_incref(value) : json_string(reference));
    return json_object_get(call->args, name) && !lexical_missing(call);
}
