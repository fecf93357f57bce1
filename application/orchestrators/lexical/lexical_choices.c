/* Choices and booleans are taken by the words that name them. */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/text.h"
#include <string.h>

/* The tokens at which all words of a choice stand in order; false when they do not. */
static bool choice_is_said(const struct lexical_filling *filling, const struct lexical_text *choice,
                           size_t *out_first)
{
    for (size_t i = 0; choice->n && i + choice->n <= filling->request.n; i++) {
        size_t same = 0;
        while (same < choice->n &&
               lexical_same_word(&choice->tokens[same], &filling->request.tokens[i + same]))
            same++;
        if (same == choice->n) {
            *out_first = i;
            return true;
        }
    }
    return false;
}

/* The longest choice that the request says: "very high" before "high". */
static void fill_choice(struct lexical_filling *filling, struct parameter *parameter)
{
    size_t i, at, first = 0, longest = 0;
    json_t *choice, *said = NULL;
    json_array_foreach (json_object_get(parameter->schema, "enum"), i, choice) {
        const char *text = json_string_value(choice);
        struct lexical_text words = lexical_read(filling->arena, text ? text : "", 8, true);
        if (words.n <= longest || !choice_is_said(filling, &words, &at))
            continue;
        longest = words.n;
        first = at;
        said = choice;
    }
    if (said)
        lexical_fill(filling, parameter, json_copy(said), first, first + longest - 1, "choice", 1);
}

static bool is_negated(const struct lexical_filling *filling, size_t at)
{
    static const char *const negations[] = {
        "no", "not", "without", "exclude", "excluding", "don't"
    };
    for (size_t d = 1; d <= 3 && d <= at; d++)
        if (LEXICAL_ONE_OF(filling->request.tokens[at - d].english, negations))
            return true;
    return false;
}

static void fill_boolean(struct lexical_filling *filling, struct parameter *parameter)
{
    static const char *const signs[] = { "include", "with", "also", "including", "without",
                                         "exclude", "not",  "no",   "only" };
    bool asked = parameter->required;
    for (size_t i = 0; i < filling->request.n; i++) {
        const struct lexical_token *token = &filling->request.tokens[i];
        asked = asked || LEXICAL_ONE_OF(token->english, signs);
        if (asked && !LEXICAL_ONE_OF(token->english, signs) && lexical_names(parameter, token)) {
            lexical_fill(filling, parameter, json_boolean(!is_negated(filling, i)), i, i, "mention",
                         0.8);
            return;
        }
    }
}

void lexical_fill_choices(struct lexical_filling *filling)
{
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        if (json_is_array(json_object_get(parameter->schema, "enum")))
            fill_choice(filling, parameter);
        else if (parameter->type == PARAMETER_BOOLEAN)
            fill_boolean(filling, parameter);
    }
}
