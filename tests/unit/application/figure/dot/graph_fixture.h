/* A style, a graph read from JSON and an arena for what is written of it. */
#ifndef TESTS_UNIT_APPLICATION_FIGURE_DOT_GRAPH_FIXTURE_H
#define TESTS_UNIT_APPLICATION_FIGURE_DOT_GRAPH_FIXTURE_H

#include "domain/base/json.h"
#include "domain/figure/figure_graph.h"
#include "domain/figure/figure_style.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct graph_fixture {
    struct arena arena;
    struct figure_style style;
    struct figure_graph graph;
};

static inline int graph_setup(void **state)
{
    static struct graph_fixture f;
    f = (struct graph_fixture){ .style = { .font = "DejaVu Sans",
                                           .font_size = 12,
                                           .edge_font_size = 10,
                                           .node_gap = 0.3,
                                           .rank_gap = 0.5,
                                           .line_width = 1,
                                           .wrap = 20,
                                           .accent.fill = { 255, 0, 16 } } };
    for (size_t i = 0; i < ARRAY_LENGTH(f.style.roles); i++)
        f.style.roles[i].shape = "box";
    f.style.roles[FIGURE_ROLE_STORE].shape = "cylinder";
    *state = &f;
    return 0;
}

static inline int graph_teardown(void **state)
{
    arena_finish(&((struct graph_fixture *)*state)->arena);
    return 0;
}

#define GRAPH_TEST(name) cmocka_unit_test_setup_teardown(name, graph_setup, graph_teardown)

static inline const json_t *parsed(struct graph_fixture *f, const char *text)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s", err.message);
    return arena_keep_json(&f->arena, value);
}

static inline void read_graph(struct graph_fixture *f, const char *text)
{
    struct problems problems = { .arena = &f->arena };
    assert_true(figure_graph_from_json(&f->arena, parsed(f, text), &f->graph, &problems));
}

static inline void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in:\n%s", part, text);
}

#endif
