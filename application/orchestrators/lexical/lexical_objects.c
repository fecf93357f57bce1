/* "Create an entity Otto of type person with the observation …" for a list of entities: its one
 * object is read as the arguments of a tool are, and taken where all that it must have is said. */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"

static bool is_complete(const json_t *schema, const json_t *args)
{
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(schema, "required"), i, name)
        if (!json_object_get(args, json_string_value(name)))
            return false;
    return json_object_size(args) > 0;
}

/* Nothing of the object is weak: a list of guesses is better asked for. */
static bool is_sure(const struct lexical_slots *slots)
{
    for (size_t i = 0; i < slots->n_slots; i++)
        if (text_equal(slots->slots[i].rule, "term") || text_equal(slots->slots[i].rule, "phrase"))
            return false;
    return true;
}

static void take(struct lexical_filling *filling, struct parameter *parameter,
                 const struct lexical_slots *slots)
{
    size_t first = filling->request.n, last = 0;
    for (size_t i = 0; i < filling->request.n; i++)
        for (size_t k = 0; k < slots->n_spans; k++)
            if (filling->request.tokens[i].offset - slots->spans[k].offset <
                slots->spans[k].length) {
                filling->led[i] = filling->used[i] = true;
                first = i < first ? i : first;
                last = i;
            }
    json_t *list = json_pack("[O]", slots->args);
    lexical_fill(filling, parameter, list, first, last, "members", 1);
}

void lexical_fill_objects(struct lexical_filling *filling, const struct tool *tool, int64_t today)
{
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        json_t *schema = json_object_get(parameter->schema, "items");
        struct tool object = { .name = tool->name, .title = tool->title, .input_schema = schema };
        struct lexical_slots slots;
        if (parameter->value || !parameter->required || !json_object_get(schema, "properties"))
            continue;
        lexical_fill_members(filling->arena, &object, filling->text, today, &slots);
        if (is_complete(schema, slots.args) && is_sure(&slots))
            take(filling, parameter, &slots);
    }
}
