/* Amounts with their units, from one unit to another ("250 CHF in EUR"), and bounds ("under 120
 * EUR", "at least 3"). */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char *const from_words[] = { "from", "source", "base", "origin" };
static const char *const to_words[] = { "to", "target", "into", "destination" };
static const char *const unit_words[] = { "unit", "units", "currency", "scale" };
static const char *const least_words[] = { "min", "minimum", "lower", "least", "above", "after" };
static const char *const most_words[] = { "max", "maximum", "upper", "most", "below", "limit" };
static const char *const into[] = { "in", "to", "into", "as" };

static const struct {
    const char *words[3]; /* before a number */
    bool is_least;
} bounds[] = {
    { { "at", "most" }, false },
    { { "up", "to" }, false },
    { { "less", "than" }, false },
    { { "cheaper", "than" }, false },
    { { "no", "more", "than" }, false },
    { { "under" }, false },
    { { "below" }, false },
    { { "maximum" }, false },
    { { "max" }, false },
    { { "at", "least" }, true },
    { { "more", "than" }, true },
    { { "over" }, true },
    { { "above" }, true },
    { { "minimum" }, true },
    { { "höchstens" }, false },
    { { "maximal" }, false },
    { { "massimo" }, false },
    { { "máximo" }, false },
    { { "mindestens" }, true },
    { { "hasta" }, false },
    { { "jusqu", "to" }, false },
    { { "fino", "to" }, false },
    { { "bis", "to" }, false },
};

static struct parameter *open_parameter(const struct lexical_filling *filling, bool is_number,
                                        const char *const *words, size_t n)
{
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        bool fits =
            is_number ? parameter->type == PARAMETER_INTEGER || parameter->type == PARAMETER_NUMBER
                      : parameter->type == PARAMETER_STRING && !parameter->wants_date;
        for (size_t w = 0; fits && !parameter->value && w < parameter->name_words.n; w++)
            if (lexical_is_one_of(parameter->name_words.tokens[w].lower, words, n))
                return parameter;
    }
    return NULL;
}

/* The member of the enum, a code for a currency, or the word as it is written; NULL when the
 * parameter cannot take it. */
static json_t *unit_value(const struct lexical_filling *filling, const struct parameter *parameter,
                          const struct lexical_token *token)
{
    const char *about = json_get_string(parameter->schema, "description");
    const char *code = lexical_code_of(token);
    bool is_currency =
        strstr(parameter->name, "currency") || (about && strcasestr(about, "currency"));
    json_t *choices = json_object_get(parameter->schema, "enum"), *choice;
    size_t i;
    json_array_foreach (choices, i, choice)
        if (strcasecmp(json_string_value(choice) ? json_string_value(choice) : "", code) == 0 ||
            strcasecmp(json_string_value(choice) ? json_string_value(choice) : "",
                       token->english) == 0)
            return json_copy(choice);
    if (choices || token->kind != LEXICAL_WORD || token->is_function)
        return NULL;
    return json_string(is_currency ? lexical_code(filling->arena, token, token->text)
                                   : token->text);
}

static bool take_unit(struct lexical_filling *filling, struct parameter *parameter, size_t at)
{
    if (!parameter || at >= filling->request.n || filling->used[at])
        return false;
    json_t *value = unit_value(filling, parameter, lexical_word(filling, at));
    if (!value)
        return false;
    lexical_fill(filling, parameter, value, at, at, "unit", 1);
    lexical_use_up(filling, at, at);
    return true;
}

/* "250 CHF in EUR", "from CHF to EUR", "19.90 CHF". */
static void fill_units(struct lexical_filling *filling, size_t i)
{
    struct parameter *from = open_parameter(filling, false, from_words, ARRAY_LENGTH(from_words));
    struct parameter *to = open_parameter(filling, false, to_words, ARRAY_LENGTH(to_words));
    struct parameter *unit = open_parameter(filling, false, unit_words, ARRAY_LENGTH(unit_words));
    bool is_amount = lexical_word(filling, i)->is_number && !lexical_word(filling, i + 1)->before;
    bool leads_on = LEXICAL_ONE_OF(lexical_word(filling, i + 2)->english, into);
    if (is_amount && from && to && leads_on && take_unit(filling, from, i + 1))
        take_unit(filling, to, i + 3);
    else if (is_amount && unit && unit != to && unit != from &&
             (unit->required || strstr(unit->name, "currency")))
        take_unit(filling, unit, i + 1);
}

static bool is_bound_at(const struct lexical_filling *filling, size_t i, size_t bound,
                        size_t *out_n)
{
    size_t n = 0;
    for (; n < ARRAY_LENGTH(bounds[bound].words) && bounds[bound].words[n]; n++)
        if (strcmp(lexical_word(filling, i + n)->lower, bounds[bound].words[n]) != 0 &&
            strcmp(lexical_word(filling, i + n)->english, bounds[bound].words[n]) != 0)
            return false;
    *out_n = n;
    return lexical_word(filling, i + n)->is_number && !filling->used[i + n];
}

static void fill_bound(struct lexical_filling *filling, size_t i)
{
    size_t n = 0, b = 0;
    while (b < ARRAY_LENGTH(bounds) && !is_bound_at(filling, i, b, &n))
        b++;
    if (b == ARRAY_LENGTH(bounds))
        return;
    const struct lexical_token *number = lexical_word(filling, i + n);
    struct parameter *parameter =
        bounds[b].is_least ? open_parameter(filling, true, least_words, ARRAY_LENGTH(least_words))
                           : open_parameter(filling, true, most_words, ARRAY_LENGTH(most_words));
    if (!parameter || (parameter->type == PARAMETER_INTEGER && !number->is_whole))
        return;
    lexical_fill(filling, parameter, lexical_number(number), i, i + n, "bound", 1);
    lexical_use_up(filling, i, i + n);
    filling->led[i + n + 1] =
        filling->led[i + n + 1] || lexical_code_of(lexical_word(filling, i + n + 1)) !=
                                       lexical_word(filling, i + n + 1)->english;
}

void lexical_fill_units(struct lexical_filling *filling)
{
    for (size_t i = 0; i < filling->request.n; i++) {
        fill_bound(filling, i);
        if (!filling->used[i])
            fill_units(filling, i);
    }
}
