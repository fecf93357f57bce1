/* What to write in place of a reference or a gap that cannot be used. The fields that the earlier
 * step gives are taken from its output schema; the one whose name was asked for, or is the
 * argument's own, is meant. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_internal.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define HINT_MAX_FIELDS 64
#define HINT_MAX_DEPTH 4

/* The fields of a result, as far as they fit what is wanted. */
struct fields {
    struct arena *arena;
    const json_t *root;                 /* output schema */
    const json_t *input, *wanted;       /* the argument's schema and its root; may be NULL */
    const char *names[HINT_MAX_FIELDS]; /* last names */
    const char *paths[HINT_MAX_FIELDS]; /* ".matches[0].path" */
    size_t n;
};

static void collect(struct fields *fields, const json_t *schema, const char *path, unsigned depth)
{
    schema = schema_view_resolve(fields->root, schema);
    const json_t *items = json_object_get(schema, "items"), *member;
    const char *name;
    if (depth == HINT_MAX_DEPTH)
        return;
    if (items)
        collect(fields, items, arena_printf(fields->arena, "%s[0]", path), depth + 1);
    json_each_member (json_object_get(schema, "properties"), name, member) {
        const char *at = arena_printf(fields->arena, "%s.%s", path, name);
        bool fits = !fields->wanted ||
                    schema_view_types_meet(fields->root, member, fields->input, fields->wanted);
        if (fits && fields->n < HINT_MAX_FIELDS) {
            fields->names[fields->n] = name;
            fields->paths[fields->n++] = at;
        }
        collect(fields, member, at, depth + 1);
    }
}

const char *plan_check_place(struct arena *arena, const char *path, const char **out_name)
{
    const char *place = "args", *name = NULL;
    while (*path == '/') {
        const char *part = json_path_part(arena, &path);
        bool is_index = *part && strspn(part, "0123456789") == strlen(part);
        place = arena_printf(arena, is_index ? "%s[%s]" : "%s.%s", place, part);
        name = is_index ? name : part;
    }
    if (out_name)
        *out_name = name;
    return place;
}

/* The field that is meant of what step `from` gives; ".text" where it does not say what it gives,
 * NULL where it does and nothing tells which is meant. */
static const char *field_of(const struct plan_checking *checking, size_t from, size_t at,
                            const char *path, const char *asked, const char *name)
{
    const struct tool *gives = checking->tools[from], *takes = checking->tools[at];
    struct fields fields = { .arena = checking->arena };
    const struct step *step = &checking->plan->steps[from];
    if ((step->loop && step->loop->each) || step->kind != STEP_TOOL) /* not what a tool gives */
        return NULL;
    if (!gives || !gives->output_schema)
        return ".text";
    fields.root = gives->output_schema;
    fields.input = takes ? takes->input_schema : NULL;
    if (takes)
        fields.wanted = schema_view_at(takes->input_schema, checking->plan->steps[at].args, path);
    collect(&fields, fields.root, "", 0);
    size_t nearest;
    if (!(asked && text_nearest(asked, fields.names, fields.n, &nearest, 1)) &&
        !(name && text_nearest(name, fields.names, fields.n, &nearest, 1)))
        return NULL;
    return fields.paths[nearest];
}

const char *plan_check_replacement(const struct plan_checking *checking, size_t at,
                                   const char *path, const struct reference *reference)
{
    struct arena *arena = checking->arena;
    const struct step *steps = checking->plan->steps;
    const char *name, *place = plan_check_place(arena, path, &name), *asked = NULL;
    bool is_known = reference && reference->step >= 0 && (size_t)reference->step < at;
    size_t from = is_known ? (size_t)reference->step : at - 1;
    for (size_t i = 0; reference && i < reference->n_parts; i++)
        if (!reference->is_index[i])
            asked = reference->parts[i];
    if (!is_known && at == 0)
        return arena_printf(arena, "write the value itself in step %s, %s", steps[at].id, place);
    const char *field = field_of(checking, from, at, path, asked, name);
    if (!field && is_known)
        return NULL;
    field = field ? field : ".text";
    return arena_printf(arena, "write {%s%s}%s in step %s, %s", steps[from].id, field,
                        is_known ? "" : ", or the value itself,", steps[at].id, place);
}
