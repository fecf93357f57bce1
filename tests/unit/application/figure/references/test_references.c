/* Every entry of data/references, as it is in the tree. */
#include "application/figure/references/reference_pool.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/plot_spec.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include <string.h>

#define LEAST_ENTRIES 30
#define MAX_NODE_COLUMNS 34
#define MAX_EDGE_COLUMNS 34

static void load(struct arena *arena, struct reference_pool *out)
{
    static struct fake_services fake;
    fake_services_init(&fake, NULL, SOURCE_DIR);
    assert_int_equal(reference_pool_load(fake.base.assets, arena, out, NULL), ERR_NONE);
    fake_services_finish(&fake);
}

static void every_file_is_a_reference(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;

    load(&arena, &pool);

    for (size_t i = 0; i < pool.n_warnings; i++)
        print_error("%s\n", pool.warnings[i]);
    assert_int_equal(pool.n_passed_over, 0);
    assert_true(pool.n >= LEAST_ENTRIES);
}

/* Where a flow may end: in data, a store, an actor or the end. */
static bool may_end_at(enum figure_role role)
{
    return role == FIGURE_ROLE_END || role == FIGURE_ROLE_STORE || role == FIGURE_ROLE_DATA ||
           role == FIGURE_ROLE_ACTOR;
}

static void check_node(const char *id, const struct figure_graph *graph, size_t at)
{
    const struct figure_node *node = &graph->nodes[at];
    size_t n_in = 0, n_out = 0, n_unlabelled = 0;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const struct figure_edge *edge = &graph->edges[i];
        bool leaves = strcmp(edge->from, node->id) == 0;
        n_in += strcmp(edge->to, node->id) == 0;
        n_out += leaves;
        n_unlabelled += leaves && !*edge->label;
    }
    bool goes_on = n_out || graph->kind == FIGURE_SEQUENCE || may_end_at(node->role);
    bool decides = node->role != FIGURE_ROLE_DECISION || (n_out >= 2 && !n_unlabelled);
    if (!(n_in + n_out) || !goes_on || !decides)
        fail_msg("%s: node %s hangs in the air", id, node->id);
    if (text_columns(node->label) > MAX_NODE_COLUMNS)
        fail_msg("%s: the label of %s is long", id, node->id);
}

/* How many nodes can be reached from the first, whatever way the edges point. */
static size_t count_connected(const struct figure_graph *graph)
{
    bool reached[FIGURE_MAX_NODES] = { true };
    size_t n = 1;
    for (size_t before = 0; before != n;) {
        before = n;
        for (size_t i = 0; i < graph->n_edges; i++) {
            int from = figure_graph_find(graph, graph->edges[i].from);
            int to = figure_graph_find(graph, graph->edges[i].to);
            if (reached[from] == reached[to])
                continue;
            reached[from] = reached[to] = true;
            n++;
        }
    }
    return n;
}

static void every_graph_reads_well(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    load(&arena, &pool);
    for (size_t i = 0; i < pool.n; i++) {
        const struct figure_reference *entry = &pool.entries[i];
        struct figure_graph graph;
        struct problems problems = { .arena = &arena };
        if (!entry->graph)
            continue;

        assert_true(figure_graph_from_json(&arena, entry->graph, &graph, &problems));

        size_t least = graph.kind == FIGURE_SEQUENCE ? 2 : 4;
        if (graph.n_nodes < least || graph.n_nodes > 14)
            fail_msg("%s has %zu nodes", entry->id, graph.n_nodes);
        for (size_t node = 0; node < graph.n_nodes; node++)
            check_node(entry->id, &graph, node);
        for (size_t edge = 0; edge < graph.n_edges; edge++)
            assert_true(text_columns(graph.edges[edge].label) <= MAX_EDGE_COLUMNS);
        if (count_connected(&graph) != graph.n_nodes)
            fail_msg("%s is in parts", entry->id);
    }
}

/* The columns that an example names, with a few values. */
static struct plot_data data_for(struct arena *arena, const json_t *plot)
{
    static const char *const keys[] = { "x", "y", "color" };
    bool counts = strcmp(json_get_string(plot, "mark"), "histogram") == 0;
    struct plot_column *columns = arena_array(arena, struct plot_column, 3);
    struct plot_data data = { .columns = columns, .n_rows = 1 };
    json_t *row = json_array();
    for (size_t i = 0; i < 3; i++) {
        const char *name = json_get_string(plot, keys[i]);
        if (!name)
            continue;
        bool is_number = i == 1 || counts || json_get_bool(plot, "log_x", false);
        columns[data.n_columns++] = (struct plot_column){ name, is_number };
        json_array_append_new(row, is_number ? json_integer(1) : json_string("a"));
    }
    data.rows = arena_keep_json(arena, json_pack("[o]", row));
    return data;
}

static void every_plot_is_a_spec(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    size_t n_plots = 0;
    load(&arena, &pool);
    for (size_t i = 0; i < pool.n; i++) {
        struct plot_spec spec;
        struct problems problems = { .arena = &arena };
        const json_t *plot = pool.entries[i].plot;
        if (!plot)
            continue;
        struct plot_data data = data_for(&arena, plot);

        if (!plot_spec_from_json(&arena, plot, &data, &spec, &problems))
            fail_msg("%s: %s", pool.entries[i].id, problem_print(&problems, &problems.list[0]));

        assert_true(*spec.x_label && (*spec.y_label || !spec.y));
        n_plots++;
    }
    assert_true(n_plots >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_a_reference),
        cmocka_unit_test(every_graph_reads_well),
        cmocka_unit_test(every_plot_is_a_spec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
