#include "domain/plan/step_conditions.h"
#include "domain/base/json.h"
#include "domain/schema/json_schema.h"

struct deciding {
    struct arena *arena;
    const struct frame *frame;
    struct reference_place place;
};

/* values: one for each reference of an expression. */
static void find_values(const struct deciding *deciding, const struct expression *expression,
                        const json_t *values[EXPRESSION_MAX_REFERENCES])
{
    for (size_t i = 0; i < expression_n_references(expression); i++) {
        const struct reference reference =
            reference_parse(deciding->arena, &deciding->place, expression_reference(expression, i));
        values[i] = reference_find(deciding->arena, &reference, deciding->frame);
    }
}

static enum err_code decide(const struct deciding *deciding, const struct expression *expression,
                            bool *out, const char **out_values, struct err *err)
{
    const json_t *values[EXPRESSION_MAX_REFERENCES], *value = NULL;
    find_values(deciding, expression, values);
    enum err_code r = expression_evaluate(deciding->arena, expression, values, &value, err);
    if (!r && !json_is_boolean(value))
        r = err_set(err, ERR_FAILED, 0, "it gives neither true nor false");
    *out = !r && json_is_true(value);
    if (!r && !*out && out_values)
        *out_values = expression_explain(deciding->arena, expression, values);
    return r;
}

bool step_lacks_result(struct arena *arena, const struct frame *frame, size_t at)
{
    const struct step *step = &frame->plan->steps[at];
    const struct reference_place place = reference_place_of(frame->plan, at);
    const struct reference_place around = reference_place_around(frame->plan, at);
    bool lacks = references_lack_result(arena, &place, frame, step->args, true) ||
                 (step->loop && step->loop->each &&
                  references_lack_result(arena, &around, frame, step->loop->each, true));
    for (size_t i = 0; step->when && i < expression_n_references(step->when); i++) {
        json_auto_t *text =
            json_string(arena_printf(arena, "{%s}", expression_reference(step->when, i)));
        lacks |= !expression_reference_may_lack(step->when, i) &&
                 references_lack_result(arena, &around, frame, text, true);
    }
    return lacks;
}

enum err_code step_condition_holds(struct arena *arena, const struct frame *frame, size_t at,
                                   bool *out, struct err *err)
{
    const struct deciding deciding = { arena, frame, reference_place_around(frame->plan, at) };
    const struct expression *when = frame->plan->steps[at].when;
    *out = true;
    enum err_code r = when ? decide(&deciding, when, out, NULL, err) : ERR_NONE;
    return r ? err_prefix(err, r, "when") : ERR_NONE;
}

enum err_code step_repeat_is_over(struct arena *arena, const struct frame *frame, size_t at,
                                  bool *out, const char **out_values, struct err *err)
{
    const struct deciding deciding = { arena, frame, reference_place_around(frame->plan, at) };
    enum err_code r = decide(&deciding, frame->plan->steps[at].loop->until, out, out_values, err);
    return r ? err_prefix(err, r, "until") : ERR_NONE;
}

enum err_code step_verify_is_done(struct arena *arena, const struct frame *frame, size_t at,
                                  bool *out, struct err *err)
{
    const struct deciding deciding = { arena, frame, reference_place_of(frame->plan, at) };
    enum err_code r = decide(&deciding, frame->plan->steps[at].verify->done, out, NULL, err);
    return r ? err_prefix(err, r, "done") : ERR_NONE;
}

/* The text of `else` with its references, as far as they lead to anything. */
static const char *what_to_say(const struct deciding *deciding, const struct step_check *check)
{
    json_auto_t *text = check->otherwise ? json_string(check->otherwise) : NULL;
    const json_t *bound = NULL;
    if (!text)
        return check->text;
    if (references_bind_value(deciding->arena, &deciding->place, deciding->frame, text, &bound,
                              NULL))
        return check->otherwise;
    return json_is_string(bound) ? json_string_value(bound) : json_print_in(deciding->arena, bound);
}

enum err_code step_checks_hold(struct arena *arena, const struct frame *frame, size_t at,
                               struct err *err)
{
    const struct deciding deciding = { arena, frame, reference_place_around(frame->plan, at) };
    const struct step *step = &frame->plan->steps[at];
    for (size_t i = 0; i < step->n_checks; i++) {
        const struct step_check *check = &step->checks[i];
        const char *values = "";
        bool holds = false;
        if (decide(&deciding, check->that, &holds, &values, err))
            return err_prefix(err, ERR_CHECK_FAILED, "check %.120s", check->text);
        if (!holds)
            return err_set(err, ERR_CHECK_FAILED, 0, "%.160s (%.200s)",
                           what_to_say(&deciding, check), values);
    }
    return ERR_NONE;
}

static enum err_code bind_output(struct arena *arena, const struct reference_place *place,
                                 const struct frame *frame, const json_t *output,
                                 const json_t **out, struct err *err)
{
    const json_t *schema = NULL, *value = plan_output_value(output, &schema);
    *out = json_null();
    enum err_code r = references_lack_result(arena, place, frame, value, false)
                          ? ERR_NONE
                          : references_bind_value(arena, place, frame, value, out, err);
    return !r && schema ? json_schema_require(schema, *out, err) : r;
}

enum err_code plan_outputs(struct arena *arena, const struct frame *frame, const json_t *outputs,
                           size_t body_of, const json_t **out, struct err *err)
{
    const struct reference_place place = reference_place_behind(frame->plan, body_of);
    json_t *all = json_object();
    const json_t *output, *bound;
    const char *name;
    *out = arena_keep_json(arena, all);
    json_each_member (outputs, name, output) {
        enum err_code r = bind_output(arena, &place, frame, output, &bound, err);
        if (r)
            return err_prefix(err, ERR_FAILED, "output %.80s", name);
        json_object_set_new(all, name, json_share(bound));
    }
    return ERR_NONE;
}
