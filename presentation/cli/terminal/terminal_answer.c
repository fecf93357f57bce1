#include "presentation/cli/terminal/terminal_answer.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static json_t *parse_integer(const char *line)
{
    int64_t whole;
    return text_to_int64(line, &whole) ? json_integer(whole) : NULL;
}

/* 5 stays 5, not 5.0. */
static json_t *parse_number(const char *line)
{
    double number;
    json_t *whole = parse_integer(line);
    return whole || !text_to_double(line, &number) ? whole : json_real(number);
}

static json_t *parse_boolean(const char *line)
{
    if (strchr("yYtT", line[0]))
        return json_true();
    return strchr("nNfF", line[0]) ? json_false() : NULL;
}

static json_t *parse_choice(const struct form_field *field, const char *word)
{
    int64_t number;
    if (text_to_int64(word, &number) && number >= 1 && (size_t)number <= field->n_choices)
        return json_string(field->choices[number - 1]);
    for (size_t i = 0; i < field->n_choices; i++)
        if (strcasecmp(word, field->choices[i]) == 0 ||
            (field->titles && strcasecmp(word, field->titles[i]) == 0))
            return json_string(field->choices[i]);
    return NULL;
}

static bool holds(const json_t *list, const json_t *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_equal(json_array_get(list, i), value))
            return true;
    return false;
}

static json_t *parse_choices(const struct form_field *field, const char *line)
{
    AUTO(arena) scratch = { 0 };
    json_t *list = json_array();
    if (strcasecmp(line, "none") == 0)
        return list;
    for (const char *at = line;; at++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ","), word = length;
        while (word && at[word - 1] == ' ')
            word--;
        json_t *choice = parse_choice(field, arena_strndup(&scratch, at, word));
        if (!choice) {
            json_decref(list);
            return NULL;
        }
        if (holds(list, choice))
            json_decref(choice);
        else
            json_array_append_new(list, choice);
        at += length;
        if (!*at)
            return list;
    }
}

json_t *terminal_answer_parse(const struct form_field *field, const char *line)
{
    switch (field->kind) {
    case FORM_TEXT:
        return json_string(line);
    case FORM_INTEGER:
        return parse_integer(line);
    case FORM_NUMBER:
        return parse_number(line);
    case FORM_BOOLEAN:
        return parse_boolean(line);
    case FORM_CHOICE:
        return parse_choice(field, line);
    case FORM_CHOICES:
        return parse_choices(field, line);
    }
    return NULL;
}

const char *terminal_answer_wanted(enum form_kind kind)
{
    static const char *const words[] = { [FORM_TEXT] = "a text in UTF-8",
                                         [FORM_INTEGER] = "a whole number",
                                         [FORM_NUMBER] = "a number",
                                         [FORM_BOOLEAN] = "y or n",
                                         [FORM_CHOICE] = "one of the numbers",
                                         [FORM_CHOICES] =
                                             "some of the numbers with commas between, or none" };
    return words[kind];
}
