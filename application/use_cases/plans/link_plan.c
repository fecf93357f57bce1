#include "application/use_cases/plans/link_plan.h"
#include "domain/base/json.h"
#include "domain/plan/plan.h"
#include <string.h>

struct linking {
    struct documents *documents;
    const struct plan_files *files;
    struct arena *arena;
    struct problems *problems;
    struct linked_plan *out;
    size_t capacity;
    json_t *used; /* by file */
};

/* Why a file cannot be had stands in the place of its plan. */
static void put_failure(struct linking *linking, const char *file, const char *why)
{
    json_object_set_new(linking->used, file,
                        json_string(arena_printf(linking->arena, "%.200s: %.200s", file, why)));
}

awaits static enum err_code read_file(struct linking *linking, const char *file, struct err *err)
{
    const char *text = NULL;
    size_t length = 0, before = linking->problems->n;
    struct err why = { .code = ERR_NONE };
    struct plan_part part = { .file = file };
    enum err_code r =
        linking->files->read(linking->files, linking->arena, file, &text, &length, &why);
    if (r == ERR_CANCELLED || r == ERR_TIMEOUT) {
        *err = why;
        return r;
    }
    if (!r)
        r = documents_parse_all(linking->documents, text, length, linking->arena, linking->problems,
                                &part.document, &why);
    for (size_t i = before; i < linking->problems->n; i++)
        linking->problems->list[i].file = file;
    if (!r && !json_is_object(part.document.value)) {
        put_failure(linking, file, "it is no plan of version 2");
        return ERR_NONE;
    }
    if (r) {
        put_failure(linking, file, *why.message ? why.message : "it cannot be read");
        return ERR_NONE;
    }
    *arena_push(linking->arena, linking->out->parts, linking->out->n_parts, linking->capacity) =
        part;
    json_object_set_new(linking->used, file, json_share(part.document.value));
    return ERR_NONE;
}

/* from: the file of the plan that names it; NULL: the plan itself. */
awaits static enum err_code link_use(struct linking *linking, const char *from, const json_t *use,
                                     struct err *err)
{
    const char *file =
        json_is_string(use) ? plan_use_file(linking->arena, from, json_string_value(use)) : NULL;
    if (!file || json_object_get(linking->used, file) || !linking->files)
        return ERR_NONE;
    if (json_object_size(linking->used) < LINK_PLAN_MAX_FILES)
        return read_file(linking, file, err);
    put_failure(linking, file, "the plan uses too many others");
    return ERR_NONE;
}

awaits static enum err_code link_steps(struct linking *linking, const char *from,
                                       const json_t *steps, struct err *err)
{
    enum err_code r = ERR_NONE;
    const json_t *step;
    size_t i;
    json_array_foreach (steps, i, step) {
        r = link_use(linking, from, json_object_get(step, "use"), err);
        if (!r)
            r = link_steps(linking, from, json_object_get(step, "steps"), err);
        if (r)
            break;
    }
    return r;
}

awaits static enum err_code link_lists(struct linking *linking, const char *from,
                                       const json_t *plan, struct err *err)
{
    enum err_code r = link_steps(linking, from, json_object_get(plan, "steps"), err);
    return r ? r : link_steps(linking, from, json_object_get(plan, "finally"), err);
}

enum err_code link_plan(struct documents *documents, const struct plan_files *files,
                        struct arena *arena, struct problems *problems, struct linked_plan *out,
                        struct err *err)
{
    const json_t *value = out->document.value, *used = json_object_get(value, "used");
    struct linking linking = { .documents = documents,
                               .files = files,
                               .arena = arena,
                               .problems = problems,
                               .out = out,
                               .used =
                                   used ? json_copy((json_t *)(uintptr_t)used) : json_object() };
    arena_keep_json(arena, linking.used);
    out->value = value;
    if (plan_version_of(value) != PLAN_NEWEST_VERSION || (used && !json_is_object(used)))
        return ERR_NONE;
    enum err_code r = link_lists(&linking, NULL, value, err);
    /* One after the other: a hundred files that use each other are no hundred levels of the stack.
     */
    for (size_t i = 0; !r && i < out->n_parts; i++)
        r = link_lists(&linking, out->parts[i].file, out->parts[i].document.value, err);
    if (!r && json_object_size(linking.used)) {
        json_t *linked = json_copy((json_t *)(uintptr_t)value);
        out->value = arena_keep_json(arena, linked);
        json_object_set(linked, "used", linking.used);
    }
    return r;
}
