/* Candidates that are looked at and not run: texts and code (words they must contain, how many
 * words), JSON (a schema), numbers (a value, a range). */
#include "domain/base/json.h"
#include "domain/consensus/canonical_text.h"
#include "domain/schema/json_schema.h"
#include "infrastructure/checking/candidate_check.h"
#include <stdlib.h>
#include <string.h>

static size_t count_words(const char *text)
{
    static const char blanks[] = " \t\r\n";
    size_t n = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        text += strcspn(text, blanks);
        n++;
    }
    return n;
}

enum err_code check_text_candidate(struct candidate_check *check, struct err *err)
{
    static const struct example_member members[] = { { "contains", EXAMPLE_TEXTS },
                                                     { "min_words", EXAMPLE_COUNT },
                                                     { "max_words", EXAMPLE_COUNT } };
    enum err_code r = examples_check(check->examples, members, ARRAY_LENGTH(members), err);
    if (r)
        return r;
    const json_t *wanted = json_object_get(check->examples, "contains");
    for (size_t i = 0; i < json_array_size(wanted); i++) {
        const char *word = json_string_value(json_array_get(wanted, i));
        if (!strcasestr(check->candidate, word))
            check_fails(check, "it must contain %s and does not", check_quoted(check, word));
    }
    size_t words = count_words(check->candidate);
    size_t least = (size_t)json_get_int(check->examples, "min_words", 0);
    size_t most = (size_t)json_get_int(check->examples, "max_words", INT64_MAX);
    if (words < least)
        check_fails(check, "it must have at least %zu words and has %zu", least, words);
    if (words > most)
        check_fails(check, "it must have at most %zu words and has %zu", most, words);
    return ERR_NONE;
}

enum err_code check_json_candidate(struct candidate_check *check, struct err *err)
{
    static const struct example_member members[] = { { "schema", EXAMPLE_ANY } };
    struct problems problems = { .arena = &check->arena };
    json_t *value = NULL;
    bool fits = false;
    enum err_code r = examples_check(check->examples, members, ARRAY_LENGTH(members), err);
    const json_t *schema = json_object_get(check->examples, "schema");
    if (r || !schema)
        return r;
    if (json_parse(check->candidate, strlen(check->candidate), JSON_OURS, &value, NULL))
        check_fails(check, "it must be one JSON value");
    arena_keep_json(&check->arena, value);
    /* A schema that is broken is told even when there is no value to hold against it. */
    r = json_schema_check(schema, value ? value : schema, &problems, &fits, err);
    if (r)
        return err_prefix(err, ERR_INVALID, "examples: /schema");
    if (value && !fits)
        check_fails(check, "it does not fit the schema: %s",
                    problems.n ? problem_print(&problems, &problems.list[0]) : "it is too large");
    return ERR_NONE;
}

static enum err_code check_equal(struct candidate_check *check, const json_t *equals,
                                 struct err *err)
{
    const char *text = json_string_value(equals), *wanted = NULL;
    if (!text && json_is_number(equals))
        text = json_print_in(&check->arena, equals);
    if (!text || canonical_text(&check->arena, CANONICAL_NUMBER, text, &wanted, NULL))
        return err_set(err, ERR_INVALID, 0, "examples: /equals: a number is expected");
    if (strcmp(wanted, check->candidate) != 0)
        check_fails(check, "it is not the number that is expected");
    return ERR_NONE;
}

/* Reads the canonical text, in which 1250e19 is 1.25e22: as a double, every number beyond 2^53
 * would look whole. */
static bool is_whole(const char *number)
{
    const char *point = strchr(number, '.'), *power = strchr(number, 'e');
    if (!power)
        return !point;
    return strtol(power + 1, NULL, 10) >= (point ? power - point - 1 : 0);
}

enum err_code check_number_candidate(struct candidate_check *check, struct err *err)
{
    static const struct example_member members[] = { { "equals", EXAMPLE_ANY },
                                                     { "min", EXAMPLE_NUMBER },
                                                     { "max", EXAMPLE_NUMBER },
                                                     { "integer", EXAMPLE_FLAG } };
    enum err_code r = examples_check(check->examples, members, ARRAY_LENGTH(members), err);
    const json_t *equals = json_object_get(check->examples, "equals");
    if (!r && equals)
        r = check_equal(check, equals, err);
    if (r)
        return r;
    double number = strtod(check->candidate, NULL);
    const json_t *low = json_object_get(check->examples, "min");
    const json_t *high = json_object_get(check->examples, "max");
    if (low && !(number >= json_number_value(low)))
        check_fails(check, "it must be at least %s", check_shown(check, low));
    if (high && !(number <= json_number_value(high)))
        check_fails(check, "it must be at most %s", check_shown(check, high));
    if (json_get_bool(check->examples, "integer", false) && !is_whole(check->candidate))
        check_fails(check, "it must be a whole number");
    return ERR_NONE;
}
