#include "application/figure/references/reference_pool.h"
#include "tests/support/cmocka.h"
#include "tests/support/fakes/fake_services.h"
#include "tests/support/memory_assets.h"
#include <string.h>

#define GRAPH                                                                                      \
    "\"graph\":{\"nodes\":[{\"id\":\"a\",\"label\":\"Anode\"},{\"id\":\"b\",\"label\":\"B\"}],"    \
    "\"edges\":[{\"from\":\"a\",\"to\":\"b\"}]}"
#define ENTRY(id, summary, domain, type)                                                           \
    "{\"id\":\"" id "\",\"summary\":\"" summary "\",\"domain\":\"" domain                          \
    "\",\"diagram_type\":\"" type "\"," GRAPH "}"
#define FILE_OF(id) "data/references/" id ".json"

static void load(struct arena *arena, const struct memory_asset *files, size_t n,
                 struct reference_pool *out)
{
    struct memory_assets assets;
    memory_assets_init(&assets, files, n);
    assert_int_equal(reference_pool_load(&assets.base, arena, out, NULL), ERR_NONE);
}

static void loads_every_file_of_the_folder(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    static const struct memory_asset files[] = {
        { FILE_OF("cell"), ENTRY("cell", "A cell.", "biology", "cycle"), NULL },
        { FILE_OF("tcp"), ENTRY("tcp", "TCP.", "networking", "sequence diagram"), "/home/a/tcp" },
        { "data/references/README.md", "words", NULL },
    };

    load(&arena, files, ARRAY_LENGTH(files), &pool);

    assert_int_equal(pool.n, 2);
    assert_string_equal(pool.entries[0].id, "cell");
    assert_string_equal(pool.entries[0].summary, "A cell.");
    assert_string_equal(pool.entries[1].domain, "networking");
    assert_string_equal(pool.entries[1].diagram_type, "sequence diagram");
    assert_true(json_is_object(pool.entries[1].graph));
    assert_int_equal(pool.n_warnings, 0);
    assert_int_equal(pool.n_passed_over, 0);
}

static void warns_of_a_file_that_is_no_reference_and_goes_on(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "[]", "an object is expected" },
        { "{", "/home/a/x.json: " },
        { NULL, "no asset" },
        { "{}", "/id: a text is expected" },
        { "{\"id\":\"\"}", "/id: a text is expected" },
        { "{\"id\":\"x\\u0000\"}", "/id: a text is expected" },
        { "{\"id\":\"y\"}", "/id: it is not the name of the file" },
        { "{\"id\":\"x\",\"summary\":7}", "/summary: a text is expected" },
        { "{\"id\":\"x\",\"summary\":\"s\"}", "/domain: a text is expected" },
        { "{\"id\":\"x\",\"summary\":\"s\",\"domain\":\"d\"}", "/diagram_type: a text" },
        { "{\"id\":\"x\",\"summary\":\"s\",\"domain\":\"d\",\"diagram_type\":\"t\"}",
          "neither a graph nor a plot" },
        { "{\"id\":\"x\",\"summary\":\"s\",\"domain\":\"d\",\"diagram_type\":\"t\",\"plot\":[]}",
          "/plot: an object is expected" },
        { "{\"id\":\"x\",\"summary\":\"s\",\"domain\":\"d\",\"diagram_type\":\"t\",\"plot\":{},"
          "\"graph\":{}}",
          "a graph and a plot" },
        { "{\"id\":\"x\",\"summary\":\"s\",\"domain\":\"d\",\"diagram_type\":\"t\",\"graph\":[]}",
          "/graph" },
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        AUTO(arena) arena = { 0 };
        struct reference_pool pool;
        const struct memory_asset files[] = {
            { FILE_OF("x"), cases[i].text, "/home/a/x.json" },
            { FILE_OF("z"), ENTRY("z", "Z.", "d", "cycle"), NULL },
        };

        load(&arena, files, ARRAY_LENGTH(files), &pool);

        assert_int_equal(pool.n, 1);
        assert_string_equal(pool.entries[0].id, "z");
        assert_int_equal(pool.n_warnings, 1);
        assert_non_null(strstr(pool.warnings[0], "x.json: "));
        assert_non_null(strstr(pool.warnings[0], cases[i].says));
    }
}

static void says_whose_file_it_is(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    static const struct memory_asset files[] = {
        { FILE_OF("a"), "[]", NULL },
        { FILE_OF("b"), "[]", "/home/ann/.config/mistro/data/references/b\x1b.json" },
    };

    load(&arena, files, ARRAY_LENGTH(files), &pool);

    assert_string_equal(pool.warnings[0], "data/references/a.json: an object is expected");
    assert_string_equal(pool.warnings[1],
                        "/home/ann/.config/mistro/data/references/b\\x1b.json: an object is "
                        "expected");
}

static const char *entry_of_size(struct arena *arena, size_t summary_bytes)
{
    char *summary = arena_alloc(arena, summary_bytes + 1);
    memset(summary, 's', summary_bytes);
    return arena_printf(arena,
                        "{\"id\":\"x\",\"summary\":\"%s\",\"domain\":\"d\",\"diagram_type\":\"t\","
                        "\"plot\":{}}",
                        summary);
}

static void takes_a_summary_of_the_bound_and_none_above(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool at, above;
    const struct memory_asset fits = { FILE_OF("x"),
                                       entry_of_size(&arena, REFERENCE_MAX_SUMMARY_BYTES), NULL };
    const struct memory_asset is_longer = { FILE_OF("x"),
                                            entry_of_size(&arena, REFERENCE_MAX_SUMMARY_BYTES + 1),
                                            NULL };

    load(&arena, &fits, 1, &at);
    load(&arena, &is_longer, 1, &above);

    assert_int_equal(at.n, 1);
    assert_int_equal(above.n, 0);
    assert_non_null(strstr(above.warnings[0], "/summary: longer than 1000 bytes"));
}

static void takes_a_file_of_the_bound_and_none_above(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    char *text = arena_alloc(&arena, REFERENCE_MAX_FILE_BYTES + 2);
    memset(text, ' ', REFERENCE_MAX_FILE_BYTES);
    const char *entry = entry_of_size(&arena, 1);
    memcpy(text, entry, strlen(entry));
    const struct memory_asset file = { FILE_OF("x"), text, NULL };

    load(&arena, &file, 1, &pool);
    assert_int_equal(pool.n, 1);
    text[REFERENCE_MAX_FILE_BYTES] = ' ';
    load(&arena, &file, 1, &pool);

    assert_int_equal(pool.n, 0);
    assert_non_null(strstr(pool.warnings[0], "too large"));
}

static struct memory_asset *many(struct arena *arena, size_t n, bool broken)
{
    struct memory_asset *files = arena_array(arena, struct memory_asset, n);
    for (size_t i = 0; i < n; i++) {
        files[i].path = arena_printf(arena, "data/references/r%04zu.json", i);
        files[i].text = arena_printf(
            arena, "{\"id\":\"r%04zu\",\"summary\":\"s\",\"domain\":\"d\",%s\"plot\":{}}", i,
            broken ? "" : "\"diagram_type\":\"t\",");
    }
    return files;
}

static void holds_as_many_as_the_bound_and_says_what_is_left_out(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool at, above;

    load(&arena, many(&arena, FIGURE_MAX_POOL, false), FIGURE_MAX_POOL, &at);
    load(&arena, many(&arena, FIGURE_MAX_POOL + 1, false), FIGURE_MAX_POOL + 1, &above);

    assert_int_equal(at.n, FIGURE_MAX_POOL);
    assert_int_equal(at.n_passed_over, 0);
    assert_int_equal(above.n, FIGURE_MAX_POOL);
    assert_int_equal(above.n_passed_over, 1);
    assert_string_equal(above.warnings[0],
                        "data/references/r0200.json: the pool is full without it");
}

static void counts_the_warnings_it_does_not_keep(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool at, above;

    load(&arena, many(&arena, REFERENCE_MAX_WARNINGS, true), REFERENCE_MAX_WARNINGS, &at);
    load(&arena, many(&arena, REFERENCE_MAX_WARNINGS + 1, true), REFERENCE_MAX_WARNINGS + 1,
         &above);

    assert_int_equal(at.n_warnings, REFERENCE_MAX_WARNINGS);
    assert_int_equal(above.n_warnings, REFERENCE_MAX_WARNINGS);
    assert_int_equal(above.n_passed_over, REFERENCE_MAX_WARNINGS + 1);
}

static void fails_when_the_folder_cannot_be_listed(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    struct memory_assets assets;
    struct err err;
    memory_assets_init(&assets, NULL, 0);
    assets.list_fails = ERR_LIMIT;

    assert_int_equal(reference_pool_load(&assets.base, &arena, &pool, &err), ERR_LIMIT);

    assert_string_equal(err.message, "references: the folder was told to fail");
}

static const char *type_of(enum figure_mode mode, const char *caption, const char *intent)
{
    const struct figure_input input = {
        .source_context = "", .communicative_intent = intent, .caption = caption, .mode = mode
    };
    return reference_type_of(&input);
}

static void tells_the_type_from_its_name_before_anything_else(void **state)
{
    (void)state;
    assert_string_equal(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "The handshake as a State Machine", ""),
                        "state machine");
    assert_string_equal(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "A handshake", "as a flow chart"),
                        "flowchart");
    assert_string_equal(type_of(FIGURE_MODE_PLOT_CODE, "Rain over time, as bars", ""), "bar chart");
}

static void tells_the_type_from_what_is_spoken_of(void **state)
{
    (void)state;
    assert_string_equal(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "The TCP handshake", ""),
                        "sequence diagram");
    assert_string_equal(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "A lamp", "its states"),
                        "state machine");
    assert_string_equal(type_of(FIGURE_MODE_PLOT_CODE, "Rain over time", ""), "line chart");
}

static void tells_no_type_where_nothing_speaks_of_one(void **state)
{
    (void)state;
    assert_null(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "An apple", ""));
    assert_null(type_of(FIGURE_MODE_DIAGRAM_IMAGE, "estates", ""));
    assert_null(type_of(FIGURE_MODE_PLOT_CODE, "A state machine", ""));
    assert_null(type_of(FIGURE_MODE_PLOT_CODE, "", ""));
}

static struct reference_hit *search(struct arena *arena, const struct reference_pool *pool,
                                    const char *caption, const char *source, size_t max, size_t *n)
{
    const struct figure_input input = { .source_context = source,
                                        .communicative_intent = "for readers",
                                        .caption = caption,
                                        .mode = FIGURE_MODE_DIAGRAM_IMAGE,
                                        .pool = pool->entries,
                                        .n_pool = pool->n };
    struct reference_hit *hits = NULL;
    struct tool_index *index = fake_index_create();
    enum err_code r = reference_pool_search(index, arena, &input, max, &hits, n, NULL);
    tool_index_destroy(index);
    assert_int_equal(r, ERR_NONE);
    return hits;
}

static const struct memory_asset ranked[] = {
    { FILE_OF("a"), ENTRY("a", "Enzymes in a cell.", "biology", "pipeline"), NULL },
    { FILE_OF("b"), ENTRY("b", "Money.", "business", "Cycle"), NULL },
    { FILE_OF("c"), ENTRY("c", "Enzymes at work.", "biology", "cycle"), NULL },
    { FILE_OF("d"), ENTRY("d", "Hiring.", "business", "flowchart"), NULL },
};

static void puts_type_and_topic_before_type_before_topic(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    size_t n;
    load(&arena, ranked, ARRAY_LENGTH(ranked), &pool);

    struct reference_hit *hits = search(&arena, &pool, "Enzymes: a cycle", "enzymes", 4, &n);

    assert_int_equal(n, 3);
    assert_string_equal(pool.entries[hits[0].reference].id, "c");
    assert_string_equal(pool.entries[hits[1].reference].id, "b");
    assert_string_equal(pool.entries[hits[2].reference].id, "a");
    assert_true(hits[0].score > hits[1].score && hits[1].score > hits[2].score);
    assert_true(hits[0].score <= 2);
}

static void goes_by_topic_where_no_type_is_asked_for(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    size_t n;
    load(&arena, ranked, ARRAY_LENGTH(ranked), &pool);

    struct reference_hit *hits = search(&arena, &pool, "What we do about HIRING", "", 4, &n);

    assert_int_equal(n, 1);
    assert_string_equal(pool.entries[hits[0].reference].id, "d");
}

static void gives_at_least_one_and_at_most_what_is_asked_for(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool, empty = { 0 };
    size_t n;
    load(&arena, ranked, ARRAY_LENGTH(ranked), &pool);

    (void)search(&arena, &pool, "xyzzy", "", 4, &n);
    assert_int_equal(n, 1);
    (void)search(&arena, &pool, "enzymes", "", 1, &n);
    assert_int_equal(n, 1);
    (void)search(&arena, &pool, "enzymes", "", 0, &n);
    assert_int_equal(n, 0);
    (void)search(&arena, &empty, "enzymes", "", 3, &n);
    assert_int_equal(n, 0);
}

static void finds_a_topic_in_the_labels_of_a_graph(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    size_t n;
    load(&arena, ranked, ARRAY_LENGTH(ranked), &pool);

    (void)search(&arena, &pool, "anode", "", 10, &n);

    assert_int_equal(n, 4);
}

static void keeps_plots_and_diagrams_apart(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct reference_pool pool;
    static const struct memory_asset files[] = {
        { FILE_OF("a"),
          "{\"id\":\"a\",\"summary\":\"rain rain\",\"domain\":\"d\",\"diagram_type\":\"cycle\","
          "\"plot\":{}}",
          NULL },
        { FILE_OF("b"), ENTRY("b", "Snow.", "weather", "cycle"), NULL },
    };
    size_t n;
    load(&arena, files, ARRAY_LENGTH(files), &pool);

    struct reference_hit *hits = search(&arena, &pool, "The rain cycle", "rain", 2, &n);

    assert_int_equal(n, 2);
    assert_string_equal(pool.entries[hits[0].reference].id, "b");
}

static void says_that_the_index_failed(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    struct err err;
    static struct fake_services fake;
    struct reference_hit *hits;
    size_t n;
    const struct figure_input input = { .source_context = "",
                                        .communicative_intent = "",
                                        .caption = "" };
    fake_services_init(&fake, NULL, SOURCE_DIR);
    fake.index.build_fails = ERR_INTERNAL;

    enum err_code r = reference_pool_search(&fake.index.base, &arena, &input, 1, &hits, &n, &err);
    fake_services_finish(&fake);

    assert_int_equal(r, ERR_INTERNAL);
    assert_string_equal(err.message, "references: the fake index was told to fail");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_every_file_of_the_folder),
        cmocka_unit_test(warns_of_a_file_that_is_no_reference_and_goes_on),
        cmocka_unit_test(says_whose_file_it_is),
        cmocka_unit_test(takes_a_summary_of_the_bound_and_none_above),
        cmocka_unit_test(takes_a_file_of_the_bound_and_none_above),
        cmocka_unit_test(holds_as_many_as_the_bound_and_says_what_is_left_out),
        cmocka_unit_test(counts_the_warnings_it_does_not_keep),
        cmocka_unit_test(fails_when_the_folder_cannot_be_listed),
        cmocka_unit_test(tells_the_type_from_its_name_before_anything_else),
        cmocka_unit_test(tells_the_type_from_what_is_spoken_of),
        cmocka_unit_test(tells_no_type_where_nothing_speaks_of_one),
        cmocka_unit_test(puts_type_and_topic_before_type_before_topic),
        cmocka_unit_test(goes_by_topic_where_no_type_is_asked_for),
        cmocka_unit_test(gives_at_least_one_and_at_most_what_is_asked_for),
        cmocka_unit_test(finds_a_topic_in_the_labels_of_a_graph),
        cmocka_unit_test(keeps_plots_and_diagrams_apart),
        cmocka_unit_test(says_that_the_index_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
