#include "domain/plan/saved_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/references.h"
#include "domain/schema/json_schema.h"
#include "domain/text/redact.h"
#include <ctype.h>
#include <string.h>

/* One plan on its way. */
struct saving {
    struct arena *arena;
    const struct saved_plan_source *source;
    const char **ids; /* of the steps in the new plan */
    json_t *inputs;
    size_t n_vars; /* the first of the inputs */
    size_t at;     /* the step at hand */
    enum err_code code;
    struct err *err;
};

/* Version 2 takes names that a step of version 1 may have. */
static const char *id_of(struct arena *arena, const struct plan *plan, size_t at)
{
    static const char *const taken[] = { "inputs", "item", "index", "verify" };
    const char *id = plan->steps[at].id;
    if (!text_is_one_of(id, taken, ARRAY_LENGTH(taken)))
        return id;
    do
        id = arena_printf(arena, "%s_", id);
    while (plan_find_step(plan, id) >= 0);
    return id;
}

static const char *type_of(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "object",   [JSON_ARRAY] = "array", [JSON_STRING] = "string",
        [JSON_INTEGER] = "integer", [JSON_REAL] = "number", [JSON_TRUE] = "boolean",
        [JSON_FALSE] = "boolean",   [JSON_NULL] = "null",
    };
    return value ? names[json_typeof(value)] : "string";
}

/* The type that the tool asks for, where that is one of the value. */
static json_t *type_for(const json_t *schema, const json_t *value)
{
    const json_t *type = json_object_get(schema, "type");
    json_auto_t *only = type ? json_pack("{s:O}", "type", type) : NULL;
    bool fits = false;
    if (!only || !value || json_schema_check(only, value, NULL, &fits, NULL) || !fits)
        return json_string(type_of(value));
    return json_share(type);
}

/* The log has a secret that was all of a text as this mark. */
static bool is_secret(struct arena *arena, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);
    return redact_is_secret_name(name) || text_equal(text, REDACTED) ||
           (text && redact_text(arena, text) != text);
}

/* value: NULL where there is none to begin with. */
static json_t *input_of(struct arena *arena, const char *name, const json_t *schema,
                        const json_t *value)
{
    const char *description = json_get_string(schema, "description");
    if (description)
        description = text_with_single_blanks(arena, description, strlen(description));
    bool hides = is_secret(arena, name, value);
    json_t *input = json_object();
    json_object_set_new(input, "type", hides ? json_string("string") : type_for(schema, value));
    if (description && *description)
        json_object_set_new(input, "description",
                            json_string(text_one_line(arena, description, strlen(description),
                                                      SAVED_PLAN_DESCRIPTION_COLUMNS)));
    if (hides)
        json_object_set_new(input, "secret", json_true());
    else if (value)
        json_object_set_new(input, "default", json_share(value));
    return input;
}

/* A variable as the run had it, where an argument was nothing else; else its default. */
static const json_t *value_of_var(const struct saving *saving, const char *name)
{
    const struct plan *plan = saving->source->plan;
    const char *reference = arena_printf(saving->arena, "{vars.%s}", name), *key;
    const json_t *arg;
    for (size_t i = 0; i < plan->n_steps; i++) {
        json_each_member (plan->steps[i].args, key, arg) {
            const json_t *bound = json_object_get(saving->source->steps[i].args, key);
            if (bound && text_equal(json_string_value(arg), reference))
                return bound;
        }
    }
    return json_object_get(plan->vars, name);
}

static bool take_reference(void *context, const char *path, const struct reference *reference)
{
    struct saving *saving = context;
    const struct saved_plan_source *source = saving->source;
    const char *name = reference->parts[0], *step = source->plan->steps[saving->at].id;
    (void)path;
    if (reference->root == REFERENCE_STEP) {
        if (reference->step >= 0 && source->steps[reference->step].is_done)
            return true;
        saving->code = err_set(saving->err, ERR_INVALID, 0,
                               "step %.64s takes {%.100s}, which no step that succeeded gave", step,
                               reference->text);
    } else if (source->is_turn) {
        saving->code = err_set(saving->err, ERR_INVALID, 0,
                               "step %.64s takes {%.100s}, a result of an earlier turn, which a "
                               "plan file does not have",
                               step, reference->text);
        saving->code = err_hint(saving->err, saving->code,
                                "ask for all of it in one request, and save what that did");
    } else if (!json_object_get(saving->inputs, name)) {
        json_object_set_new(saving->inputs, name,
                            input_of(saving->arena, name, NULL, value_of_var(saving, name)));
    }
    return !saving->code;
}

/* A name for an input that can stand in a reference. */
static const char *name_for(struct arena *arena, const char *argument)
{
    char *name = arena_strdup(arena, *argument ? argument : "value");
    for (char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_-$", *at) && (unsigned char)*at < 0x80)
            *at = '_';
    return name;
}

static bool is_var(const struct saving *saving, const char *wanted)
{
    size_t n = 0;
    const char *name;
    const json_t *input;
    json_each_member (saving->inputs, name, input)
        if (n++ < saving->n_vars && strcmp(name, wanted) == 0)
            return true;
    return false;
}

/* The reference to the input that has the value, which is made where there is none yet. */
static json_t *take_constant(struct saving *saving, const char *argument, const json_t *schema,
                             const json_t *value)
{
    const char *base = name_for(saving->arena, argument), *name = base;
    json_auto_t *input = input_of(saving->arena, argument, schema, value);
    for (unsigned n = 2;; n++) {
        const json_t *there = json_object_get(saving->inputs, name);
        const json_t *fallback = json_object_get(there, "default");
        if (!there)
            json_object_set(saving->inputs, name, input);
        if (!there ||
            (json_equal(fallback, json_object_get(input, "default")) && !is_var(saving, name)))
            return json_string(arena_printf(saving->arena, "{inputs.%s}", name));
        name = arena_printf(saving->arena, "%s_%u", base, n);
    }
}

static const char *print_reference(void *context, const struct reference *reference)
{
    const struct saving *saving = context;
    const char *text = reference->root == REFERENCE_VARS ? "inputs" : saving->ids[reference->step];
    for (size_t i = 0; i < reference->n_parts; i++)
        text = arena_printf(saving->arena, reference->is_index[i] ? "%s[%s]" : "%s.%s", text,
                            reference->parts[i]);
    return arena_printf(saving->arena, "{%s}", text);
}

static json_t *rewrite(void *context, const char *path, const json_t *string)
{
    struct saving *saving = context;
    (void)path;
    return references_rewrite(saving->arena, saving->source->plan, saving->at, string,
                              print_reference, saving);
}

static bool stop_at_reference(void *context, const char *path, const struct reference *reference)
{
    (void)context;
    (void)path;
    (void)reference;
    return false;
}

/* NULL: it is a list, an object or a switch, or has a reference in it, and stays where it is. */
static const json_t *constant_of(const struct saving *saving, const json_t *arg)
{
    const struct plan *plan = saving->source->plan;
    const json_t *value = NULL;
    if (json_is_number(arg))
        return arg;
    if (!json_is_string(arg) ||
        !references_visit(saving->arena, plan, saving->at, arg, stop_at_reference, NULL))
        return NULL;
    const struct reference_place place = reference_place_of(plan, saving->at);
    const struct frame nothing = { .plan = plan };
    return references_bind_value(saving->arena, &place, &nothing, arg, &value, NULL) ? NULL : value;
}

static json_t *saved_args(struct saving *saving)
{
    const json_t *properties =
        json_object_get(saving->source->steps[saving->at].schema, "properties");
    const char *name;
    const json_t *arg;
    json_t *args = json_object();
    json_each_member (saving->source->plan->steps[saving->at].args, name, arg) {
        const json_t *constant = constant_of(saving, arg);
        json_object_set_new(
            args, name,
            constant ? take_constant(saving, name, json_object_get(properties, name), constant)
                     : json_map_strings(saving->arena, NULL, arg, rewrite, saving));
    }
    return args;
}

static json_t *saved_needs(const struct saving *saving, const struct step *step)
{
    json_t *needs = json_array();
    for (size_t i = 0; i < step->n_needs; i++) {
        int at = plan_find_step(saving->source->plan, step->needs[i]);
        if (at >= 0 && saving->source->steps[at].is_done)
            json_array_append_new(needs, json_string(saving->ids[at]));
    }
    return needs;
}

static json_t *saved_step(struct saving *saving, const json_t *written)
{
    static const char *const may_be_empty[] = { "args", "needs" };
    json_t *step = json_copy((json_t *)(uintptr_t)written);
    json_object_set_new(step, "id", json_string(saving->ids[saving->at]));
    json_object_set_new(step, "args", saved_args(saving));
    json_object_set_new(step, "needs",
                        saved_needs(saving, &saving->source->plan->steps[saving->at]));
    json_object_del(step, "estimated_ms");
    for (size_t i = 0; i < ARRAY_LENGTH(may_be_empty); i++) {
        const json_t *member = json_object_get(step, may_be_empty[i]);
        if (!json_object_size(member) && !json_array_size(member))
            json_object_del(step, may_be_empty[i]);
    }
    return step;
}

/* Variables come first: their names are the plan's own. */
static enum err_code take_references(struct saving *saving)
{
    const struct plan *plan = saving->source->plan;
    for (saving->at = 0; !saving->code && saving->at < plan->n_steps; saving->at++)
        if (saving->source->steps[saving->at].is_done)
            (void)references_visit(saving->arena, plan, saving->at, plan->steps[saving->at].args,
                                   take_reference, saving);
    saving->n_vars = json_object_size(saving->inputs);
    return saving->code;
}

static const json_t *assemble(const struct saving *saving, json_t *steps, const char *last)
{
    const struct saved_plan_source *source = saving->source;
    const char *goal = *source->plan->goal ? source->plan->goal : source->request;
    const char *answer = arena_printf(saving->arena, "{%s.text}", last);
    json_t *plan = json_pack("{s:i}", "version", PLAN_NEWEST_VERSION);
    if (goal && *goal)
        json_object_set_new(plan, "goal", json_string(goal));
    if (json_object_size(saving->inputs))
        json_object_set(plan, "inputs", saving->inputs);
    json_object_set_new(plan, "steps", steps);
    json_object_set_new(plan, "outputs", json_pack("{s:s}", SAVED_PLAN_OUTPUT, answer));
    return arena_keep_json(saving->arena, plan);
}

enum err_code saved_plan_make(struct arena *arena, const struct saved_plan_source *source,
                              const json_t **out, struct err *err)
{
    const struct plan *plan = source->plan;
    struct saving saving = { .arena = arena,
                             .source = source,
                             .ids = arena_array(arena, const char *, plan->n_steps + 1),
                             .inputs = arena_keep_json(arena, json_object()),
                             .err = err };
    const char *last = NULL;
    for (size_t i = 0; i < plan->n_steps; i++) {
        saving.ids[i] = id_of(arena, plan, i);
        last = source->steps[i].is_done ? saving.ids[i] : last;
    }
    if (!last)
        return err_set(err, ERR_INVALID, 0, "none of its steps succeeded");
    enum err_code r = take_references(&saving);
    if (r)
        return r;
    json_auto_t *written = plan_to_json(plan);
    json_t *steps = json_array();
    for (saving.at = 0; saving.at < plan->n_steps; saving.at++)
        if (source->steps[saving.at].is_done)
            json_array_append_new(
                steps,
                saved_step(&saving, json_array_get(json_object_get(written, "steps"), saving.at)));
    *out = assemble(&saving, steps, last);
    return ERR_NONE;
}
