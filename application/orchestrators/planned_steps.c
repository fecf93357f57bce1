#include "application/orchestrators/planned_steps.h"
#include "application/orchestrators/tool_match.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/confidence.h"
#include <string.h>

struct mending {
    struct arena *arena;
    const struct shortlist *list;
    const char *prefix;
    struct argument_notes *notes;
};

/* Renames a member, where the right name is still free. */
static void rename_member(json_t *object, const char *said, const char *meant)
{
    json_t *value = json_object_get(object, said);
    if (!value || json_object_get(object, meant))
        return;
    json_object_set(object, meant, value);
    json_object_del(object, said);
}

/* {"name":…,"arguments":…} where a step is wanted: a tool call. */
static void read_as_call(json_t *step)
{
    if (json_object_get(step, "tool") || !json_is_string(json_object_get(step, "name")))
        return;
    rename_member(step, "name", "tool");
    rename_member(step, "arguments", "args");
    rename_member(step, "parameters", "args");
}

static void name_step(const struct mending *mending, json_t *step, size_t position)
{
    const char *id = json_get_string(step, "id");
    if (!id || !*id) {
        id = arena_printf(mending->arena, "%s%zu", mending->prefix, position + 1);
        json_object_set_new(step, "id", json_string(id));
    }
    if (mending->notes)
        mending->notes->step = id;
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
static json_t *mend_step(const struct mending *mending, const json_t *written, size_t position)
{
    if (!json_is_object(written))
        return json_share(written);
    json_auto_t *original = json_share(written);
    json_t *step = json_copy(original);
    read_as_call(step);
    name_step(mending, step, position);
    const char *name = json_get_string(step, "tool");
    const struct offered_tool *offered = name ? tool_match(mending->list, name) : NULL;
    if (!offered)
        return step;
    json_object_set_new(step, "tool", json_string(offered->shown));
    mend_arguments(mending, step, offered->tool);
    return step;
}

const json_t *planned_steps_mend(struct arena *arena, const struct shortlist *list,
                                 const json_t *steps, const char *prefix,
                                 struct argument_notes *notes)
{
    const struct mending mending = { arena, list, prefix, notes };
    json_t *mended = arena_keep_json(arena, json_array());
    if (json_is_object(steps))
        json_array_append_new(mended, mend_step(&mending, steps, 0));
    else if (!json_is_array(steps))
        return steps;
    for (size_t i = 0; i < json_array_size(steps); i++)
        json_array_append_new(mended, mend_step(&mending, json_array_get(steps, i), i));
    return mended;
}

static bool is_reference(const json_t *value)
{
    return json_is_string(value) && strchr(json_string_value(value), '{');
}

static void correct_from_step(const struct tool *tool, const json_t *args, json_t *parameters)
{
    const char *name;
    json_t *value;
    json_each_member (args, name, value) {
        const json_t *said = json_object_get(parameters, name);
        bool is_wrong = said && !confidence_value_fits(tool, name, said);
        if (is_wrong && !is_reference(value) && confidence_value_fits(tool, name, value))
            json_object_set(parameters, name, value);
    }
}

const json_t *planned_steps_correct(struct arena *arena, const struct shortlist *list,
                                    const json_t *steps, const json_t *parameters)
{
    json_auto_t *written = json_share(parameters);
    json_t *corrected =
        arena_keep_json(arena, json_is_object(written) ? json_copy(written) : json_object());
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const json_t *step = json_array_get(steps, i);
        const char *name = json_get_string(step, "tool");
        const struct tool *tool = name ? shortlist_find(list, name) : NULL;
        if (tool)
            correct_from_step(tool, json_object_get(step, "args"), corrected);
    }
    return corrected;
}

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool planned_steps_keep_to(const struct shortlist *list, const json_t *steps,
                           const char *const *tools, size_t n_tools)
{
    for (size_t i = 0; i < json_array_size(steps); i++) {
        const char *name = json_get_string(json_array_get(steps, i), "tool");
        const struct tool *tool = name ? shortlist_find(list, name) : NULL;
        if (!tool || !is_one_of(tool->full_name, tools, n_tools))
            return false;
    }
    return true;
}
