/* Layouts are measured by their geometry alone, which takes Graphviz a fifth of the time of a
 * picture, several at once. First the one that graph and style ask for. Only where that one cannot
 * be read on the page are others tried: turned, with shorter lines and smaller gaps, and then the
 * ones that take their places from one of these. Which one is best depends on nothing but the
 * graph, unless they run out of the time that they have together: then it is the best of those that
 * were measured. */
#include "application/figure/dot/graph_dot.h"
#include "application/figure/stages/draw.h"
#include "domain/base/json.h"
#include "domain/figure/figure_geometry.h"
#include <math.h>
#include <string.h>

enum {
    MAX_TRIALS = 12,
    MOST_PARTS = 150, /* nodes and edges; a larger graph takes Graphviz too long to try others */
    LEAST_FOLDED = 6, /* nodes */
    MOST_ROWS = 8,
    STRAIGHT = 3,     /* of the best layouts are tried with straight edges */
    NARROW = 360,     /* points */
    TRIALS_MS = 6000, /* for all but the first */
};

#define LONG 5.0 /* the longer side of the shorter one, from which on a flow is mostly a chain */
#define COST_TURNED 4.0 /* of not going where the graph wants to: figure_geometry_cost */

/* What is tried behind the layout that is asked for, a flow in both directions; on a narrow page,
 * lines are shorter still. */
static const struct graph_layout of_flows[][3] = {
    { { .narrower = 25, .nearer = 30 },
      { .narrower = 45, .nearer = 60, .has_even_letters = true },
      { .narrower = -40, .nearer = 40 } },
    { { .narrower = 25, .nearer = 40 },
      { .narrower = 45, .nearer = 60, .has_even_letters = true },
      { .narrower = 65, .nearer = 75, .has_even_letters = true } },
};
static const struct graph_layout of_sequences[] = {
    { .narrower = 25, .nearer = 30 },
    { .narrower = 45, .nearer = 50 },
    { .narrower = 60, .nearer = 60, .has_even_letters = true },
    { .narrower = 70, .nearer = 70, .has_even_letters = true },
    { .narrower = 80, .nearer = 80, .has_even_letters = true },
};

enum trial_use { TRIAL_DRAWN = 0, TRIAL_FOLDED = 1, TRIAL_STRAIGHT = 2 };

struct trial {
    struct stage_run *run;
    struct graph_layout layout;
    const char *dot;
    const json_t *geometry; /* NULL: it could not be drawn */
    double cost;
    bool fits;
    unsigned uses; /* trial_use */
    struct err err;
};

struct trials {
    struct stage_run *run;
    struct scope *scope;
    const struct figure_graph *graph;
    struct trial list[MAX_TRIALS];
    size_t n, n_measured;
};

static enum err_code measure(struct runtime *runtime, struct scope *scope, void *argument)
{
    struct trial *trial = argument;
    struct figure_work *work = trial->run->work;
    const struct drawing drawing = { .dot = trial->dot, .only_geometry = true };
    struct picture picture = { 0 };
    json_t *value = NULL;
    (void)runtime;
    enum err_code r = renderer_render(work->figure->renderer, scope, &drawing, work->arena,
                                      &picture, &trial->err);
    if (!r && picture.geometry)
        r = json_parse(picture.geometry, strlen(picture.geometry), JSON_FOREIGN, &value,
                       &trial->err);
    if (r)
        return r;
    trial->geometry = arena_keep_json(work->arena, value);
    trial->cost =
        figure_geometry_cost(work->arena, trial->geometry, &work->figure->page, &trial->fits) +
        (trial->layout.is_turned ? COST_TURNED : 0);
    return ERR_NONE;
}

/* One that comes to the same as another, as for a graph without labels, is left out. */
static void add(struct trials *trials, struct graph_layout layout)
{
    struct figure_work *work = trials->run->work;
    const char *dot = graph_dot(work->arena, trials->graph, work->figure->style, &layout);
    if (trials->n == MAX_TRIALS)
        return;
    for (size_t i = 0; i < trials->n; i++)
        if (strcmp(trials->list[i].dot, dot) == 0)
            return;
    trials->list[trials->n++] =
        (struct trial){ .run = trials->run, .layout = layout, .dot = dot, .cost = INFINITY };
}

/* Those that were added since. */
static void measure_all(struct trials *trials)
{
    struct runtime *runtime = trials->run->work->figure->session->services->runtime;
    struct task *tasks[MAX_TRIALS];
    for (size_t i = trials->n_measured; i < trials->n; i++)
        tasks[i] = runtime_spawn(runtime, trials->scope, measure, &trials->list[i]);
    for (; trials->n_measured < trials->n; trials->n_measured++)
        (void)runtime_wait(runtime, tasks[trials->n_measured]);
}

/* The first of the cheapest ones that were not found for that use before; NULL: there is none.
 * Folded are those that go to the right. */
static struct trial *best_of(struct trials *trials, enum trial_use use)
{
    struct trial *best = NULL;
    for (size_t i = 0; i < trials->n; i++) {
        struct trial *trial = &trials->list[i];
        bool is_right =
            (trials->graph->direction == FIGURE_LEFT_TO_RIGHT) != trial->layout.is_turned;
        if (trial->geometry && !(trial->uses & use) && (is_right || use != TRIAL_FOLDED) &&
            (!best || trial->cost < best->cost))
            best = trial;
    }
    if (best)
        best->uses |= use;
    return best;
}

static void add_placed(struct trials *trials, const struct trial *from, size_t rows)
{
    struct graph_layout layout = from->layout;
    layout.places = from->geometry;
    layout.rows = (unsigned)rows;
    add(trials, layout);
}

/* The best ones from left to right in so many rows that the whole gets the shape of the page and
 * each row can be read on it, and in one more: the best one alone where it is not very long. */
static void add_folded(struct trials *trials)
{
    const struct figure *figure = trials->run->work->figure;
    const struct figure_page page = figure->page;
    double wanted = page.height > 0 ? page.width / page.height : 1, aspect = LONG;
    double widest = page.width * figure->style->font_size / FIGURE_SMALLEST_LETTER;
    struct trial *best;
    for (int i = 0; i < 2 && aspect >= LONG && (best = best_of(trials, TRIAL_FOLDED)); i++) {
        struct figure_box box = { 0 };
        (void)figure_geometry_find(best->geometry, NULL, &box);
        aspect = (box.right - box.left) / fmax(box.high - box.low, 1);
        double rows = fmax(floor(sqrt(aspect / wanted)), ceil((box.right - box.left) / widest));
        for (int more = 0; more < 2; more++, rows++)
            if (rows >= 2 && rows <= MOST_ROWS)
                add_placed(trials, best, (size_t)rows);
    }
}

/* The best ones, with their edges straight. */
static void add_straight(struct trials *trials, size_t n)
{
    struct trial *best;
    for (size_t i = 0; i < n && (best = best_of(trials, TRIAL_STRAIGHT)); i++)
        add_placed(trials, best, 1);
}

static void try_others(struct trials *trials)
{
    bool is_flow = trials->graph->kind == FIGURE_FLOW;
    bool is_narrow = trials->run->work->figure->page.width < NARROW;
    const struct graph_layout *others = is_flow ? of_flows[is_narrow] : of_sequences;
    size_t n = is_flow ? ARRAY_LENGTH(of_flows[0]) : ARRAY_LENGTH(of_sequences);
    for (int turned = 0; turned <= is_flow; turned++)
        for (size_t i = 0; i < n; i++) {
            struct graph_layout layout = others[i];
            layout.is_turned = turned;
            add(trials, layout);
        }
    measure_all(trials);
    if (is_flow && !best_of(trials, TRIAL_DRAWN)->fits && trials->graph->n_nodes >= LEAST_FOLDED)
        add_folded(trials);
}

enum err_code draw_layout(struct stage_run *run, struct scope *scope,
                          const struct figure_graph *graph, const char **out_dot, struct err *err)
{
    const struct figure *figure = run->work->figure;
    struct trials *trials = arena_new(run->work->arena, struct trials);
    struct runtime *runtime = figure->session->services->runtime;
    *trials = (struct trials){ .run = run, .scope = scope, .graph = graph };
    add(trials, (struct graph_layout){ 0 });
    *out_dot = trials->list[0].dot;
    if (!figure->renderer || figure->renderer->takes_plots)
        return ERR_NONE;
    measure_all(trials);
    if (trials->list[0].err.code) {
        *err = trials->list[0].err;
        return err->code;
    }
    if (!trials->list[0].geometry)
        return ERR_NONE;
    struct scope together = scope_child(scope, runtime_now_ms(runtime) + TRIALS_MS);
    trials->scope = &together;
    if (!trials->list[0].fits && graph->n_nodes + graph->n_edges <= MOST_PARTS)
        try_others(trials);
    if (graph->kind == FIGURE_FLOW)
        add_straight(trials, trials->n > 1 ? STRAIGHT : 1);
    measure_all(trials);
    *out_dot = best_of(trials, TRIAL_DRAWN)->dot;
    return run_session_check(figure->session, err);
}
