/* Texts with the arrows of the picture that is right (tests/data/figure). A text may be refused; an
 * arrow that is drawn and not right is worse than a hundred that are missing. */
#include "application/figure/text_graph/text_graph.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <string.h>

#define FOLDER SOURCE_DIR "/tests/data/figure/"

struct tally {
    unsigned n, n_wrong, n_surprises;
};

/* What is at the file's `*at` up to a line that begins with the mark, cut off there. */
static char *piece(char **at, const char *mark)
{
    char *begin = *at, *end = strstr(begin, mark);
    if (!end)
        return NULL;
    *end = 0;
    *at = end + strlen(mark);
    return begin;
}

static char *file_text(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char *text = arena_alloc(arena, 1 << 20);
    text[fread(text, 1, (1 << 20) - 1, file)] = 0;
    fclose(file);
    return text;
}

static const char *label_of(const struct figure_graph *graph, const char *id)
{
    int i = figure_graph_find(graph, id);
    return i < 0 ? "?" : graph->nodes[i].label;
}

/* Whether the arrow stands in the lines of those that are right; each of them is right once. */
static bool take_arrow(char *right, const char *arrow)
{
    char *at = strstr(right, arrow);
    if (!at || at[-1] != '\n')
        return false;
    memset(at, '#', strlen(arrow) - 1);
    return true;
}

static void try_text(const char *name, const char *text, bool is_drawn, const char *right,
                     struct tally *tally)
{
    AUTO(arena) arena = { 0 };
    struct figure_graph graph;
    const char *note = NULL;
    bool was_drawn = text_graph(&arena, text, &graph, &note);
    char *left = arena_printf(&arena, "\n%s\n", right);
    tally->n++;
    if (was_drawn != is_drawn) {
        tally->n_surprises++;
        fprintf(stderr, "%s: %s (%s)\n", name, was_drawn ? "is drawn" : "is not drawn",
                note ? note : "");
    }
    for (size_t i = 0; i < graph.n_edges; i++) {
        const struct figure_edge *edge = &graph.edges[i];
        const char *arrow =
            arena_printf(&arena, "%s -%s-%s %s\n", label_of(&graph, edge->from),
                         *edge->label ? edge->label : "-",
                         edge->line == FIGURE_LINE_DASHED ? "~>" : ">", label_of(&graph, edge->to));
        if (take_arrow(left, arrow))
            continue;
        tally->n_wrong++;
        fprintf(stderr, "%s: wrong: %s", name, arrow);
    }
    for (char *line = strtok(left, "\n"); was_drawn && line; line = strtok(NULL, "\n"))
        if (*line != '#') {
            tally->n_surprises++;
            fprintf(stderr, "%s: missing: %s\n", name, line);
        }
}

/* "## name", the text, "== drawn" or "== silent", the arrows. */
static struct tally try_file(const char *path)
{
    AUTO(arena) arena = { 0 };
    struct tally tally = { 0 };
    char *at = arena_printf(&arena, "%s\n\n## ", file_text(&arena, path));
    piece(&at, "## ");
    for (char *entry; (entry = piece(&at, "\n\n## "));) {
        char *name = piece(&entry, "\n"), *text = piece(&entry, "\n== "), *arrows = entry;
        assert_non_null(text);
        bool is_drawn = strncmp(arrows, "drawn", strlen("drawn")) == 0;
        arrows += strcspn(arrows, "\n");
        try_text(name, text, is_drawn, arrows, &tally);
    }
    return tally;
}

static void draws_of_texts_what_is_right_and_of_the_others_nothing(void **state)
{
    (void)state;
    struct tally tally = try_file(FOLDER "texts.txt");
    assert_true(tally.n > 80);
    assert_int_equal(tally.n_wrong, 0);
    assert_int_equal(tally.n_surprises, 0);
}

/* Sentences that only resemble a form: negations, modals, comparisons, clauses about a thing, words
 * that mean something said before. */
static void draws_nothing_of_sentences_that_resemble_a_form(void **state)
{
    (void)state;
    AUTO(arena) arena = { 0 };
    char *text = file_text(&arena, FOLDER "not_understood.txt");
    unsigned n = 0, n_drawn = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), n++) {
        struct figure_graph graph;
        const char *note = NULL;
        if (!text_graph(&arena, line, &graph, &note))
            continue;
        n_drawn++;
        fprintf(stderr, "is drawn: %s\n", line);
    }
    assert_true(n > 200);
    assert_int_equal(n_drawn, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_of_texts_what_is_right_and_of_the_others_nothing),
        cmocka_unit_test(draws_nothing_of_sentences_that_resemble_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
