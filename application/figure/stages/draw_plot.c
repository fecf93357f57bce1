/* Mode plot_code: a typed spec over the columns of the data, compiled to a script. */
#include "application/figure/plot/plot.h"
#include "application/figure/stages/draw.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"
#include <string.h>

struct plot_question {
    struct figure_work *work;
    struct plot_spec spec;
    bool has_spec, is_guess;
};

static bool check_spec(void *context, const json_t *value, struct problems *problems)
{
    struct plot_question *asked = context;
    return plot_spec_from_json(asked->work->arena, value, asked->work->figure->data, &asked->spec,
                               problems);
}

/* A program of the settings may draw the plot, or write another script of it; else the script is
 * run where a picture is wanted. What cannot be drawn leaves the sketch as it is. */
static enum err_code add_picture(struct stage_run *run, struct scope *scope, struct sketch *sketch,
                                 struct err *err)
{
    const struct renderer *renderer = run->work->figure->renderer;
    const char *problem = sketch->problem;
    bool is_run = sketch->rendered && run->work->figure->wants_picture;
    if (!renderer || !(renderer->takes_plots || is_run))
        return ERR_NONE;
    sketch->problem = NULL;
    enum err_code r = draw_render(run, scope, NULL, sketch, err);
    if (!r && sketch->problem)
        stage_note(run, arena_printf(run->work->arena, "no picture: %s", sketch->problem));
    sketch->problem = sketch->rendered ? NULL : problem;
    return r;
}

static enum err_code ask_for_spec(struct stage_run *run, struct scope *scope,
                                  struct plot_question *asked, struct err *err)
{
    struct figure_work *work = run->work;
    const struct plot_data *data = work->figure->data;
    const struct figure_input *input = work->input;
    const json_t *value;
    const struct stage_question question = {
        .contract = "figure_plot",
        .values = { { .name = "description", .text = fence_text(work->arena, work->description) },
                    { .name = "columns",
                      .text = fence_text(work->arena, plot_data_in_words(work->arena, data)) } },
        .n_values = 2,
        .may_be_too_long = true,
        .instead = "the columns were chosen by rules",
        .cross_check = check_spec,
        .context = asked,
    };
    enum err_code r = stage_ask(run, scope, &question, &value, err);
    if (r)
        return r;
    asked->is_guess = !value;
    asked->has_spec = value || plot_spec_guess(work->arena, data, input->caption,
                                               input->communicative_intent, &asked->spec);
    return ERR_NONE;
}

/* The script has its data within, and a stage's text has a bound. */
static void take_script(struct stage_run *run, const struct plot_spec *spec, struct sketch *sketch)
{
    struct figure_work *work = run->work;
    const struct plot_data *data = work->figure->data;
    const char *script = plot_matplotlib(work->arena, spec, data, work->figure->style);
    size_t length = strlen(script);
    if (length > FIGURE_MAX_TEXT_BYTES) {
        sketch_in_words(run, sketch,
                        arena_printf(work->arena,
                                     "the script with its %zu rows would have %zu bytes, which is "
                                     "more than %d: add the rows up, or take a sample of them",
                                     data->n_rows, length, FIGURE_MAX_TEXT_BYTES),
                        plot_data_in_words(work->arena, data));
        return;
    }
    sketch->artifact = (struct figure_artifact){ FIGURE_ARTIFACT_CODE_TEXT, script };
    sketch->rendered = true;
}

enum err_code draw_plot(struct stage_run *run, struct scope *scope, struct sketch *out,
                        struct err *err)
{
    struct figure_work *work = run->work;
    struct plot_question *asked = arena_new(work->arena, struct plot_question);
    struct sketch sketch = { 0 };
    asked->work = work;
    enum err_code r = ask_for_spec(run, scope, asked, err);
    if (r)
        return r;
    if (!asked->has_spec) {
        sketch_in_words(run, &sketch, "the data have nothing that can be drawn",
                        plot_data_in_words(work->arena, work->figure->data));
        *out = sketch;
        return ERR_NONE;
    }
    plot_spec_heed(work->arena, work->figure->data, work->input->caption,
                   work->input->communicative_intent, &asked->spec);
    sketch.plot = &asked->spec;
    sketch.is_guess = asked->is_guess;
    sketch.drawn = arena_keep_json(work->arena, plot_spec_to_json(&asked->spec));
    take_script(run, &asked->spec, &sketch);
    *out = sketch;
    return add_picture(run, scope, out, err);
}
