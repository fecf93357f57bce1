#include "application/orchestrators/planned_steps.h"
#include "application/orchestrators/tool_match.h"
#include "application/structured/argument_value.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/confidence.h"
#include "domain/plan/gap.h"
#include "domain/plan/loose_reference.h"
#include "domain/plan/references.h"
#include <string.h>

enum { SHOWN_BYTES = 60 }; /* of a value in an explanation */

struct mending {
    struct arena *arena;
    const struct shortlist *list;
    const char *prefix;
    struct argument_notes *notes;
    const char **ids; /* of the steps so far */
};

/* Renames a member, where the right name is still free. */
static void rename_member(json_t *object, const char *said, const char *meant)
{
    json_t *value = json_object_get(object, said);
    if (!meant || !value || json_object_get(object, meant))
        return;
    json_object_set(object, meant, value);
    json_object_del(object, said);
}

/* A step in other words: a call in the notation that models were trained on, also inside
 * {"function":…}, with its arguments as text; remarks, which plans have no place for. */
static void read_as_step(struct arena *arena, json_t *step)
{
    static const char *const remarks[] = { "description", "reason", "explanation", "thought",
                                           "comment",     "type",   "purpose" };
    json_t *function = json_object_get(step, "function");
    if (json_is_object(function)) {
        json_object_update_missing(step, function);
        json_object_del(step, "function");
    }
    for (size_t i = 0; i < ARRAY_LENGTH(remarks); i++)
        json_object_del(step, remarks[i]);
    const char *said;
    json_t *value;
    json_auto_t *written = json_copy(step);
    rename_member(step, "tool_name", "tool"); /* beside it "name" is an argument */
    json_each_member (written, said, value)
        rename_member(step, said, plan_step_member(said));
    const json_t *text = argument_from_text(arena, json_object_get(step, "args"));
    if (json_is_object(text))
        json_object_set_new(step, "args", json_share(text));
    if (json_is_null(json_object_get(step, "args")))
        json_object_del(step, "args");
}

/* {"tool":…,"path":…}: the arguments beside the tool. Only where there are no args, and only what
 * the tool knows; a parameter that has the name of a step's own member stays that member. */
static void gather_arguments(json_t *step, const struct tool *tool)
{
    const json_t *properties = json_object_get(tool->input_schema, "properties");
    const char *key;
    json_t *value;
    if (json_object_get(step, "args"))
        return;
    json_t *args = json_object();
    json_auto_t *written = json_copy(step);
    json_each_member (written, key, value)
        if (json_object_get(properties, key) && !plan_step_has(key)) {
            json_object_set(args, key, value);
            json_object_del(step, key);
        }
    json_object_set_new(step, "args", args);
}

static void name_step(struct mending *mending, json_t *step, size_t position)
{
    const char *id = json_get_string(step, "id");
    if (!id || !*id) {
        id = arena_printf(mending->arena, "%s%zu", mending->prefix, position + 1);
        json_object_set_new(step, "id", json_string(id));
    }
    if (mending->notes)
        mending->notes->step = id;
    mending->ids[position] = id;
}

static void note_reference(void *context, const char *path)
{
    argument_note(context, path, "reference in its own form");
}

static void mend_references(const struct mending *mending, json_t *step, size_t position)
{
    const struct loose_references loose = { .arena = mending->arena,
                                            .ids = mending->ids,
                                            .n = position,
                                            .note = note_reference,
                                            .context = mending->notes };
    const json_t *args = json_object_get(step, "args");
    if (args)
        json_object_set_new(step, "args", json_share(loose_references_read(&loose, args)));
}

static void mend_arguments(const struct mending *mending, json_t *step, const struct tool *tool)
{
    const json_t *args = json_object_get(step, "args");
    if (!args)
        args = arena_keep_json(mending->arena, json_object());
    if (!json_is_object(args))
        return;
    const json_t *fitted = arguments_of_step(mending->arena, tool, args, mending->notes);
    json_object_set_new(step, "args", json_share(fitted));
}

/* Owned by the caller. */
static json_t *mend_step(struct mending *mending, const json_t *written, size_t position)
{
    mending->ids[position] = "";
    if (!json_is_object(written))
        return json_share(written);
    json_auto_t *original = json_share(written);
    json_t *step = json_copy(original);
    read_as_step(mending->arena, step);
    name_step(mending, step, position);
    const char *name = json_get_string(step, "tool");
    const struct offered_tool *offered = name ? tool_match(mending->list, name) : NULL;
    if (offered) {
        json_object_set_new(step, "tool", json_string(offered->shown));
        gather_arguments(step, offered->tool);
    }
    mend_references(mending, step, position);
    if (!offered)
        return step;
    mend_arguments(mending, step, offered->tool);
    return step;
}

const json_t *planned_steps_mend(struct arena *arena, const struct shortlist *list,
                                 const json_t *steps, size_t most, const char *prefix,
                                 struct argument_notes *notes)
{
    size_t n = json_array_size(steps) < most ? json_array_size(steps) : most;
    const char **ids = arena_array(arena, const char *, n + 1);
    struct mending mending = { arena, list, prefix, notes, ids };
    json_t *mended = arena_keep_json(arena, json_array());
    if (json_is_object(steps))
        json_array_append_new(mended, mend_step(&mending, steps, 0));
    else if (!json_is_array(steps))
        return steps;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(mended, mend_step(&mending, json_array_get(steps, i), i));
    return mended;
}

static bool is_reference(const json_t *value)
{
    return json_is_string(value) && strchr(json_string_value(value), '{');
}

static bool is_gap(const json_t *args, const char *name, const char *request)
{
    struct gap gap;
    const char *text = json_get_string(args, name);
    return text && gap_find(text, request, value_is_code(name, args), &gap);
}

static void correct_from_step(const struct tool *tool, const json_t *args, json_t *parameters,
                              const char *request, const struct said *said)
{
    const char *name;
    json_t *value;
    json_each_member (args, name, value) {
        const json_t *given = json_object_get(parameters, name);
        bool fits = confidence_value_fits(tool, name, value);
        /* What passes although nothing was said (a choice, a text to write) was not said either. */
        bool is_wrong = given ? !confidence_value_fits(tool, name, given)
                              : value_is_said(tool, name, value, said) &&
                                    !value_is_said(tool, name, value, NULL);
        bool is_filled = is_gap(parameters, name, request) &&
                         (is_reference(value) || !is_gap(args, name, request));
        /* What an earlier turn gave was not invented. */
        bool is_earlier =
            !given && json_is_string(value) && text_starts_with(json_string_value(value), "{vars.");
        if (is_earlier || (fits && ((is_wrong && !is_reference(value)) || is_filled)))
            json_object_set(parameters, name, value);
        else if (is_gap(parameters, name, request))
            json_object_set_new(parameters, name, json_null());
    }
}

const json_t *planned_steps_correct(struct arena *arena, const struct shortlist *list,
                                    const json_t *steps, const json_t *parameters,
                                    const char *request, const struct said *said)
{
    json_auto_t *written = json_share(parameters);
    json_t *corrected =
        arena_keep_json(arena, json_is_object(written) ? json_copy(written) : json_object());
    const char *key;
    json_t *value;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *name = json_get_string(step, "tool");
        const struct tool *tool = name ? shortlist_find(list, name) : NULL;
        if (tool)
            correct_from_step(tool, json_object_get(step, "args"), corrected, request, said);
    }
    json_each_member (written, key, value)
        if (json_object_get(corrected, key) == value && is_gap(written, key, request))
            json_object_del(corrected, key);
    return corrected;
}

bool planned_steps_keep_to(const struct shortlist *list, const json_t *steps,
                           const char *const *tools, size_t n_tools)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *name = json_get_string(json_array_get(steps, i), "tool");
        const struct tool *tool = name ? shortlist_find(list, name) : NULL;
        if (!tool || !text_is_one_of(tool->full_name, tools, n_tools))
            return false;
    }
    return true;
}

static const char *origin_of(struct arena *arena, const json_t *value, const struct said *request,
                             const struct said *said)
{
    json_auto_t *argument = json_pack("{s:O}", "value", value);
    const char *text = json_string_value(value);
    const char *words = text ? text : json_print_in(arena, value);
    const char *found = said_find(request, words);
    if (references_are_in(arena, argument, /* vars */ NULL))
        return "from an earlier result";
    if (found)
        return arena_printf(arena, "\"%.*s\" in the request",
                            (int)text_cut(found, strlen(words), SHOWN_BYTES), found);
    return said_find(said, words) ? "said or found earlier" : "the model gave it";
}

const char *planned_steps_explain(struct arena *arena, const struct plan *plan, const char *request,
                                  const struct said *said)
{
    const struct said *asked = said_read(arena, request, NULL);
    const char *lines = "", *name;
    const json_t *value;
    for (size_t i = 0; i < plan->n_steps; i++) {
        json_each_member (plan->steps[i].args, name, value) {
            const char *text = json_print_in(arena, value);
            lines = arena_printf(arena, "%s%s: %s = %s: %s\n", lines, plan->steps[i].id, name,
                                 text_one_line(arena, text, strlen(text), SHOWN_BYTES),
                                 origin_of(arena, value, asked, said));
        }
    }
    return lines;
}
