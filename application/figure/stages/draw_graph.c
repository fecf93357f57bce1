/* Mode diagram_image: a typed graph, of which the renderer makes a picture. */
#include "application/figure/stages/draw.h"
#include "application/figure/text_graph/text_graph.h"
#include "application/structured/sanitize.h"
#include "domain/base/json.h"

struct graph_question {
    struct figure_work *work;
    struct figure_graph graph;
};

/* The graph's own rules, and no label that says only "Figure 3". */
static bool check_graph(void *context, const json_t *value, struct problems *problems)
{
    struct graph_question *asked = context;
    struct figure_findings found = { .arena = problems->arena };
    if (!figure_graph_from_json(asked->work->arena, value, &asked->graph, problems))
        return false;
    figure_graph_drop_numbers(&asked->graph);
    find_caption_in_picture(&found, &asked->graph, "");
    for (size_t i = 0; i < found.n; i++)
        problems_add(problems, NULL, "/nodes", "%s", found.list[i].message)->fix =
            found.list[i].fix;
    return found.n == 0;
}

/* The Planner's graph where its rules made one, else what rules read in the description or in the
 * text; NULL where they understand neither. */
static const struct figure_graph *graph_by_rules(struct figure_work *work)
{
    if (work->rules_graph)
        return work->rules_graph;
    struct figure_graph *graph = arena_new(work->arena, struct figure_graph);
    const char *text = work->input->source_context, *note = NULL;
    if (text_graph(work->arena, work->description, graph, &note) ||
        text_graph(work->arena, text, graph, &note))
        return graph;
    if (!work->figure->as_list)
        return NULL;
    text_graph_of_sentences(work->arena, text, graph, &note);
    return graph;
}

static enum err_code ask_for_graph(struct stage_run *run, struct scope *scope,
                                   const struct figure_graph **out, struct err *err)
{
    struct figure_work *work = run->work;
    struct graph_question *asked = arena_new(work->arena, struct graph_question);
    const json_t *value;
    asked->work = work;
    const struct stage_question question = {
        .contract = "figure_graph",
        .values = { { .name = "description", .text = fence_text(work->arena, work->description) },
                    { .name = "problem",
                      .text = work->render_error ? work->render_error : "none" } },
        .n_values = 2,
        .may_be_too_long = true,
        .instead = "the graph was made by rules",
        .cross_check = check_graph,
        .context = asked,
    };
    enum err_code r = stage_ask(run, scope, &question, &value, err);
    if (!r)
        *out = value ? &asked->graph : graph_by_rules(work);
    return r;
}

static enum err_code draw_best(struct stage_run *run, struct scope *scope, struct sketch *sketch,
                               struct err *err)
{
    const char *dot = NULL;
    enum err_code r = draw_layout(run, scope, sketch->graph, &dot, err);
    if (!r)
        return draw_render(run, scope, dot, sketch, err);
    if (run_session_check(run->work->figure->session, NULL))
        return r;
    sketch_fail(run, sketch, err);
    return ERR_NONE;
}

enum err_code draw_graph(struct stage_run *run, struct scope *scope, struct sketch *out,
                         struct err *err)
{
    struct figure_work *work = run->work;
    struct sketch sketch = { 0 };
    size_t most = (size_t)work_settings(work)->figure_max_nodes;
    enum err_code r = ask_for_graph(run, scope, &sketch.graph, err);
    if (r)
        return r;
    const struct figure_graph *graph = sketch.graph;
    if (!graph) {
        sketch_in_words(run, &sketch, "no graph was made of it", work->description);
        *out = sketch;
        return ERR_NONE;
    }
    sketch.drawn = arena_keep_json(work->arena, figure_graph_to_json(graph));
    const char *words = figure_graph_describe(work->arena, graph);
    if (!figure_graph_fits(graph) || graph->n_nodes > most)
        sketch_in_words(run, &sketch,
                        arena_printf(work->arena,
                                     "%zu nodes and %zu edges are too many for a picture, at most "
                                     "%zu and %d are drawn",
                                     graph->n_nodes, graph->n_edges, most, FIGURE_MAX_EDGES),
                        words);
    else
        r = draw_best(run, scope, &sketch, err);
    if (r)
        return r;
    if (!sketch.rendered && !sketch.artifact.value)
        sketch_in_words(run, &sketch, sketch.problem, words);
    *out = sketch;
    return ERR_NONE;
}
