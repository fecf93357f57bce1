
#include "application/figure/dot/graph_export.h"
#include "tests/unit/application/figure/dot/graph_fixture.h"

static void mermaid_has(struct graph_fixture *f, const char *part)
{
    has(graph_mermaid(&f->arena, &f->graph, &f->style), part);
}

static void drawio_has(struct graph_fixture *f, const char *geometry, const char *part)
{
    has(graph_drawio(&f->arena, &f->graph, &f->style, geometry ? parsed(f, geometry) : NULL), part);
}

static const char nested[] =
    "{\"direction\":\"top_to_bottom\",\"nodes\":["
    "{\"id\":\"a\",\"label\":\"Client\",\"emphasis\":\"accent\"},"
    "{\"id\":\"b\",\"label\":\"Index\",\"sub_label\":\"on "
    "disk\",\"role\":\"store\",\"group\":\"in\"}"
    "],\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"asks\"},"
    "{\"from\":\"b\",\"to\":\"a\",\"line\":\"dashed\"},"
    "{\"from\":\"a\",\"to\":\"b\",\"line\":\"dashed\",\"both_ways\":true}],"
    "\"groups\":[{\"id\":\"out\",\"label\":\"Cloud\"},"
    "{\"id\":\"in\",\"label\":\"Search\",\"parent\":\"out\"}]}";

static void mermaid_nests_groups_and_keeps_shapes_lines_and_looks(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, nested);
    mermaid_has(f, "flowchart TB\n  n0[\"Client\"]\n  style n0 fill:#ff0010,");
    mermaid_has(f, "  subgraph g0[\"Cloud\"]\n  subgraph g1[\"Search\"]\n"
                   "  n1[(\"Index<br/>on disk\")]\n");
    mermaid_has(f, "  n0 -->|\"asks\"| n1\n  n1 -.-> n0\n  n0 <-.-> n1\n");
}

static void mermaid_labels_say_nothing_in_its_language(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, "{\"nodes\":[{\"id\":\"a\",\"label\":\"1. \\\"x\\\" #1; <b>`\"},"
                  "{\"id\":\"b\",\"label\":\"SYN-ACK (U.S.)\"}]}");
    mermaid_has(f, "n0[\"1#46; #34;x#34; #35;1#59; #60;b#62;#96;\"]");
    mermaid_has(f, "n1[\"SYN-ACK #40;U.S.#41;\"]");
}

static const char messages[] =
    "{\"kind\":\"sequence\",\"nodes\":[{\"id\":\"a\",\"label\":\"A; end\"},"
    "{\"id\":\"b\",\"label\":\"B\",\"sub_label\":\"far\"}],\"edges\":["
    "{\"from\":\"a\",\"to\":\"b\",\"label\":\"SYN\"},{\"from\":\"b\",\"to\":\"a\","
    "\"line\":\"dashed\"},{\"from\":\"b\",\"to\":\"b\",\"label\":\"waits\"},"
    "{\"from\":\"a\",\"to\":\"b\",\"label\":\"data\",\"both_ways\":true}]}";

static void a_sequence_is_one_in_mermaid(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, messages);
    assert_string_equal(graph_mermaid(&f->arena, &f->graph, &f->style),
                        "sequenceDiagram\n"
                        "  participant n0 as A#59; end\n"
                        "  participant n1 as B<br/>far\n"
                        "  n0->>n1: SYN\n"
                        "  n1-->>n0: \xC2\xA0\n"
                        "  n1->>n1: waits\n"
                        "  n0<<->>n1: data\n");
}

static void drawio_takes_the_places_of_the_picture(void **state)
{
    struct graph_fixture *f = *state;
    static const char geometry[] =
        "{\"bb\":\"0,0,300,200\",\"objects\":[{\"name\":\"cluster_0\",\"bb\":\"10,10,200,100\"},"
        "{\"name\":\"cluster_1\",\"bb\":\"20,20,180,80\"},"
        "{\"name\":\"n0\",\"pos\":\"50,150\",\"width\":\"1\",\"height\":\"0.5\"},"
        "{\"name\":\"n1\",\"pos\":\"100,50\",\"width\":\"1\",\"height\":\"0.5\"}]}";
    read_graph(f, nested);
    drawio_has(f, geometry, "vertex=\"1\" parent=\"1\"><mxGeometry x=\"14\" y=\"32\" width=\"72\"");
    drawio_has(f, geometry,
               "vertex=\"1\" parent=\"g0\"><mxGeometry x=\"10\" y=\"20\" width=\"160\"");
    drawio_has(f, geometry, "parent=\"g1\"><mxGeometry x=\"44\" y=\"12\" width=\"72\"");
    drawio_has(f, geometry,
               "<mxCell id=\"n1\" value=\"Index&#10;on disk\" style=\"shape=cylinder3");
    drawio_has(f, geometry,
               "<mxCell id=\"e1\" value=\"\" style=\"edgeStyle=orthogonalEdgeStyle;"
               "rounded=1;endArrow=block;endFill=1;dashed=1;");
}

static void drawio_has_a_grid_where_there_is_no_picture(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, nested);
    drawio_has(f, NULL, "parent=\"1\"><mxGeometry x=\"200\" y=\"0\" width=\"150\"");
    drawio_has(f, "{\"objects\":7}", "parent=\"1\"><mxGeometry x=\"200\" y=\"0\" width=\"150\"");
    assert_null(strstr(graph_drawio(&f->arena, &f->graph, &f->style, NULL), "id=\"g"));
}

static void drawio_labels_are_text_in_xml(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, "{\"nodes\":[{\"id\":\"a\",\"label\":\"<b> & \\\"q\\\" \\\\n\\u0001\"}]}");
    drawio_has(f, NULL, "value=\"&lt;b&gt; &amp; &quot;q&quot; \\n\xEF\xBF\xBD\"");
}

static void drawio_has_a_message_at_its_own_height(void **state)
{
    struct graph_fixture *f = *state;
    read_graph(f, messages);
    drawio_has(f, NULL, "style=\"shape=umlLifeline;perimeter=lifelinePerimeter;");
    drawio_has(f, NULL,
               "source=\"n0\" target=\"n1\"><mxGeometry relative=\"1\" as=\"geometry\">"
               "<Array as=\"points\"><mxPoint x=\"195\" y=\"108\"/></Array>");
    drawio_has(f, NULL, "<mxPoint x=\"355\" y=\"188\"/><mxPoint x=\"355\" y=\"204\"/>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GRAPH_TEST(mermaid_nests_groups_and_keeps_shapes_lines_and_looks),
        GRAPH_TEST(mermaid_labels_say_nothing_in_its_language),
        GRAPH_TEST(a_sequence_is_one_in_mermaid),
        GRAPH_TEST(drawio_takes_the_places_of_the_picture),
        GRAPH_TEST(drawio_has_a_grid_where_there_is_no_picture),
        GRAPH_TEST(drawio_labels_are_text_in_xml),
        GRAPH_TEST(drawio_has_a_message_at_its_own_height),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
