
#include "domain/base/json.h"
#include "domain/figure/figure_graph.h"
#include "tests/support/cmocka.h"
#include <string.h>

struct fixture {
    struct arena arena;
    struct problems problems;
    struct figure_graph graph;
};

static int setup(void **state)
{
    static struct fixture f;
    f = (struct fixture){ .problems = { .arena = &f.arena } };
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    arena_finish(&((struct fixture *)*state)->arena);
    return 0;
}

static bool read(struct fixture *f, const char *text)
{
    struct err err;
    json_t *value;
    if (json_parse(text, strlen(text), JSON_FOREIGN, &value, &err))
        fail_msg("%s", err.message);
    bool is_read = figure_graph_from_json(&f->arena, value, &f->graph, &f->problems);
    json_decref(value);
    return is_read;
}

static void refuses(struct fixture *f, const char *text, const char *path, const char *message)
{
    assert_false(read(f, text));
    assert_int_equal(f->problems.n, 1);
    assert_string_equal(f->problems.list[0].path, path);
    assert_string_equal(f->problems.list[0].message, message);
}

static const char whole[] =
    "{\"kind\":\"flow\",\"direction\":\"top_to_bottom\",\"nodes\":["
    "{\"id\":\"a\",\"label\":\"Client\",\"role\":\"actor\",\"emphasis\":\"accent\"},"
    "{\"id\":\"b\",\"label\":\"Store\",\"sub_label\":\"on "
    "disk\",\"role\":\"store\",\"emphasis\":\"normal\",\"group\":\"g\"}]"
    ","
    "\"edges\":[{\"from\":\"a\",\"to\":\"b\",\"label\":\"writes\",\"line\":\"dashed\","
    "\"both_ways\":true}],"
    "\"groups\":[{\"id\":\"h\",\"label\":\"Cloud\"},"
    "{\"id\":\"g\",\"label\":\"Data\",\"parent\":\"h\"}]}";

static void reads_what_it_printed(void **state)
{
    struct fixture *f = *state;
    assert_true(read(f, whole));

    json_t *value = figure_graph_to_json(&f->graph);
    char *text = json_print(value);

    assert_string_equal(text, whole);
    free(text);
    json_decref(value);
}

static void takes_defaults_for_all_but_ids_and_labels(void **state)
{
    struct fixture *f = *state;

    assert_true(read(f, "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\",\"group\":null}]}"));

    assert_int_equal(f->graph.kind, FIGURE_FLOW);
    assert_int_equal(f->graph.direction, FIGURE_LEFT_TO_RIGHT);
    assert_int_equal(f->graph.nodes[0].role, FIGURE_ROLE_PROCESS);
    assert_int_equal(f->graph.nodes[0].emphasis, FIGURE_EMPHASIS_NORMAL);
    assert_null(f->graph.nodes[0].group);
    assert_int_equal(f->graph.n_edges, 0);
}

static void says_everything_that_is_wrong_at_once(void **state)
{
    struct fixture *f = *state;

    assert_false(read(f, "{\"nodes\":[{\"id\":\"a\"},{\"label\":7,\"id\":\"b\"}],\"edges\":{},"
                         "\"nodess\":1}"));

    assert_int_equal(f->problems.n, 4);
    assert_string_equal(f->problems.list[0].path, "/nodess");
    assert_string_equal(f->problems.list[0].fix, "write \"nodes\" instead");
    assert_string_equal(f->problems.list[1].path, "/nodes/0/label");
    assert_string_equal(f->problems.list[2].message, "must be text");
    assert_string_equal(f->problems.list[3].path, "/edges");
}

static void refuses_an_edge_to_nowhere(void **state)
{
    refuses(
        *state,
        "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"}],\"edges\":[{\"from\":\"a\",\"to\":\"x\"}]}",
        "/edges/0/to", "no node has the id \"x\"");
}

static void refuses_an_id_that_is_there_twice(void **state)
{
    refuses(*state,
            "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"},{\"id\":\"b\",\"label\":\"B\"},"
            "{\"id\":\"a\",\"label\":\"C\"}]}",
            "/nodes/2/id", "\"a\" is the id of another one as well");
}

static void refuses_a_group_within_itself(void **state)
{
    refuses(*state,
            "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"}],\"groups\":["
            "{\"id\":\"g\",\"label\":\"G\",\"parent\":\"h\"},"
            "{\"id\":\"h\",\"label\":\"H\",\"parent\":\"g\"},"
            "{\"id\":\"i\",\"label\":\"I\",\"parent\":\"g\"}]}",
            "/groups/0/parent", "the group \"g\" is within itself");
}

static void refuses_a_group_that_does_not_exist(void **state)
{
    refuses(*state, "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\",\"group\":\"g\"}]}",
            "/nodes/0/group", "no group has the id \"g\"");
}

static void refuses_an_empty_label(void **state)
{
    refuses(*state, "{\"nodes\":[{\"id\":\"a\",\"label\":\" \\n\"}]}", "/nodes/0/label",
            "is empty");
}

static void refuses_the_character_zero(void **state)
{
    refuses(*state, "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\\u0000B\"}]}", "/nodes/0/label",
            "has the character U+0000");
}

static void refuses_a_word_it_does_not_know(void **state)
{
    struct fixture *f = *state;
    refuses(f, "{\"kind\":\"chart\",\"nodes\":[{\"id\":\"a\",\"label\":\"A\"}]}", "/kind",
            "\"chart\" is not a valid kind");
    assert_string_equal(f->problems.list[0].fix, "use one of flow, sequence");
}

static void refuses_a_flag_that_is_none(void **state)
{
    refuses(*state,
            "{\"nodes\":[{\"id\":\"a\",\"label\":\"A\"}],"
            "\"edges\":[{\"from\":\"a\",\"to\":\"a\",\"both_ways\":\"yes\"}]}",
            "/edges/0/both_ways", "must be true or false");
}

static void refuses_groups_in_a_sequence(void **state)
{
    refuses(*state,
            "{\"kind\":\"sequence\",\"nodes\":[{\"id\":\"a\",\"label\":\"A\"}],"
            "\"groups\":[{\"id\":\"g\",\"label\":\"G\"}]}",
            "/groups", "a sequence has no groups");
}

static void refuses_a_graph_without_nodes(void **state)
{
    refuses(*state, "{\"nodes\":[]}", "/nodes", "a graph has at least one node");
}

static void refuses_what_is_no_object(void **state)
{
    refuses(*state, "[]", "", "a graph must be an object");
}

static void takes_a_label_at_the_bound_and_none_above(void **state)
{
    struct fixture *f = *state;
    char label[FIGURE_MAX_LABEL_BYTES + 2] = { 0 };
    memset(label, 'x', FIGURE_MAX_LABEL_BYTES);
    assert_true(
        read(f, arena_printf(&f->arena, "{\"nodes\":[{\"id\":\"a\",\"label\":\"%s\"}]}", label)));

    label[FIGURE_MAX_LABEL_BYTES] = 'x';
    refuses(f, arena_printf(&f->arena, "{\"nodes\":[{\"id\":\"a\",\"label\":\"%s\"}]}", label),
            "/nodes/0/label", "is longer than 300 bytes");
}

/* n nodes, edges from the first to itself, and groups in each other. */
static void build(struct fixture *f, size_t nodes, size_t edges, size_t groups, size_t depth)
{
    json_t *value = json_pack("{s[]s[]s[]}", "nodes", "edges", "groups");
    for (size_t i = 0; i < nodes; i++)
        json_array_append_new(json_object_get(value, "nodes"),
                              json_pack("{so ss}", "id", json_sprintf("n%zu", i), "label", "A"));
    for (size_t i = 0; i < edges; i++)
        json_array_append_new(json_object_get(value, "edges"),
                              json_pack("{ss ss}", "from", "n0", "to", "n0"));
    for (size_t i = 0; i < groups; i++) {
        json_t *group = json_pack("{so ss}", "id", json_sprintf("g%zu", i), "label", "G");
        if (i && i < depth)
            json_object_set_new(group, "parent", json_sprintf("g%zu", i - 1));
        json_array_append_new(json_object_get(value, "groups"), group);
    }
    assert_true(figure_graph_from_json(&f->arena, value, &f->graph, &f->problems));
    json_decref(value);
}

static void fits_at_every_bound_and_not_above(void **state)
{
    static const size_t counts[][5] = {
        { FIGURE_MAX_NODES, FIGURE_MAX_EDGES, FIGURE_MAX_GROUPS, FIGURE_MAX_GROUP_DEPTH, true },
        { FIGURE_MAX_NODES + 1, 0, 0, 0, false },
        { 1, FIGURE_MAX_EDGES + 1, 0, 0, false },
        { 1, 0, FIGURE_MAX_GROUPS + 1, 0, false },
        { 1, 0, FIGURE_MAX_GROUPS, FIGURE_MAX_GROUP_DEPTH + 1, false },
        { 5000, 5000, 0, 0, false },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
        build(*state, counts[i][0], counts[i][1], counts[i][2], counts[i][3]);
        assert_int_equal(figure_graph_fits(&((struct fixture *)*state)->graph), counts[i][4]);
    }
}

static void finds_a_node_by_its_id(void **state)
{
    struct fixture *f = *state;
    assert_true(read(f, whole));

    assert_int_equal(figure_graph_find(&f->graph, "b"), 1);
    assert_int_equal(figure_graph_find(&f->graph, "c"), -1);
}

static void tells_a_flow_in_sentences(void **state)
{
    struct fixture *f = *state;
    assert_true(read(f, whole));

    assert_string_equal(figure_graph_describe(&f->arena, &f->graph),
                        "A flow from top to bottom with 2 nodes and 1 edge.\n"
                        "\"Cloud\" is a group.\n"
                        "\"Data\" is a group within \"Cloud\".\n"
                        "\"Client\" is an actor, which stands out.\n"
                        "\"Store\" (\"on disk\") is a store in the group \"Data\".\n"
                        "\"Client\" and \"Store\" are linked both ways by a dashed line: "
                        "\"writes\".\n");
}

static void tells_a_sequence_in_its_order(void **state)
{
    struct fixture *f = *state;
    assert_true(read(f, "{\"kind\":\"sequence\",\"nodes\":[{\"id\":\"c\",\"label\":\"Client\","
                        "\"emphasis\":\"muted\"},{\"id\":\"s\",\"label\":\"Ser\\nver\"}],"
                        "\"edges\":[{\"from\":\"c\",\"to\":\"s\",\"label\":\"SYN\"},"
                        "{\"from\":\"s\",\"to\":\"c\",\"line\":\"dashed\"},"
                        "{\"from\":\"s\",\"to\":\"c\",\"both_ways\":true}]}"));

    assert_string_equal(figure_graph_describe(&f->arena, &f->graph),
                        "A sequence of 3 messages between 2 participants.\n"
                        "\"Client\" is a process, which stands back.\n"
                        "\"Ser ver\" is a process.\n"
                        "1. \"Client\" sends to \"Ser ver\": \"SYN\".\n"
                        "2. \"Ser ver\" answers \"Client\".\n"
                        "3. \"Ser ver\" exchanges messages with \"Client\".\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(reads_what_it_printed),
        TEST(takes_defaults_for_all_but_ids_and_labels),
        TEST(says_everything_that_is_wrong_at_once),
        TEST(refuses_an_edge_to_nowhere),
        TEST(refuses_an_id_that_is_there_twice),
        TEST(refuses_a_group_within_itself),
        TEST(refuses_a_group_that_does_not_exist),
        TEST(refuses_an_empty_label),
        TEST(refuses_the_character_zero),
        TEST(refuses_a_word_it_does_not_know),
        TEST(refuses_a_flag_that_is_none),
        TEST(refuses_groups_in_a_sequence),
        TEST(refuses_a_graph_without_nodes),
        TEST(refuses_what_is_no_object),
        TEST(takes_a_label_at_the_bound_and_none_above),
        TEST(fits_at_every_bound_and_not_above),
        TEST(finds_a_node_by_its_id),
        TEST(tells_a_flow_in_sentences),
        TEST(tells_a_sequence_in_its_order),
    };
    return cmocka_run_group_tests_name("figure_graph", tests, NULL, NULL);
}
