/* plot_code: a typed spec over the columns of the data, compiled to a script. */
#include "application/figure/draw.h"
#include "application/figure/plot_code.h"
#include "application/figure/plot_guess.h"
#include "domain/base/json.h"

enum { SHOWN_ROWS = 3, SHOWN_CELL_BYTES = 200 };

struct plot_question {
    struct figure_work *work;
    struct plot_spec spec;
};

static bool check_spec(void *context, const json_t *value, struct problems *problems)
{
    struct plot_question *asked = context;
    return plot_spec_from_json(asked->work->arena, value, asked->work->figure->data, &asked->spec,
                               problems);
}

/* Names and kinds of the columns, and the first rows: the rest of the data is no model's. */
static const char *columns_in_words(struct arena *arena, const struct plot_data *data)
{
    const char *text = "";
    for (size_t i = 0; i < data->n_columns; i++)
        text = arena_printf(arena, "%s- \"%s\": %s\n", text, data->columns[i].name,
                            data->columns[i].is_number ? "number" : "text");
    for (size_t i = 0; i < json_array_size(data->rows) && i < SHOWN_ROWS; i++)
        text = arena_printf(arena, "%srow %zu: %.*s\n", text, i + 1, SHOWN_CELL_BYTES,
                            json_print_in(arena, json_array_get(data->rows, i)));
    return text;
}

static enum err_code ask_for_spec(struct stage_run *run, struct scope *scope,
                                  struct plot_question *asked, bool *out_has_spec, struct err *err)
{
    struct figure_work *work = run->work;
    const struct plot_data *data = work->figure->data;
    const struct figure_input *input = work->input;
    enum stage_answer answer;
    const json_t *value = NULL;
    struct err why = { 0 };
    const struct stage_question question = {
        .contract = "figure_plot",
        .values = { { .name = "description", .text = work->description },
                    { .name = "columns", .text = columns_in_words(work->arena, data) } },
        .n_values = 2,
        .cross_check = check_spec,
        .context = asked,
    };
    enum err_code r = stage_ask(run, scope, &question, &answer, &value, &why);
    if (r) {
        if (err)
            *err = why;
        return r;
    }
    if (answer != STAGE_ANSWERED)
        stage_by_rules(run, answer, &why, "the columns were chosen by rules");
    *out_has_spec =
        answer == STAGE_ANSWERED || plot_spec_guess(work->arena, data, input->caption,
                                                    input->communicative_intent, &asked->spec);
    return ERR_NONE;
}

enum err_code draw_plot(struct stage_run *run, struct scope *scope, struct sketch *out,
                        struct err *err)
{
    struct figure_work *work = run->work;
    struct plot_question asked = { .work = work };
    struct sketch sketch = { 0 };
    bool has_spec = false;
    enum err_code r = ask_for_spec(run, scope, &asked, &has_spec, err);
    if (r)
        return r;
    if (!has_spec) {
        sketch_in_words(run, &sketch, "the data have nothing that can be drawn",
                        columns_in_words(work->arena, work->figure->data));
        *out = sketch;
        return ERR_NONE;
    }
    sketch.drawn = arena_keep_json(work->arena, plot_spec_to_json(&asked.spec));
    sketch.artifact = (struct figure_artifact){
        FIGURE_ARTIFACT_CODE_TEXT,
        plot_matplotlib(work->arena, &asked.spec, work->figure->data, work->figure->style),
    };
    sketch.rendered = true;
    *out = sketch;
    return ERR_NONE;
}
