#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/plan_reading.h"
#include "domain/schema/json_schema.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_unit_and_id(const void *a, const void *b)
{
    const struct step_name *left = a, *right = b;
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    int order = strcmp(left->id, right->id);
    return order ? order : left->at < right->at ? -1 : left->at > right->at;
}

static void index_names(struct arena *arena, struct plan *plan)
{
    struct step_name *names = arena_array(arena, struct step_name, plan->n_steps + 1);
    for (size_t i = 0; i < plan->n_steps; i++)
        names[i] = (struct step_name){ plan->steps[i].id, plan->steps[i].unit, i };
    qsort(names, plan->n_steps, sizeof *names, by_unit_and_id);
    plan->names = names;
}

static const char *const head_members[] = { "version", "goal", "vars", "steps", "estimated_ms" };
static const char *const head_members_2[] = { "version", "goal",    "steps",   "inputs",
                                              "model",   "finally", "outputs", "used" };
/* Those of version 1, and behind them what version 2 adds. */
static const char *const step_members[] = {
    "id",           "tool",     "args",          "needs",   "timeout_ms",
    "retry",        "on_error", "estimated_ms",  "when",    "check",
    "repeatable",   "verify",   "each",          "as",      "index",
    "max_parallel", "limit",    "on_item_error", "repeat",  "steps",
    "outputs",      "use",      "with",          "approve", "ask"
};
enum { N_STEP_MEMBERS_1 = 8, N_HEAD_MEMBERS_BOTH = 3 };

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

static bool has_one_of(const json_t *object, const char *const *names, size_t n)
{
    size_t i = 0;
    while (i < n && !json_object_get(object, names[i]))
        i++;
    return i < n;
}

int plan_version_of(const json_t *plan)
{
    int64_t version = json_integer_value(json_object_get(plan, "version"));
    const json_t *steps = json_object_get(plan, "steps"), *step;
    size_t i;
    bool has_new = has_one_of(plan, head_members_2 + N_HEAD_MEMBERS_BOTH,
                              ARRAY_LENGTH(head_members_2) - N_HEAD_MEMBERS_BOTH);
    json_array_foreach (steps, i, step)
        has_new = has_new || has_one_of(step, step_members + N_STEP_MEMBERS_1,
                                        ARRAY_LENGTH(step_members) - N_STEP_MEMBERS_1);
    bool is_known = version == PLAN_FORMAT_VERSION || version == PLAN_NEWEST_VERSION;
    return is_known ? (int)version : has_new ? PLAN_NEWEST_VERSION : PLAN_FORMAT_VERSION;
}

struct problem *plan_read_fault(struct reading *reading, const char *path, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_trim_broken_end(text);
    return problems_add(reading->problems, reading->step, path, "%s", text);
}

/* What version 2 calls what other languages of plans have. */
static const char *member_for(const struct reading *reading, const char *said)
{
    static const char *const pairs[][2] = { { "if", "when" },       { "condition", "when" },
                                            { "for", "each" },      { "foreach", "each" },
                                            { "for_each", "each" }, { "loop", "each" },
                                            { "retries", "retry" }, { "timeout", "timeout_ms" },
                                            { "name", "id" },       { "tasks", "steps" },
                                            { "vars", "inputs" } };
    for (size_t i = 0; reading->version > 1 && i < ARRAY_LENGTH(pairs); i++)
        if (strcmp(said, pairs[i][0]) == 0)
            return pairs[i][1];
    return plan_step_member(said);
}

/* A member that has another name is not to be removed. object: the plan, or a step of it. */
static void refuse_unknown(struct reading *reading, const json_t *object, bool is_step)
{
    struct problems *problems = reading->problems;
    size_t before = problems->n;
    size_t n = 0;
    const char *const *members = plan_members(reading->version, is_step, &n);
    problems_refuse_unknown(problems, reading->step, "", object, members, n);
    for (size_t i = before; i < problems->n; i++) {
        const char *meant = member_for(reading, problems->list[i].path + 1);
        if (meant && text_is_one_of(meant, members, n) && !json_object_get(object, meant))
            problems->list[i].fix = arena_printf(reading->arena, "write \"%s\" instead", meant);
    }
}

static bool id_is_valid(const struct reading *reading, const char *id)
{
    static const char *const reserved[] = { "vars", "steps", "prev_result", "inputs",
                                            "item", "index", "verify" };
    size_t n_reserved = reading->version == 1 ? 3 : ARRAY_LENGTH(reserved);
    size_t length = strlen(id);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)id[i]) && id[i] != '_' && id[i] != '-')
            return false;
    return length >= 1 && length <= PLAN_STEP_ID_MAX && !text_is_one_of(id, reserved, n_reserved);
}

static void read_id(struct reading *reading, const json_t *value, struct step *step)
{
    const json_t *id = json_object_get(value, "id");
    const char *text = json_string_has_nul(id) ? NULL : json_string_value(id);
    step->id = arena_printf(reading->arena, "s%zu", ++reading->number);
    reading->step = step->id;
    if (id && !(text && id_is_valid(reading, text)))
        plan_read_fault(reading, "/id", "not a name for a step")->fix =
            json_is_number(id) ? "write it in quotes"
            : reading->version == 1
                ? "use letters, digits, \"_\" and \"-\", at most 64; vars, steps and prev_result "
                  "are taken"
                : "use letters, digits, \"_\" and \"-\", at most 64; vars, inputs, steps, "
                  "prev_result, item, index and verify are taken";
    else if (text)
        reading->step = text;
    step->has_own_id = text;
    if (text) /* also one that is none: who refers to it is not wrong as well */
        step->id = text;
}

const char *plan_read_text(struct reading *reading, const json_t *object, const char *path,
                           const char *key, const char *fallback, const char *fix)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return fallback;
    if (json_is_string(value) && !json_string_has_nul(value))
        return json_string_value(value);
    plan_read_fault(reading, json_path_member(reading->arena, path, key), "must be text")->fix =
        fix;
    return fallback;
}

const json_t *plan_read_object(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_object(value))
        return value;
    if (value)
        plan_read_fault(reading, json_path_member(reading->arena, "", key), "must be an object")
            ->fix = arena_printf(reading->arena, "write {\"name\": value, …} as its \"%s\"", key);
    return value ? NULL : arena_keep_json(reading->arena, json_object());
}

int64_t plan_read_number(struct reading *reading, const json_t *object, const char *path,
                         const char *key, int64_t min, int64_t max, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return fallback;
    if (json_is_integer(value) && json_integer_value(value) >= min &&
        json_integer_value(value) <= max)
        return json_integer_value(value);
    plan_read_fault(reading, json_path_member(reading->arena, path, key),
                    "must be a whole number from %lld to %lld", (long long)min, (long long)max)
        ->fix = "write such a number, without quotes";
    return fallback;
}

static void read_needs(struct reading *reading, const json_t *value, struct step *step)
{
    const json_t *needs = json_object_get(value, "needs"), *need;
    size_t i;
    if (needs && !json_is_array(needs))
        plan_read_fault(reading, "/needs", "must be a list of step ids")->fix =
            "write it as a list, as in [\"s1\"]";
    if (!json_array_size(needs))
        return;
    step->needs = arena_array(reading->arena, const char *, json_array_size(needs));
    json_array_foreach (needs, i, need) {
        const char *id = json_string_value(need);
        step->needs[step->n_needs++] = id ? id : "";
        if (!id || !*id)
            plan_read_fault(reading, json_path_element(reading->arena, "/needs", i),
                            "must be a step's id")
                ->fix = "name the id of an earlier step, or remove it";
    }
}

static void read_on_error(struct reading *reading, const json_t *value, struct step *step)
{
    static const char fix[] = "write stop or continue";
    const char *text = plan_read_text(reading, value, "", "on_error", "stop", fix);
    if (strcmp(text, "continue") == 0)
        step->on_error = STEP_CONTINUE;
    else if (strcmp(text, "stop") != 0)
        plan_read_fault(reading, "/on_error", "\"%.40s\" is neither stop nor continue", text)->fix =
            fix;
}

const struct expression *plan_read_expression(struct reading *reading, const json_t *value,
                                              const char *path)
{
    struct expression *expression = NULL;
    struct err err;
    if (!value)
        return NULL;
    if (!json_is_string(value) || json_string_has_nul(value))
        plan_read_fault(reading, path, "must be an expression in a text")->fix =
            "write it in quotes, as \"length({s1.items}) > 0\"";
    else if (expression_parse(reading->arena, json_string_value(value), &expression, &err))
        plan_read_fault(reading, path, "%s", err.message)->fix =
            *err.hint ? arena_strdup(reading->arena, err.hint)
                      : "write one such as \"length({s1.items}) > 0\"";
    return expression;
}

static void read_check(struct reading *reading, const json_t *value, const char *path,
                       struct step_check *check)
{
    static const char *const members[] = { "that", "else" };
    const json_t *that = json_object_get(value, "that");
    if (!that) {
        plan_read_fault(reading, path, "a check needs \"that\"")->fix =
            "write it as {that: EXPRESSION, else: TEXT}";
        return;
    }
    problems_refuse_unknown(reading->problems, reading->step, path, value, members,
                            ARRAY_LENGTH(members));
    check->text = json_string_value(that);
    check->otherwise = plan_read_text(reading, value, path, "else", NULL, "write a text in quotes");
    check->that =
        plan_read_expression(reading, that, json_path_member(reading->arena, path, "that"));
}

static void read_checks(struct reading *reading, const json_t *value, struct step *step)
{
    const json_t *checks = json_object_get(value, "check"), *check;
    size_t i;
    if (checks && !json_is_array(checks))
        plan_read_fault(reading, "/check", "must be a list of {that, else}")->fix =
            "write it as [{that: EXPRESSION, else: TEXT}]";
    if (!json_array_size(checks))
        return;
    step->checks = arena_array(reading->arena, struct step_check, json_array_size(checks));
    step->n_checks = json_array_size(checks);
    json_array_foreach (checks, i, check)
        read_check(reading, check, json_path_element(reading->arena, "/check", i),
                   &step->checks[i]);
}

static void read_call(struct reading *reading, const json_t *value, struct step *step)
{
    step->tool = plan_read_text(reading, value, "", "tool", "", "write the name of one tool");
    if (!json_object_get(value, "tool"))
        plan_read_fault(reading, "/tool", "a step needs a tool")->fix =
            "add \"tool\" with the name of one tool";
    step->args = plan_read_object(reading, value, "args");
    step->timeout_ms =
        plan_read_number(reading, value, "", "timeout_ms", 0, PLAN_MAX_TIMEOUT_MS, 0);
    step->retry =
        json_is_object(json_object_get(value, "retry")) && reading->version > 1
            ? 0
            : (unsigned)plan_read_number(reading, value, "", "retry", 0, PLAN_MAX_RETRY, 0);
}

/* at: where the step will be in the plan. What is in its body is put behind it. */
static void read_step(struct reading *reading, const json_t *value, struct step *step, size_t at)
{
    reading->problems->at = step->at;
    read_id(reading, value, step);
    step->estimated_ms = -1;
    step->tool = "";
    if (!json_is_object(value)) {
        plan_read_fault(reading, NULL, "a step must be an object")->fix =
            "write a step as {\"tool\": …, \"args\": {…}}";
        return;
    }
    refuse_unknown(reading, value, true);
    read_needs(reading, value, step);
    read_on_error(reading, value, step);
    if (reading->version == 1) {
        read_call(reading, value, step);
        return;
    }
    step->when_text = json_get_string(value, "when");
    step->when = plan_read_expression(reading, json_object_get(value, "when"), "/when");
    read_checks(reading, value, step);
    if (json_object_get(value, "tool"))
        read_call(reading, value, step);
    plan_read_kind(reading, value, step, at);
}

void plan_read_list(struct reading *reading, const json_t *steps, const char *path, size_t body_of,
                    bool is_finally)
{
    struct plan *plan = reading->plan;
    const json_t *value;
    size_t i;
    if (!json_is_array(steps)) {
        plan_read_fault(reading, path, "must be a list of steps")->fix =
            "write the steps as a list, each {\"tool\": …, \"args\": {…}}";
        return;
    }
    const char *below = reading->problems->at;
    const char *list = arena_printf(reading->arena, "%s%s", below, path);
    json_array_foreach (steps, i, value) {
        size_t at = plan->n_steps;
        struct step step = { .at = json_path_element(reading->arena, list, i),
                             .body_of = body_of,
                             .unit = reading->unit,
                             .is_finally = is_finally };
        *arena_push(reading->arena, plan->steps, plan->n_steps, reading->capacity) = step;
        read_step(reading, value, &step, at);
        step.end = plan->n_steps;
        plan->steps[at] = step;
    }
    reading->problems->at = below;
    reading->step = NULL;
}

static void read_version(struct reading *reading, const json_t *value, struct plan *plan)
{
    const json_t *version = json_object_get(value, "version"), *member;
    int64_t said = json_integer_value(version);
    const char *name;
    bool is_said = false;
    plan->version = reading->version = plan_version_of(value);
    json_each_member (value, name, member) /* one that is misspelt is told of as such */
        is_said = is_said || text_distance(name, "version", 2) <= 2;
    if (version && said != PLAN_NEWEST_VERSION && said != PLAN_FORMAT_VERSION)
        problems_add(reading->problems, NULL, "/version",
                     "only the versions %d and %d of plans are known", PLAN_FORMAT_VERSION,
                     PLAN_NEWEST_VERSION)
            ->fix = arena_printf(reading->arena, "write version: %d", PLAN_NEWEST_VERSION);
    if (plan->version == PLAN_FORMAT_VERSION || is_said)
        return;
    struct problem *problem = problems_add(reading->problems, NULL, NULL, "the version is missing");
    problem->fix = "add \"version: 2\" as the first line (in JSON as the first member)";
    problem->line = problem->column = 1;
}

static void read_may_ask(struct reading *reading, const json_t *value)
{
    const char *model = plan_read_text(reading, value, "", "model", NULL, "write allowed");
    reading->may_ask = reading->may_ask || text_equal(model, "allowed");
    if (model && !text_equal(model, "allowed"))
        plan_read_fault(reading, "/model", "\"%.40s\" is not known here", model)->fix =
            "write allowed, or leave it out";
}

static const json_t *read_outputs(struct reading *reading, const json_t *value)
{
    const json_t *outputs = json_object_get(value, "outputs"), *output, *schema;
    const char *name;
    if (!outputs || !(outputs = plan_read_object(reading, value, "outputs")))
        return NULL;
    json_each_member (outputs, name, output) {
        struct err err;
        (void)plan_output_value(output, &schema);
        if (schema && json_schema_check(schema, json_null(), NULL, &(bool){ false }, &err))
            plan_read_fault(reading,
                            arena_printf(reading->arena, "%s/schema",
                                         json_path_member(reading->arena, "/outputs", name)),
                            "%s", err.message)
                ->fix = "write a JSON Schema there";
    }
    return outputs;
}

static void read_head(struct reading *reading, const json_t *value, struct plan *plan)
{
    read_version(reading, value, plan);
    refuse_unknown(reading, value, false);
    plan->goal = plan_read_text(reading, value, "", "goal", "", "write a text in quotes");
    if (plan->version == PLAN_FORMAT_VERSION) {
        plan->vars = plan_read_object(reading, value, "vars");
        return;
    }
    plan->source = value;
    reading->used = json_object_get(value, "used");
    if (reading->used && !json_is_object(reading->used))
        plan_read_fault(reading, "/used", "must be an object of plans by their files")->fix =
            "remove it: files are found by themselves";
    read_may_ask(reading, value);
    plan->may_ask = reading->may_ask;
    plan->inputs = plan_read_object(reading, value, "inputs");
    plan->vars = plan_inputs_defaults(reading->arena, plan->inputs, reading->problems);
    plan->outputs = read_outputs(reading, value);
}

/* What the inputs of a plan are that was used before; NULL: it is used for the first time. */
static const json_t *known_defaults(const struct plan *plan, const char *file)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (plan->steps[i].use && plan->steps[i].use->vars &&
            text_equal(plan->steps[i].use->file, file))
            return plan->steps[i].use->vars;
    return NULL;
}

void plan_read_used(struct reading *reading, const json_t *value, struct step_use *use,
                    struct step *step, size_t at)
{
    struct reading other = *reading;
    const char *below = reading->problems->at;
    other.outer = reading;
    other.step = NULL;
    other.file = use->file;
    other.unit = at + 1;
    other.number = 0;
    other.use_depth++;
    reading->problems->at = json_path_member(reading->arena, "/used", use->file);
    refuse_unknown(&other, value, false);
    if (json_get_int(value, "version", 0) != PLAN_NEWEST_VERSION)
        plan_read_fault(&other, "/version", "only a plan of version 2 can be used by another")
            ->fix = "write version: 2";
    if (!reading->may_ask && json_object_get(value, "model"))
        plan_read_fault(&other, "/model", "the plan that uses this one allows no model")->fix =
            "write model: allowed there too";
    use->inputs = plan_read_object(&other, value, "inputs");
    use->vars = known_defaults(reading->plan, use->file);
    if (!use->vars)
        use->vars = plan_inputs_defaults(reading->arena, use->inputs, reading->problems);
    step->outputs = read_outputs(&other, value);
    plan_read_list(&other, json_object_get(value, "steps"), "/steps", at + 1, false);
    if (json_object_get(value, "finally"))
        plan_read_list(&other, json_object_get(value, "finally"), "/finally", at + 1, true);
    reading->capacity = other.capacity;
    reading->problems->at = below;
}

struct plan *plan_read(struct arena *arena, const json_t *value, struct problems *problems,
                       bool *out_fine)
{
    struct plan *plan = arena_new(arena, struct plan);
    struct reading reading = {
        .arena = arena, .problems = problems, .plan = plan, .version = PLAN_FORMAT_VERSION
    };
    size_t before = problems->n + problems->dropped;
    plan->version = PLAN_FORMAT_VERSION;
    plan->estimated_ms = -1;
    problems->at = "";
    if (json_is_array(value)) {
        plan->goal = "";
        plan->vars = arena_keep_json(arena, json_object());
        plan_read_list(&reading, value, "", 0, false);
    } else if (json_is_object(value)) {
        read_head(&reading, value, plan);
        plan_read_list(&reading, json_object_get(value, "steps"), "/steps", 0, false);
        if (plan->version > 1 && json_object_get(value, "finally"))
            plan_read_list(&reading, json_object_get(value, "finally"), "/finally", 0, true);
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
