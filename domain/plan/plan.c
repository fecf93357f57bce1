#include "domain/plan/plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static int compare(const struct step_name *name, size_t unit, const char *id)
{
    if (name->unit != unit)
        return name->unit < unit ? -1 : 1;
    return strcmp(name->id, id);
}

int plan_find_step_of(const struct plan *plan, size_t unit, const char *id)
{
    size_t low = 0, high = plan->names ? plan->n_steps : 0;
    for (size_t i = 0; !plan->names && i < plan->n_steps; i++)
        if (strcmp(plan->steps[i].id, id) == 0)
            return (int)i;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&plan->names[middle], unit, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = plan->names && low < plan->n_steps && compare(&plan->names[low], unit, id) == 0;
    return is_found ? (int)plan->names[low].at : -1;
}

int plan_find_step(const struct plan *plan, const char *id)
{
    return plan_find_step_of(plan, 0, id);
}

bool plan_step_is_last(const struct plan *plan, size_t at)
{
    for (size_t i = at + 1; i; i = plan->steps[i - 1].body_of)
        if (plan->steps[i - 1].is_finally)
            return true;
    return false;
}

size_t plan_n_before_finally(const struct plan *plan)
{
    size_t n = 0;
    while (n < plan->n_steps && !(plan->steps[n].is_finally && !plan->steps[n].body_of))
        n++;
    return n;
}

bool plan_step_is_in(const struct plan *plan, size_t at, size_t of)
{
    return at > of && at < plan->steps[of].end;
}

size_t plan_guarded_end(const struct plan *plan, size_t approve)
{
    const struct step *steps = plan->steps;
    size_t at = approve + 1;
    while (at < plan->n_steps && steps[at].body_of == steps[approve].body_of &&
           steps[at].is_finally == steps[approve].is_finally && steps[at].kind != STEP_APPROVE)
        at = steps[at].end;
    return at;
}

/* The step that the id at the beginning of a part of an address names, or -1; *unit becomes that of
 * the next part. */
static int step_of_part(const struct plan *plan, const char *part, size_t *unit)
{
    char id[PLAN_STEP_ID_MAX + 1];
    size_t length = strcspn(part, ".[");
    if (length > PLAN_STEP_ID_MAX)
        return -1;
    memcpy(id, part, length);
    id[length] = '\0';
    int at = plan_find_step_of(plan, *unit, id);
    if (at >= 0 && plan->steps[at].kind == STEP_USE)
        *unit = (size_t)at + 1;
    return at;
}

int plan_step_at(const struct plan *plan, const char *path)
{
    size_t unit = 0;
    int at = -1;
    for (const char *from = path; from; from = strchr(from, '.')) {
        from += *from == '.';
        at = step_of_part(plan, from, &unit);
        if (at < 0)
            return -1;
    }
    return at;
}

const char *plan_shown_path(struct arena *arena, const struct plan *plan, const char *path)
{
    const char *shown = "";
    size_t unit = 0;
    for (const char *from = path; from; from = strchr(from, '.')) {
        from += *from == '.';
        int at = step_of_part(plan, from, &unit);
        bool is_repeat = at >= 0 && plan->steps[at].loop && plan->steps[at].loop->until;
        size_t length = strcspn(from, is_repeat ? ".[" : ".");
        shown = arena_printf(arena, "%s%s%.*s", shown, *shown ? "." : "", (int)length, from);
    }
    return shown;
}

enum { USE_PATH_MAX = 1024 };

const char *plan_use_file(struct arena *arena, const char *from, const char *said)
{
    const char *slash = from ? strrchr(from, '/') : NULL, *rest = said;
    const char *file = slash ? arena_strndup(arena, from, (size_t)(slash - from)) : "";
    if (*said == '/' || strlen(said) + strlen(file) > USE_PATH_MAX || strchr(said, '\\'))
        return NULL;
    while (*rest) {
        size_t length = strcspn(rest, "/");
        bool is_here = length == 0 || (length == 1 && *rest == '.');
        if (length == 2 && strncmp(rest, "..", 2) == 0)
            return NULL;
        if (!is_here)
            file = arena_printf(arena, "%s%s%.*s", file, *file ? "/" : "", (int)length, rest);
        rest += length + (rest[length] == '/');
    }
    return *said && said[strlen(said) - 1] != '/' && *file ? file : NULL;
}

const json_t *plan_output_value(const json_t *output, const json_t **out_schema)
{
    const json_t *value = json_object_get(output, "value");
    const json_t *schema = json_object_get(output, "schema");
    bool is_checked = value && schema && json_object_size(output) == 2;
    *out_schema = is_checked ? schema : NULL;
    return is_checked ? value : output;
}

static void set_estimate(json_t *object, int64_t estimated_ms)
{
    if (estimated_ms >= 0)
        json_object_set_new(object, "estimated_ms", json_integer(estimated_ms));
}

static json_t *step_to_json(const struct step *step)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", json_string(step->id));
    json_object_set_new(object, "tool", json_string(step->tool));
    json_object_set_new(object, "args", json_share(step->args));
    if (step->n_needs)
        json_object_set_new(object, "needs", json_from_texts(step->needs, step->n_needs));
    if (step->timeout_ms)
        json_object_set_new(object, "timeout_ms", json_integer(step->timeout_ms));
    if (step->retry)
        json_object_set_new(object, "retry", json_integer(step->retry));
    if (step->on_error == STEP_CONTINUE)
        json_object_set_new(object, "on_error", json_string("continue"));
    set_estimate(object, step->estimated_ms);
    return object;
}

json_t *plan_to_json(const struct plan *plan)
{
    if (plan->source)
        return json_share(plan->source);
    json_t *object = json_object(), *steps = json_array();
    json_object_set_new(object, "version", json_integer(PLAN_FORMAT_VERSION));
    json_object_set_new(object, "goal", json_string(plan->goal));
    if (json_object_size(plan->vars))
        json_object_set_new(object, "vars", json_share(plan->vars));
    for (size_t i = 0; i < plan->n_steps; i++)
        json_array_append_new(steps, step_to_json(&plan->steps[i]));
    json_object_set_new(object, "steps", steps);
    set_estimate(object, plan->estimated_ms);
    return object;
}
