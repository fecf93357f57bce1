#include "domain/plan/plan_check.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/expression.h"
#include "domain/plan/plan_check_internal.h"
#include "domain/plan/plan_inputs.h"
#include "domain/plan/references.h"
#include "domain/schema/schema_view.h"
#include <string.h>

#define NEAREST_SHOWN 3

/* The tool with that full or (where unique) bare name; NULL when there is none or several. */
static const struct tool *find_tool(const struct plan_check_input *input, const char *name)
{
    const struct tool *found = NULL;
    for (size_t i = 0; i < input->n_tools; i++) {
        const struct tool *tool = input->tools[i];
        if (strcmp(tool->full_name, name) == 0)
            return tool;
        if (strcmp(tool->name, name) != 0 || tool_is_for_plans(tool))
            continue;
        if (found)
            return NULL;
        found = tool;
    }
    return found;
}

static const char *join(struct arena *arena, const char *const *names, const size_t *indices,
                        size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "", names[indices[i]]);
    return text;
}

/* Full names of the tools with that bare name, NULL when there are none. */
static const char *namesakes(const struct plan_checking *checking, const char *name)
{
    const char *text = NULL;
    for (size_t i = 0; i < checking->input->n_tools; i++) {
        const struct tool *tool = checking->input->tools[i];
        if (strcmp(tool->name, name) == 0 && !tool_is_for_plans(tool))
            text = text ? arena_printf(checking->arena, "%s, %s", text, tool->full_name)
                        : tool->full_name;
    }
    return text;
}

/* Why and what to do where no name is near: of a server that is not there no tool was listed. */
static void report_unlisted_tool(const struct plan_checking *checking, size_t at, const char *path,
                                 const char *name)
{
    bool is_own = strcmp(path, "/tool") == 0;
    const struct err *why =
        checking->input->missing && is_own ? &checking->input->missing[at] : NULL;
    bool says_why = why && why->code && *why->hint;
    const struct step *step = &checking->plan->steps[at];
    problems_add(checking->problems, step->id, path, "there is no tool \"%.100s\"%s%.200s", name,
                 says_why ? ": " : "", says_why ? why->message : "")
        ->fix = says_why ? arena_strdup(checking->arena, why->hint)
                : checking->input->request
                    ? "use a tool of the list, or leave the step out"
                    : "use one that mistro tools lists, or leave the step out";
}

static void report_unknown_tool(const struct plan_checking *checking, size_t at, const char *path,
                                const char *name)
{
    const struct step *step = &checking->plan->steps[at];
    struct arena *arena = checking->arena;
    size_t n_tools = checking->input->n_tools, n = 0, nearest[NEAREST_SHOWN];
    const char **full = arena_array(arena, const char *, n_tools + 1);
    const char **compared = arena_array(arena, const char *, n_tools + 1);
    for (size_t i = 0; i < n_tools; i++) {
        const struct tool *tool = checking->input->tools[i];
        if (strcmp(path, "/tool") != 0 && tool->read_only != HINT_YES) /* to verify with */
            continue;
        full[n] = tool->full_name;
        compared[n++] = strchr(name, '/') ? tool->full_name : tool->name;
    }
    size_t found = text_nearest(name, compared, n, nearest, NEAREST_SHOWN);
    if (!found) {
        report_unlisted_tool(checking, at, path, name);
        return;
    }
    problems_add(checking->problems, step->id, path, "there is no tool \"%.100s\"; nearest: %s",
                 name, join(arena, full, nearest, found))
        ->fix = arena_printf(arena, "use %s", full[nearest[0]]);
}

const struct tool *plan_check_tool(const struct plan_checking *checking, size_t at,
                                   const char *path, const char **name)
{
    const struct step *step = &checking->plan->steps[at];
    if (checking->input->has_no_tools || !**name)
        return NULL;
    const struct tool *tool = find_tool(checking->input, *name);
    if (tool) {
        *name = tool->full_name;
        return tool;
    }
    const char *several = namesakes(checking, *name);
    plan_check_at_step(checking, at);
    if (several)
        problems_add(checking->problems, step->id, path,
                     "several servers have a tool \"%.100s\": %s", *name, several)
            ->fix = "write the full name: server/tool";
    else
        report_unknown_tool(checking, at, path, *name);
    return NULL;
}

/* Another plan takes its inputs as a tool takes its arguments. */
static const struct tool *tool_of_use(const struct plan_checking *checking, const struct step *step)
{
    struct arena *arena = checking->arena;
    struct tool *tool = arena_new(arena, struct tool);
    if (!step->use || !step->use->inputs || !step->use->file)
        return NULL;
    tool->name = tool->full_name = arena_printf(arena, "plan %s", step->use->file);
    tool->server = "";
    tool->input_schema = arena_keep_json(arena, plan_inputs_schema(step->use->inputs));
    return tool;
}

static void find_tools(const struct plan_checking *checking, struct plan *plan)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        struct step *step = &plan->steps[i];
        if (step->kind == STEP_TOOL)
            checking->tools[i] = plan_check_tool(checking, i, "/tool", &step->tool);
        else if (step->kind == STEP_USE)
            checking->tools[i] = tool_of_use(checking, step);
    }
}

void plan_check_at_step(const struct plan_checking *checking, size_t at)
{
    checking->problems->at = checking->plan->steps[at].at;
}

void plan_check_at_arguments(const struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    const char *member = step->kind == STEP_USE ? "with" : "args";
    checking->problems->at =
        step->at ? arena_printf(checking->arena, "%s/%s", step->at, member) : NULL;
}

static void mark(uint64_t *set, size_t at)
{
    set[at / 64] |= 1ULL << (at % 64);
}

static bool is_marked(const uint64_t *set, size_t at)
{
    return set[at / 64] >> (at % 64) & 1;
}

/* Whom every step waits for, directly and through others (Warshall's algorithm). */
static uint64_t **find_reached(const struct plan_checking *checking)
{
    size_t n = checking->plan->n_steps, words = n / 64 + 1;
    uint64_t **reached = arena_array(checking->arena, uint64_t *, n + 1);
    bool *needs = arena_array(checking->arena, bool, n + 1);
    for (size_t i = 0; i < n; i++) {
        reached[i] = arena_array(checking->arena, uint64_t, words);
        memset(needs, 0, n);
        plan_step_needs(checking->arena, checking->plan, i, needs);
        for (size_t j = 0; j < n; j++)
            if (needs[j])
                mark(reached[i], j);
    }
    for (size_t through = 0; through < n; through++)
        for (size_t i = 0; i < n; i++)
            for (size_t w = 0; is_marked(reached[i], through) && w < words; w++)
                reached[i][w] |= reached[through][w];
    return reached;
}

/* Whether the later step waits for the earlier one, which is about to ask for it. */
bool plan_check_is_cycle(struct plan_checking *checking, size_t earlier, size_t later)
{
    if (!checking->reached)
        checking->reached = find_reached(checking);
    return is_marked(checking->reached[later], earlier);
}

/* How a step comes before one that asks for it. Where it is called by its position it would have
 * another name there, and so would those in between. */
const char *plan_check_move(const struct plan_checking *checking, size_t at, size_t later,
                            bool is_by_position)
{
    const struct step *steps = checking->plan->steps;
    bool is_named = !is_by_position;
    for (size_t i = at; i <= later; i++)
        is_named = is_named && steps[i].has_own_id;
    return arena_printf(checking->arena, "%smove step %s before step %s",
                        is_named || !steps[at].at
                            ? ""
                            : "give the steps ids of their own, use these in references, and ",
                        steps[later].id, steps[at].id);
}

static void report_later_need(struct plan_checking *checking, size_t at, size_t later,
                              const char *path)
{
    const char *id = checking->plan->steps[at].id, *other = checking->plan->steps[later].id;
    if (plan_check_is_cycle(checking, at, later))
        problems_add(checking->problems, id, path, "%s and %s wait for each other", id, other)
            ->fix = arena_printf(checking->arena,
                                 "remove it here: step %s already waits for step %s", other, id);
    else
        problems_add(checking->problems, id, path, "needs %s, which comes later", other)->fix =
            plan_check_move(checking, at, later, false);
}

static void check_need(struct plan_checking *checking, size_t at, size_t index)
{
    const struct step *step = &checking->plan->steps[at];
    const char *path = arena_printf(checking->arena, "/needs/%zu", index);
    const struct step *steps = checking->plan->steps;
    int needed = plan_find_step_of(checking->plan, step->unit, step->needs[index]);
    if (!*step->needs[index])
        return; /* no id at all, which was said */
    if (needed >= 0 &&
        (steps[needed].body_of != step->body_of || steps[needed].is_finally != step->is_finally))
        problems_add(checking->problems, step->id, path, "%s is not in the same list of steps",
                     steps[needed].id)
            ->fix = "name a step of this list, or remove it";
    else if (needed < 0)
        problems_add(checking->problems, step->id, path, "there is no step \"%.64s\"",
                     step->needs[index])
            ->fix = "name the id of an earlier step, or remove it";
    else if ((size_t)needed == at)
        problems_add(checking->problems, step->id, path, "the step needs itself")->fix =
            "remove it";
    else if ((size_t)needed > at)
        report_later_need(checking, at, (size_t)needed, path);
}

static void check_conditions(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct looking looking = plan_look_at(checking, at);
    looking.place.is_around = true;
    looking.path = "/when";
    if (step->when)
        plan_check_expression(&looking, step->when);
    looking.has_result = true;
    for (size_t i = 0; i < step->n_checks; i++) {
        looking.path = arena_printf(checking->arena, "/check/%zu/that", i);
        if (step->checks[i].that)
            plan_check_expression(&looking, step->checks[i].that);
        json_auto_t *otherwise =
            step->checks[i].otherwise ? json_string(step->checks[i].otherwise) : NULL;
        looking.path = arena_printf(checking->arena, "/check/%zu/else", i);
        if (otherwise)
            plan_check_value(&looking, otherwise);
    }
}

static void check_id(const struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    if (*step->id && plan_find_step_of(checking->plan, step->unit, step->id) != (int)at)
        problems_add(checking->problems, step->id, "/id", "an earlier step has the same id")->fix =
            "give every step an id of its own";
}

static void check_step(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct looking looking = plan_look_at(checking, at);
    looking.to = checking->tools[at];
    looking.args = step->args;
    plan_check_at_step(checking, at);
    check_id(checking, at);
    for (size_t i = 0; i < step->n_needs; i++)
        check_need(checking, at, i);
    plan_check_at_arguments(checking, at);
    if (step->args)
        plan_check_value(&looking, step->args);
    plan_check_at_step(checking, at);
    check_conditions(checking, at);
    plan_check_kind(checking, at);
    plan_check_at_arguments(checking, at);
    if (step->args && checking->input->request)
        plan_check_gaps(checking, at);
    if (step->args && checking->tools[at])
        plan_check_arguments(checking, at, checking->tools[at], step->args);
}

bool plan_check(struct arena *arena, struct plan *plan, const struct plan_check_input *input,
                struct problems *problems)
{
    struct plan_checking checking = {
        .arena = arena,
        .plan = plan,
        .input = input,
        .problems = problems,
        .tools = arena_array(arena, const struct tool *, plan->n_steps + 1),
        .shapes = arena_array(arena, const struct shape *, plan->n_steps + 1),
    };
    size_t before = problems->n + problems->dropped;
    problems->at = plan->n_steps && plan->steps[0].at ? "" : NULL;
    if (plan->n_steps > input->max_steps) {
        problems_add(problems, NULL, "/steps", "%s%zu steps, at most %zu are allowed%s",
                     input->is_cut ? "at least " : "", plan->n_steps, input->max_steps,
                     plan->version > 1 ? "" : " (max_plan_steps)")
            ->fix = arena_printf(arena, "make a plan of at most %zu steps", input->max_steps);
        if (input->request || plan->n_steps > PLAN_CHECK_MAX_STEPS)
            return false;
    }
    find_tools(&checking, plan);
    for (size_t i = 0; i < plan->n_steps; i++)
        check_step(&checking, i);
    problems->at = plan->source ? "" : NULL;
    plan_check_outputs(&checking, plan->outputs, 0);
    problems->at = NULL;
    return problems->n + problems->dropped == before;
}

struct need_search {
    bool *needs;
    size_t later; /* what stands behind it, in its body, does not count */
};

static bool note_need(void *context, const char *path, const struct reference *reference)
{
    const struct need_search *search = context;
    (void)path;
    if (reference->root == REFERENCE_STEP && reference->step >= 0 &&
        reference->step != (int)search->later)
        search->needs[reference->step] = true;
    return true;
}

static void note_needs(struct arena *arena, const struct reference_place *place,
                       const struct expression *expression, struct need_search *search)
{
    for (size_t i = 0; expression && i < expression_n_references(expression); i++) {
        const struct reference reference =
            reference_parse(arena, place, expression_reference(expression, i));
        (void)note_need(search, "", &reference);
    }
}

/* What a step refers to, its body apart. */
static void note_references(struct arena *arena, const struct plan *plan, size_t at,
                            struct need_search *search)
{
    const struct step *step = &plan->steps[at];
    const struct reference_place around = reference_place_around(plan, at);
    const struct reference_place place = reference_place_of(plan, at);
    json_auto_t *text = step->text ? json_string(step->text) : NULL;
    const json_t *values[] = { step->args, text, step->show,
                               step->verify ? step->verify->args : NULL,
                               step->verify ? step->verify->result : NULL };
    for (size_t i = 0; i < ARRAY_LENGTH(values); i++)
        if (values[i])
            references_visit_at(arena, &place, values[i], note_need, search);
    if (step->loop && step->loop->each)
        references_visit_at(arena, &around, step->loop->each, note_need, search);
    note_needs(arena, &around, step->when, search);
    for (size_t i = 0; i < step->n_checks; i++) {
        json_auto_t *otherwise =
            step->checks[i].otherwise ? json_string(step->checks[i].otherwise) : NULL;
        note_needs(arena, &around, step->checks[i].that, search);
        if (otherwise)
            references_visit_at(arena, &around, otherwise, note_need, search);
    }
    note_needs(arena, &around, step->loop ? step->loop->until : NULL, search);
    note_needs(arena, &place, step->verify ? step->verify->done : NULL, search);
}

static void note_outputs(struct arena *arena, const struct plan *plan, size_t at,
                         struct need_search *search)
{
    const struct reference_place behind = reference_place_behind(plan, at + 1);
    if (plan->steps[at].outputs)
        references_visit_at(arena, &behind, plan->steps[at].outputs, note_need, search);
}

/* An approve shows calls of steps behind it, so it waits for all that they refer to, and what it
 * guards waits for it. */
static void note_approvals(struct arena *arena, const struct plan *plan, size_t later,
                           struct need_search *search)
{
    const struct step *steps = plan->steps, *step = &steps[later];
    bool is_approve = step->kind == STEP_APPROVE;
    for (size_t i = later + 1; is_approve && i < plan_guarded_end(plan, later); i++)
        note_references(arena, plan, i, search);
    for (size_t i = later; i-- > 0 && plan->version > 1;)
        if (steps[i].kind == STEP_APPROVE && steps[i].body_of == step->body_of &&
            steps[i].is_finally == step->is_finally)
            search->needs[i] = true;
}

void plan_step_needs(struct arena *arena, const struct plan *plan, size_t later, bool *needs)
{
    const struct step *step = &plan->steps[later];
    struct need_search search = { needs, later };
    size_t end = step->end > later ? step->end : later + 1;
    memset(needs, 0, plan->n_steps * sizeof *needs);
    for (size_t i = 0; i < step->n_needs; i++) {
        int needed = plan_find_step_of(plan, step->unit, step->needs[i]);
        if (needed >= 0)
            needs[needed] = true;
    }
    for (size_t i = later; i < end; i++) {
        note_references(arena, plan, i, &search);
        note_outputs(arena, plan, i, &search);
    }
    note_approvals(arena, plan, later, &search);
    if (step->kind != STEP_TOOL) /* what its body or what it guards refers to behind it */
        memset(needs + later, 0, (plan->n_steps - later) * sizeof *needs);
}
