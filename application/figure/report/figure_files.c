/* The files of a round are its picture in every format there is, and what that was made of. */
#include "application/figure/dot/graph_dot.h"
#include "application/figure/dot/graph_export.h"
#include "application/figure/plot/plot.h"
#include "application/figure/report/figure_files_internal.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

struct file_list {
    struct arena *arena;
    const struct figure_result *result;
    const struct figure_style *style;
    struct figure_file *files;
    size_t n, capacity;
};

static void add(struct file_list *list, const char *name, const char *bytes, size_t length)
{
    *arena_push(list->arena, list->files, list->n, list->capacity) =
        (struct figure_file){ arena_strdup(list->arena, name), bytes, length };
}

/* Steals value. */
static void add_json(struct file_list *list, const char *name, json_t *value)
{
    json_auto_t *stolen = value;
    auto_str text = json_print_pretty(stolen);
    const char *line = arena_printf(list->arena, "%s\n", text);
    add(list, name, line, strlen(line));
}

static void add_text(struct file_list *list, const char *name, const char *text)
{
    add(list, name, text, strlen(text));
}

/* picture: of the graph, or NULL. */
static void add_graph(struct file_list *list, const json_t *drawn, const struct picture *picture,
                      const char *stem)
{
    const char *geometry = picture ? picture->geometry : NULL;
    json_t *places = NULL;
    struct figure_graph graph;
    struct problems problems = { .arena = list->arena };
    add_json(list, arena_printf(list->arena, "%s.graph.json", stem), json_share(drawn));
    if (!figure_graph_from_json(list->arena, drawn, &graph, &problems) ||
        !figure_graph_fits(&graph))
        return;
    add_text(list, arena_printf(list->arena, "%s.dot", stem),
             picture && picture->source ? picture->source
                                        : graph_dot(list->arena, &graph, list->style, NULL));
    add_text(list, arena_printf(list->arena, "%s.mmd", stem),
             graph_mermaid(list->arena, &graph, list->style));
    if (geometry && json_parse(geometry, strlen(geometry), JSON_FOREIGN, &places, NULL))
        places = NULL;
    add_text(list, arena_printf(list->arena, "%s.drawio", stem),
             graph_drawio(list->arena, &graph, list->style, arena_keep_json(list->arena, places)));
}

static void add_plot(struct file_list *list, const json_t *drawn, const char *stem)
{
    struct plot_spec spec;
    const struct plot_data *data = list->result->data;
    struct problems problems = { .arena = list->arena };
    add_json(list, arena_printf(list->arena, "%s.plot.json", stem), json_share(drawn));
    if (!data || !plot_spec_from_json(list->arena, drawn, data, &spec, &problems))
        return;
    add_json(list, arena_printf(list->arena, "%s.vl.json", stem),
             plot_vega_lite(&spec, data, list->style));
}

/* stem: "round_0", "figure". */
static void add_round(struct file_list *list, size_t round, const char *stem)
{
    const struct figure_round *of = &list->result->log.rounds[round];
    struct arena *arena = list->arena;
    const struct picture *picture = list->result->pictures ? &list->result->pictures[round] : NULL;
    for (enum picture_format format = PICTURE_SVG; picture && format < PICTURE_N_FORMATS; format++)
        if (picture->bytes[format])
            add(list, arena_printf(arena, "%s.%s", stem, picture_suffix(format)),
                picture->bytes[format], picture->lengths[format]);
    if (of->drawn && list->result->log.mode == FIGURE_MODE_DIAGRAM_IMAGE)
        add_graph(list, of->drawn, picture, stem);
    if (of->drawn && list->result->log.mode == FIGURE_MODE_PLOT_CODE)
        add_plot(list, of->drawn, stem);
    if (of->artifact.type == FIGURE_ARTIFACT_CODE_TEXT)
        add_text(list, arena_printf(arena, "%s.py", stem), of->artifact.value);
    if (of->artifact.type == FIGURE_ARTIFACT_IMAGE_PROMPT)
        add_text(list, arena_printf(arena, "%s.txt", stem), of->artifact.value);
}

const struct figure_file *figure_file_of(struct arena *arena, const struct figure_result *result,
                                         const struct figure_style *style, const char *suffix)
{
    struct file_list list = { .arena = arena, .result = result, .style = style };
    const char *name = arena_printf(arena, "figure.%s", suffix);
    add_round(&list, result->best, "figure");
    for (size_t i = 0; i < list.n; i++)
        if (strcasecmp(list.files[i].name, name) == 0)
            return &list.files[i];
    return NULL;
}

/* The output of a stage that runs once. */
static void add_output(struct file_list *list, enum figure_stage stage, const char *name)
{
    const json_t *output = NULL;
    for (size_t i = 0; i < list->result->n_stages; i++)
        if (list->result->stages[i].stage == stage)
            output = list->result->stages[i].output;
    if (output)
        add_json(list, name, json_share(output));
}

/* What stays of a folder; of the rounds, `best` is the figure as well. */
static void add_kept(struct file_list *list, const struct figure_folder *before, size_t best)
{
    const char *stem = arena_printf(list->arena, "round_%zu.", best);
    for (size_t i = 0; i < before->n_files; i++) {
        const struct figure_file *file = &before->files[i];
        if (text_equal(file->name, FIGURE_LOG_FILE) || text_equal(file->name, FIGURE_STAGES_FILE))
            continue;
        add(list, file->name, file->bytes, file->length);
        if (text_starts_with(file->name, stem))
            add(list, arena_printf(list->arena, "figure.%s", file->name + strlen(stem)),
                file->bytes, file->length);
    }
}

struct figure_file *figure_files(struct arena *arena, const struct figure_result *result,
                                 const struct figure_style *style, const json_t *request,
                                 const struct figure_folder *before, size_t *out_n)
{
    struct file_list list = { .arena = arena, .result = result, .style = style };
    const json_t *scorecard = arena_keep_json(arena, figure_scorecard(result));
    size_t n_kept = before ? before->result.log.n_rounds : 0;
    if (before) {
        add_kept(&list, before, result->best);
    } else {
        json_t *input = figure_input_to_json(&result->input);
        json_object_set_new(input, "mode", json_string(figure_mode_name(result->input.mode)));
        add_json(&list, "01_input.json", input);
        add_output(&list, STAGE_RETRIEVER, "02_retriever.json");
        add_output(&list, STAGE_PLANNER, "03_planner.json");
        add_output(&list, STAGE_STYLIST, "04_stylist.json");
        add_json(&list, FIGURE_REQUEST_FILE, json_share(request));
    }
    add_json(&list, FIGURE_LOG_FILE, figure_log_to_json(result, false));
    add_json(&list, FIGURE_STAGES_FILE, figure_stages_to_json(result, true));
    for (size_t i = n_kept; i < result->log.n_rounds; i++)
        add_round(&list, i, arena_printf(arena, "round_%zu", i));
    if (result->best >= n_kept)
        add_round(&list, result->best, "figure");
    add_json(&list, "scorecard.json", json_share(scorecard));
    add_text(&list, "scorecard.md", figure_scorecard_text(arena, result, scorecard));
    add_text(&list, FIGURE_INDEX, figure_page(arena, result, style, scorecard));
    *out_n = list.n;
    return list.files;
}
