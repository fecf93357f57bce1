#include "domain/figure/stage_contract_values.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
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

bool stage_is_full(const struct stage_check *check)
{
    return check->problems->dropped > 0;
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

static bool is_white(uint32_t code)
{
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
           code == 0x202f || code == 0x205f || code == 0x3000;
}

/* Steps over white space; *at stays before the next character that is none. */
static bool skip_white(const char **at)
{
    const char *start = *at;
    uint32_t code;
    for (size_t n; (n = text_utf8_next(*at, strnlen(*at, 4), &code)); *at += n)
        if (!is_white(code))
            break;
    return *at != start;
}

bool stage_same_words(const char *a, const char *b)
{
    (void)skip_white(&a);
    (void)skip_white(&b);
    while (*a && *b) {
        bool white_in_a = skip_white(&a), white_in_b = skip_white(&b);
        if (white_in_a != white_in_b && *a && *b)
            return false;
        if (*a != *b)
            break;
        a += *a != '\0';
        b += *b != '\0';
    }
    (void)skip_white(&a);
    (void)skip_white(&b);
    return *a == *b;
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
    if (!text)
        return;
    (void)skip_white(&text);
    if (!*text && !json_string_has_nul(value))
        stage_problem(check, path, "say something there",
                      json_string_length(value) ? "blank" : "empty");
}

/* An array within bounds, each element checked. */
static void check_each(const struct stage_check *check, const json_t *array, const char *path,
                       stage_value_fn *one)
{
    const json_t *value;
    size_t i;
    if (!json_is_array(array)) {
        stage_problem(check, path, "give an array", "%s, not an array", type_of(array));
        return;
    }
    json_array_foreach (array, i, value) {
        if (stage_is_full(check))
            return;
        one(check, value, json_path_element(check->problems->arena, path, i));
    }
}

void stage_check_texts(const struct stage_check *check, const json_t *value, const char *path)
{
    check_each(check, value, path, stage_check_text);
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
    static const char fix[] = "give diagram_image or plot_code";
    if (!json_is_string(value))
        stage_problem(check, path, fix, "%s, not a string", type_of(value));
    else if (!figure_mode_parse(json_string_value(value), &mode))
        stage_problem(check, path, fix, "no mode: \"%.60s\"", json_string_value(value));
}

static void check_artifact_type(const struct stage_check *check, const json_t *value,
                                const char *path)
{
    enum figure_artifact_type type;
    static const char fix[] = "give image_path, code_text or image_prompt";
    if (!json_is_string(value))
        stage_problem(check, path, fix, "%s, not a string", type_of(value));
    else if (!figure_artifact_parse(json_string_value(value), &type))
        stage_problem(check, path, fix, "no type of artifact: \"%.60s\"", json_string_value(value));
}

void stage_check_artifact(const struct stage_check *check, const json_t *value, const char *path)
{
    static const struct stage_field fields[] = { { "type", check_artifact_type, false },
                                                 { "value", stage_check_text, false },
                                                 { 0 } };
    stage_check_fields(check, value, path, fields);
}

void stage_check_confidence(const struct stage_check *check, const json_t *value, const char *path)
{
    static const char fix[] = "give high, medium or low";
    const char *word = json_string_value(value);
    if (!word)
        stage_problem(check, path, fix, "%s, not a string", type_of(value));
    else if (strcmp(word, "high") != 0 && strcmp(word, "medium") != 0 && strcmp(word, "low") != 0)
        stage_problem(check, path, fix, "no confidence: \"%.60s\"", word);
}

static void check_repeats(const struct stage_check *check, const json_t *refs, const char *path)
{
    for (size_t i = 1; i < json_array_size(refs); i++)
        for (size_t j = 0; j < i; j++) {
            const json_t *one = json_array_get(refs, i);
            if (!json_is_string(one) || !json_equal(one, json_array_get(refs, j)))
                continue;
            stage_problem(check, json_path_element(check->problems->arena, path, i),
                          "name each reference once", "repeats \"%.60s\"", json_string_value(one));
            break;
        }
}

void stage_check_refs(const struct stage_check *check, const json_t *value, const char *path)
{
    size_t n = json_array_size(value);
    if (json_is_array(value) && (n < 1 || n > FIGURE_MAX_REFS)) {
        stage_problem(check, path, "name 1 to 10 references", "%zu references", n);
        return;
    }
    stage_check_texts(check, value, path);
    check_repeats(check, value, path);
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

void stage_check_pool(const struct stage_check *check, const json_t *value, const char *path)
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

void stage_check_examples(const struct stage_check *check, const json_t *value, const char *path)
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
