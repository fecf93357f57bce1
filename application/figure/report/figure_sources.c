#include "application/figure/report/figure_sources.h"
#include "application/figure/dot/graph_dot.h"
#include "application/figure/plot/plot_code.h"
#include "domain/base/json.h"
#include <string.h>

static void add(struct figure_file_list *list, const char *name, const char *bytes, size_t length)
{
    *arena_push(list->arena, list->files, list->n, list->capacity) =
        (struct figure_file){ arena_strdup(list->arena, name), bytes, length };
}

void figure_file_add_json(struct figure_file_list *list, const char *name, json_t *value)
{
    json_auto_t *stolen = value;
    auto_str text = json_print_pretty(stolen);
    const char *line = arena_printf(list->arena, "%s\n", text);
    add(list, name, line, strlen(line));
}

void figure_file_add_text(struct figure_file_list *list, const char *name, const char *text)
{
    add(list, name, text, strlen(text));
}

static void add_pictures(struct figure_file_list *list, const struct picture *picture,
                         const char *stem)
{
    for (enum picture_format format = PICTURE_SVG; format < PICTURE_N_FORMATS; format++)
        if (picture->bytes[format])
            add(list, arena_printf(list->arena, "%s.%s", stem, picture_suffix(format)),
                picture->bytes[format], picture->lengths[format]);
}

static void add_graph(struct figure_file_list *list, const json_t *drawn, const char *stem)
{
    struct figure_graph graph;
    struct problems problems = { .arena = list->arena };
    figure_file_add_json(list, arena_printf(list->arena, "%s.graph.json", stem), json_share(drawn));
    if (!figure_graph_from_json(list->arena, drawn, &graph, &problems) ||
        !figure_graph_fits(&graph))
        return;
    figure_file_add_text(list, arena_printf(list->arena, "%s.dot", stem),
                         graph_dot(list->arena, &graph, list->style));
}

static void add_plot(struct figure_file_list *list, const json_t *drawn, const char *stem)
{
    struct plot_spec spec;
    const struct plot_data *data = list->result->data;
    struct problems problems = { .arena = list->arena };
    figure_file_add_json(list, arena_printf(list->arena, "%s.plot.json", stem), json_share(drawn));
    if (!data || !plot_spec_from_json(list->arena, drawn, data, &spec, &problems))
        return;
    figure_file_add_json(list, arena_printf(list->arena, "%s.vl.json", stem),
                         plot_vega_lite(&spec, data, list->style));
}

void figure_sources_add(struct figure_file_list *list, size_t round, const char *stem)
{
    const struct figure_round *of = &list->result->log.rounds[round];
    struct arena *arena = list->arena;
    if (list->result->pictures)
        add_pictures(list, &list->result->pictures[round], stem);
    if (of->drawn && list->result->log.mode == FIGURE_MODE_DIAGRAM_IMAGE)
        add_graph(list, of->drawn, stem);
    if (of->drawn && list->result->log.mode == FIGURE_MODE_PLOT_CODE)
        add_plot(list, of->drawn, stem);
    if (of->artifact.type == FIGURE_ARTIFACT_CODE_TEXT)
        figure_file_add_text(list, arena_printf(arena, "%s.py", stem), of->artifact.value);
    if (of->artifact.type == FIGURE_ARTIFACT_IMAGE_PROMPT)
        figure_file_add_text(list, arena_printf(arena, "%s.txt", stem), of->artifact.value);
}
