/* Whatever graph is read from JSON, and whatever stands in its labels, becomes a text in Graphviz'
 * language in which every quotation, every markup and every bracket is closed where it was opened,
 * and whose statements are those of the graph and no others; and likewise one for Mermaid and one
 * for draw.io. */
#include "application/figure/dot/graph_dot.h"
#include "application/figure/dot/graph_export.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/fuzz/fuzz.h"
#include <assert.h>
#include <string.h>

static const struct figure_style style = {
    .font = "DejaVu Sans",
    .font_size = 12,
    .edge_font_size = 10,
    .node_gap = 0.3,
    .rank_gap = 0.5,
    .line_width = 1,
    .wrap = 20,
    .roles = { { .shape = "rounded" },
               { .shape = "parallelogram" },
               { .shape = "cylinder" },
               { .shape = "diamond" },
               { .shape = "box" },
               { .shape = "ellipse" },
               { .shape = "hexagon" },
               { .shape = "note" } },
};

/* Behind the quotation that begins at c. */
static const char *skip_quoted(const char *c)
{
    for (c++; *c != '"'; c++) {
        assert(*c);
        if (*c == '\\') {
            c++;
            assert(strchr("\"\\nl", *c) && *c);
        }
    }
    return c + 1;
}

/* Behind the markup that begins at c: <…> in which every tag is one of ours. */
static const char *skip_markup(const char *c)
{
    unsigned depth = 0;
    do {
        assert(*c);
        assert(*c != '\\');
        depth += *c == '<';
        depth -= *c == '>';
        c++;
    } while (depth);
    return c;
}

static void check(const char *dot, const struct figure_graph *graph)
{
    unsigned braces = 0, brackets = 0, edges = 0;
    const char *c = dot;
    while (*c) {
        if (*c == '"') {
            c = skip_quoted(c);
            continue;
        }
        if (*c == '<') {
            c = skip_markup(c);
            continue;
        }
        assert((unsigned char)*c < 0x80);
        braces += *c == '{';
        braces -= *c == '}';
        brackets += *c == '[';
        brackets -= *c == ']';
        assert(brackets <= 1);
        edges += c[0] == '-' && c[1] == '>';
        c++;
    }
    assert(!braces && !brackets);
    size_t lifelines = graph->kind == FIGURE_SEQUENCE ? graph->n_nodes : 0;
    assert(edges == graph->n_edges + lifelines);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

/* No label ends a line of Mermaid, or a value in XML. */
static void check_exports(struct arena *arena, const struct figure_graph *graph)
{
    const char *mermaid = graph_mermaid(arena, graph, &style);
    const char *drawio = graph_drawio(arena, graph, &style, NULL);
    size_t own = graph->kind == FIGURE_SEQUENCE ? 1 : 2;
    assert(text_is_utf8(mermaid, strlen(mermaid)) && text_is_utf8(drawio, strlen(drawio)));
    assert(count(mermaid, "\n") == 1 + own * graph->n_nodes + graph->n_edges + 3 * graph->n_groups);
    assert(count(drawio, "<mxCell ") == 2 + graph->n_nodes + graph->n_edges);
    assert(count(drawio, "\"") % 2 == 0);
    assert(count(drawio, "<") == count(drawio, ">"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) arena = { 0 };
    struct problems problems = { .arena = &arena };
    struct figure_graph graph;
    json_t *value;
    if (json_parse((const char *)data, size, JSON_FOREIGN, &value, NULL))
        return 0;
    if (figure_graph_from_json(&arena, value, &graph, &problems) && figure_graph_fits(&graph)) {
        const char *dot = graph_dot(&arena, &graph, &style, NULL);
        assert(text_is_utf8(dot, strlen(dot)));
        check(dot, &graph);
        check_exports(&arena, &graph);
        (void)figure_graph_describe(&arena, &graph);
    }
    json_decref(value);
    return 0;
}
