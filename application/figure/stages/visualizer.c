/* From the description to a picture or a script (S1-14, S1-15), and what the checks find in it. */
#include "application/figure/stages/draw.h"
#include "domain/base/text.h"

static json_t *output_of(const struct sketch *sketch)
{
    return json_pack("{s:{s:s, s:s}}", "artifact", "type",
                     figure_artifact_name(sketch->artifact.type), "value", sketch->artifact.value);
}

static json_t *sizes(const struct picture *picture)
{
    json_t *bytes = json_object();
    for (enum picture_format format = 0; format < PICTURE_N_FORMATS; format++)
        if (picture->bytes[format])
            json_object_set_new(bytes, picture_suffix(format),
                                json_integer((json_int_t)picture->lengths[format]));
    return bytes;
}

static void tell(const struct figure_work *work, unsigned round, const struct sketch *sketch)
{
    journal_emit(work_journal(work), EVENT_FIGURE_RENDERED,
                 json_pack("{s:i, s:b, s:s*, s:o, s:s*}", "round", (int)round, "rendered",
                           (int)sketch->rendered, "renderer", sketch->picture.renderer, "bytes",
                           sizes(&sketch->picture), "error", sketch->problem));
}

static void keep(struct figure_work *work, unsigned round, const struct sketch *sketch)
{
    struct figure_findings *findings = arena_new(work->arena, struct figure_findings);
    findings->arena = work->arena;
    sketch_check(work, sketch, findings);
    work->rounds[round] = (struct figure_round){ .round = round,
                                                 .description_t = work->description,
                                                 .artifact = sketch->artifact,
                                                 .drawn = sketch->drawn,
                                                 .findings = findings->list,
                                                 .n_findings = findings->n,
                                                 .rendered = sketch->rendered };
    work->pictures[round] = sketch->picture;
    work->render_error = sketch->problem;
    journal_emit(work_journal(work), EVENT_FIGURE_FINDINGS,
                 json_pack("{s:i, s:o}", "round", (int)round, "findings",
                           figure_findings_to_json(findings->list, findings->n)));
}

static enum err_code draw(struct stage_run *run, struct scope *scope, struct sketch *out,
                          struct err *err)
{
    const struct figure_work *work = run->work;
    if (work->figure->toolbox)
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
    stage_end(&run, output_of(&sketch));
    tell(work, round, &sketch);
    keep(work, round, &sketch);
    return ERR_NONE;
}
