/* Measures the lexical analyst on the Berkeley Function Calling data (not part of the repository:
 * $MISTRO_TEST_DATA or beside the source tree). Even lines were used while writing the rules, odd
 * lines were not; both are printed. Above them the requests of tests/data, where "refused" is the
 * share of those that no tool is for. With an argument, prints what was missed on even lines. */
#include "application/orchestrators/lexical/lexical_analyst.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "infrastructure/repositories/repository_create.h"
#include "tests/support/full/request_set.h"
#include "tests/support/full/test_assets.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { SKIPPED = 77, HALVES = 2 };

struct tally {
    unsigned n, chosen, refused, exact;
};

static bool verbose;

/* The data says dict and float where JSON Schema says object and number. */
static void mend_types(json_t *schema)
{
    static const char *const names[][2] = {
        { "dict", "object" }, { "float", "number" }, { "tuple", "array" }, { "any", "string" }
    };
    const char *type = json_string_value(json_object_get(schema, "type")), *key;
    json_t *property;
    for (size_t i = 0; type && i < ARRAY_LENGTH(names); i++)
        if (strcmp(type, names[i][0]) == 0)
            json_object_set_new(schema, "type", json_string(names[i][1]));
    json_object_foreach (json_object_get(schema, "properties"), key, property)
        mend_types(property);
    if (json_object_get(schema, "items"))
        mend_types(json_object_get(schema, "items"));
}

static size_t read_tools(struct arena *arena, const json_t *functions, const struct tool ***out)
{
    size_t i, n = json_array_size(functions);
    json_t *function;
    const struct tool **tools = arena_array(arena, const struct tool *, n + 1);
    json_array_foreach (functions, i, function) {
        struct tool *tool = arena_new(arena, struct tool);
        mend_types(json_object_get(function, "parameters"));
        *tool = (struct tool){ .server = "bench",
                               .name = json_get_string(function, "name"),
                               .full_name = json_get_string(function, "name"),
                               .description = json_get_string(function, "description"),
                               .input_schema = json_object_get(function, "parameters"),
                               .definition = function };
        tools[i] = tool;
    }
    *out = tools;
    return n;
}

/* Strings compare as the benchmark compares them: without case, blanks and punctuation. */
static bool same_text(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a && strchr(" ,./-_*^'\"", *a))
            a++;
        while (*b && strchr(" ,./-_*^'\"", *b))
            b++;
        if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        if (!*a)
            return true;
    }
}

static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_string(a) && json_is_string(b))
        return same_text(json_string_value(a), json_string_value(b));
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b))
        return json_equal(a, b);
    bool same = true;
    for (size_t i = 0; same && i < json_array_size(a); i++)
        same = same_value(json_array_get(a, i), json_array_get(b, i));
    return same;
}

/* An empty string among the acceptable values means that the argument may be left out. */
static bool is_acceptable(const json_t *acceptable, const json_t *value)
{
    size_t i;
    json_t *choice;
    json_array_foreach (acceptable, i, choice) {
        bool may_be_left_out = json_is_string(choice) && !*json_string_value(choice);
        if (value ? same_value(choice, value) : may_be_left_out)
            return true;
    }
    return false;
}

static bool arguments_fit(const json_t *expected, const json_t *args)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)expected, name, value)
        if (!is_acceptable(value, json_object_get(args, name)))
            return false;
    json_object_foreach ((json_t *)(uintptr_t)args, name, value)
        if (!json_object_get(expected, name))
            return false;
    return true;
}

static const char *request_of(const json_t *entry)
{
    const json_t *turn = json_array_get(json_object_get(entry, "question"), 0);
    return json_get_string(json_array_get(turn, json_array_size(turn) - 1), "content");
}

static void measure(struct tool_index *index, const json_t *entry, const json_t *answer,
                    struct tally *tally, bool tell)
{
    AUTO(arena) arena = { 0 };
    struct settings settings;
    struct lexical_analysis found;
    const struct tool **tools;
    struct err err = { 0 };
    settings_init(&settings);
    size_t n = read_tools(&arena, json_object_get(entry, "function"), &tools);
    const struct lexical_request request = {
        index, tools, n, request_of(entry), settings.lexical_threshold, 0, test_assets()
    };
    if (tool_index_build(index, tools, n, &err) ||
        lexical_analyse(&arena, &request, &found, &err)) {
        printf("%s\n", err.message);
        return;
    }
    const json_t *truth = json_array_get(json_object_get(answer, "ground_truth"), 0);
    const json_t *expected = found.tool ? json_object_get(truth, found.tool->name) : NULL;
    bool exact = expected && arguments_fit(expected, found.args);
    tally->n++;
    tally->chosen += expected != NULL;
    tally->refused += !found.tool;
    tally->exact += exact;
    if (!tell || exact || !answer)
        return;
    auto_str wanted = json_print(truth);
    auto_str got = json_print(found.args);
    printf("%s\n  want %s\n  got  %s %s %.2f\n", request.text, wanted,
           found.tool ? found.tool->name : "nothing", got, found.score);
}

static FILE *open_data(const char *name)
{
    char path[4096];
    const char *data = getenv("MISTRO_TEST_DATA");
    snprintf(path, sizeof path, "%s/bfcl/%s.jsonl", data ? data : SOURCE_DIR "/../shared/data",
             name);
    return fopen(path, "rb");
}

static json_t *next_line(FILE *file)
{
    static char line[1 << 18];
    json_t *value = NULL;
    if (!file || !fgets(line, sizeof line, file) ||
        json_parse(line, strlen(line), JSON_FOREIGN, &value, NULL))
        return NULL;
    return value;
}

static bool run(struct tool_index *index, const char *name, const char *answers)
{
    struct tally halves[HALVES] = { 0 };
    FILE *file = open_data(name), *answer_file = answers ? open_data(answers) : NULL;
    if (!file)
        return false;
    json_t *entry;
    for (unsigned line = 0; (entry = next_line(file)); line++) {
        json_auto_t *answer = next_line(answer_file);
        measure(index, entry, answer, &halves[line % HALVES], verbose && line % HALVES == 0);
        json_decref(entry);
    }
    for (unsigned half = 0; half < HALVES; half++) {
        double n = halves[half].n ? halves[half].n : 1;
        printf("%-14s %-5s %4u cases  right tool %5.1f %%  refused %5.1f %%  exact call %5.1f %%\n",
               name, half ? "odd" : "even", halves[half].n, 100 * halves[half].chosen / n,
               100 * halves[half].refused / n, 100 * halves[half].exact / n);
    }
    fclose(file);
    if (answer_file)
        fclose(answer_file);
    return true;
}

static bool run_own_requests(void)
{
    struct request_tally halves[REQUEST_HALVES];
    if (!request_set_measure(verbose, halves))
        return false;
    for (unsigned half = 0; half < REQUEST_HALVES; half++) {
        const struct request_tally *t = &halves[half];
        double n = t->answerable, irrelevant = t->irrelevant;
        printf("%-14s %-5s %4u cases  right tool %5.1f %%  refused %5.1f %%  exact call %5.1f %%\n",
               "own requests", half ? "odd" : "even", t->answerable + t->irrelevant,
               100 * t->right_tool / n, 100 * t->refused / irrelevant, 100 * t->right_call / n);
    }
    return true;
}

int main(int argc, char **argv)
{
    (void)argv;
    verbose = argc > 1;
    if (!run_own_requests())
        return 1;
    struct tool_index *index = bm25_tool_index_create();
    bool found = run(index, "multiple", "multiple.answers") &&
                 run(index, "simple_python", "simple_python.answers") &&
                 run(index, "irrelevance", NULL);
    tool_index_destroy(index);
    if (!found)
        printf("skipped: no bfcl data in MISTRO_TEST_DATA or ../shared/data\n");
    return found ? 0 : SKIPPED;
}
