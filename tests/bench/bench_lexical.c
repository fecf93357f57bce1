/* Measures the lexical analyst: bench_lexical [-v] [FOLDER…].
 *
 * - The requests of tests/data, and those of each folder (lexical_grade.h has the format; by
 * default tests/data/lexical where it is there): what it did beside what was wanted.
 * - The Berkeley Function Calling data (bfcl_set.h), live ones too where they are there.
 * - Whether its score means what it says, over all of them.
 * - What 1,000 tools take.
 *
 * With -v, tells of each case that went wrong; of the data whose odd lines were kept aside, of even
 * lines only. A line that has a target ends with ok or MISSED. */
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/full/lexical/bfcl_set.h"
#include "tests/support/full/lexical/lexical_grade.h"
#include "tests/support/full/lexical/request_set.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SKIPPED = 77, MAX_SETS = 8, MAX_TALLIES = 32, FEW_TOOLS = 40, MANY_TOOLS = 1000, RUNS = 9 };

static bool verbose;

static void target(const char *what, double value, const char *unit, double limit, bool at_most)
{
    bool is_met = at_most ? value <= limit : value >= limit;
    printf("  %-52s %7.2f %-4s %s %6.2f  %s\n", what, value, unit, at_most ? "<=" : ">=", limit,
           is_met ? "ok" : "MISSED");
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 100;
}

/* One row of a table: of a set, a language, or what was expected. */
struct tally {
    const char *of;
    unsigned n, acted, right_acts, doable, done, asked, right_questions, refused, right_refusals,
        sensible, unasked;
};

static struct tally *tally_of(struct tally *tallies, const char *of)
{
    struct tally *tally = tallies;
    while (tally->of && strcmp(tally->of, of) != 0 && tally < tallies + MAX_TALLIES - 1)
        tally++;
    tally->of = of;
    return tally;
}

static void count(struct tally *tally, const json_t *request, const struct lexical_outcome *found,
                  const struct lexical_grade *grade)
{
    tally->n++;
    tally->acted += found->did == LEXICAL_ACTED;
    tally->right_acts += found->did == LEXICAL_ACTED && grade->is_right;
    tally->doable += text_equal(json_get_string(request, "expect"), "do");
    tally->done += grade->is_done;
    tally->asked += found->did == LEXICAL_ASKED;
    tally->right_questions += found->did == LEXICAL_ASKED && grade->is_right;
    tally->refused += found->did == LEXICAL_REFUSED;
    tally->right_refusals += found->did == LEXICAL_REFUSED && grade->is_right;
    tally->sensible += grade->is_sensible;
    tally->unasked += grade->unasked;
}

/* "-" where there is nothing to have a share of. */
static const char *share(char *out, size_t size, unsigned part, unsigned whole)
{
    if (whole)
        snprintf(out, size, "%5.1f %%", percent(part, whole));
    else
        snprintf(out, size, "-");
    return out;
}

static void print_tally(const struct tally *t)
{
    char right[16], done[16];
    printf("  %-15s %4u  %4u %7s  %4u %7s  %4u/%-4u  %4u/%-4u  %5.1f %%  %4u\n", t->of, t->n,
           t->acted, share(right, sizeof right, t->right_acts, t->acted), t->doable,
           share(done, sizeof done, t->done, t->doable), t->right_questions, t->asked,
           t->right_refusals, t->refused, percent(t->sensible, t->n), t->unasked);
}

static void print_calls(const char *what, const json_t *calls)
{
    size_t i;
    json_t *call;
    json_array_foreach (calls, i, call) {
        auto_str args = json_print(json_object_get(call, "args"));
        printf("  %s %s %s\n", what, json_get_string(call, "tool"), args);
    }
}

static void tell(const json_t *request, const struct lexical_outcome *found,
                 const struct lexical_grade *grade)
{
    static const char *const did[] = { "acted", "asked", "refused" };
    auto_str about = json_print(json_object_get(request, "ask_about"));
    const char *expect = json_get_string(request, "expect");
    printf("%s %s %s: %s\n  want %s %s\n", json_get_string(request, "id"),
           json_get_string(request, "tools"), json_get_string(request, "lang"),
           json_get_string(request, "text"), expect, strcmp(expect, "ask") == 0 ? about : "");
    print_calls("    ", json_object_get(request, "calls"));
    printf("  %s %.2f%s", did[found->did], found->score,
           grade->unasked ? ", a change that was not asked for" : "");
    if (found->refusal)
        printf(": %s", found->refusal);
    for (size_t i = 0; i < found->n_keys; i++)
        printf(" %s?", found->keys[i]);
    for (size_t i = 0; i < found->n_choices; i++)
        printf(" %s", found->choices[i]->full_name);
    printf("\n");
    for (size_t i = 0; i < found->n_calls; i++) {
        auto_str args = json_print(found->calls[i].args);
        printf("      %s %s\n", found->calls[i].tool->full_name, args);
    }
}

/* The tools of a folder by the set they belong to. */
struct tool_set {
    const char *name;
    struct lexical_tools tools;
};

static const char *set_of(const char *server)
{
    static const char *const of_mistro[] = { "files", "mistro" };
    static const char *const npm[][2] = { { "everything", "npm-everything" },
                                          { "filesystem", "npm-filesystem" },
                                          { "memory", "npm-memory" } };
    for (size_t i = 0; i < ARRAY_LENGTH(npm); i++)
        if (strcmp(npm[i][0], server) == 0)
            return npm[i][1];
    return text_is_one_of(server, of_mistro, ARRAY_LENGTH(of_mistro)) ? "builtin" : "mock";
}

static struct tool_set *set_named(struct tool_set *sets, const char *name)
{
    struct tool_set *set = sets;
    while (set->name && strcmp(set->name, name) != 0 && set < sets + MAX_SETS - 1)
        set++;
    set->name = name;
    return set;
}

static json_t *load(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return json_load_file(path, 0, NULL);
}

/* The built-in tools are measured as they are; mistro's own jobs stand beside whatever is
 * configured. */
static bool load_tools(const char *folder, struct tool_set *sets)
{
    static const char *const files[] = { "tools.json", "mock_tools.json", "other_tools.json" };
    size_t i;
    json_t *definition;
    for (size_t f = 0; f < ARRAY_LENGTH(files); f++) {
        json_t *definitions = load(folder, files[f]);
        json_array_foreach (definitions, i, definition) {
            const char *server = json_get_string(definition, "server");
            struct lexical_tools *tools = &set_named(sets, set_of(server))->tools;
            if (strcmp(set_of(server), "builtin") != 0)
                lexical_tools_add(tools, server, json_incref(definition));
        }
        json_decref(definitions);
    }
    bool is_ready = true;
    lexical_tools_add_workspace(&set_named(sets, "builtin")->tools, false);
    for (struct tool_set *set = sets; set->name; set++) {
        lexical_tools_add_jobs(&set->tools);
        set->tools.today = lexical_today();
        is_ready = is_ready && lexical_tools_index(&set->tools);
    }
    return is_ready && sets->name;
}

/* The rows of one folder. */
struct table {
    struct tally sets[MAX_TALLIES], languages[MAX_TALLIES], expected[MAX_TALLIES], all;
};

static bool grade_request(struct tool_set *sets, const json_t *request, struct table *table,
                          struct calibration *acts)
{
    AUTO(arena) arena = { 0 };
    struct lexical_outcome found;
    struct err err = { 0 };
    const char *set = json_get_string(request, "tools");
    if (lexical_outcome_of(&arena, &set_named(sets, set)->tools, json_get_string(request, "text"),
                           &found, &err))
        return printf("%s: %s\n", json_get_string(request, "id"), err.message) < 0;
    struct lexical_grade grade = lexical_grade(request, &found);
    count(tally_of(table->sets, set), request, &found, &grade);
    count(tally_of(table->languages, json_get_string(request, "lang")), request, &found, &grade);
    count(tally_of(table->expected, json_get_string(request, "expect")), request, &found, &grade);
    count(&table->all, request, &found, &grade);
    if (found.did == LEXICAL_ACTED)
        calibration_add(acts, found.score, grade.is_right);
    if (verbose && !grade.is_sensible)
        tell(request, &found, &grade);
    return true;
}

static void print_table(const char *folder, const char *name, const struct table *table)
{
    const struct tally *const parts[] = { table->sets, table->languages, table->expected };
    const struct tally *all = &table->all;
    printf("%s/%s\n  %-15s %4s  %4s %7s  %4s %7s  %9s  %9s  %8s  %s\n", folder, name, "", "n",
           "acts", "right", "can", "done", "asked", "refused", "sensible", "unasked");
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
        for (const struct tally *tally = parts[i]; tally->of; tally++)
            print_tally(tally);
    print_tally(all);
    target("of what it acts on, right", percent(all->right_acts, all->acted), "%", 95, false);
    target("of what can be done, done", percent(all->done, all->doable), "%", 60, false);
    target("done, sensibly asked or rightly refused", percent(all->sensible, all->n), "%", 85,
           false);
    target("changes that were not asked for", all->unasked, "", 0, true);
}

static bool run_requests(const char *folder, const char *name, struct calibration *acts)
{
    struct tool_set sets[MAX_SETS] = { 0 };
    struct table table = { .all.of = "all" };
    size_t i;
    json_t *request;
    json_auto_t *requests = load(folder, name);
    bool is_read = requests && load_tools(folder, sets);
    if (!is_read)
        printf("%s: no %s, or no tools\n", folder, name);
    json_array_foreach (requests, i, request)
        is_read = is_read && grade_request(sets, request, &table, acts);
    if (is_read)
        print_table(folder, name, &table);
    for (size_t s = 0; s < MAX_SETS; s++)
        lexical_tools_finish(&sets[s].tools);
    return is_read;
}

static bool run_own_requests(void)
{
    struct request_tally halves[REQUEST_HALVES];
    if (!request_set_measure(verbose, halves))
        return false;
    for (unsigned half = 0; half < REQUEST_HALVES; half++) {
        const struct request_tally *t = &halves[half];
        printf("%-14s %-5s %4u cases  right tool %5.1f %%  refused %5.1f %%  exact call %5.1f %%\n",
               "tests/data", half ? "odd" : "even", t->answerable + t->irrelevant,
               percent(t->right_tool, t->answerable), percent(t->refused, t->irrelevant),
               percent(t->right_call, t->answerable));
    }
    return true;
}

/* All sets that are measured together. */
struct leaderboard {
    struct bfcl_samples samples;
    struct bfcl_tally answered, irrelevant, relevant; /* live ones */
};

static void add_to(struct bfcl_tally *sum, const struct bfcl_tally *tally)
{
    sum->n += tally->n;
    sum->chosen += tally->chosen;
    sum->touched += tally->touched;
    sum->exact += tally->exact;
    sum->refused += tally->refused;
    sum->which += tally->which;
}

static void print_bfcl(const char *name, const char *lines, const struct bfcl_tally *t)
{
    printf("%-22s %-5s %4u cases  right tool %5.1f %% (of calls and questions for values %5.1f %%)"
           "  exact call %5.1f %%  which tool? %4.1f %%  refused %5.1f %%\n",
           name, lines, t->n, percent(t->chosen, t->n), percent(t->chosen, t->touched),
           percent(t->exact, t->n), percent(t->which, t->n), percent(t->refused, t->n));
}

/* Both halves of a set together. False when there is no such set. */
static bool run_set(const struct bfcl_samples *samples, const char *name, bool *has_answers,
                    struct bfcl_tally *sum)
{
    struct bfcl_tally halves[BFCL_HALVES];
    *sum = (struct bfcl_tally){ 0 };
    if (!bfcl_set_measure(name, verbose, halves, has_answers, samples))
        return false;
    for (unsigned half = 0; half < BFCL_HALVES; half++) {
        print_bfcl(name, half ? "odd" : "even", &halves[half]);
        add_to(sum, &halves[half]);
    }
    return true;
}

static void run_live(void *context, const char *name)
{
    struct leaderboard *board = context;
    struct bfcl_tally tally;
    bool has_answers;
    if (!run_set(&board->samples, name, &has_answers, &tally))
        return;
    bool is_irrelevant = strstr(name, "irrelevance");
    add_to(has_answers     ? &board->answered
           : is_irrelevant ? &board->irrelevant
                           : &board->relevant,
           &tally);
}

static bool run_leaderboard(struct leaderboard *board)
{
    struct bfcl_tally multiple, simple, irrelevance;
    bool ignored;
    if (!run_set(&board->samples, "multiple", &ignored, &multiple) ||
        !run_set(&board->samples, "simple_python", &ignored, &simple) ||
        !run_set(&board->samples, "irrelevance", &ignored, &irrelevance))
        return false;
    target("right tool of multiple", percent(multiple.chosen, multiple.n), "%", 95, false);
    target("accepted of simple", percent(simple.chosen, simple.n), "%", 96.25, false);
    target("refused of irrelevance", percent(irrelevance.refused, irrelevance.n), "%", 77.5, false);
    return true;
}

static void run_live_sets(struct leaderboard *board)
{
    bfcl_each_set("live_", run_live, board);
    if (board->answered.n) {
        target("live: right tool", percent(board->answered.chosen, board->answered.n), "%", 80,
               false);
        target("live: exact call", percent(board->answered.exact, board->answered.n), "%", 25,
               false);
    }
    if (board->irrelevant.n)
        target("live: refused of irrelevance",
               percent(board->irrelevant.refused, board->irrelevant.n), "%", 70, false);
    if (board->relevant.n)
        printf("  live: called or asked about, of what some tool is for: %.1f %%\n",
               percent(board->relevant.touched, board->relevant.n));
}

static void print_calibration(const char *of, const struct calibration *cases, bool has_target)
{
    struct calibration_bin bins[CALIBRATION_BINS];
    double error = calibration_error(cases, bins);
    double validated = calibration_cross_validated(cases);
    struct calibration_map map = calibration_fit(cases, CALIBRATION_FOLDS);
    printf("score of %s, %zu cases; fitted: slope %.3f, offset %.3f\n  score      cases   mean "
           " right\n",
           of, cases->n, map.slope, map.offset);
    for (size_t i = 0; i < CALIBRATION_BINS; i++)
        if (bins[i].n)
            printf("  %.1f - %.1f  %5zu  %.3f  %.3f\n", (double)i / CALIBRATION_BINS,
                   (double)(i + 1) / CALIBRATION_BINS, bins[i].n, bins[i].score / (double)bins[i].n,
                   bins[i].right / (double)bins[i].n);
    if (has_target) {
        target("expected calibration error, as it is", error, "", 0.05, true);
        target("expected calibration error, cross-validated", validated, "", 0.05, true);
    } else
        printf("  expected calibration error %.3f, cross-validated %.3f\n", error, validated);
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static bool add_many(struct lexical_tools *tools, size_t n)
{
    json_auto_t *all = load(SOURCE_DIR "/tests/data/shortlist", "tools.json");
    size_t own = json_array_size(all);
    for (size_t i = 0; own && i < n; i++) {
        const json_t *definition = json_array_get(all, i % own);
        const char *server = json_get_string(definition, "server");
        lexical_tools_add(tools, arena_printf(&tools->arena, "%s%zu", server, i / own),
                          json_share(definition));
    }
    return own && lexical_tools_index(tools);
}

/* The least of several runs: index and analysis of a request that has much to find. */
static double time_of(size_t n_tools)
{
    static const char *const text =
        "find the open issues with the word \"timeout\" and send the list to anna@example.org";
    double least = 1e9;
    for (size_t i = 0; i < RUNS; i++) {
        AUTO(arena) arena = { 0 };
        AUTO(lexical_tools) tools = { 0 };
        struct lexical_outcome found;
        if (!add_many(&tools, n_tools))
            return least;
        double began = cpu_ms();
        if (!lexical_tools_index(&tools) || lexical_outcome_of(&arena, &tools, text, &found, NULL))
            return least;
        double took = cpu_ms() - began;
        least = took < least ? took : least;
    }
    return least;
}

static void run_times(void)
{
    double few = time_of(FEW_TOOLS), many = time_of(MANY_TOOLS);
    printf("index and analysis, CPU: %d tools %.2f ms, %d tools %.2f ms\n", FEW_TOOLS, few,
           MANY_TOOLS, many);
    target("1,000 tools add, in process", many - few, "ms", 10, true);
}

/* The requests of a folder, and those of other files where they are there. */
static bool run_folder(const char *folder, struct calibration *acts)
{
    static const char *const others[] = { "tuning.json", "fresh.json" };
    bool all = run_requests(folder, "requests.json", acts);
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        json_auto_t *requests = load(folder, others[i]);
        all = (!requests || run_requests(folder, others[i], acts)) && all;
    }
    return all;
}

static bool run_folders(char **folders, struct calibration *acts)
{
    bool all = true;
    if (*folders)
        for (; *folders; folders++)
            all = run_folder(*folders, acts) && all;
    else {
        json_auto_t *requests = load(SOURCE_DIR "/tests/data/lexical", "requests.json");
        all = !requests || run_folder(SOURCE_DIR "/tests/data/lexical", acts);
    }
    return all;
}

int main(int argc, char **argv)
{
    struct calibration tools = { 0 }, calls = { 0 }, acts = { 0 };
    struct leaderboard board = { .samples = { &tools, &calls } };
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    if (!run_own_requests() || !run_folders(argv + 1 + verbose, &acts))
        return 1;
    if (acts.n)
        print_calibration("acts on the folders' requests", &acts, false);
    bool is_there = run_leaderboard(&board);
    if (is_there) {
        print_calibration("the tool, leaderboard", &tools, true);
        print_calibration("the whole call, leaderboard", &calls, false);
    } else
        printf("skipped: no bfcl data in MISTRO_TEST_DATA or ../shared/data\n");
    run_live_sets(&board);
    run_times();
    calibration_finish(&tools);
    calibration_finish(&calls);
    calibration_finish(&acts);
    return is_there ? 0 : SKIPPED;
}
