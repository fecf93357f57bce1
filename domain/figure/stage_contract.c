/* The contracts as tables of fields: a field has a name and a function that checks its value. First
 * the functions for values, then the table of the stages, at last what input and output have to say
 * of each other. The round log is stage_contract_log.c. */
#include "domain/figure/stage_contract.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_findings.h"
#include "domain/figure/figure_words.h"
#include "domain/figure/stage_contract_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void stage_problem(const struct stage_check *check, const char *path, const char *fix,
                   const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    text_trim_broken_end(message);
    problems_add(check->problems, check->payload, path, "%s", message)->fix = fix;
}

static const char *type_of(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    };
    return names[json_typeof(value)];
}

void stage_check_fields(const struct stage_check *check, const json_t *object, const char *path,
                        const struct stage_field *fields)
{
    struct arena *arena = check->problems->arena;
    if (!json_is_object(object)) {
        stage_problem(check, path, "give a JSON object", "%s, not an object", type_of(object));
        return;
    }
    for (const struct stage_field *field = fields; field->name; field++) {
        const json_t *value = json_object_get(object, field->name);
        if (value)
            field->check(check, value, json_path_member(arena, path, field->name));
        else if (!field->is_optional)
            stage_problem(check, json_path_member(arena, path, field->name),
                          "add it: no other field stands for it", "missing");
    }
}

void stage_check_string(const struct stage_check *check, const json_t *value, const char *path)
{
    if (!json_is_string(value))
        stage_problem(check, path, "give a string", "%s, not a string", type_of(value));
    else if (json_string_has_nul(value))
        stage_problem(check, path, "remove the character U+0000", "U+0000 in a string");
}

void stage_check_text(const struct stage_check *check, const json_t *value, const char *path)
{
    const char *text = json_string_value(value);
    stage_check_string(check, value, path);
    if (text && !json_string_has_nul(value) && figure_same_words(text, ""))
        stage_problem(check, path, "say something there", *text ? "blank" : "empty");
}

/* Checks each element of an array. The list of problems has a bound, and when it is full the rest
 * of a long array is not looked at. */
static void check_each(const struct stage_check *check, const json_t *array, const char *path,
                       stage_value_fn *one)
{
    if (!json_is_array(array))
        stage_problem(check, path, "give an array", "%s, not an array", type_of(array));
    for (size_t i = 0; i < json_array_size(array) && !check->problems->dropped; i++)
        one(check, json_array_get(array, i), json_path_element(check->problems->arena, path, i));
}

static void check_texts(const struct stage_check *check, const json_t *value, const char *path)
{
    check_each(check, value, path, stage_check_text);
}

/* A word of a closed list; what: "mode". */
static void check_word(const struct stage_check *check, const json_t *value, const char *path,
                       bool is_known, const char *fix, const char *what)
{
    if (!json_is_string(value))
        stage_problem(check, path, fix, "%s, not a string", type_of(value));
    else if (!is_known)
        stage_problem(check, path, fix, "no %s: \"%.60s\"", what, json_string_value(value));
}

void stage_check_flag(const struct stage_check *check, const json_t *value, const char *path)
{
    if (!json_is_boolean(value))
        stage_problem(check, path, "give true or false", "%s, neither true nor false",
                      type_of(value));
}

void stage_check_round(const struct stage_check *check, const json_t *value, const char *path)
{
    static const char fix[] = "give an integer from 0";
    if (json_is_real(value))
        stage_problem(check, path, fix, "not an integer");
    else if (!json_is_integer(value))
        stage_problem(check, path, fix, "%s, not an integer", type_of(value));
    else if (json_integer_value(value) < 0)
        stage_problem(check, path, fix, "negative");
}

void stage_check_mode(const struct stage_check *check, const json_t *value, const char *path)
{
    enum figure_mode mode;
    bool is_known = figure_mode_parse(json_string_value(value), &mode);
    check_word(check, value, path, is_known, "give diagram_image or plot_code", "mode");
}

static void check_artifact_type(const struct stage_check *check, const json_t *value,
                                const char *path)
{
    enum figure_artifact_type type;
    bool is_known = figure_artifact_parse(json_string_value(value), &type);
    check_word(check, value, path, is_known, "give image_path, code_text or image_prompt",
               "type of artifact");
}

void stage_check_artifact(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "type", check_artifact_type, false },
                                                 { "value", stage_check_text, false },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
}

static void check_confidence(const struct stage_check *check, const json_t *value, const char *path)
{
    static const char *const words[] = { "high", "medium", "low" };
    const char *word = json_string_value(value);
    bool is_known = word && text_is_one_of(word, words, ARRAY_LENGTH(words));
    check_word(check, value, path, is_known, "give high, medium or low", "confidence");
}

static void check_refs(const struct stage_check *check, const json_t *value, const char *path)
{
    size_t n = json_array_size(value);
    if (json_is_array(value) && (n < 1 || n > FIGURE_MAX_REFS)) {
        stage_problem(check, path, "name 1 to 10 references", "%zu references", n);
        return;
    }
    check_texts(check, value, path);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            const json_t *one = json_array_get(value, i);
            if (!json_is_string(one) || !json_equal(one, json_array_get(value, j)))
                continue;
            stage_problem(check, json_path_element(check->problems->arena, path, i),
                          "name each reference once", "repeats \"%.60s\"", json_string_value(one));
            break;
        }
}

static void check_candidate(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "id", stage_check_text, false },
                                                 { "summary", stage_check_text, false },
                                                 { "domain", stage_check_text, false },
                                                 { "diagram_type", stage_check_text, false },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
}

static void check_pool(const struct stage_check *check, const json_t *value, const char *path)
{
    check_each(check, value, path, check_candidate);
    if (json_is_array(value) && !json_array_size(value))
        stage_problem(check, path, "give candidates to choose from", "empty");
}

static void check_example(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "id", stage_check_text, false },
                                                 { "summary", stage_check_text, false },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
}

static void check_examples(const struct stage_check *check, const json_t *value, const char *path)
{
    check_each(check, value, path, check_example);
}

void stage_check_gate(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "faithfulness_ok", stage_check_flag, false },
                                                 { "readability_ok", stage_check_flag, false },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
}

void stage_check_stop(const struct stage_check *check, const json_t *critique, const char *path)
{
    const json_t *gate = json_object_get(critique, "quality_gate");
    static const char *const gates[] = { "faithfulness_ok", "readability_ok" };
    if (!json_is_true(json_object_get(critique, "stop_flag")))
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(gates); i++)
        if (json_is_false(json_object_get(gate, gates[i])))
            stage_problem(check, json_path_member(check->problems->arena, path, "stop_flag"),
                          "stop only when both quality gates are true",
                          "stops although %s is false", gates[i]);
}

void stage_check_artifact_of_mode(const struct stage_check *check, const json_t *mode,
                                  const json_t *artifact, const char *path)
{
    enum figure_mode of;
    enum figure_artifact_type type;
    const char *name = json_get_string(artifact, "type");
    if (!figure_mode_parse(json_string_value(mode), &of) || !figure_artifact_parse(name, &type))
        return;
    bool is_plot = of == FIGURE_MODE_PLOT_CODE;
    if (type == FIGURE_ARTIFACT_IMAGE_PROMPT || is_plot == (type == FIGURE_ARTIFACT_CODE_TEXT))
        return;
    stage_problem(check, json_path_member(check->problems->arena, path, "type"),
                  is_plot ? "give code_text, or image_prompt where nothing could be plotted"
                          : "give image_path, or image_prompt where nothing could be drawn",
                  "%s is not what mode %s gives", name, figure_mode_name(of));
}

/* What a stage is given and what it gives; the last field of each has no name. */
struct stage_contract {
    struct stage_field input[6], output[6];
};

static const struct stage_contract contracts[] = {
    [STAGE_RETRIEVER] = {
        .input = { { "source_context", stage_check_text, false },
                   { "communicative_intent", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "candidate_pool", check_pool, false } },
        .output = { { "top_refs", check_refs, false },
                    { "selection_rationale", stage_check_text, false },
                    { "retrieval_confidence", check_confidence, false } },
    },
    [STAGE_PLANNER] = {
        .input = { { "source_context", stage_check_text, false },
                   { "communicative_intent", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "retrieved_examples", check_examples, false } },
        .output = { { "initial_description", stage_check_text, false },
                    { "assumption_block", stage_check_string, true } },
    },
    [STAGE_STYLIST] = {
        .input = { { "initial_description", stage_check_text, false },
                   { "style_guidelines", stage_check_text, false },
                   { "source_context", stage_check_text, false },
                   { "caption", stage_check_text, false } },
        .output = { { "optimized_description", stage_check_text, false },
                    { "style_actions", check_texts, false } },
    },
    [STAGE_VISUALIZER] = {
        .input = { { "description_t", stage_check_text, false },
                   { "mode", stage_check_mode, false },
                   { "round", stage_check_round, false } },
        .output = { { "artifact", stage_check_artifact, false } },
    },
    [STAGE_CRITIC] = {
        .input = { { "artifact", stage_check_artifact, false },
                   { "description_t", stage_check_text, false },
                   { "source_context", stage_check_text, false },
                   { "caption", stage_check_text, false },
                   { "round", stage_check_round, false } },
        .output = { { "critic_suggestions", stage_check_text, false },
                    { "revised_description", stage_check_text, false },
                    { "stop_flag", stage_check_flag, false },
                    { "quality_gate", stage_check_gate, false } },
    },
};

static void check_refs_in_pool(const struct stage_check *check, const json_t *input,
                               const json_t *output)
{
    const json_t *pool = json_object_get(input, "candidate_pool");
    const json_t *refs = json_object_get(output, "top_refs");
    if (!json_is_array(pool) || json_array_size(refs) > FIGURE_MAX_REFS)
        return;
    for (size_t i = 0; i < json_array_size(refs); i++) {
        const json_t *ref = json_array_get(refs, i);
        bool is_there = !json_is_string(ref);
        for (size_t k = 0; k < json_array_size(pool) && !is_there; k++)
            is_there = json_equal(json_object_get(json_array_get(pool, k), "id"), ref);
        if (!is_there)
            stage_problem(check, json_path_element(check->problems->arena, "/top_refs", i),
                          "name ids of the input's candidate_pool",
                          "there is no \"%.60s\" in the candidate_pool", json_string_value(ref));
    }
}

/* An output need not repeat source and caption; where it does, they are the same bytes. */
static void check_unchanged(const struct stage_check *check, const json_t *input,
                            const json_t *output)
{
    static const char *const kept[] = { "source_context", "caption" };
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++) {
        const json_t *before = json_object_get(input, kept[i]);
        const json_t *after = json_object_get(output, kept[i]);
        if (before && after && !json_equal(before, after))
            stage_problem(check, json_path_member(check->problems->arena, "", kept[i]),
                          "repeat it byte for byte, or leave it out",
                          "not what the input has: it stays the same to the end");
    }
}

static void check_entities(const struct stage_check *check, const json_t *input,
                           const json_t *output)
{
    const char *before = json_get_string(input, "initial_description");
    const char *after = json_get_string(output, "optimized_description");
    struct figure_findings lost = { .arena = check->problems->arena };
    if (before && after)
        find_lost_entities(&lost, before, after);
    for (size_t i = 0; i < lost.n; i++)
        stage_problem(check, "/optimized_description", lost.list[i].fix, "%s",
                      lost.list[i].message);
}

bool stage_contract_check(enum figure_stage stage, const json_t *input, const json_t *output,
                          struct problems *problems)
{
    const struct stage_contract *contract = &contracts[stage];
    const struct stage_check of_input = { "input", problems }, of_output = { "output", problems };
    size_t before = problems->n + problems->dropped;
    if (input)
        stage_check_fields(&of_input, input, "", contract->input);
    if (output)
        stage_check_fields(&of_output, output, "", contract->output);
    if (output && stage == STAGE_CRITIC)
        stage_check_stop(&of_output, output, "");
    if (input && output) {
        check_unchanged(&of_output, input, output);
        if (stage == STAGE_RETRIEVER)
            check_refs_in_pool(&of_output, input, output);
        if (stage == STAGE_STYLIST)
            check_entities(&of_output, input, output);
        if (stage == STAGE_VISUALIZER)
            stage_check_artifact_of_mode(&of_output, json_object_get(input, "mode"),
                                         json_object_get(output, "artifact"), "/artifact");
    }
    return problems->n + problems->dropped == before;
}
