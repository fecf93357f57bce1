#include "domain/plan/plan_check.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression.h"
#include "domain/plan/plan_check_internal.h"
#include "domain/plan/references.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define NEAREST_SHOWN 3

/* The tool with that full or (where unique) bare name; NULL when there is none or several. */
static const struct tool *find_tool(const struct plan_check_input *input, const char *name)
{
    const struct tool *found = NULL;
    for (size_t i = 0; i < input->n_tools; i++) {
        const struct tool *tool = input->tools[i];
        if (strcmp(tool->full_name, name) == 0)
            return tool;
        if (strcmp(tool->name, name) != 0)
            continue;
        if (found)
            return NULL;
        found = tool;
    }
    return found;
}

static const char *join(struct arena *arena, const char *const *names, const size_t *indices,
                        size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", names[indices[i]]);
    return text;
}

/* Full names of the tools with that bare name, NULL when there are none. */
static const char *namesakes(const struct plan_checking *checking, const char *name)
{
    const char *text = NULL;
    for (size_t i = 0; i < checking->input->n_tools; i++) {
        const struct tool *tool = checking->input->tools[i];
        if (strcmp(tool->name, name) == 0)
            text = text ? arena_printf(checking->arena, "%s, %s", text, tool->full_name)
                        : tool->full_name;
    }
    return text;
}

/* Why and what to do where no name is near: of a server that is not there no tool was listed. */
static void report_unlisted_tool(const struct plan_checking *checking, size_t at)
{
    const struct err *why = checking->input->missing ? &checking->input->missing[at] : NULL;
    bool says_why = why && why->code && *why->hint;
    const struct step *step = &checking->plan->steps[at];
    problems_add(checking->problems, step->id, "/tool", "there is no tool \"%.100s\"%s%.200s",
                 step->tool, says_why ? ": " : "", says_why ? why->message : "")
        ->fix = says_why ? arena_strdup(checking->arena, why->hint)
                : checking->input->request
                    ? "use a tool of the list, or leave the step out"
                    : "use one that mistro tools lists, or leave the step out";
}

static void report_unknown_tool(const struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct arena *arena = checking->arena;
    size_t n = checking->input->n_tools, nearest[NEAREST_SHOWN];
    const char **full = arena_array(arena, const char *, n + 1);
    const char **compared = arena_array(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        full[i] = checking->input->tools[i]->full_name;
        compared[i] = strchr(step->tool, '/') ? full[i] : checking->input->tools[i]->name;
    }
    size_t found = text_nearest(step->tool, compared, n, nearest, NEAREST_SHOWN);
    if (!found) {
        report_unlisted_tool(checking, at);
        return;
    }
    problems_add(checking->problems, step->id, "/tool", "there is no tool \"%.100s\"; nearest: %s",
                 step->tool, join(arena, full, nearest, found))
        ->fix = arena_printf(arena, "use %s", full[nearest[0]]);
}

static void check_tool(const struct plan_checking *checking, struct step *step, size_t at)
{
    const struct tool *tool = find_tool(checking->input, step->tool);
    checking->tools[at] = tool;
    if (checking->input->has_no_tools || !*step->tool)
        return;
    if (tool) {
        step->tool = tool->full_name;
        return;
    }
    const char *several = namesakes(checking, step->tool);
    plan_check_at_step(checking, at);
    if (several)
        problems_add(checking->problems, step->id, "/tool",
                     "several servers have a tool \"%.100s\": %s", step->tool, several)
            ->fix = "write the full name: server/tool";
    else
        report_unknown_tool(checking, at);
}

void plan_check_at_step(const struct plan_checking *checking, size_t at)
{
    checking->problems->at = checking->plan->steps[at].at;
}

void plan_check_at_arguments(const struct plan_checking *checking, size_t at)
{
    const char *step = checking->plan->steps[at].at;
    checking->problems->at = step ? arena_printf(checking->arena, "%s/args", step) : NULL;
}

static void mark(uint64_t *set, size_t at)
{
    set[at / 64] |= 1ULL << (at % 64);
}

static bool is_marked(const uint64_t *set, size_t at)
{
    return set[at / 64] >> (at % 64) & 1;
}

/* Whom every step waits for, directly and through others (Warshall's algorithm). */
static uint64_t **find_reached(const struct plan_checking *checking)
{
    size_t n = checking->plan->n_steps, words = n / 64 + 1;
    uint64_t **reached = arena_array(checking->arena, uint64_t *, n + 1);
    bool *needs = arena_array(checking->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        reached[i] = arena_array(checking->arena, uint64_t, words);
        memset(needs, 0, n);
        plan_step_needs(checking->arena, checking->plan, i, needs);
        for (size_t j = 0; j < n; j++)
            if (needs[j])
                mark(reached[i], j);
    }
    for (size_t through = 0; through < n; through++)
        for (size_t i = 0; i < n; i++)
            for (size_t w = 0; is_marked(reached[i], through) && w < words; w++)
                reached[i][w] |= reached[through][w];
    return reached;
}

/* Whether the later step waits for the earlier one, which is about to ask for it. */
static bool is_cycle(struct plan_checking *checking, size_t earlier, size_t later)
{
    if (!checking->reached)
        checking->reached = find_reached(checking);
    return is_marked(checking->reached[later], earlier);
}

/* How a step comes before one that asks for it. Where it is called by its position it would have
 * another name there, and so would those in between. */
static const char *how_to_move(const struct plan_checking *checking, size_t at, size_t later,
                               bool is_by_position)
{
    const struct step *steps = checking->plan->steps;
    bool is_named = !is_by_position;
    for (size_t i = at; i <= later; i++)
        is_named = is_named && steps[i].has_own_id;
    return arena_printf(checking->arena, "%smove step %s before step %s",
                        is_named || !steps[at].at
                            ? ""
                            : "give the steps ids of their own, use these in references, and ",
                        steps[later].id, steps[at].id);
}

static void report_later_need(struct plan_checking *checking, size_t at, size_t later,
                              const char *path)
{
    const char *id = checking->plan->steps[at].id, *other = checking->plan->steps[later].id;
    if (is_cycle(checking, at, later))
        problems_add(checking->problems, id, path, "%s and %s wait for each other", id, other)
            ->fix = arena_printf(checking->arena,
                                 "remove it here: step %s already waits for step %s", other, id);
    else
        problems_add(checking->problems, id, path, "needs %s, which comes later", other)->fix =
            how_to_move(checking, at, later, false);
}

static void check_need(struct plan_checking *checking, size_t at, size_t index)
{
    const struct step *step = &checking->plan->steps[at];
    const char *path = arena_printf(checking->arena, "/needs/%zu", index);
    int needed = plan_find_step(checking->plan, step->needs[index]);
    if (!*step->needs[index])
        return; /* no id at all, which was said */
    if (needed < 0)
        problems_add(checking->problems, step->id, path, "there is no step \"%.64s\"",
                     step->needs[index])
            ->fix = "name the id of an earlier step, or remove it";
    else if ((size_t)needed == at)
        problems_add(checking->problems, step->id, path, "the step needs itself")->fix =
            "remove it";
    else if ((size_t)needed > at)
        report_later_need(checking, at, (size_t)needed, path);
}

struct check_context {
    struct plan_checking *checking;
    size_t at;
    bool has_result;    /* the step's own result may be referred to */
    bool may_lack;      /* the reference may lead to nothing */
    bool in_expression; /* what it leads to goes to no tool */
    unsigned types;     /* enum value_type: what the last reference may lead to */
};

static struct problem *report(const struct check_context *context, const char *path,
                              const struct reference *reference, const char *what)
{
    const struct plan *plan = context->checking->plan;
    bool is_output = context->at == plan->n_steps;
    return problems_add(context->checking->problems, is_output ? NULL : plan->steps[context->at].id,
                        is_output ? arena_printf(context->checking->arena, "/outputs%s", path)
                                  : path,
                        "{%.100s} %s", reference->text, what);
}

/* Of an argument: elsewhere nothing tells which field is meant. */
static const char *replacement(const struct check_context *context, const char *path,
                               const struct reference *reference)
{
    return context->in_expression
               ? NULL
               : plan_check_replacement(context->checking, context->at, path, reference);
}

static void check_variable(const struct check_context *context, const char *path,
                           const struct reference *reference)
{
    struct arena *arena = context->checking->arena;
    const json_t *value = context->checking->input->vars;
    const struct plan *plan = context->checking->plan;
    if (!plan->vars)
        return; /* they could not be read */
    if (json_object_get(plan->inputs, reference->parts[0]) &&
        !json_object_get(value, reference->parts[0]))
        return; /* it will be given */
    for (size_t i = 0; i < reference->n_parts; i++) {
        const json_t *next = reference_find_part(value, reference, i);
        if (!next) {
            const char *names = json_join_names(arena, value);
            report(context, path, reference,
                   i ? "asks for something the variable does not have"
                     : "names a variable that does not exist")
                ->fix =
                *names ? arena_printf(arena, "use one of: %s", names) : "write the value itself";
            return;
        }
        value = next;
    }
}

static void report_later_reference(const struct check_context *context, const char *path,
                                   const struct reference *reference)
{
    struct plan_checking *checking = context->checking;
    const struct step *steps = checking->plan->steps;
    size_t at = context->at, later = (size_t)reference->step;
    bool is_by_position = text_starts_with(reference->text, "steps[");
    bool is_circular = is_cycle(checking, at, later);
    const char *what = "refers to a later step";
    if (is_circular)
        what = arena_printf(checking->arena, "refers to a later step, which waits for %s",
                            steps[at].id);
    report(context, path, reference, what)->fix =
        is_circular ? arena_printf(checking->arena,
                                   "write the value itself: step %s already waits for step %s",
                                   steps[later].id, steps[at].id)
                    : how_to_move(checking, at, later, is_by_position);
}

static bool check_order(const struct check_context *context, const char *path,
                        const struct reference *reference)
{
    if (reference->step < 0 && context->checking->plan->version > 1) {
        report(context, path, reference, "names no step")->fix =
            "name a step, or write {{ for a brace";
        return false;
    }
    if (reference->step < 0) {
        bool first = context->at == 0;
        report(context, path, reference,
               first ? "refers to an earlier step, but this is the first"
                     : "refers to a step that does not exist")
            ->fix = replacement(context, path, reference);
        return false;
    }
    if ((size_t)reference->step == context->at && !context->has_result) {
        report(context, path, reference, "refers to its own step")->fix =
            "refer to an earlier step, or write the value itself";
        return false;
    }
    if ((size_t)reference->step > context->at) {
        report_later_reference(context, path, reference);
        return false;
    }
    return true;
}

static void report_no_field(const struct check_context *context, const char *path,
                            const struct reference *reference, size_t part, const json_t *schema)
{
    struct arena *arena = context->checking->arena;
    const struct tool *tool = context->checking->tools[reference->step];
    schema = schema_view_resolve(tool->output_schema, schema);
    const char *names = json_join_names(arena, json_object_get(schema, "properties"));
    const char *what =
        arena_printf(arena, "asks for %s%s%s, which %s does not give",
                     reference->is_index[part] ? "element " : "\"", reference->parts[part],
                     reference->is_index[part] ? "" : "\"", tool->full_name);
    const char *fix = replacement(context, path, reference);
    if (!fix) {
        fix =
            arena_printf(arena, "use one of: %s%s.text for the text", names, *names ? ", or " : "");
        if (!context->in_expression)
            fix = arena_printf(arena, "%s, in step %s, %s", fix,
                               context->checking->plan->steps[context->at].id,
                               plan_check_place(arena, path, NULL));
    }
    report(context, path, reference, what)->fix = fix;
}

/* Follows the reference through the output schema. *out is NULL where the schema ends to say. */
static bool check_field(const struct check_context *context, const char *path,
                        const struct reference *reference, const json_t **out)
{
    const json_t *root = context->checking->tools[reference->step]->output_schema;
    const json_t *schema = root;
    for (size_t i = 0; i < reference->n_parts; i++) {
        const json_t *next = NULL;
        int64_t index = 0;
        bool is_number = text_to_int64(reference->parts[i], &index);
        enum schema_answer answer =
            reference->is_index[i] && is_number
                ? schema_view_element(root, schema, (size_t)index, &next)
                : schema_view_member(root, schema, reference->parts[i], &next);
        if (answer == SCHEMA_LACKS && is_number && !reference->is_index[i])
            answer = schema_view_element(root, schema, (size_t)index, &next);
        if (answer == SCHEMA_LACKS)
            report_no_field(context, path, reference, i, schema);
        if (answer != SCHEMA_HAS)
            return answer != SCHEMA_LACKS;
        schema = next;
    }
    *out = schema;
    return true;
}

/* A number or a truth value is printed where text is taken (arguments_print). */
static bool is_printed(const json_t *given, const json_t *wanted)
{
    const char *gives = json_get_string(given, "type");
    return text_equal(json_get_string(wanted, "type"), "string") &&
           (text_equal(gives, "number") || text_equal(gives, "integer") ||
            text_equal(gives, "boolean"));
}

static void check_type(const struct check_context *context, const char *path,
                       const struct reference *reference, const json_t *given)
{
    const struct plan_checking *checking = context->checking;
    const struct tool *from = checking->tools[reference->step], *to = checking->tools[context->at];
    if (!to)
        return;
    const json_t *wanted =
        schema_view_at(to->input_schema, checking->plan->steps[context->at].args, path);
    if (!wanted || is_printed(given, wanted) ||
        schema_view_types_meet(from->output_schema, given, to->input_schema, wanted))
        return;
    const char *what =
        arena_printf(checking->arena, "is of type %s, the argument must be %s",
                     schema_view_type_text(checking->arena, from->output_schema, given),
                     schema_view_type_text(checking->arena, to->input_schema, wanted));
    const char *fix = replacement(context, path, reference);
    report(context, path, reference, what)->fix = fix ? fix : "refer to a field of the right type";
}

static unsigned types_of(const json_t *root, const json_t *schema)
{
    static const struct {
        const char *name;
        enum value_type type;
    } types[] = { { "null", TYPE_NULL },     { "boolean", TYPE_BOOLEAN },
                  { "number", TYPE_NUMBER }, { "integer", TYPE_NUMBER },
                  { "string", TYPE_TEXT },   { "array", TYPE_LIST },
                  { "object", TYPE_OBJECT } };
    const json_t *said = json_object_get(schema_view_resolve(root, schema), "type");
    unsigned all = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (text_equal(json_string_value(said), types[i].name) ||
            json_array_has_text(said, types[i].name))
            all |= types[i].type;
    return all ? all : TYPE_ANY;
}

/* Whether step `earlier`, where it is skipped by its condition, takes step `later` with it: both
 * have the same one, which cannot turn out differently. */
static bool is_skipped_with(const struct plan *plan, size_t earlier, size_t later)
{
    return later < plan->n_steps &&
           text_equal(plan->steps[earlier].when_text, plan->steps[later].when_text);
}

static void note_unknown(const struct check_context *context, const char *path,
                         const struct reference *reference)
{
    const struct plan_checking *checking = context->checking;
    struct problems *unknown = checking->input->unknown;
    if (!unknown)
        return;
    unknown->at = checking->problems->at;
    problems_add(unknown, checking->plan->steps[context->at].id, path,
                 "{%.100s}: %s does not say what it gives there", reference->text,
                 checking->tools[reference->step]->full_name);
}

static bool check_reference(void *context_pointer, const char *path,
                            const struct reference *reference)
{
    struct check_context *context = context_pointer;
    const struct plan *plan = context->checking->plan;
    context->types = TYPE_ANY;
    if (reference->is_malformed) {
        report(context, path, reference, "is no reference")->fix = "write {{ for a brace";
        return true;
    }
    if (reference->root == REFERENCE_VARS) {
        check_variable(context, path, reference);
        if (plan->inputs && reference->n_parts == 1)
            context->types = types_of(NULL, json_object_get(plan->inputs, reference->parts[0]));
        return true;
    }
    if (!check_order(context, path, reference))
        return true;
    if (plan->steps[reference->step].when && !context->may_lack &&
        !is_skipped_with(plan, (size_t)reference->step, context->at))
        report(context, path, reference, "refers to a step that may be skipped")->fix =
            "give this step the same `when`, or use default() in an expression";
    const struct tool *from = context->checking->tools[reference->step];
    bool is_text = reference->n_parts == 1 && strcmp(reference->parts[0], "text") == 0;
    const json_t *given = NULL;
    if (is_text)
        context->types = TYPE_TEXT;
    if (!from || is_text)
        return true;
    if (from->output_schema && !check_field(context, path, reference, &given))
        return true;
    if (!given) {
        note_unknown(context, path, reference);
        return true;
    }
    context->types = types_of(from->output_schema, given);
    if (reference->whole && !context->in_expression)
        check_type(context, path, reference, given);
    return true;
}

static void check_expression(struct check_context *context, const char *path,
                             const struct expression *expression)
{
    struct plan_checking *checking = context->checking;
    unsigned types[EXPRESSION_MAX_REFERENCES], given = 0;
    size_t before = checking->problems->n + checking->problems->dropped;
    struct err err = { .code = ERR_NONE };
    context->in_expression = true;
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        const struct reference reference = reference_parse(
            checking->arena, checking->plan, context->at, expression_reference(expression, i));
        context->may_lack = expression_reference_may_lack(expression, i);
        check_reference(context, path, &reference);
        types[i] = context->types;
    }
    if (checking->problems->n + checking->problems->dropped != before)
        return;
    const char *id = checking->plan->steps[context->at].id;
    if (expression_check(expression, types, &given, &err))
        problems_add(checking->problems, id, path, "%s", err.message);
    else if (!(given & TYPE_BOOLEAN))
        problems_add(checking->problems, id, path, "is neither true nor false")->fix =
            "compare it with something";
}

static void check_conditions(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct check_context before = { .checking = checking, .at = at };
    struct check_context after = { .checking = checking, .at = at, .has_result = true };
    if (step->when)
        check_expression(&before, "/when", step->when);
    for (size_t i = 0; i < step->n_checks; i++)
        check_expression(&after, arena_printf(checking->arena, "/check/%zu/that", i),
                         step->checks[i].that);
}

/* As the args of a step behind the last one. */
static void check_outputs(struct plan_checking *checking)
{
    struct check_context context = {
        .checking = checking, .at = checking->plan->n_steps, .may_lack = true, .in_expression = true
    };
    if (checking->plan->outputs)
        references_visit(checking->arena, checking->plan, context.at, checking->plan->outputs,
                         check_reference, &context);
}

static void check_step(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct check_context context = { .checking = checking, .at = at };
    plan_check_at_step(checking, at);
    if (*step->id && plan_find_step(checking->plan, step->id) != (int)at)
        problems_add(checking->problems, step->id, "/id", "an earlier step has the same id")->fix =
            "give every step an id of its own";
    for (size_t i = 0; i < step->n_needs; i++)
        check_need(checking, at, i);
    plan_check_at_arguments(checking, at);
    if (step->args)
        references_visit(checking->arena, checking->plan, at, step->args, check_reference,
                         &context);
    plan_check_at_step(checking, at);
    check_conditions(checking, at);
    plan_check_at_arguments(checking, at);
    if (step->args && checking->input->request)
        plan_check_gaps(checking, at);
    if (step->args && checking->tools[at])
        plan_check_arguments(checking, at);
}

bool plan_check(struct arena *arena, struct plan *plan, const struct plan_check_input *input,
                struct problems *problems)
{
    struct plan_checking checking = {
        .arena = arena,
        .plan = plan,
        .input = input,
        .problems = problems,
        .tools = arena_array(arena, const struct tool *, plan->n_steps),
    };
    size_t before = problems->n + problems->dropped;
    problems->at = plan->n_steps && plan->steps[0].at ? "" : NULL;
    if (plan->n_steps > input->max_steps) {
        problems_add(problems, NULL, "/steps", "%s%zu steps, at most %zu are allowed%s",
                     input->is_cut ? "at least " : "", plan->n_steps, input->max_steps,
                     plan->version > 1 ? "" : " (max_plan_steps)")
            ->fix = arena_printf(arena, "make a plan of at most %zu steps", input->max_steps);
        if (input->request || plan->n_steps > PLAN_CHECK_MAX_STEPS)
            return false;
    }
    for (size_t i = 0; i < plan->n_steps; i++)
        check_tool(&checking, &plan->steps[i], i);
    for (size_t i = 0; i < plan->n_steps; i++)
        check_step(&checking, i);
    problems->at = plan->source ? "" : NULL;
    check_outputs(&checking);
    problems->at = NULL;
    return problems->n + problems->dropped == before;
}

static bool note_need(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    bool *needs = context;
    if (reference->root == REFERENCE_STEP && reference->step >= 0)
        needs[reference->step] = true;
    return true;
}

static void note_needs(struct arena *arena, const struct plan *plan, size_t later,
                       const struct expression *expression, bool *needs)
{
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        const struct reference reference =
            reference_parse(arena, plan, later, expression_reference(expression, i));
        if ((size_t)reference.step != later)
            note_need(needs, "", &reference);
    }
}

void plan_step_needs(struct arena *arena, const struct plan *plan, size_t later, bool *needs)
{
    const struct step *step = &plan->steps[later];
    memset(needs, 0, plan->n_steps * sizeof *needs);
    for (size_t i = 0; i < step->n_needs; i++) {
        int needed = plan_find_step(plan, step->needs[i]);
        if (needed >= 0)
            needs[needed] = true;
    }
    references_visit(arena, plan, later, step->args, note_need, needs);
    if (step->when)
        note_needs(arena, plan, later, step->when, needs);
    for (size_t i = 0; i < step->n_checks; i++)
        note_needs(arena, plan, later, step->checks[i].that, needs);
}
