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
        figure_picture_path(run->work->arena, run->work->figure->folder, run->record.round,
                            picture_suffix(format)),
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
        arena_printf(arena, "Not drawn: %s. What the figure shows, in words:\n%s", why, words),
    };
    stage_note(run, why);
}

bool sketch_take_code(struct stage_run *run, struct sketch *sketch, const char *code,
                      const char *source, const char **out_why)
{
    struct arena *arena = run->work->arena;
    *out_why = NULL;
    if (!code[strspn(code, " \t\r\n")])
        *out_why = arena_printf(arena, "%s gave no code", source);
    else if (strlen(code) > FIGURE_MAX_TEXT_BYTES)
        *out_why = arena_printf(arena, "the code of %s has more than %d bytes", source,
                                FIGURE_MAX_TEXT_BYTES);
    if (*out_why)
        return false;
    sketch->artifact = (struct figure_artifact){ FIGURE_ARTIFACT_CODE_TEXT, code };
    sketch->has_foreign_code = true;
    sketch->rendered = true;
    return true;
}

/* The end of the scope is the figure's end; anything else only means that there is no picture. */
static bool is_over(const struct figure *figure, const struct scope *scope)
{
    return scope_check(scope, runtime_now_ms(figure->runtime), NULL) != ERR_NONE;
}

/* What the renderer gave, as the mode has it. */
static void take_rendered(struct stage_run *run, struct sketch *sketch)
{
    bool is_plot = run->work->input->mode == FIGURE_MODE_PLOT_CODE;
    const char *code = sketch->picture.code;
    if (code && is_plot) {
        (void)sketch_take_code(run, sketch, code, "figure.renderer", &sketch->problem);
    } else if (code) {
        sketch->picture = (struct picture){ 0 };
        sketch->problem = "figure.renderer gave code in place of a picture";
    } else if (!is_plot) {
        sketch_take_picture(run, sketch);
    }
}

static const char *say_problem(struct arena *arena, const struct err *err)
{
    return *err->hint ? arena_printf(arena, "%s (%s)", err->message, err->hint)
                      : arena_strdup(arena, err->message);
}

enum err_code draw_render(struct stage_run *run, struct scope *scope, const char *dot,
                          struct sketch *sketch, struct err *err)
{
    struct figure *figure = run->work->figure;
    struct err why = { 0 };
    if (!figure->renderer) {
        sketch->problem = "there is nothing that draws";
        return ERR_NONE;
    }
    const struct drawing drawing = {
        .dot = dot, .dpi = figure->style->dpi, .input = run->record.input, .drawn = sketch->drawn
    };
    enum err_code r = renderer_render(figure->renderer, scope, &drawing, run->work->arena,
                                      &sketch->picture, &why);
    if (r && is_over(figure, scope)) {
        if (err)
            *err = why;
        return r;
    }
    if (r)
        sketch->problem = say_problem(run->work->arena, &why);
    else
        take_rendered(run, sketch);
    return ERR_NONE;
}

/* Numbers may come from the text and from the data. */
static const char *sources_of(const struct figure_work *work)
{
    const struct plot_data *data = work->figure->data;
    return data ? arena_printf(work->arena, "%s\n%s", work->input->source_context,
                               json_print_in(work->arena, data->rows))
                : work->input->source_context;
}

static void check_geometry(const struct figure_work *work, const char *geometry,
                           struct figure_findings *findings)
{
    json_t *value = NULL;
    if (!geometry || json_parse(geometry, strlen(geometry), JSON_FOREIGN, &value, NULL))
        return;
    find_geometry_faults(findings, arena_keep_json(work->arena, value));
}

void sketch_check(const struct figure_work *work, const struct sketch *sketch,
                  struct figure_findings *findings)
{
    const struct figure_input *input = work->input;
    if (sketch->graph) {
        find_graph_faults(findings, sketch->graph);
        find_label_faults(findings, sketch->graph, work->description, input->source_context,
                          input->caption);
        find_caption_in_picture(findings, sketch->graph, input->caption);
        check_geometry(work, sketch->picture.geometry, findings);
    }
    /* What was compiled from the data has no others: sizes and ticks are the compiler's. */
    if (sketch->has_foreign_code)
        find_foreign_numbers(findings, sketch->artifact.value, sources_of(work));
}
