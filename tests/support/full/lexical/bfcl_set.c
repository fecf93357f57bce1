#include "tests/support/full/lexical/bfcl_set.h"
#include "domain/base/buf.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "tests/support/full/lexical/lexical_subject.h"
#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

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

static void add_tools(struct lexical_tools *tools, const json_t *functions)
{
    size_t i;
    json_t *function;
    json_array_foreach (functions, i, function) {
        json_t *parameters = json_object_get(function, "parameters");
        mend_types(parameters);
        json_object_set(function, "inputSchema", parameters);
        lexical_tools_add(tools, "bench", json_incref(function));
    }
}

/* Strings compare as the leaderboard compares them: without case, blanks and punctuation. */
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
    json_each_member (expected, name, value)
        if (!is_acceptable(value, json_object_get(args, name)))
            return false;
    json_each_member (args, name, value)
        if (!json_object_get(expected, name))
            return false;
    return true;
}

/* One call for each of the truth, in order. */
static bool are_right_tools(const json_t *truth, const struct lexical_outcome *found)
{
    bool right = found->n_calls && found->n_calls == json_array_size(truth);
    for (size_t i = 0; right && i < found->n_calls; i++)
        right = json_object_get(json_array_get(truth, i), found->calls[i].tool->name);
    return right;
}

static bool are_right_calls(const json_t *truth, const struct lexical_outcome *found)
{
    bool right = found->did == LEXICAL_ACTED && are_right_tools(truth, found);
    for (size_t i = 0; right && i < found->n_calls; i++)
        right = arguments_fit(json_object_get(json_array_get(truth, i), found->calls[i].tool->name),
                              found->calls[i].args);
    return right;
}

static const char *request_of(const json_t *entry)
{
    const json_t *turn = json_array_get(json_object_get(entry, "question"), 0);
    return json_get_string(json_array_get(turn, json_array_size(turn) - 1), "content");
}

static void tell_of(const char *text, const json_t *truth, const struct lexical_outcome *found)
{
    static const char *const did[] = { "acted", "asked", "refused" };
    auto_str wanted = json_print(truth);
    printf("%s\n  want %s\n  %s %.2f", text, truth ? wanted : "nothing", did[found->did],
           found->score);
    for (size_t i = 0; i < found->n_calls; i++) {
        auto_str got = json_print(found->calls[i].args);
        printf(" %s %s", found->calls[i].tool->name, got);
    }
    for (size_t i = 0; i < found->n_keys; i++)
        printf(" %s?", found->keys[i]);
    printf("%s%s\n", found->refusal ? ": " : "", found->refusal ? found->refusal : "");
}

struct measure {
    bool tell;
    const struct bfcl_samples *samples;
};

static bool measure(const json_t *entry, const json_t *truth, const struct measure *how,
                    struct bfcl_tally *tally)
{
    AUTO(arena) arena = { 0 };
    AUTO(lexical_tools) tools = { 0 };
    struct lexical_outcome found;
    struct err err = { 0 };
    const char *text = request_of(entry);
    add_tools(&tools, json_object_get(entry, "function"));
    if (!lexical_tools_index(&tools) || lexical_outcome_of(&arena, &tools, text, &found, &err)) {
        printf("%s\n", err.message);
        return false;
    }
    bool chosen = are_right_tools(truth, &found), exact = are_right_calls(truth, &found);
    tally->n++;
    tally->chosen += chosen;
    tally->touched += found.n_calls > 0;
    tally->exact += exact;
    tally->refused += found.did == LEXICAL_REFUSED;
    tally->which += found.did == LEXICAL_ASKED && !found.n_calls;
    if (found.n_calls)
        calibration_add(how->samples->tools, found.tool_score, chosen);
    if (found.did == LEXICAL_ACTED)
        calibration_add(how->samples->calls, found.score, exact);
    if (how->tell && !(truth ? exact : found.did == LEXICAL_REFUSED))
        tell_of(text, truth, &found);
    return true;
}

static const char *data_folder(void)
{
    const char *data = getenv("MISTRO_TEST_DATA");
    return data ? data : SOURCE_DIR "/../shared/data";
}

static FILE *open_data(const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bfcl/%s%s.jsonl", data_folder(), name, ending);
    return fopen(path, "rb");
}

static json_t *next_line(FILE *file)
{
    static char line[1 << 20];
    json_t *value = NULL;
    if (!file || !fgets(line, sizeof line, file) ||
        json_parse(line, strlen(line), JSON_FOREIGN, &value, NULL))
        return NULL;
    return value;
}

bool bfcl_set_measure(const char *name, bool tell, struct bfcl_tally out[BFCL_HALVES],
                      bool *has_answers, const struct bfcl_samples *samples)
{
    FILE *file = open_data(name, ""), *answers = open_data(name, ".answers");
    json_t *entry;
    bool is_measured = true;
    memset(out, 0, BFCL_HALVES * sizeof *out);
    *has_answers = answers != NULL;
    for (unsigned line = 0; is_measured && (entry = next_line(file)); line++) {
        json_auto_t *answer = next_line(answers);
        unsigned half = line % BFCL_HALVES;
        const struct measure how = { tell && half == BFCL_EVEN, samples };
        is_measured = measure(entry, json_object_get(answer, "ground_truth"), &how, &out[half]);
        json_decref(entry);
    }
    if (answers)
        fclose(answers);
    return file && fclose(file) == 0 && is_measured;
}

void bfcl_each_set(const char *prefix, void (*each)(void *context, const char *name), void *context)
{
    char pattern[4096];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/bfcl/%s*.jsonl", data_folder(), prefix);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            char name[256];
            const char *last = strrchr(found.gl_pathv[i], '/') + 1;
            snprintf(name, sizeof name, "%.*s", (int)(strlen(last) - strlen(".jsonl")), last);
            if (!text_ends_with(name, ".answers"))
                each(context, name);
        }
        globfree(&found);
    }
}
