#include "tests/support/full/lexical/request_set.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "tests/support/full/lexical/lexical_subject.h"
#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 4096 };

static void add_office_tools(struct lexical_tools *tools)
{
    size_t i;
    json_t *definition;
    json_auto_t *all = json_load_file(SOURCE_DIR "/tests/data/request_tools.json", 0, NULL);
    json_array_foreach (all, i, definition)
        lexical_tools_add(tools, "office", json_incref(definition));
}

/* One of the calls is right; a question about its values has the right tool. */
static bool is_wanted(const json_t *calls, const struct lexical_outcome *found, bool *out_exactly)
{
    size_t i;
    json_t *call;
    bool is_right = false;
    json_array_foreach (calls, i, call)
        if (found->n_calls == 1 &&
            strcmp(json_get_string(call, "tool"), found->calls->tool->name) == 0) {
            is_right = true;
            *out_exactly =
                *out_exactly || json_equal(json_object_get(call, "args"), found->calls->args);
        }
    return is_right;
}

static void tell_of(const char *request, const json_t *calls, const struct lexical_outcome *found)
{
    auto_str wanted = json_print(calls);
    printf("%s\n  want %s\n", request, wanted);
    for (size_t i = 0; i < found->n_calls; i++) {
        auto_str got = json_print(found->calls[i].args);
        printf("  got  %s %s\n", found->calls[i].tool->name, got);
    }
    printf("  %s", found->explanation);
}

static bool measure(const struct lexical_tools *tools, const json_t *entry, bool tell,
                    struct request_tally *tally)
{
    AUTO(arena) arena = { 0 };
    struct lexical_outcome found;
    const json_t *calls = json_object_get(entry, "calls");
    const char *text = json_get_string(entry, "request");
    struct err err = { 0 };
    if (lexical_outcome_of(&arena, tools, text, &found, &err))
        return printf("%s\n", err.message) < 0;
    bool is_exact = false, is_answerable = json_array_size(calls) > 0;
    bool is_right = is_wanted(calls, &found, &is_exact), is_refused = !found.n_calls;
    tally->answerable += is_answerable;
    tally->right_tool += is_right;
    tally->right_call += is_exact;
    tally->irrelevant += !is_answerable;
    tally->refused += !is_answerable && is_refused;
    if (tell && !(is_answerable ? is_exact : is_refused))
        tell_of(text, calls, &found);
    return true;
}

static bool measure_all(const struct lexical_tools *workspace, const struct lexical_tools *office,
                        bool tell, struct request_tally out[REQUEST_HALVES])
{
    char text[MAX_LINE];
    bool is_measured = true;
    FILE *file = fopen(SOURCE_DIR "/tests/data/requests.jsonl", "rb");
    for (unsigned line = 0; is_measured && file && fgets(text, sizeof text, file); line++) {
        json_auto_t *entry = json_loads(text, 0, NULL);
        bool is_office = strcmp(json_get_string(entry, "tools"), "office") == 0;
        is_measured = measure(is_office ? office : workspace, entry,
                              tell && line % REQUEST_HALVES == 0, &out[line % REQUEST_HALVES]);
    }
    return file && fclose(file) == 0 && is_measured;
}

bool request_set_measure(bool tell, struct request_tally out[REQUEST_HALVES])
{
    AUTO(lexical_tools) workspace = { 0 };
    AUTO(lexical_tools) office = { 0 };
    memset(out, 0, REQUEST_HALVES * sizeof *out);
    lexical_tools_add_workspace(&workspace, true);
    add_office_tools(&office);
    lexical_tools_add_jobs(&workspace);
    lexical_tools_add_jobs(&office);
    return lexical_tools_index(&workspace) && lexical_tools_index(&office) &&
           measure_all(&workspace, &office, tell, out);
}
