#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_parts.h"
#include "domain/plan/references.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define NAMES_SHOWN 8

struct check_context {
    const struct plan_checking *checking;
    size_t at;
};

/* The keys of an object in a row, for "use one of: …"; NULL when there are none. */
static const char *names_of(struct arena *arena, const json_t *object)
{
    const char *text = NULL, *key;
    const json_t *member;
    size_t n = 0;
    json_each_member (object, key, member) {
        const char *shown = text_one_line(arena, key, strlen(key), 40);
        if (n++ == NAMES_SHOWN)
            return arena_printf(arena, "%s, …", text);
        text = text ? arena_printf(arena, "%s, %s", text, shown) : shown;
    }
    return text;
}

static struct problem *report(const struct check_context *context, const char *path,
                              const struct reference *reference, const char *what)
{
    return problems_add(context->checking->problems, context->checking->plan->steps[context->at].id,
                        path, "{%.100s} %s", reference->text, what);
}

static void check_variable(const struct check_context *context, const char *path,
                           const struct reference *reference)
{
    struct arena *arena = context->checking->arena;
    const json_t *value = context->checking->input->vars;
    for (size_t i = 0; i < reference->n_parts; i++) {
        int64_t index = -1;
        const json_t *next = json_object_get(value, reference->parts[i]);
        if (reference->is_index[i] && text_to_int64(reference->parts[i], &index))
            next = json_array_get(value, (size_t)index);
        if (!next) {
            const char *names = names_of(arena, value);
            report(context, path, reference,
                   i ? "asks for something the variable does not have"
                     : "names a variable that does not exist")
                ->fix =
                names ? arena_printf(arena, "use one of: %s", names) : "write the value itself";
            return;
        }
        value = next;
    }
}

static bool check_order(const struct check_context *context, const char *path,
                        const struct reference *reference)
{
    struct arena *arena = context->checking->arena;
    const struct step *steps = context->checking->plan->steps;
    if (reference->step < 0) {
        bool first = context->at == 0;
        report(context, path, reference,
               first ? "refers to an earlier step, but this is the first"
                     : "refers to a step that does not exist")
            ->fix = first ? "write the value itself"
                          : arena_printf(arena, "refer to an earlier step, for example {%s}",
                                         steps[context->at - 1].id);
        return false;
    }
    if ((size_t)reference->step == context->at) {
        report(context, path, reference, "refers to its own step")->fix =
            "refer to an earlier step, or write the value itself";
        return false;
    }
    if ((size_t)reference->step > context->at) {
        report(context, path, reference, "refers to a later step")->fix = arena_printf(
            arena, "move step %s before step %s", steps[reference->step].id, steps[context->at].id);
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
    const char *names = names_of(arena, json_object_get(schema, "properties"));
    const char *what =
        arena_printf(arena, "asks for %s%s%s, which %s does not give",
                     reference->is_index[part] ? "element " : "\"", reference->parts[part],
                     reference->is_index[part] ? "" : "\"", tool->full_name);
    report(context, path, reference, what)->fix =
        names ? arena_printf(arena, "use one of: %s, or .text for the text", names)
              : "use .text for the text";
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
        enum schema_answer answer =
            reference->is_index[i] && text_to_int64(reference->parts[i], &index)
                ? schema_view_element(root, schema, (size_t)index, &next)
                : schema_view_member(root, schema, reference->parts[i], &next);
        if (answer == SCHEMA_LACKS)
            report_no_field(context, path, reference, i, schema);
        if (answer != SCHEMA_HAS)
            return answer != SCHEMA_LACKS;
        schema = next;
    }
    *out = schema;
    return true;
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
    if (!wanted || schema_view_types_meet(from->output_schema, given, to->input_schema, wanted))
        return;
    const char *what =
        arena_printf(checking->arena, "is of type %s, the argument must be %s",
                     schema_view_type_text(checking->arena, from->output_schema, given),
                     schema_view_type_text(checking->arena, to->input_schema, wanted));
    report(context, path, reference, what)->fix = "refer to a field of the right type";
}

static bool check_one(void *context_pointer, const char *path, const struct reference *reference)
{
    const struct check_context *context = context_pointer;
    if (reference->root == REFERENCE_VARS) {
        check_variable(context, path, reference);
        return true;
    }
    if (!check_order(context, path, reference))
        return true;
    const struct tool *from = context->checking->tools[reference->step];
    bool is_text = reference->n_parts == 1 && strcmp(reference->parts[0], "text") == 0;
    const json_t *given = NULL;
    if (from && from->output_schema && !is_text && check_field(context, path, reference, &given) &&
        given && reference->whole)
        check_type(context, path, reference, given);
    return true;
}

void plan_check_references(const struct plan_checking *checking, size_t at)
{
    struct check_context context = { checking, at };
    references_visit(checking->arena, checking->plan, at, checking->plan->steps[at].args, check_one,
                     &context);
}
