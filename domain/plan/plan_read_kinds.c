/* What a step of version 2 has by its kind. Each kind, and each of the two loops, is a table row of
 * the members that go with it; what is left over stands where it means nothing. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_reading.h"
#include "domain/schema/json_schema.h"
#include <string.h>

enum {
    DEFAULT_ITEMS = 1000,
    DEFAULT_REPEATS = 10,
    DEFAULT_PAUSE_MS = 1000,
    MAX_PAUSE_MS = 3600000
};

static const char *const kind_members[] = {
#define X(kind, member) member,
    STEP_KINDS(X)
#undef X
};

static const char *const of_tool[] = { "args", "timeout_ms", "retry", "repeatable", "verify" };
static const char *const of_each[] = { "as", "index", "max_parallel", "limit", "on_item_error" };

static bool is_of_kind(const struct step *step, const char *member)
{
    switch (step->kind) {
    case STEP_TOOL:
        return text_is_one_of(member, of_tool, ARRAY_LENGTH(of_tool));
    case STEP_BLOCK:
        return strcmp(member, "outputs") == 0;
    case STEP_USE:
        return strcmp(member, "with") == 0;
    case STEP_APPROVE:
    case STEP_ASK:
        break;
    }
    return false;
}

static bool may_loop(const struct step *step)
{
    return step->kind == STEP_TOOL || step->kind == STEP_BLOCK || step->kind == STEP_USE;
}

static bool is_general(const char *member)
{
    static const char *const names[] = {
        "id", "needs", "when", "check", "on_error", "estimated_ms"
    };
    return text_is_one_of(member, names, ARRAY_LENGTH(names));
}

/* Known members that go with another kind of step. */
static void refuse_misplaced(struct reading *reading, const json_t *value, const struct step *step)
{
    size_t n = 0;
    const char *name, *const *members = plan_members(PLAN_NEWEST_VERSION, true, &n);
    const json_t *member;
    bool has_each = json_object_get(value, "each");
    json_each_member (value, name, member) {
        bool is_loop = strcmp(name, "each") == 0 || strcmp(name, "repeat") == 0;
        bool is_each = text_is_one_of(name, of_each, ARRAY_LENGTH(of_each));
        const char *why = NULL;
        if (is_general(name) || !text_is_one_of(name, members, n) ||
            text_is_one_of(name, kind_members, ARRAY_LENGTH(kind_members)))
            continue;
        if (is_loop && !may_loop(step))
            why = "cannot be in a loop";
        else if (is_each && !has_each)
            why = "has it only in a loop, with \"each\"";
        else if (!is_loop && !is_each && !is_of_kind(step, name))
            why = "does not have it";
        if (!why)
            continue;
        struct problem *problem =
            plan_read_fault(reading, json_path_member(reading->arena, "", name),
                            "a step with \"%s\" %s", kind_members[step->kind], why);
        problem->is_name = true;
        const char *other = strcmp(name, "with") == 0   ? "args"
                            : strcmp(name, "args") == 0 ? "with"
                                                        : "";
        problem->fix = is_loop ? "put the step into a block in the loop, a step with \"steps\""
                       : is_of_kind(step, other) && !json_object_get(value, other)
                           ? arena_printf(reading->arena, "write \"%s\" instead", other)
                           : "remove it";
    }
}

/* The members of an object that is a member of the step. False: it is none, which was said. */
static bool open_object(struct reading *reading, const json_t *value, const char *path,
                        const char *fix, const char *const *members, size_t n)
{
    if (!json_is_object(value)) {
        plan_read_fault(reading, path, "must be an object")->fix = fix;
        return false;
    }
    problems_refuse_unknown(reading->problems, reading->step, path, value, members, n);
    return true;
}

static void must_have(struct reading *reading, const json_t *object, const char *path,
                      const char *member)
{
    if (!json_object_get(object, member))
        plan_read_fault(reading, path, "needs \"%s\"", member)->fix =
            arena_printf(reading->arena, "add \"%s\" to it", member);
}

static bool read_flag(struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (value && !json_is_boolean(value))
        plan_read_fault(reading, json_path_member(reading->arena, "", key), "must be true or false")
            ->fix = "write true or false, without quotes";
    return json_is_true(value);
}

/* One of two words, the first of which is the default. */
static bool is_second(struct reading *reading, const json_t *object, const char *path,
                      const char *key, const char *first, const char *second)
{
    const char *fix = arena_printf(reading->arena, "write %s or %s", first, second);
    const char *said = plan_read_text(reading, object, path, key, first, fix);
    if (strcmp(said, first) != 0 && strcmp(said, second) != 0)
        plan_read_fault(reading, json_path_member(reading->arena, path, key),
                        "\"%.40s\" is neither %s nor %s", said, first, second)
            ->fix = fix;
    return strcmp(said, second) == 0;
}

static const char *read_name(struct reading *reading, const json_t *value, const char *key,
                             const char *fallback)
{
    static const char *const taken[] = { "vars", "steps", "prev_result", "inputs", "verify" };
    const char *fix = "use letters, digits, \"_\" and \"-\", at most 64, and no name of another "
                      "thing";
    const char *name = plan_read_text(reading, value, "", key, fallback, fix);
    size_t length = strlen(name);
    bool is_name =
        length >= 1 && length <= PLAN_STEP_ID_MAX &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
            length &&
        !text_is_one_of(name, taken, ARRAY_LENGTH(taken));
    if (!is_name)
        plan_read_fault(reading, json_path_member(reading->arena, "", key),
                        "not a name for an element of a loop")
            ->fix = fix;
    return name;
}

static const struct step_loop *read_each(struct reading *reading, const json_t *value)
{
    struct step_loop *loop = arena_new(reading->arena, struct step_loop);
    loop->each = json_object_get(value, "each");
    if (!json_is_string(loop->each) && !json_is_array(loop->each))
        plan_read_fault(reading, "/each", "must be a reference in quotes, or a list")->fix =
            "write it as \"{s1.items}\" or [a, b]";
    loop->item = read_name(reading, value, "as", "item");
    loop->index = read_name(reading, value, "index", "index");
    loop->max_parallel =
        (size_t)plan_read_number(reading, value, "", "max_parallel", 1, PLAN_MAX_PARALLEL, 1);
    loop->limit =
        (size_t)plan_read_number(reading, value, "", "limit", 1, PLAN_MAX_ITEMS, DEFAULT_ITEMS);
    loop->goes_on = is_second(reading, value, "", "on_item_error", "stop", "continue");
    return loop;
}

static const struct step_loop *read_repeat(struct reading *reading, const json_t *value)
{
    static const char *const members[] = { "until", "max", "delay_ms" };
    const json_t *repeat = json_object_get(value, "repeat");
    struct step_loop *loop = arena_new(reading->arena, struct step_loop);
    loop->max_parallel = 1;
    if (!open_object(reading, repeat, "/repeat", "write it as {until: EXPRESSION, max: 10}",
                     members, ARRAY_LENGTH(members)))
        return NULL;
    must_have(reading, repeat, "/repeat", "until");
    loop->until_text = json_get_string(repeat, "until");
    loop->until = plan_read_expression(reading, json_object_get(repeat, "until"), "/repeat/until");
    loop->max = (size_t)plan_read_number(reading, repeat, "/repeat", "max", 1, PLAN_MAX_REPEATS,
                                         DEFAULT_REPEATS);
    loop->delay_ms =
        plan_read_number(reading, repeat, "/repeat", "delay_ms", 0, MAX_PAUSE_MS, DEFAULT_PAUSE_MS);
    return loop;
}

/* A member beside which another one stands already. */
static void refuse_member(struct reading *reading, const char *member, const char *other,
                          const char *fix)
{
    struct problem *problem = plan_read_fault(reading, json_path_member(reading->arena, "", member),
                                              "the step has \"%s\" already", other);
    problem->is_name = true;
    problem->fix = fix;
}

static void read_loop(struct reading *reading, const json_t *value, struct step *step)
{
    bool is_each = json_object_get(value, "each"), is_repeat = json_object_get(value, "repeat");
    if (!may_loop(step))
        return;
    if (is_each && is_repeat)
        refuse_member(reading, "repeat", "each",
                      "put one of the two into a block, a step with \"steps\"");
    if (is_each)
        step->loop = read_each(reading, value);
    else if (is_repeat)
        step->loop = read_repeat(reading, value);
}

static void read_retry_reasons(struct reading *reading, const json_t *retry, struct step_retry *out)
{
    static const char fix[] = "write a list of timeout, unavailable and error";
    const json_t *on = json_object_get(retry, "on"), *one;
    size_t i;
    out->on_timeout = out->on_unavailable = out->on_error = !on;
    if (on && !json_is_array(on))
        plan_read_fault(reading, "/retry/on", "must be a list")->fix = fix;
    json_array_foreach (on, i, one) {
        const char *text = json_string_value(one);
        out->on_timeout |= text_equal(text, "timeout");
        out->on_unavailable |= text_equal(text, "unavailable");
        out->on_error |= text_equal(text, "error");
        if (!text_equal(text, "timeout") && !text_equal(text, "unavailable") &&
            !text_equal(text, "error"))
            plan_read_fault(reading, json_path_element(reading->arena, "/retry/on", i),
                            "is none of timeout, unavailable and error")
                ->fix = fix;
    }
}

/* A number was read before, and stands for itself alone. */
static void read_retry(struct reading *reading, const json_t *value, struct step *step)
{
    static const char *const members[] = { "max", "delay_ms", "backoff", "on" };
    const json_t *retry = json_object_get(value, "retry");
    struct step_retry *out = arena_new(reading->arena, struct step_retry);
    *out = (struct step_retry){ -1, false, true, true, true };
    step->retries = retry ? out : NULL;
    if (!json_is_object(retry))
        return;
    problems_refuse_unknown(reading->problems, reading->step, "/retry", retry, members,
                            ARRAY_LENGTH(members));
    must_have(reading, retry, "/retry", "max");
    step->retry = (unsigned)plan_read_number(reading, retry, "/retry", "max", 0, PLAN_MAX_RETRY, 0);
    out->delay_ms = plan_read_number(reading, retry, "/retry", "delay_ms", 0, MAX_PAUSE_MS, -1);
    out->is_fixed = is_second(reading, retry, "/retry", "backoff", "exponential", "fixed");
    read_retry_reasons(reading, retry, out);
}

static void read_verify(struct reading *reading, const json_t *value, struct step *step)
{
    static const char *const members[] = { "tool", "args", "done", "result" };
    const json_t *verify = json_object_get(value, "verify"),
                 *args = json_object_get(verify, "args");
    struct step_verify *out = arena_new(reading->arena, struct step_verify);
    if (!verify || !open_object(reading, verify, "/verify",
                                "write it as {tool: …, args: {…}, done: EXPRESSION}", members,
                                ARRAY_LENGTH(members)))
        return;
    must_have(reading, verify, "/verify", "tool");
    must_have(reading, verify, "/verify", "done");
    out->tool = plan_read_text(reading, verify, "/verify", "tool", "", "write the name of a tool");
    if (args && !json_is_object(args))
        plan_read_fault(reading, "/verify/args", "must be an object")->fix =
            "write {\"name\": value, …} as its \"args\"";
    out->args = json_is_object(args) ? args : arena_keep_json(reading->arena, json_object());
    out->done_text = json_get_string(verify, "done");
    out->done = plan_read_expression(reading, json_object_get(verify, "done"), "/verify/done");
    out->result = json_object_get(verify, "result");
    step->verify = out;
}

static bool is_used_already(const struct reading *reading, const char *file)
{
    for (; reading; reading = reading->outer)
        if (text_equal(reading->file, file))
            return true;
    return false;
}

static void read_use(struct reading *reading, const json_t *value, struct step *step, size_t at)
{
    struct step_use *use = arena_new(reading->arena, struct step_use);
    const char *said = plan_read_text(reading, value, "", "use", NULL, "write the name of a file");
    use->with = plan_read_object(reading, value, "with");
    step->use = use;
    step->args = use->with;
    if (!said)
        return;
    use->file = plan_use_file(reading->arena, reading->file, said);
    const json_t *other = use->file ? json_object_get(reading->used, use->file) : NULL;
    if (!use->file)
        plan_read_fault(reading, "/use", "is no file below the folder of the plan")->fix =
            "put it below that folder, and name it from there, without \"..\"";
    else if (!json_is_object(other))
        plan_read_fault(reading, "/use",
                        json_is_string(other) ? "%.300s" : "the plan %.200s is not there",
                        json_is_string(other) ? json_string_value(other) : use->file)
            ->fix = "name a plan file that can be read, below the folder of this plan";
    else if (is_used_already(reading, use->file))
        plan_read_fault(reading, "/use", "the plan %.200s uses itself", use->file)->fix =
            "name another plan, or write \"steps\" in place of \"use\"";
    else if (reading->use_depth == PLAN_MAX_USE_DEPTH)
        plan_read_fault(reading, "/use", "plans use each other more than %d levels deep",
                        PLAN_MAX_USE_DEPTH)
            ->fix = "write its steps here";
    else if (reading->plan->n_steps <= PLAN_MAX_STEPS)
        plan_read_used(reading, other, use, step, at);
}

static void read_approve(struct reading *reading, const json_t *value, struct step *step)
{
    static const char *const members[] = { "text", "show" };
    const json_t *approve = json_object_get(value, "approve");
    if (!open_object(reading, approve, "/approve", "write it as {text: …}", members,
                     ARRAY_LENGTH(members)))
        return;
    must_have(reading, approve, "/approve", "text");
    step->text = plan_read_text(reading, approve, "/approve", "text", "", "write what is asked");
    step->show = json_object_get(approve, "show");
}

static void read_ask(struct reading *reading, const json_t *value, struct step *step)
{
    static const char *const members[] = { "text", "schema" };
    const json_t *ask = json_object_get(value, "ask");
    struct err err;
    if (!reading->may_ask) {
        struct problem *problem = plan_read_fault(reading, "/ask", "no step may ask a model here");
        problem->is_name = true;
        problem->fix = "write model: allowed at the top of the plan";
    }
    if (!open_object(reading, ask, "/ask", "write it as {text: …, schema: {…}}", members,
                     ARRAY_LENGTH(members)))
        return;
    must_have(reading, ask, "/ask", "text");
    must_have(reading, ask, "/ask", "schema");
    step->text = plan_read_text(reading, ask, "/ask", "text", "", "write what the model is asked");
    step->schema = json_object_get(ask, "schema");
    if (!step->schema)
        return;
    if (!text_equal(json_get_string(step->schema, "type"), "object"))
        plan_read_fault(reading, "/ask/schema", "must be a schema of type object")->fix =
            "write it as {type: object, properties: {…}}";
    else if (json_schema_check(step->schema, json_null(), NULL, &(bool){ false }, &err))
        plan_read_fault(reading, "/ask/schema", "%s", err.message)->fix =
            "write a JSON Schema there";
}

/* The first kind counts. */
static bool find_kind(struct reading *reading, const json_t *value, struct step *step)
{
    bool is_found = false;
    for (size_t i = 0; i < ARRAY_LENGTH(kind_members); i++) {
        if (!json_object_get(value, kind_members[i]))
            continue;
        if (is_found)
            refuse_member(reading, kind_members[i], kind_members[step->kind],
                          "make two steps of it");
        else
            step->kind = (enum step_kind)i;
        is_found = true;
    }
    if (!is_found)
        plan_read_fault(reading, "/tool", "a step needs a tool, or steps, use, approve or ask")
            ->fix = "add \"tool\" with the name of one tool";
    return is_found;
}

void plan_read_kind(struct reading *reading, const json_t *value, struct step *step, size_t at)
{
    const char *id = reading->step;
    if (!find_kind(reading, value, step))
        return;
    refuse_misplaced(reading, value, step);
    read_loop(reading, value, step);
    if (step->kind == STEP_TOOL) {
        read_retry(reading, value, step);
        step->is_repeatable = read_flag(reading, value, "repeatable");
        read_verify(reading, value, step);
    } else if (step->kind == STEP_BLOCK) {
        if (json_object_get(value, "outputs"))
            step->outputs = plan_read_object(reading, value, "outputs");
        reading->problems->at = step->at;
        plan_read_list(reading, json_object_get(value, "steps"), "/steps", at + 1, false);
    } else if (step->kind == STEP_USE) {
        read_use(reading, value, step, at);
    } else if (step->kind == STEP_APPROVE) {
        reading->plan->has_approve = true;
        read_approve(reading, value, step);
    } else {
        read_ask(reading, value, step);
    }
    reading->step = id;
    reading->problems->at = step->at;
}
