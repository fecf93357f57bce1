#include "domain/plan/step_conditions.h"
#include "domain/base/json.h"
#include "domain/plan/expression.h"

/* values: one for each reference of an expression. */
static void find_values(const struct results_so_far *so_far, size_t at,
                        const struct expression *expression,
                        const json_t *values[EXPRESSION_MAX_REFERENCES])
{
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        const struct reference reference =
            reference_parse(so_far->arena, so_far->plan, at, expression_reference(expression, i));
        values[i] =
            reference_find(so_far->arena, so_far->plan, &reference, so_far->vars, so_far->results);
    }
}

static enum err_code decide(const struct results_so_far *so_far,
                            const struct expression *expression, const json_t *const *values,
                            bool *out, struct err *err)
{
    const json_t *value = NULL;
    enum err_code r = expression_evaluate(so_far->arena, expression, values, &value, err);
    if (!r && !json_is_boolean(value))
        r = err_set(err, ERR_FAILED, 0, "it gives neither true nor false");
    *out = !r && json_is_true(value);
    return r;
}

enum err_code step_condition_holds(const struct results_so_far *so_far, size_t at, bool *out,
                                   struct err *err)
{
    const json_t *values[EXPRESSION_MAX_REFERENCES];
    const struct step *step = &so_far->plan->steps[at];
    *out = true;
    if (!step->when)
        return ERR_NONE;
    find_values(so_far, at, step->when, values);
    enum err_code r = decide(so_far, step->when, values, out, err);
    return r ? err_prefix(err, r, "when") : ERR_NONE;
}

static enum err_code check(const struct results_so_far *so_far, size_t at,
                           const struct step_check *check, struct err *err)
{
    const json_t *values[EXPRESSION_MAX_REFERENCES];
    bool holds = false;
    find_values(so_far, at, check->that, values);
    if (decide(so_far, check->that, values, &holds, err))
        return err_prefix(err, ERR_CHECK_FAILED, "check %.120s", check->text);
    if (holds)
        return ERR_NONE;
    return err_set(err, ERR_CHECK_FAILED, 0, "%.160s (%.200s)",
                   check->otherwise ? check->otherwise : check->text,
                   expression_explain(so_far->arena, check->that, values));
}

enum err_code step_checks_hold(const struct results_so_far *so_far, size_t at, struct err *err)
{
    const struct step *step = &so_far->plan->steps[at];
    enum err_code r = ERR_NONE;
    for (size_t i = 0; !r && i < step->n_checks; i++)
        r = check(so_far, at, &step->checks[i], err);
    return r;
}

struct lookout {
    const struct results_so_far *so_far;
    bool has_gap;
};

static bool note_gap(void *context, const char *path, const struct reference *reference)
{
    (void)path;
    struct lookout *lookout = context;
    lookout->has_gap |=
        reference->root == REFERENCE_STEP && !lookout->so_far->results[reference->step];
    return !lookout->has_gap;
}

static enum err_code bind_output(const struct results_so_far *so_far, const json_t *value,
                                 const json_t **out, struct err *err)
{
    struct lookout lookout = { .so_far = so_far };
    size_t at = so_far->plan->n_steps;
    references_visit(so_far->arena, so_far->plan, at, value, note_gap, &lookout);
    *out = json_null();
    return lookout.has_gap ? ERR_NONE
                           : references_bind_value(so_far->arena, so_far->plan, at, value,
                                                   so_far->vars, so_far->results, out, err);
}

enum err_code plan_outputs(const struct results_so_far *so_far, const json_t **out, struct err *err)
{
    json_t *outputs = json_object();
    const json_t *value, *bound, *all = arena_keep_json(so_far->arena, outputs);
    const char *name;
    *out = so_far->plan->outputs ? all : NULL;
    json_each_member (so_far->plan->outputs, name, value) {
        enum err_code r = bind_output(so_far, value, &bound, err);
        if (r)
            return err_prefix(err, ERR_FAILED, "output %.80s", name);
        json_object_set_new(outputs, name, json_share(bound));
    }
    return ERR_NONE;
}
