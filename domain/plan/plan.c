#include "domain/plan/plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression.h"
#include "domain/plan/plan_inputs.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    const struct step_name *left = a, *right = b;
    int order = strcmp(left->id, right->id);
    return order ? order : left->at < right->at ? -1 : left->at > right->at;
}

static void index_names(struct arena *arena, struct plan *plan)
{
    struct step_name *names = arena_array(arena, struct step_name, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps; i++)
        names[i] = (struct step_name){ plan->steps[i].id, i };
    qsort(names, plan->n_steps, sizeof *names, by_id);
    plan->names = names;
}

int plan_find_step(const struct plan *plan, const char *id)
{
    size_t low = 0, high = plan->names ? plan->n_steps : 0;
    for (size_t i = 0; !plan->names && i < plan->n_steps; i++)
        if (strcmp(plan->steps[i].id, id) == 0)
            return (int)i;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(plan->names[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = plan->names && low < plan->n_steps && strcmp(plan->names[low].id, id) == 0;
    return is_found ? (int)plan->names[low].at : -1;
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

/* One reading: where problems go, and the step they belong to (NULL for the plan itself). */
struct reading {
    struct arena *arena;
    struct problems *problems;
    const char *step;
    int version;
};

static const char *const head_members[] = { "version", "goal", "vars", "steps", "estimated_ms" };
static const char *const head_members_2[] = { "version", "goal", "inputs", "steps", "outputs" };
/* Those of version 1, and behind them what version 2 adds. */
static const char *const step_members[] = { "id",         "tool",  "args",     "needs",
                                            "timeout_ms", "retry", "on_error", "estimated_ms",
                                            "when",       "check" };
enum { N_STEP_MEMBERS_1 = ARRAY_LENGTH(step_members) - 2 };

const char *const *plan_members(int version, bool of_step, size_t *out_n)
{
    bool is_first = version == PLAN_FORMAT_VERSION;
    if (of_step)
        *out_n = is_first ? (size_t)N_STEP_MEMBERS_1 : ARRAY_LENGTH(step_members);
    else
        *out_n = is_first ? ARRAY_LENGTH(head_members) : ARRAY_LENGTH(head_members_2);
    return of_step ? step_members : is_first ? head_members : head_members_2;
}

bool plan_step_has(const char *member)
{
    return text_is_one_of(member, step_members, N_STEP_MEMBERS_1);
}

const char *plan_step_member(const char *said)
{
    static const char *const tool[] = { "name", "tool_name", "function", "action" };
    static const char *const args[] = { "arguments",  "parameters", "params",  "input",
                                        "tool_input", "tool_args",  "argument" };
    return text_is_one_of(said, tool, ARRAY_LENGTH(tool))   ? "tool"
           : text_is_one_of(said, args, ARRAY_LENGTH(args)) ? "args"
                                                            : NULL;
}

/* A member that has another name is not to be removed. */
static void refuse_unknown(struct reading *reading, const json_t *step)
{
    struct problems *problems = reading->problems;
    size_t before = problems->n;
    size_t n = 0;
    const char *const *members = plan_members(reading->version, true, &n);
    problems_refuse_unknown(problems, reading->step, "", step, members, n);
    for (size_t i = before; i < problems->n; i++) {
        const char *meant = plan_step_member(problems->list[i].path + 1);
        if (meant && !json_object_get(step, meant))
            problems->list[i].fix = arena_printf(reading->arena, "write \"%s\" instead", meant);
    }
}

static bool id_is_valid(const struct reading *reading, const char *id)
{
    static const char *const reserved[] = { "vars", "steps", "prev_result", "inputs" };
    size_t n_reserved = ARRAY_LENGTH(reserved) - (reading->version == 1);
    size_t length = strlen(id);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)id[i]) && id[i] != '_' && id[i] != '-')
            return false;
    return length >= 1 && length <= PLAN_STEP_ID_MAX && !text_is_one_of(id, reserved, n_reserved);
}

static void read_id(struct reading *reading, const json_t *value, size_t index, struct step *step)
{
    const json_t *id = json_object_get(value, "id");
    const char *text = json_string_has_nul(id) ? NULL : json_string_value(id);
    step->id = arena_printf(reading->arena, "s%zu", index + 1);
    reading->step = step->id;
    if (id && !(text && id_is_valid(reading, text)))
        problems_add(reading->problems, step->id, "/id", "not a name for a step")->fix =
            json_is_number(id)
                ? "write it in quotes"
                : "use letters, digits, \"_\" and \"-\", at most 64; vars, steps and prev_result "
                  "are taken";
    else if (text)
        reading->step = text;
    step->has_own_id = text;
    if (text) /* also one that is none: who refers to it is not wrong as well */
        step->id = text;
}

static const char *read_text(struct reading *reading, const json_t *object, const char *key,
                             const char *fallback, const char *fix)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return fallback;
    if (json_is_string(value) && !json_string_has_nul(value))
        return json_string_value(value);
    problems_add(reading->problems, reading->step, json_path_member(reading->arena, "", key),
                 "must be text")
        ->fix = fix;
    return fallback;
}

static const json_t *read_object(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_object(value))
        return value;
    if (value)
        problems_add(reading->problems, reading->step, json_path_member(reading->arena, "", key),
                     "must be an object")
            ->fix = arena_printf(reading->arena, "write {\"name\": value, …} as its \"%s\"", key);
    return value ? NULL : arena_keep_json(reading->arena, json_object());
}

static int64_t read_number(struct reading *reading, const json_t *object, const char *key,
                           int64_t max)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (json_is_integer(value) && json_integer_value(value) >= 0 &&
        json_integer_value(value) <= max)
        return json_integer_value(value);
    problems_add(reading->problems, reading->step, json_path_member(reading->arena, "", key),
                 "must be a whole number from 0 to %lld", (long long)max)
        ->fix = "write such a number, without quotes";
    return 0;
}

static void read_needs(struct reading *reading, const json_t *value, struct step *step)
{
    const json_t *needs = json_object_get(value, "needs"), *need;
    size_t i;
    if (needs && !json_is_array(needs))
        problems_add(reading->problems, reading->step, "/needs", "must be a list of step ids")
            ->fix = "write it as [\"s1\"]";
    if (!json_array_size(needs))
        return;
    step->needs = arena_array(reading->arena, const char *, json_array_size(needs));
    json_array_foreach (needs, i, need) {
        const char *id = json_string_value(need);
        step->needs[step->n_needs++] = id ? id : "";
        if (!id || !*id)
            problems_add(reading->problems, reading->step,
                         json_path_element(reading->arena, "/needs", i), "must be a step's id")
                ->fix = "name the id of an earlier step, or remove it";
    }
}

static void read_on_error(struct reading *reading, const json_t *value, struct step *step)
{
    static const char fix[] = "write stop or continue";
    const char *text = read_text(reading, value, "on_error", "stop", fix);
    if (strcmp(text, "continue") == 0)
        step->on_error = STEP_CONTINUE;
    else if (strcmp(text, "stop") != 0)
        problems_add(reading->problems, reading->step, "/on_error",
                     "\"%.40s\" is neither stop nor continue", text)
            ->fix = fix;
}

/* NULL without one, or where there is something wrong with it. */
static const struct expression *read_expression(struct reading *reading, const json_t *value,
                                                const char *path)
{
    struct expression *expression = NULL;
    struct err err;
    if (!value)
        return NULL;
    if (!json_is_string(value) || json_string_has_nul(value))
        problems_add(reading->problems, reading->step, path, "must be an expression in a text")
            ->fix = "write it in quotes, as \"length({s1.items}) > 0\"";
    else if (expression_parse(reading->arena, json_string_value(value), &expression, &err))
        problems_add(reading->problems, reading->step, path, "%s", err.message);
    return expression;
}

static void read_check(struct reading *reading, const json_t *value, const char *path,
                       struct step_check *check)
{
    static const char *const members[] = { "that", "else" };
    const json_t *that = json_object_get(value, "that"),
                 *otherwise = json_object_get(value, "else");
    if (!that) {
        problems_add(reading->problems, reading->step, path, "a check needs \"that\"")->fix =
            "write it as {that: EXPRESSION, else: TEXT}";
        return;
    }
    problems_refuse_unknown(reading->problems, reading->step, path, value, members,
                            ARRAY_LENGTH(members));
    if (otherwise && (!json_is_string(otherwise) || json_string_has_nul(otherwise)))
        problems_add(reading->problems, reading->step,
                     json_path_member(reading->arena, path, "else"), "must be text");
    check->text = json_string_value(that);
    check->otherwise = json_string_value(otherwise);
    check->that = read_expression(reading, that, json_path_member(reading->arena, path, "that"));
}

static void read_checks(struct reading *reading, const json_t *value, struct step *step)
{
    const json_t *checks = json_object_get(value, "check"), *check;
    size_t i;
    if (checks && !json_is_array(checks))
        problems_add(reading->problems, reading->step, "/check", "must be a list of {that, else}");
    if (!json_array_size(checks))
        return;
    step->checks = arena_array(reading->arena, struct step_check, json_array_size(checks));
    step->n_checks = json_array_size(checks);
    json_array_foreach (checks, i, check)
        read_check(reading, check, json_path_element(reading->arena, "/check", i),
                   &step->checks[i]);
}

static void read_step(struct reading *reading, const json_t *value, size_t index, struct step *step)
{
    reading->problems->at = step->at;
    read_id(reading, value, index, step);
    step->estimated_ms = -1;
    step->tool = "";
    if (!json_is_object(value)) {
        problems_add(reading->problems, reading->step, NULL, "a step must be an object")->fix =
            "write a step as {\"tool\": …, \"args\": {…}}";
        return;
    }
    refuse_unknown(reading, value);
    step->tool = read_text(reading, value, "tool", "", "write the name of one tool");
    if (!json_object_get(value, "tool"))
        problems_add(reading->problems, reading->step, "/tool", "a step needs a tool")->fix =
            "add \"tool\" with the name of one tool";
    step->args = read_object(reading, value, "args");
    step->timeout_ms = read_number(reading, value, "timeout_ms", PLAN_MAX_TIMEOUT_MS);
    step->retry = (unsigned)read_number(reading, value, "retry", PLAN_MAX_RETRY);
    read_needs(reading, value, step);
    read_on_error(reading, value, step);
    if (reading->version > 1) {
        step->when_text = json_get_string(value, "when");
        step->when = read_expression(reading, json_object_get(value, "when"), "/when");
        read_checks(reading, value, step);
    }
}

static void read_steps(struct reading *reading, const json_t *steps, const char *at,
                       struct plan *plan)
{
    const json_t *value;
    size_t i;
    if (!json_is_array(steps)) {
        problems_add(reading->problems, NULL, "/steps", "must be a list of steps")->fix =
            "write the steps as a list, each {\"tool\": …, \"args\": {…}}";
        return;
    }
    plan->n_steps = json_array_size(steps);
    plan->steps = arena_array(reading->arena, struct step, plan->n_steps);
    json_array_foreach (steps, i, value) {
        plan->steps[i].at = json_path_element(reading->arena, at, i);
        read_step(reading, value, i, &plan->steps[i]);
    }
}

static void read_head(struct reading *reading, const json_t *value, struct plan *plan)
{
    const json_t *version = json_object_get(value, "version");
    bool is_newest = json_integer_value(version) == PLAN_NEWEST_VERSION;
    plan->version = reading->version = is_newest ? PLAN_NEWEST_VERSION : PLAN_FORMAT_VERSION;
    size_t n = 0;
    const char *const *members = plan_members(plan->version, false, &n);
    problems_refuse_unknown(reading->problems, reading->step, "", value, members, n);
    if (version && !is_newest && json_integer_value(version) != PLAN_FORMAT_VERSION)
        problems_add(reading->problems, NULL, "/version",
                     "only the versions %d and %d of plans are known", PLAN_FORMAT_VERSION,
                     PLAN_NEWEST_VERSION)
            ->fix = arena_printf(reading->arena, "write version: %d", PLAN_NEWEST_VERSION);
    plan->goal = read_text(reading, value, "goal", "", "write a text in quotes");
    if (!is_newest) {
        plan->vars = read_object(reading, value, "vars");
        return;
    }
    plan->source = value;
    plan->inputs = read_object(reading, value, "inputs");
    plan->vars = plan_inputs_defaults(reading->arena, plan->inputs, reading->problems);
    if (json_object_get(value, "outputs"))
        plan->outputs = read_object(reading, value, "outputs");
}

struct plan *plan_read(struct arena *arena, const json_t *value, struct problems *problems,
                       bool *out_fine)
{
    struct reading reading = { .arena = arena,
                               .problems = problems,
                               .version = PLAN_FORMAT_VERSION };
    size_t before = problems->n + problems->dropped;
    struct plan *plan = arena_new(arena, struct plan);
    plan->version = PLAN_FORMAT_VERSION;
    plan->estimated_ms = -1;
    problems->at = "";
    if (json_is_array(value)) {
        plan->goal = "";
        plan->vars = arena_keep_json(arena, json_object());
        read_steps(&reading, value, "", plan);
    } else if (json_is_object(value)) {
        read_head(&reading, value, plan);
        read_steps(&reading, json_object_get(value, "steps"), "/steps", plan);
    } else {
        problems_add(problems, /* step */ NULL, /* path */ NULL,
                     "a plan must be an object with steps, or a list of steps")
            ->fix = "write steps: and below it the steps";
        plan = NULL;
    }
    problems->at = NULL;
    if (plan)
        index_names(arena, plan);
    *out_fine = problems->n + problems->dropped == before;
    return plan;
}

bool plan_from_json(struct arena *arena, const json_t *value, struct plan **out,
                    struct problems *problems)
{
    bool is_fine;
    struct plan *plan = plan_read(arena, value, problems, &is_fine);
    if (is_fine)
        *out = plan;
    return is_fine;
}
