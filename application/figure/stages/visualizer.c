/* From the description to a picture or a script, and what the checks find in it. The three ways to
 * a sketch are draw_graph.c, draw_plot.c and draw_tool.c; here is what they share, which of them is
 * taken, and what becomes of the sketch. */
#include "application/figure/plot/plot.h"
#include "application/figure/stages/draw.h"
#include "domain/base/json.h"
#include <string.h>

void sketch_take_picture(struct stage_run *run, struct sketch *sketch)
{
    const struct picture *picture = &sketch->picture;
    enum picture_format format = PICTURE_SVG;
    while (format < PICTURE_PDF && !picture->bytes[format])
        format++;
    sketch->rendered = true;
    sketch->problem = NULL;
    sketch->artifact = (struct figure_artifact){
        FIGURE_ARTIFACT_IMAGE_PATH,
        figure_picture_path(run->work->arena, run->record.round, picture_suffix(format)),
    };
}

void sketch_in_words(struct stage_run *run, struct sketch *sketch, const char *why,
                     const char *words)
{
    struct arena *arena = run->work->arena;
    sketch->rendered = false;
    sketch->problem = why;
    sketch->picture = (struct picture){ 0 };
    sketch->artifact = (struct figure_artifact){
        FIGURE_ARTIFACT_IMAGE_PROMPT,
        arena_printf(arena, "Not drawn: %s.\nWhat the figure shows, in words:\n%s", why, words),
    };
    stage_note(run, why);
}

bool sketch_take_code(struct stage_run *run, struct sketch *sketch, const char *code,
                      const char *source, const char **out_why)
{
    struct arena *arena = run->work->arena;
    bool is_blank = !code[strspn(code, " \t\r\n")];
    if (is_blank || strlen(code) > FIGURE_MAX_TEXT_BYTES) {
        *out_why = is_blank ? arena_printf(arena, "%s gave no code", source)
                            : arena_printf(arena, "the code of %s has more than %d bytes", source,
                                           FIGURE_MAX_TEXT_BYTES);
        return false;
    }
    *out_why = NULL;
    sketch->artifact = (struct figure_artifact){ FIGURE_ARTIFACT_CODE_TEXT, code };
    sketch->has_foreign_code = true;
    sketch->rendered = true;
    return true;
}

void sketch_fail(struct stage_run *run, struct sketch *sketch, const struct err *err)
{
    struct arena *arena = run->work->arena;
    sketch->problem = *err->hint ? arena_printf(arena, "%s (%s)", err->message, err->hint)
                                 : arena_strdup(arena, err->message);
}

enum err_code draw_render(struct stage_run *run, struct scope *scope, const char *dot,
                          struct sketch *sketch, struct err *err)
{
    struct figure_work *work = run->work;
    bool is_plot = work->input->mode == FIGURE_MODE_PLOT_CODE;
    bool runs_script = is_plot && work->figure->renderer && !work->figure->renderer->takes_plots;
    if (!work->figure->renderer) {
        sketch->problem = "there is nothing that draws";
        return ERR_NONE;
    }
    const struct drawing drawing = { .dot = dot,
                                     .script = runs_script ? sketch->artifact.value : NULL,
                                     .dpi = work->figure->style->dpi,
                                     .input = run->record.input,
                                     .drawn = sketch->drawn };
    enum err_code r = renderer_render(work->figure->renderer, scope, &drawing, work->arena,
                                      &sketch->picture, err);
    if (r && run_session_check(work->figure->session, NULL))
        return r;
    const char *code = sketch->picture.code;
    sketch->picture.source = dot;
    if (r) {
        sketch_fail(run, sketch, err);
    } else if (code && is_plot) {
        (void)sketch_take_code(run, sketch, code, "figure.renderer", &sketch->problem);
    } else if (code) {
        sketch->picture = (struct picture){ 0 };
        sketch->problem = "figure.renderer gave code in place of a picture";
    } else if (!is_plot) {
        sketch_take_picture(run, sketch);
    }
    return ERR_NONE;
}

/* What the checks find in what was drawn (figure_findings.h). */
static void check_sketch(const struct figure_work *work, const struct sketch *sketch,
                         struct figure_findings *findings)
{
    const struct figure_input *input = work->input;
    const char *geometry = sketch->picture.geometry;
    if (sketch->graph) {
        json_t *value = NULL;
        find_graph_faults(findings, sketch->graph);
        find_label_faults(findings, sketch->graph, work->description, input->source_context,
                          input->caption);
        find_caption_in_picture(findings, sketch->graph, input->caption);
        if (geometry &&
            !json_parse(geometry, strlen(geometry), JSON_FOREIGN, &value, NULL /* err */))
            find_geometry_faults(findings, arena_keep_json(work->arena, value),
                                 &work->figure->page);
    }
    if (sketch->plot)
        find_plot_faults(findings, work->figure->data, input->caption, input->communicative_intent,
                         sketch->plot, sketch->is_guess);
    /* Code that was compiled from the data has no other numbers than sizes and ticks. */
    if (sketch->has_foreign_code) {
        const struct plot_data *data = work->figure->data;
        const char *sources = data ? arena_printf(work->arena, "%s\n%s", input->source_context,
                                                  json_print_in(work->arena, data->rows))
                                   : input->source_context;
        find_foreign_numbers(findings, sketch->artifact.value, sources);
    }
}

static void log_rendered(const struct figure_work *work, unsigned round,
                         const struct sketch *sketch)
{
    json_t *bytes = json_object();
    for (enum picture_format format = 0; format < PICTURE_N_FORMATS; format++)
        if (sketch->picture.bytes[format])
            json_object_set_new(bytes, picture_suffix(format),
                                json_integer((json_int_t)sketch->picture.lengths[format]));
    journal_emit(&work->figure->session->journal, EVENT_FIGURE_RENDERED,
                 json_pack("{s:i, s:b, s:s*, s:o, s:s*}", "round", (int)round, "rendered",
                           (int)sketch->rendered, "renderer", sketch->picture.renderer, "bytes",
                           bytes, "error", sketch->problem));
}

static void keep(struct figure_work *work, unsigned round, const struct sketch *sketch)
{
    struct figure_findings *findings = arena_new(work->arena, struct figure_findings);
    findings->arena = work->arena;
    check_sketch(work, sketch, findings);
    work->rounds[round] = (struct figure_round){ .round = round,
                                                 .description_t = work->description,
                                                 .artifact = sketch->artifact,
                                                 .drawn = sketch->drawn,
                                                 .findings = findings->list,
                                                 .n_findings = findings->n,
                                                 .rendered = sketch->rendered };
    work->pictures[round] = sketch->picture;
    work->render_error = sketch->problem;
    journal_emit(&work->figure->session->journal, EVENT_FIGURE_FINDINGS,
                 json_pack("{s:i, s:o}", "round", (int)round, "findings",
                           figure_findings_to_json(findings->list, findings->n)));
}

static enum err_code draw(struct stage_run *run, struct scope *scope, struct sketch *out,
                          struct err *err)
{
    const struct figure_work *work = run->work;
    if (work->figure->session->toolbox)
        return draw_with_tool(run, scope, out, err);
    return work->input->mode == FIGURE_MODE_PLOT_CODE ? draw_plot(run, scope, out, err)
                                                      : draw_graph(run, scope, out, err);
}

enum err_code visualizer_run(struct figure_work *work, struct scope *scope, unsigned round,
                             struct err *err)
{
    struct sketch sketch = { 0 };
    struct stage_run run =
        stage_begin(work, STAGE_VISUALIZER, round,
                    json_pack("{s:s, s:s, s:i}", "description_t", work->description, "mode",
                              figure_mode_name(work->input->mode), "round", (int)round));
    enum err_code r = draw(&run, scope, &sketch, err);
    if (r)
        return r;
    stage_end(&run, json_pack("{s:{s:s, s:s}}", "artifact", "type",
                              figure_artifact_name(sketch.artifact.type), "value",
                              sketch.artifact.value));
    log_rendered(work, round, &sketch);
    keep(work, round, &sketch);
    return ERR_NONE;
}
