#include "application/use_cases/plans/check_plan.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_inputs.h"
#include <string.h>

/* A --var is text; it takes the type of the plan's default where its text allows it. */
static json_t *typed(const json_t *fallback, const json_t *given)
{
    const char *text = json_string_value(given);
    int64_t whole;
    double number;
    if (text && json_is_integer(fallback) && text_to_int64(text, &whole))
        return json_integer(whole);
    if (text && json_is_number(fallback) && text_to_double(text, &number))
        return json_real(number);
    if (text && json_is_boolean(fallback) && strcmp(text, "true") == 0)
        return json_true();
    if (text && json_is_boolean(fallback) && strcmp(text, "false") == 0)
        return json_false();
    return json_share(given);
}

const json_t *plan_merge_vars(struct arena *arena, const json_t *defaults, const json_t *given)
{
    json_t *vars = arena_keep_json(arena, json_object());
    const char *key;
    json_t *value;
    json_each_member (defaults, key, value) {
        json_object_set(vars, key, value);
    }
    json_each_member (given, key, value) {
        json_object_set_new(vars, key, typed(json_object_get(defaults, key), value));
    }
    return vars;
}

bool plan_has_bare_name(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if ((*plan->steps[i].tool && !strchr(plan->steps[i].tool, '/')) ||
            (plan->steps[i].verify && !strchr(plan->steps[i].verify->tool, '/')))
            return true;
    return false;
}

enum err_code plan_find_tools(struct toolbox *toolbox, struct scope *scope, struct arena *arena,
                              const struct plan *plan, struct plan_check_input *input,
                              struct err *err)
{
    enum err_code r = ERR_NONE;
    struct err *missing = arena_array(arena, struct err, plan->n_steps + 1);
    for (size_t i = 0; !r && i < plan->n_steps; i++) {
        const struct step *step = &plan->steps[i];
        const struct tool *tool = NULL;
        if (step->verify)
            r = toolbox_find(toolbox, scope, step->verify->tool, &tool, NULL, &missing[i]);
        if (*step->tool && (!r || r == ERR_NOT_FOUND || r == ERR_INVALID))
            r = toolbox_find(toolbox, scope, step->tool, &tool, /* out_server */ NULL, &missing[i]);
        if (r == ERR_NOT_FOUND || r == ERR_INVALID)
            r = ERR_NONE;
        if (r && err)
            *err = missing[i];
    }
    input->missing = missing;
    input->tools = toolbox_known(toolbox, arena, &input->n_tools);
    return r;
}

const char *plan_literal_warning(struct arena *arena, const struct plan *plan)
{
    size_t step = 0;
    const char *place = plan_find_literal(arena, plan, &step);
    return place ? arena_printf(arena,
                                "step %s, %s: what looks like a reference there is none and goes "
                                "to the tool as it is written; a reference is {s1.field}",
                                plan->steps[step].id, place)
                 : NULL;
}

/* The document that a JSON Pointer leads into, and the rest of it there. */
static const struct document *find_part(struct arena *arena, const struct linked_plan *linked,
                                        const char **at, const char **out_file)
{
    const char *rest = *at;
    *out_file = NULL;
    if (!text_starts_with(*at, "/used/"))
        return &linked->document;
    (void)json_path_part(arena, &rest);
    const char *file = json_path_part(arena, &rest);
    for (size_t i = 0; i < linked->n_parts; i++) {
        if (strcmp(linked->parts[i].file, file) != 0)
            continue;
        *at = rest;
        *out_file = linked->parts[i].file;
        return &linked->parts[i].document;
    }
    return &linked->document;
}

void plan_place_problems(struct documents *documents, const struct linked_plan *linked,
                         struct problems *problems)
{
    for (size_t i = 0; i < problems->n; i++) {
        struct problem *problem = &problems->list[i];
        const char *at = problem->at;
        if (!at || problem->line)
            continue;
        const struct document *document = find_part(problems->arena, linked, &at, &problem->file);
        if (problem->is_name)
            (void)documents_place(documents, document, at, &problem->line, &problem->column);
        else
            (void)documents_value_place(documents, document, at, &problem->line, &problem->column);
    }
    problems_sort(problems);
}

/* One plan on its way through the check. */
struct checking {
    struct services *services;
    struct scope *scope;
    struct arena *arena;
    struct toolbox *toolbox; /* NULL: no server is asked */
    const json_t *vars;
};

static bool is_over(enum err_code code)
{
    return code == ERR_CANCELLED || code == ERR_TIMEOUT;
}

static void find_tools(const struct checking *checking, const struct plan *plan,
                       struct plan_check_input *input, struct err *err)
{
    enum err_code r = ERR_NONE;
    input->has_no_tools = !checking->toolbox;
    if (!checking->toolbox)
        return;
    if (plan_has_bare_name(plan))
        r = toolbox_refresh(checking->toolbox, checking->scope, NULL, err);
    if (!r)
        r = plan_find_tools(checking->toolbox, checking->scope, checking->arena, plan, input, err);
    input->has_no_tools = r;
}

/* Inputs of version 2 are known by their schemas. */
static enum err_code refuse_vars(struct err *err)
{
    err_set(err, ERR_INVALID, 0, "check takes --var only for plans of version 1");
    return err_hint(err, ERR_INVALID,
                    "leave it out: inputs are checked by their schemas; mistro run --dry-run "
                    "checks values");
}

static void check_one(const struct checking *checking, const struct plan_text *file,
                      struct checked_plan *out)
{
    struct documents *documents = checking->services->documents;
    struct arena *arena = checking->arena;
    struct linked_plan linked = { 0 };
    struct err ignored;
    bool is_fine;
    out->problems = arena_new(arena, struct problems);
    out->unknown = arena_new(arena, struct problems);
    out->problems->arena = out->unknown->arena = arena;
    if (documents_parse_all(documents, file->text, file->length, arena, out->problems,
                            &linked.document, &ignored))
        return;
    if (link_plan(documents, file->files, arena, out->problems, &linked, &out->err))
        return;
    struct plan *plan = plan_read(arena, linked.value, out->problems, &is_fine);
    out->plan = plan;
    if (plan && plan->version > 1 && json_object_size(checking->vars)) {
        (void)refuse_vars(&out->err);
    } else if (plan) {
        struct plan_check_input input = {
            .vars = plan_merge_vars(arena, plan->vars, checking->vars),
            .max_steps = plan->version > 1 ? PLAN_MAX_STEPS
                                           : (size_t)checking->services->settings->max_plan_steps,
            .unknown = out->unknown,
        };
        find_tools(checking, plan, &input, &out->err);
        if (plan_check(arena, plan, &input, out->problems) && is_fine)
            out->warning = plan_literal_warning(arena, plan);
    }
    plan_place_problems(documents, &linked, out->problems);
    plan_place_problems(documents, &linked, out->unknown);
}

enum err_code check_plans(struct services *services, struct scope *scope, struct arena *arena,
                          const struct check_plans_request *request, struct checked_plan *out,
                          struct err *err)
{
    struct checking checking = { services, scope, arena, .vars = request->vars };
    struct tool_server **servers = NULL;
    size_t n_servers = 0;
    enum err_code r = ERR_NONE;
    if (!request->is_offline)
        r = services_servers(services, scope, &servers, &n_servers, err);
    if (r)
        return r;
    if (!request->is_offline)
        checking.toolbox = toolbox_create(services, servers, n_servers);
    for (size_t i = 0; !r && i < request->n; i++) {
        out[i] = (struct checked_plan){ 0 };
        check_one(&checking, &request->texts[i], &out[i]);
        r = is_over(out[i].err.code) ? out[i].err.code : ERR_NONE;
        if (r)
            *err = out[i].err;
    }
    toolbox_destroy(checking.toolbox);
    return r;
}
