/* Every reference of a plan, wherever it stands: whether it may stand there, whether what it leads
 * to comes before, and whether the types fit, as far as they are known. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_internal.h"
#include <string.h>

struct looking plan_look_at(struct plan_checking *checking, size_t at)
{
    return (struct looking){ .checking = checking,
                             .place = reference_place_of(checking->plan, at),
                             .path = "",
                             .may_lack = plan_step_is_last(checking->plan, at) };
}

static bool is_behind(const struct reference_place *place)
{
    return place->at == place->plan->n_steps ||
           place->plan->steps[place->at].body_of != place->body_of;
}

/* The step that what is looked at belongs to; NULL for the outputs of a plan. */
static const struct step *step_of(const struct reference_place *place)
{
    const struct step *steps = place->plan->steps;
    if (!is_behind(place))
        return &steps[place->at];
    bool is_block = place->body_of && steps[place->body_of - 1].kind == STEP_BLOCK;
    return is_block ? &steps[place->body_of - 1] : NULL;
}

static struct problem *report(const struct looking *looking, const char *path,
                              const struct reference *reference, const char *what)
{
    const struct step *step = step_of(&looking->place);
    return problems_add(looking->checking->problems, step ? step->id : NULL,
                        arena_printf(looking->checking->arena, "%s%s", looking->path, path),
                        "{%.100s} %s", reference->text, what);
}

/* Of an argument: elsewhere nothing tells which field is meant. */
static const char *replacement(const struct looking *looking, const char *path,
                               const struct reference *reference)
{
    return looking->in_expression || !looking->args || looking->place.body_of ||
                   reference->root != REFERENCE_STEP
               ? NULL
               : plan_check_replacement(looking->checking, looking->place.at, path, reference);
}

static void report_no_variable(const struct looking *looking, const char *path,
                               const struct reference *reference, size_t part, const json_t *there)
{
    const char *names = json_join_names(looking->checking->arena, there);
    const char *kind = looking->place.plan->version > 1 ? "input" : "variable";
    report(looking, path, reference,
           part ? arena_printf(looking->checking->arena, "asks for something the %s does not have",
                               kind)
                : arena_printf(looking->checking->arena, "names %s %s that does not exist",
                               *kind == 'i' ? "an" : "a", kind))
        ->fix = *names ? arena_printf(looking->checking->arena, "use one of: %s", names)
                       : "write the value itself";
}

/* False: there is something wrong with it. */
static bool check_variable(const struct looking *looking, const char *path,
                           const struct reference *reference)
{
    const struct plan *plan = looking->place.plan;
    const json_t *inputs = plan_inputs_at(&looking->place);
    const json_t *value = looking->checking->input->vars;
    const char *name = reference->parts[0];
    if (plan->version > 1 && inputs && !json_object_get(inputs, name)) {
        report_no_variable(looking, path, reference, 0, inputs);
        return false;
    }
    bool is_unknown =
        plan->version > 1 && (inputs != plan->inputs || !json_object_get(value, name));
    if (!plan->vars || is_unknown) /* they could not be read, or it will be given */
        return true;
    for (size_t i = 0; i < reference->n_parts && !reference_part_is_list(reference, i); i++) {
        const json_t *next = reference_find_part(value, reference, i);
        if (!next) {
            report_no_variable(looking, path, reference, i, value);
            return false;
        }
        value = next;
    }
    return true;
}

static void report_later(const struct looking *looking, const char *path,
                         const struct reference *reference)
{
    struct plan_checking *checking = looking->checking;
    const struct step *steps = checking->plan->steps;
    size_t later = (size_t)reference->step;
    size_t at = is_behind(&looking->place) ? looking->place.body_of - 1 : looking->place.at;
    while (steps[at].body_of != steps[later].body_of) /* the block around it, in the same list */
        at = steps[at].body_of - 1;
    const char *id = steps[at].id;
    bool is_of_finally = steps[later].is_finally != steps[at].is_finally;
    bool is_circular = !is_of_finally && plan_check_is_cycle(checking, at, later);
    if (is_circular)
        report(looking, path, reference,
               arena_printf(checking->arena, "refers to a later step, which waits for %s", id))
            ->fix = arena_printf(checking->arena,
                                 "write the value itself: step %s already waits for step %s",
                                 steps[later].id, id);
    else
        report(looking, path, reference, "refers to a later step")->fix =
            is_of_finally
                ? "refer to an earlier step, or write the value itself"
                : plan_check_move(checking, at, later, text_starts_with(reference->text, "steps["));
}

/* The name of a step, or another root, that is nearest to what a reference begins with; or NULL. */
static const char *nearest_root(const struct looking *looking, const char *text)
{
    static const char *const roots[] = { "inputs", "item", "index", "prev_result", "steps" };
    const struct plan *plan = looking->place.plan;
    struct arena *arena = looking->checking->arena;
    const char **names = arena_array(arena, const char *, plan->n_steps + ARRAY_LENGTH(roots));
    size_t n = 0, nearest;
    for (size_t i = 0; i < plan->n_steps; i++)
        if (i != looking->place.at || looking->has_result)
            names[n++] = plan->steps[i].id;
    for (size_t i = 0; i < ARRAY_LENGTH(roots); i++)
        names[n++] = roots[i];
    text = arena_strndup(arena, text, strcspn(text, ".["));
    if (strcmp(text, "vars") == 0)
        return "inputs";
    return text_nearest(text, names, n, &nearest, 1) ? names[nearest] : NULL;
}

/* Outside of texts no brace stands for itself. */
static const char *or_brace(const struct looking *looking)
{
    return looking->in_expression ? "" : ", or {{ for a brace";
}

/* Version 2: a name that is none of a step here. */
static void report_unknown(const struct looking *looking, const char *path,
                           const struct reference *reference)
{
    bool is_loop = text_is_one_of(reference->text, (const char *const[]){ "item", "index" }, 2) ||
                   text_starts_with(reference->text, "item.");
    const char *near = nearest_root(looking, reference->text), *text = reference->text;
    report(looking, path, reference, is_loop ? "is known in a loop only" : "names no step")->fix =
        is_loop && is_behind(&looking->place) ? "refer to what a step gives"
        : is_loop ? "put the step into a block with \"each\", a step with \"steps\""
        : near    ? arena_printf(looking->checking->arena, "write {%s%.100s}%s", near,
                                 text + strcspn(text, ".["), or_brace(looking))
                  : arena_printf(looking->checking->arena,
                                 "refer to an earlier step, or write the value itself%s",
                                 or_brace(looking));
}

/* A step is seen from its own list and from those within the bodies of later steps. */
static bool is_visible(const struct looking *looking, size_t step)
{
    const struct plan *plan = looking->place.plan;
    size_t body_of = looking->place.body_of;
    while (body_of && body_of != plan->steps[step].body_of)
        body_of = plan->steps[body_of - 1].body_of;
    return body_of == plan->steps[step].body_of;
}

static bool check_order(const struct looking *looking, const char *path,
                        const struct reference *reference)
{
    const struct reference_place *place = &looking->place;
    const struct step *steps = place->plan->steps;
    size_t step = (size_t)reference->step;
    if (reference->step < 0 && place->plan->version > 1) {
        report_unknown(looking, path, reference);
        return false;
    }
    if (reference->step < 0) {
        report(looking, path, reference,
               place->at == 0 ? "refers to an earlier step, but this is the first"
                              : "refers to a step that does not exist")
            ->fix = replacement(looking, path, reference);
        return false;
    }
    if (step == place->at && !is_behind(place)) {
        if (!looking->has_result)
            report(looking, path, reference, "refers to its own step")->fix =
                "refer to an earlier step, or write the value itself";
        return looking->has_result;
    }
    if (step < place->at && plan_step_is_in(place->plan, place->at, step) && !is_behind(place)) {
        report(looking, path, reference, "refers to the block that it is in")->fix =
            "refer to an earlier step of the block";
        return false;
    }
    if (!is_visible(looking, step)) {
        const struct step *block = &steps[steps[step].body_of - 1];
        report(looking, path, reference,
               arena_printf(looking->checking->arena, "refers to a step inside of %s", block->id))
            ->fix =
            arena_printf(looking->checking->arena,
                         "give it a NAME in \"outputs\" of %s, and write {%s%s.NAME} here",
                         block->id, block->id, block->loop && block->loop->each ? ".items[0]" : "");
        return false;
    }
    if (step >= place->at) {
        report_later(looking, path, reference);
        return false;
    }
    return true;
}

static const char *giver(const struct looking *looking, const struct reference *reference)
{
    const struct plan_checking *checking = looking->checking;
    bool is_step = reference->root == REFERENCE_STEP && reference->step >= 0;
    const struct step *step = is_step ? &checking->plan->steps[reference->step] : NULL;
    const struct tool *tool = is_step ? checking->tools[reference->step] : NULL;
    if (tool && !step->loop && step->kind == STEP_TOOL)
        return tool->full_name;
    if (reference->root != REFERENCE_STEP)
        return reference->root == REFERENCE_VARS     ? "the input"
               : reference->root == REFERENCE_VERIFY ? "the tool of verify"
                                                     : "the element";
    return !step ? "what it leads to" : arena_printf(checking->arena, "step %s", step->id);
}

static void report_no_field(const struct looking *looking, const char *path,
                            const struct reference *reference, size_t part,
                            const struct shape *there)
{
    struct arena *arena = looking->checking->arena;
    const char *names = plan_shape_names(looking->checking, there);
    bool is_index = reference->is_index[part];
    const char *what =
        arena_printf(arena, "asks for %s%s%s, which %s does not give", is_index ? "element " : "\"",
                     reference->parts[part], is_index ? "" : "\"", giver(looking, reference));
    const char *fix = replacement(looking, path, reference);
    if (!fix && reference->root == REFERENCE_STEP) {
        fix = arena_printf(arena, "use %s%s{%s.text} for the text", *names ? "one of: " : "",
                           *names ? arena_printf(arena, "%s, or ", names) : "",
                           looking->checking->plan->steps[reference->step].id);
        if (looking->args)
            fix = arena_printf(arena, "%s, in step %s, %s", fix,
                               looking->checking->plan->steps[looking->place.at].id,
                               plan_check_place(arena, path, NULL));
    } else if (!fix) {
        fix = *names ? arena_printf(arena, "use one of: %s", names) : "use it as it is";
    }
    report(looking, path, reference, what)->fix = fix;
}

/* A number or a truth value is printed where text is taken (arguments_print). */
static bool is_printed(const json_t *given, const json_t *wanted)
{
    const char *gives = json_get_string(given, "type");
    return text_equal(json_get_string(wanted, "type"), "string") &&
           (text_equal(gives, "number") || text_equal(gives, "integer") ||
            text_equal(gives, "boolean"));
}

/* Whether a value of the shape may be what is wanted there; of lists also their elements. */
static bool may_fit(struct plan_checking *checking, const struct shape *shape, const json_t *root,
                    const json_t *wanted)
{
    const json_t *own_root, *given = plan_shape_schema(checking, shape, &own_root), *element = NULL;
    wanted = schema_view_resolve(root, wanted);
    if (checking->plan->version > 1)
        given = schema_view_resolve(own_root, given);
    if (!wanted || is_printed(given, wanted))
        return true;
    if (!schema_view_types_meet(own_root, given, root, wanted))
        return false;
    const struct shape *inner = plan_shape_element(checking, shape);
    return checking->plan->version == 1 || !inner ||
           schema_view_element(root, wanted, 0, &element) != SCHEMA_HAS ||
           may_fit(checking, inner, root, element);
}

static void check_type(const struct looking *looking, const char *path,
                       const struct reference *reference, const struct shape *shape)
{
    struct plan_checking *checking = looking->checking;
    const json_t *root, *given = plan_shape_schema(checking, shape, &root);
    const json_t *wanted = schema_view_at(looking->to->input_schema, looking->args, path);
    if (!wanted || may_fit(checking, shape, looking->to->input_schema, wanted))
        return;
    const char *is = schema_view_type_text(checking->arena, root, given);
    const char *must = schema_view_type_text(checking->arena, looking->to->input_schema, wanted);
    bool is_list = strcmp(is, must) == 0; /* whose elements no hint looks at */
    const char *what =
        is_list ? arena_printf(checking->arena,
                               "is of type %s with other elements than the argument", is)
                : arena_printf(checking->arena, "is of type %s, the argument must be %s", is, must);
    const char *fix = is_list ? NULL : replacement(looking, path, reference);
    report(looking, path, reference, what)->fix =
        fix ? fix : "refer to a field of the right type, or write the value itself";
}

/* Whether step `earlier`, where it is skipped by its condition, takes what is looked at with it:
 * that, or a block around it, has the same condition, which cannot turn out differently. */
static bool is_skipped_with(const struct looking *looking, size_t earlier)
{
    const struct plan *plan = looking->place.plan;
    const struct step *step = step_of(&looking->place);
    const char *when = plan->steps[earlier].when_text;
    if (when && strstr(when, "{prev_result")) /* which is another one elsewhere */
        return false;
    while (step && !text_equal(plan->steps[earlier].when_text, step->when_text))
        step = step->body_of ? &plan->steps[step->body_of - 1] : NULL;
    return step;
}

static void note_unknown(const struct looking *looking, const char *path,
                         const struct reference *reference)
{
    const struct plan_checking *checking = looking->checking;
    struct problems *unknown = checking->input->unknown;
    const struct step *step = step_of(&looking->place);
    if (!unknown || (reference->root == REFERENCE_STEP && checking->input->has_no_tools))
        return;
    unknown->at = checking->problems->at;
    problems_add(unknown, step ? step->id : NULL,
                 arena_printf(checking->arena, "%s%s", looking->path, path),
                 "{%.100s}: %s does not say what it gives there", reference->text,
                 giver(looking, reference));
}

/* An input whose value is known is held against its schema with the other arguments. */
static bool is_given(const struct looking *looking, const struct reference *reference)
{
    return reference->root == REFERENCE_VARS &&
           plan_inputs_at(&looking->place) == looking->place.plan->inputs &&
           json_object_get(looking->checking->input->vars, reference->parts[0]);
}

/* What it leads to, as far as that is known. */
static void check_shape(struct looking *looking, const char *path,
                        const struct reference *reference)
{
    struct plan_checking *checking = looking->checking;
    const struct shape *shape = NULL;
    size_t part = 0;
    bool is_known_tool = reference->root != REFERENCE_STEP || checking->tools[reference->step] ||
                         checking->plan->steps[reference->step].kind != STEP_TOOL;
    if (!is_known_tool || (reference->root == REFERENCE_VARS && checking->plan->version == 1))
        return;
    enum schema_answer answer =
        plan_shape_follow(checking, &looking->place, reference, &shape, &part);
    if (answer == SCHEMA_LACKS)
        report_no_field(looking, path, reference, part, shape);
    if (answer == SCHEMA_UNKNOWN)
        note_unknown(looking, path, reference);
    if (answer != SCHEMA_HAS)
        return;
    looking->shape = shape;
    looking->types = plan_shape_types(checking, shape);
    bool is_text = reference->root == REFERENCE_STEP && reference->n_parts == 1 &&
                   strcmp(reference->parts[0], "text") == 0 && checking->plan->version == 1;
    if (reference->whole && looking->to && !is_text && !is_given(looking, reference))
        check_type(looking, path, reference, shape);
}

static bool check_reference(void *context, const char *path, const struct reference *reference)
{
    struct looking *looking = context;
    const struct plan *plan = looking->place.plan;
    looking->types = TYPE_ANY;
    looking->shape = NULL;
    if (reference->is_malformed) {
        report(looking, path, reference, "is no reference")->fix = arena_printf(
            looking->checking->arena,
            "write one such as {s1.items[0].id}, where an index is a number%s", or_brace(looking));
        return true;
    }
    if (reference->root == REFERENCE_VERIFY && !looking->has_verified) {
        report(looking, path, reference, "is known in \"done\" and \"result\" only")->fix =
            "refer to an earlier step";
        return true;
    }
    if (reference->root == REFERENCE_VARS && !check_variable(looking, path, reference))
        return true;
    if (reference->root == REFERENCE_STEP) {
        if (!check_order(looking, path, reference))
            return true;
        if (plan->steps[reference->step].when && !looking->may_lack &&
            !is_skipped_with(looking, (size_t)reference->step))
            report(looking, path, reference, "refers to a step that may be skipped")->fix =
                "give this step the same `when`, or use default() in an expression";
    }
    check_shape(looking, path, reference);
    return true;
}

/* {s1.items} without quotes is an object of YAML with one member that has no value. */
static void check_quotes(struct looking *looking, const char *path, const json_t *value)
{
    struct arena *arena = looking->checking->arena;
    const json_t *member;
    const char *name;
    size_t i;
    json_array_foreach (value, i, member)
        check_quotes(looking, json_path_element(arena, path, i), member);
    json_each_member (value, name, member) {
        const struct reference reference = reference_parse(arena, &looking->place, name);
        bool leads =
            !reference.is_malformed && (reference.step >= 0 || reference.root == REFERENCE_VARS);
        if (json_object_size(value) == 1 && json_is_null(member) && leads)
            report(looking, path, &reference, "is an object here, since it has no quotes")->fix =
                arena_printf(arena, "write \"{%.100s}\"", name);
        check_quotes(looking, json_path_member(arena, path, name), member);
    }
}

void plan_check_value(struct looking *looking, const json_t *value)
{
    if (looking->checking->plan->version > 1)
        check_quotes(looking, "", value);
    (void)references_visit_at(looking->checking->arena, &looking->place, value, check_reference,
                              looking);
}

void plan_check_expression(struct looking *looking, const struct expression *expression)
{
    struct plan_checking *checking = looking->checking;
    unsigned types[EXPRESSION_MAX_REFERENCES], given = 0;
    size_t before = checking->problems->n + checking->problems->dropped;
    bool may_lack = looking->may_lack;
    struct err err = { .code = ERR_NONE };
    looking->in_expression = true;
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        const struct reference reference =
            reference_parse(checking->arena, &looking->place, expression_reference(expression, i));
        looking->may_lack = may_lack || expression_reference_may_lack(expression, i);
        check_reference(looking, "", &reference);
        types[i] = looking->types;
    }
    looking->may_lack = may_lack;
    looking->in_expression = false;
    if (checking->problems->n + checking->problems->dropped != before)
        return;
    const char *id = checking->plan->steps[looking->place.at].id;
    if (expression_check(expression, types, &given, &err))
        problems_add(checking->problems, id, looking->path, "%s", err.message)->fix =
            "use values of the types that it takes";
    else if (!(given & TYPE_BOOLEAN))
        problems_add(checking->problems, id, looking->path, "is neither true nor false")->fix =
            "compare it with something";
}
