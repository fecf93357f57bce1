/* Amounts with their units, from one unit to another ("250 CHF in EUR"), and bounds ("under 120
 * EUR", "at least 3"). */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <string.h>

static const char from_words[] = " from source base origin ";
static const char to_words[] = " to target into destination ";
static const char unit_words[] = " unit units currency scale ";
static const char least_words[] = " min minimum lower least above after ";
static const char most_words[] = " max maximum upper most below limit ";
static const char into[] = " in to into as ";

/* Before a number; the words of one joined, in English or as they are. */
static const char at_most[] =
    " at_most up_to less_than cheaper_than no_more_than not_more_than no_longer_than under within "
    "below maximum max hochstens höchstens maximal massimo máximo hasta "
    "to_to ";
static const char at_least[] = " at_least more_than over above minimum mindestens minimo mínimo ";
#define BOUND_MAX_WORDS 3

static struct parameter *open_parameter(const struct lexical_filling *filling, bool is_number,
                                        const char *words)
{
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        bool fits =
            is_number ? parameter->type == PARAMETER_INTEGER || parameter->type == PARAMETER_NUMBER
                      : parameter->type == PARAMETER_STRING && !parameter->wants_date;
        if (fits && !parameter->value && lexical_is_called(parameter, words))
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
    bool is_amount = lexical_word(filling, i)->is_number && !lexical_word(filling, i + 1)->before;
    bool is_from =
        lexical_says(filling, i, "from") && lexical_word(filling, i + 1)->kind == LEXICAL_WORD;
    if (!is_amount && !is_from)
        return;
    struct parameter *from = open_parameter(filling, false, from_words);
    struct parameter *to = open_parameter(filling, false, to_words);
    struct parameter *unit = open_parameter(filling, false, unit_words);
    size_t noun = lexical_says(filling, i + 1, "degrees");
    bool leads_on = lexical_listed(into, lexical_word(filling, i + 2 + noun)->english);
    if (from && to && leads_on && take_unit(filling, from, i + 1 + noun))
        take_unit(filling, to, i + 3 + noun);
    else if (is_amount && unit && unit != to && unit != from &&
             (unit->required || strstr(unit->name, "currency")))
        take_unit(filling, unit, i + 1);
}

/* How many words from i on are a bound of the list before a number, 0 when they are none. */
static size_t bound_words(const struct lexical_filling *filling, size_t i, const char *bounds)
{
    const char *english = "", *lower = "";
    size_t n = 1;
    while (n <= BOUND_MAX_WORDS &&
           (!lexical_word(filling, i + n)->is_number || filling->used[i + n]))
        n++;
    for (size_t k = 0; k < n && n <= BOUND_MAX_WORDS; k++) {
        const struct lexical_token *token = lexical_word(filling, i + k);
        const char *joint = k ? "_" : "";
        english = arena_printf(filling->arena, "%s%s%s", english, joint, token->english);
        lower = arena_printf(filling->arena, "%s%s%s", lower, joint, token->lower);
    }
    return lexical_listed(bounds, english) || lexical_listed(bounds, lower) ? n : 0;
}

/* "200 or more" */
static bool has_bound_behind(const struct lexical_filling *filling, size_t i, bool is_least)
{
    return lexical_word(filling, i)->is_number && !filling->used[i] &&
           lexical_says(filling, i + 1, "or") &&
           lexical_listed(is_least ? " more above over higher up "
                                   : " less fewer below under lower cheaper ",
                          lexical_word(filling, i + 2)->english);
}

static void fill_bound(struct lexical_filling *filling, size_t i, bool is_least)
{
    size_t n = bound_words(filling, i, is_least ? at_least : at_most);
    const struct lexical_token *number = lexical_word(filling, i + n);
    const struct lexical_token *unit = lexical_word(filling, i + n + 1);
    bool is_behind = has_bound_behind(filling, i, is_least);
    struct parameter *parameter =
        n || is_behind ? open_parameter(filling, true, is_least ? least_words : most_words) : NULL;
    if (!parameter || (parameter->type == PARAMETER_INTEGER && !number->is_whole))
        return;
    size_t last = i + n + (is_behind ? 2 : 0);
    lexical_fill(filling, parameter, lexical_number(number), i, last, "bound", 1);
    lexical_use_up(filling, i, last);
    filling->led[i + n + 1] |= lexical_code_of(unit) != unit->english;
}

void lexical_fill_units(struct lexical_filling *filling)
{
    for (size_t i = 0; i < filling->request.n; i++) {
        fill_bound(filling, i, true);
        fill_bound(filling, i, false);
        if (!filling->used[i])
            fill_units(filling, i);
    }
}
