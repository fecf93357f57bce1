
#include "application/figure/references/reference_pool.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/test_assets.h"
#include <string.h>

enum { SHOWN = 3 };

/* The whole pool as it is built in, in the full-text index that it is searched with. */
struct bench {
    struct arena arena;
    struct reference_pool pool;
    struct tool_index *index;
};

static void begin(struct bench *bench)
{
    *bench = (struct bench){ 0 };
    assert_int_equal(reference_pool_load(test_assets(), &bench->arena, &bench->pool, NULL),
                     ERR_NONE);
    bench->index = bm25_tool_index_create();
}

static void end(struct bench *bench)
{
    tool_index_destroy(bench->index);
    arena_finish(&bench->arena);
}

static void finds(enum figure_mode mode, const char *source, const char *caption, const char *id)
{
    struct bench bench;
    struct reference_hit *hits;
    size_t n, at = 0;
    begin(&bench);
    const struct figure_input input = {
        .source_context = source,
        .communicative_intent = caption,
        .caption = caption,
        .mode = mode,
        .pool = bench.pool.entries,
        .n_pool = bench.pool.n,
    };
    assert_int_equal(
        reference_pool_search(bench.index, &bench.arena, &input, SHOWN, &hits, &n, NULL), ERR_NONE);
    while (at < n && strcmp(bench.pool.entries[hits[at].reference].id, id) != 0)
        at++;
    if (at == n)
        for (size_t i = 0; i < n; i++)
            print_error("%s: %zu. %s\n", id, i + 1, bench.pool.entries[hits[i].reference].id);
    assert_true(at < n);
    end(&bench);
}

static void loads_every_reference_without_a_warning(void **state)
{
    (void)state;
    struct bench bench;

    begin(&bench);

    assert_int_equal(bench.pool.n_warnings, 0);
    assert_int_equal(bench.pool.n_passed_over, 0);
    assert_true(bench.pool.n >= 30);
    end(&bench);
}

static void finds_what_a_text_of_networking_is_about(void **state)
{
    (void)state;
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "The client sends SYN, the server answers SYN-ACK, and the client acknowledges.",
          "How a TCP connection is opened and closed.", "tcp_connection");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "A host connects a client to a server, which lists its tools and runs the one called.",
          "The handshake of the Model Context Protocol.", "mcp_session");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "The stub asks a recursive resolver, which walks from the root to the zone.",
          "Resolution of a domain name.", "dns_resolution");
}

static void finds_what_a_text_of_computing_is_about(void **state)
{
    (void)state;
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "The lexer makes tokens, the parser a tree, and the back end machine code.",
          "Stages of a compiler.", "compiler_pipeline");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "Users and items are embedded by two encoders; the nearest items are looked up.",
          "A two-tower model for retrieval.", "two_tower_retrieval");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "Passages are embedded, the nearest ones go into the prompt of a language model.",
          "Answers that are grounded in documents.", "rag_pipeline");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "After too many failures calls fail at once; a trial call closes it again.",
          "States of a circuit breaker.", "circuit_breaker");
}

static void finds_what_a_text_of_science_is_about(void **state)
{
    (void)state;
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "Light reactions make ATP and NADPH, which the Calvin cycle spends on carbon dioxide.",
          "Photosynthesis in the chloroplast.", "photosynthesis");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "Citrate is oxidised to oxaloacetate, which takes up acetyl-CoA again.",
          "The citric acid cycle.", "krebs_cycle");
    finds(FIGURE_MODE_DIAGRAM_IMAGE,
          "Patients are allocated by chance to treatment or control and followed up.",
          "Flow of participants through the trial.", "randomised_trial");
}

static void finds_plots_for_a_plot(void **state)
{
    (void)state;
    finds(FIGURE_MODE_PLOT_CODE, "Loss on training and validation data after each epoch.",
          "The learning curve shows where overfitting begins.", "plot_training_curve");
    finds(FIGURE_MODE_PLOT_CODE, "Response times of a thousand requests.",
          "Distribution of the latency.", "plot_latency_histogram");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_every_reference_without_a_warning),
        cmocka_unit_test(finds_what_a_text_of_networking_is_about),
        cmocka_unit_test(finds_what_a_text_of_computing_is_about),
        cmocka_unit_test(finds_what_a_text_of_science_is_about),
        cmocka_unit_test(finds_plots_for_a_plot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
