/* What a step of version 2 has beside its arguments and its conditions. */
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/plan/plan_check_internal.h"
#include <string.h>

static struct problem *report(const struct plan_checking *checking, size_t at, const char *path,
                              const char *what)
{
    return problems_add(checking->problems, checking->plan->steps[at].id, path, "%s", what);
}

/* A loop around the step, or its own. */
static unsigned loop_depth(const struct plan *plan, size_t at)
{
    unsigned depth = 0;
    for (size_t i = at + 1; i; i = plan->steps[i - 1].body_of)
        depth += plan->steps[i - 1].loop && plan->steps[i - 1].loop->each;
    return depth;
}

static void check_names(const struct plan_checking *checking, size_t at)
{
    const struct plan *plan = checking->plan;
    const struct step_loop *loop = plan->steps[at].loop;
    static const char fix[] = "use another name";
    size_t unit = plan->steps[at].unit;
    if (strcmp(loop->item, loop->index) == 0)
        report(checking, at, "/as", "the element and its number have the same name")->fix = fix;
    if (strcmp(loop->item, "item") != 0 && plan_find_step_of(plan, unit, loop->item) >= 0)
        report(checking, at, "/as", "a step has that name")->fix = fix;
    if (strcmp(loop->index, "index") != 0 && plan_find_step_of(plan, unit, loop->index) >= 0)
        report(checking, at, "/index", "a step has that name")->fix = fix;
}

struct whole {
    bool is_whole;
};

static bool note_whole(void *context, const char *path, const struct reference *reference)
{
    struct whole *whole = context;
    (void)path;
    whole->is_whole = reference->whole;
    return false;
}

/* Two braces on each side, or none, are meant as one. */
static const char *fix_of_each(struct arena *arena, const struct reference_place *place,
                               const char *each)
{
    const char *from = each + strspn(each, "${ ");
    const char *text = arena_strndup(arena, from, strcspn(from, "} "));
    const struct reference reference = reference_parse(arena, place, text);
    return reference.is_malformed || (reference.root == REFERENCE_STEP && reference.step < 0)
               ? "write it as \"{s1.items}\" or [a, b]"
               : arena_printf(arena, "write \"{%.100s}\"", text);
}

static void check_each(struct plan_checking *checking, size_t at)
{
    const struct plan *plan = checking->plan;
    const json_t *each = plan->steps[at].loop->each;
    struct looking looking = plan_look_at(checking, at);
    struct whole whole = { false };
    size_t before = checking->problems->n;
    looking.place.is_around = true;
    looking.path = "/each";
    looking.in_expression = json_is_string(each);
    plan_check_value(&looking, each);
    if (loop_depth(plan, at) > PLAN_MAX_LOOPS) {
        struct problem *problem =
            report(checking, at, "/each", "loops are nested more than 3 levels deep");
        problem->is_name = true;
        problem->fix = "remove \"each\" here or from a step around it";
    }
    if (!json_is_string(each) || checking->problems->n > before)
        return;
    references_visit_at(checking->arena, &looking.place, each, note_whole, &whole);
    if (!whole.is_whole)
        report(checking, at, "/each", "must be one reference, or a list")->fix =
            fix_of_each(checking->arena, &looking.place, json_string_value(each));
    else if (!(looking.types & (TYPE_LIST | TYPE_OBJECT)))
        report(checking, at, "/each", "a loop goes over a list or an object, and this is neither")
            ->fix = "refer to a list, or write one, as in [a, b]";
}

static void check_loop(struct plan_checking *checking, size_t at)
{
    const struct step_loop *loop = checking->plan->steps[at].loop;
    if (loop && loop->each) {
        check_each(checking, at);
        check_names(checking, at);
    }
    if (loop && loop->until) {
        struct looking looking = plan_look_at(checking, at);
        looking.path = "/repeat/until";
        looking.has_result = true;
        plan_check_expression(&looking, loop->until);
    }
}

static void check_verify(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct step_verify *verify = (struct step_verify *)(uintptr_t)step->verify;
    struct looking looking = plan_look_at(checking, at);
    if (!verify)
        return;
    const struct tool *tool = plan_check_tool(checking, at, "/verify/tool", &verify->tool);
    if (tool && tool->read_only != HINT_YES)
        report(checking, at, "/verify/tool", "does not say that it only reads")->fix =
            "use a tool that says that it only reads (readOnlyHint)";
    checking->problems->at = arena_printf(checking->arena, "%s/verify/args", step->at);
    looking.to = tool;
    looking.args = verify->args;
    plan_check_value(&looking, verify->args);
    if (tool)
        plan_check_arguments(checking, at, tool, verify->args);
    plan_check_at_step(checking, at);
    looking = plan_look_at(checking, at);
    checking->verifier = tool;
    looking.has_verified = true;
    looking.path = "/verify/done";
    if (verify->done)
        plan_check_expression(&looking, verify->done);
    looking.path = "/verify/result";
    if (verify->result)
        plan_check_value(&looking, verify->result);
}

static void check_texts(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    struct looking looking = plan_look_at(checking, at);
    json_auto_t *text = step->text ? json_string(step->text) : NULL;
    looking.path = step->kind == STEP_ASK ? "/ask/text" : "/approve/text";
    if (text)
        plan_check_value(&looking, text);
    looking.path = "/approve/show";
    if (step->show)
        plan_check_value(&looking, step->show);
}

/* As the args of a step behind the last one of the list. */
void plan_check_outputs(struct plan_checking *checking, const json_t *outputs, size_t body_of)
{
    struct looking looking = { .checking = checking,
                               .place = reference_place_behind(checking->plan, body_of),
                               .path = "/outputs",
                               .may_lack = true };
    if (outputs)
        plan_check_value(&looking, outputs);
}

struct guard {
    struct plan_checking *checking;
    size_t approve, end; /* what stands between them is guarded */
    size_t at;
    const char *path;
};

static bool check_guarded(void *context, const char *path, const struct reference *reference)
{
    const struct guard *guard = context;
    struct plan_checking *checking = guard->checking;
    if (reference->root != REFERENCE_STEP || reference->step <= (int)guard->approve ||
        reference->step >= (int)guard->at)
        return true;
    problems_add(checking->problems, checking->plan->steps[guard->at].id,
                 arena_printf(checking->arena, "%s%s", guard->path, path),
                 "{%.100s} is not known yet when %s asks", reference->text,
                 checking->plan->steps[guard->approve].id)
        ->fix = "put an approve of its own before the step";
    return true;
}

/* The calls that are approved have to be known when that is asked. */
static void check_guard(struct plan_checking *checking, size_t at)
{
    const struct plan *plan = checking->plan;
    struct guard guard = { checking, at, plan_guarded_end(plan, at), .path = "" };
    for (guard.at = at + 1; guard.at < guard.end; guard.at++) {
        const struct step *step = &plan->steps[guard.at];
        if (step->kind == STEP_APPROVE) { /* in a block: it guards the rest of that itself */
            guard.at = plan->steps[step->body_of - 1].end - 1;
            continue;
        }
        const struct reference_place around = reference_place_around(plan, guard.at);
        plan_check_at_arguments(checking, guard.at);
        guard.path = "";
        references_visit(checking->arena, plan, guard.at, step->args, check_guarded, &guard);
        plan_check_at_step(checking, guard.at);
        guard.path = "/each";
        if (step->loop && step->loop->each)
            references_visit_at(checking->arena, &around, step->loop->each, check_guarded, &guard);
        guard.path = "/when";
        for (size_t i = 0; step->when && i < expression_n_references(step->when); i++) {
            const struct reference reference =
                reference_parse(checking->arena, &around, expression_reference(step->when, i));
            check_guarded(&guard, "", &reference);
        }
    }
    plan_check_at_step(checking, at);
}

void plan_check_kind(struct plan_checking *checking, size_t at)
{
    const struct step *step = &checking->plan->steps[at];
    check_loop(checking, at);
    check_verify(checking, at);
    check_texts(checking, at);
    if (step->kind == STEP_USE && step->use->file)
        checking->problems->at = json_path_member(checking->arena, "/used", step->use->file);
    plan_check_outputs(checking, step->outputs, at + 1);
    plan_check_at_step(checking, at);
    if (step->kind == STEP_APPROVE)
        check_guard(checking, at);
}
