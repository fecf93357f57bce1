/* The plan with the style in it; no name of the plan may get lost. */
#include "application/figure/stages/stage.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include <string.h>

static json_t *input_of(const struct figure_work *work)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "initial_description", work->initial_description,
                     "style_guidelines", work->figure->style->guide, "source_context",
                     work->input->source_context, "caption", work->input->caption);
}

static bool check_entities(void *context, const json_t *value, struct problems *problems)
{
    const struct figure_work *work = context;
    struct figure_findings lost = { .arena = problems->arena };
    find_lost_entities(&lost, work->initial_description,
                       json_get_string(value, "optimized_description"));
    for (size_t i = 0; i < lost.n; i++)
        problems_add(problems, NULL, "/optimized_description", "%s", lost.list[i].message)->fix =
            lost.list[i].fix;
    stage_want_words(value, "optimized_description", problems);
    return problems->n == 0;
}

/* The plan as it is: colours, fonts and spacing are the renderer's, by the style. */
static json_t *pass_through(const struct figure_work *work)
{
    const char *action =
        arena_printf(work->arena, "colours, fonts and spacing of the style %s, none of the words",
                     work->figure->style->name);
    return json_pack("{s:s, s:[s]}", "optimized_description", work->initial_description,
                     "style_actions", action);
}

enum err_code stylist_run(struct figure_work *work, struct scope *scope, struct err *err)
{
    const json_t *value;
    struct stage_run run = stage_begin(work, STAGE_STYLIST, 0, input_of(work));
    const struct stage_question question = {
        .contract = "figure_stylist",
        .values = { { .name = "description",
                      .text = fence_text(work->arena, work->initial_description) },
                    { .name = "style", .text = work->figure->style->guide },
                    { .name = "source",
                      .text = fence_text(work->arena, work->input->source_context) },
                    { .name = "caption", .text = work->input->caption } },
        .n_values = 4,
        .may_be_too_long = true,
        .instead = "the plan goes on unchanged",
        .cross_check = check_entities,
        .context = work,
    };
    enum err_code r = stage_ask(&run, scope, &question, &value, err);
    if (r)
        return r;
    json_t *output = value ? json_deep_copy(value) : pass_through(work);
    work->description = arena_strdup(work->arena, json_get_string(output, "optimized_description"));
    stage_end(&run, output);
    return ERR_NONE;
}
