/* Choices and booleans are taken by the words that name them: the longest choice that is said, and
 * for a boolean all words of its name, or some of its description in a row. A word before or behind
 * them says no: "without hidden files", "don't overwrite". */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <string.h>

#define CASE_REACH 5 /* "without telling upper from lower case" */
#define NO_REACH 3

/* Everyday names of what schemas call by a code. */
static const struct {
    const char *word, *code;
} codes[] = {
    { "euro", "eur" },        { "euros", "eur" },    { "dollar", "usd" },    { "dollars", "usd" },
    { "franc", "chf" },       { "francs", "chf" },   { "pound", "gbp" },     { "pounds", "gbp" },
    { "yen", "jpy" },         { "english", "en" },   { "german", "de" },     { "french", "fr" },
    { "spanish", "es" },      { "italian", "it" },   { "portuguese", "pt" }, { "ascending", "asc" },
    { "descending", "desc" }, { "f", "fahrenheit" }, { "c", "celsius" },
};

const char *lexical_code_of(const struct lexical_token *token)
{
    for (size_t i = 0; i < ARRAY_LENGTH(codes); i++)
        if (strcmp(codes[i].word, token->english) == 0)
            return codes[i].code;
    return token->english;
}

const char *lexical_code(struct arena *arena, const struct lexical_token *token, const char *text)
{
    const char *code = lexical_code_of(token);
    if (code == token->english)
        return text;
    char *upper = arena_strdup(arena, code);
    for (char *at = upper; *at && strlen(code) > 2; at++)
        *at = (char)toupper((unsigned char)*at);
    return upper;
}

static bool means(const struct lexical_token *choice, const struct lexical_token *said)
{
    return lexical_same_word(choice, said) || strcmp(choice->lower, said->lower) == 0 ||
           strcmp(choice->lower, lexical_code_of(said)) == 0 ||
           (strlen(choice->lower) >= 4 && text_ends_with(said->english, "case") &&
            text_starts_with(said->english, choice->lower));
}

/* The place of the word that says no to first..last, behind by one; 0 when none does. */
static size_t negation_of(const struct lexical_filling *filling, size_t first, size_t last)
{
    static const char negations[] =
        " no not without exclude excluding don't don never except disable "
        "disabled ignoring skip off isn't doesn't ";
    for (size_t d = 1; d <= NO_REACH && d <= first; d++)
        if (lexical_listed(negations, lexical_word(filling, first - d)->english))
            return first - d + 1;
    return lexical_listed(" off disabled not ", lexical_word(filling, last + 1)->english) ? last + 2
                                                                                          : 0;
}

/* The first word that is not of grammar says what to do: "open" there is no state. "On" is a
 * choice where something is switched, not before a day or a place. */
static bool is_other_part_of_speech(const struct lexical_filling *filling, size_t at)
{
    static const char switching[] = " turn switch set put toggle power ";
    static const char asking[] = " which what whose how are is ";
    bool is_last = at + 1 == filling->request.n;
    bool is_first = !at || !lexical_listed(asking, lexical_word(filling, 0)->english);
    for (size_t i = 0; i < at; i++) {
        is_first = is_first && lexical_word(filling, i)->is_function &&
                   !lexical_is_action(lexical_word(filling, i)->sense);
        is_last = is_last || lexical_listed(switching, lexical_word(filling, i)->english);
    }
    const struct lexical_token *token = lexical_word(filling, at);
    bool is_verb = is_first && lexical_is_action(token->sense);
    return is_verb || (is_first && strcmp(token->english, "open") == 0) ||
           (lexical_is_lead(token) && !is_last);
}

static bool is_said_at(const struct lexical_filling *filling, const struct lexical_text *choice,
                       size_t at)
{
    for (size_t i = 0; i < choice->n; i++)
        if (filling->used[at + i] || !means(&choice->tokens[i], &filling->request.tokens[at + i]))
            return false;
    return !negation_of(filling, at, at + choice->n - 1) &&
           (choice->n > 1 || !is_other_part_of_speech(filling, at));
}

bool lexical_is_said(const struct lexical_filling *filling, const struct lexical_text *choice,
                     size_t *out_first)
{
    for (size_t i = 0; choice->n && i + choice->n <= filling->request.n; i++)
        if (is_said_at(filling, choice, i)) {
            *out_first = i;
            return true;
        }
    return false;
}

/* "turn it off", "on", "disable": 1 for on, -1 for off. */
static int switched(const struct lexical_filling *filling, size_t i)
{
    static const char on_words[] = " enable enabled activate ein an ";
    static const char off_words[] = " off disable disabled deactivate aus ";
    const struct lexical_token *token = lexical_word(filling, i);
    bool is_last = i + 1 == filling->request.n, is_verb = strlen(token->english) > 4;
    if (!is_last && strcmp(token->lower, "aus") == 0)
        return 0;
    if (lexical_listed(off_words, token->english) || strcmp(token->lower, "aus") == 0)
        return -1;
    if (lexical_listed(on_words, token->lower) || lexical_listed(on_words, token->english))
        return is_last || is_verb;
    return strcmp(token->english, "on") == 0 && !is_other_part_of_speech(filling, i);
}

/* "Schalte es ein" for a choice of on and off. */
static void fill_on_or_off(struct lexical_filling *filling, struct parameter *parameter)
{
    const json_t *choices = json_object_get(parameter->schema, "enum");
    const char *one = json_string_value(json_array_get(choices, 0));
    const char *other = json_string_value(json_array_get(choices, 1));
    bool is_on = text_equal(one, "on") && text_equal(other, "off");
    if (json_array_size(choices) != 2 ||
        !(is_on || (text_equal(one, "off") && text_equal(other, "on"))))
        return;
    for (size_t i = 0; i < filling->request.n; i++) {
        int way = filling->used[i] ? 0 : switched(filling, i);
        if (!way)
            continue;
        lexical_fill(filling, parameter, json_string(way > 0 ? "on" : "off"), i, i, "switch", 1);
        return;
    }
}

/* The longest choice that the request says: "very high" before "high"; one that the tool is called
 * by only where no other is said: "merge it with squash". */
static void fill_choice(struct lexical_filling *filling, struct parameter *parameter)
{
    size_t i, at, first = 0, longest = 0, most = 0;
    json_t *choice, *said = NULL;
    json_array_foreach (json_object_get(parameter->schema, "enum"), i, choice) {
        const char *text =
            json_is_string(choice)
                ? json_string_value(choice)
                : arena_printf(filling->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(choice));
        struct lexical_text words = lexical_read(filling->arena, text, 8, true);
        bool is_name = words.n && lexical_holds(&filling->tool_words, SIZE_MAX, words.tokens);
        size_t weight = 2 * words.n + !is_name;
        if (weight <= most || !lexical_is_said(filling, &words, &at))
            continue;
        static const char leads[] = " by as with in to is of ";
        if (is_name && !parameter->required &&
            !(at && lexical_listed(leads, lexical_word(filling, at - 1)->english)) &&
            !(at && lexical_names(parameter, lexical_word(filling, at - 1))) &&
            !lexical_names(parameter, lexical_word(filling, at + words.n)))
            continue; /* "the list with its sizes" is what the tool gives anyway */
        most = weight;
        longest = words.n;
        first = at;
        said = choice;
    }
    if (!said) {
        fill_on_or_off(filling, parameter);
        return;
    }
    lexical_fill(filling, parameter, json_copy(said), first, first + longest - 1, "choice", 1);
    const char *written = lexical_word(filling, first)->text;
    if (isupper((unsigned char)written[0]) && isupper((unsigned char)written[1]))
        lexical_use_up(filling, first, first); /* "MX" is no name besides */
    /* The name beside the choice belongs to it: "high priority". */
    if (lexical_names(parameter, lexical_word(filling, first + longest)))
        filling->led[first + longest] = true;
}

/* Words of a boolean's name that say nothing of what it switches. */
static bool is_idle(const struct lexical_token *word)
{
    static const char idle[] =
        " include show with enable enabled is use allow only should has be no exclude skip "
        "without flag return disable get set do add as ";
    return lexical_listed(idle, word->lower);
}

/* Whether every other word of the name is said from a token on, each next to the one before. */
static bool name_is_said(const struct lexical_filling *filling, const struct parameter *parameter,
                         size_t at, size_t *out_last)
{
    size_t said = 0, next = at;
    for (size_t i = 0; i < parameter->name_words.n; i++) {
        const struct lexical_token *word = &parameter->name_words.tokens[i];
        if (is_idle(word))
            continue;
        if (filling->used[next] || !lexical_same_word(word, lexical_word(filling, next)))
            return false;
        *out_last = next++;
        said++;
    }
    return said > 0;
}

/* Two words of the description in a row, none of which the tool's name has: "in random order". */
static bool about_is_said(const struct lexical_filling *filling, const struct parameter *parameter,
                          size_t at, size_t *out_last)
{
    const struct lexical_token *one = lexical_word(filling, at);
    const struct lexical_token *other = lexical_word(filling, at + 1);
    const struct lexical_text *about = &parameter->about_words;
    *out_last = at + 1;
    for (size_t i = 0; i + 1 < about->n; i++)
        if (!one->is_function && !other->is_function && !other->before && !filling->used[at] &&
            lexical_same_word(&about->tokens[i], one) &&
            lexical_same_word(&about->tokens[i + 1], other) &&
            !lexical_holds(&filling->tool_words, SIZE_MAX, one))
            return true;
    return false;
}

static void fill_boolean(struct lexical_filling *filling, struct parameter *parameter)
{
    bool is_negative = lexical_is_called(parameter, " no exclude skip without disable ");
    for (size_t i = 0; i < filling->request.n; i++) {
        size_t last = i;
        bool is_named = parameter->required ? lexical_names(parameter, lexical_word(filling, i))
                                            : name_is_said(filling, parameter, i, &last);
        if (!is_named && !about_is_said(filling, parameter, i, &last))
            continue;
        size_t negation = negation_of(filling, i, last);
        bool is_wanted = (negation != 0) == is_negative;
        lexical_fill(filling, parameter, json_boolean(is_wanted), i, last, "mention", 0.8);
        if (negation)
            filling->led[negation - 1] = true;
        return;
    }
}

/* A boolean that is the switch itself. */
static void fill_switch(struct lexical_filling *filling, struct parameter *parameter)
{
    static const char names[] = " on enabled power active state enable ";
    const struct lexical_text *name = &parameter->name_words;
    for (size_t i = 0; name->n && i < filling->request.n && !parameter->value; i++) {
        int way = switched(filling, i);
        if (lexical_listed(names, name->tokens[name->n - 1].lower) && way && !filling->used[i])
            lexical_fill(filling, parameter, json_boolean(way > 0), i, i, "switch", 1);
    }
}

/* "case-insensitive", "ignoring case", "no matter the case": the last token, 0 when not said. */
static size_t ignored_case(const struct lexical_filling *filling, size_t i)
{
    static const char ignoring_words[] =
        " ignoring ignore regardless without independent matter irrespective any ";
    static const char letters[] = " case casing uppercase lowercase capitals capitalization ";
    const char *word = lexical_word(filling, i)->english;
    if (strstr(word, "insensitive") || strcmp(word, "ignore-case") == 0)
        return i + 1;
    bool is_case = lexical_listed(letters, word);
    if (!is_case && !lexical_listed(ignoring_words, word))
        return 0;
    size_t behind = 0;
    for (size_t d = 1; d <= CASE_REACH; d++) {
        const char *other = lexical_word(filling, i + d)->english;
        if (is_case ? strcmp(other, "regardless") == 0 : lexical_listed(letters, other))
            behind = i + d + 1;
    }
    return behind;
}

static struct parameter *boolean_of(const struct lexical_filling *filling, const char *words)
{
    for (size_t i = 0; i < filling->n; i++)
        if (filling->parameters[i].type == PARAMETER_BOOLEAN && !filling->parameters[i].value &&
            lexical_is_called(&filling->parameters[i], words))
            return &filling->parameters[i];
    return NULL;
}

static void take_flag(struct lexical_filling *filling, struct parameter *parameter, bool value,
                      size_t first, size_t last)
{
    if (!parameter)
        return;
    lexical_fill(filling, parameter, json_boolean(value), first, last, "flag", 1);
    lexical_use_up(filling, first, last);
}

/* Letters of a command's options: "-i", "-rn". */
static bool is_option(const char *text)
{
    size_t known = *text == '-' ? strspn(text + 1, "riafnR") : 0;
    return known && !text[known + 1];
}

/* The parameter may be named for either: "ignore_case", "case_sensitive". */
static void fill_case(struct lexical_filling *filling)
{
    static const char names[] = " case insensitive ignorecase ";
    struct parameter *parameter = boolean_of(filling, names);
    for (size_t i = 0; parameter && !parameter->value && i < filling->request.n; i++) {
        size_t behind = ignored_case(filling, i);
        const char *text = lexical_word(filling, i)->text;
        bool says_i = is_option(text) && strchr(text, 'i');
        bool is_ignoring = !lexical_is_called(parameter, " sensitive match ");
        if (behind || says_i)
            take_flag(filling, parameter, is_ignoring, i, behind ? behind - 1 : i);
    }
}

/* The parameters that an option stands for. A search that goes through folders and gives line
 * numbers anyway needs none for -r and -n. */
static void fill_option(struct lexical_filling *filling, size_t i)
{
    const char *text = lexical_word(filling, i)->text;
    if (!is_option(text))
        return;
    if (strchr(text, 'r') || strchr(text, 'R'))
        take_flag(filling, boolean_of(filling, " recursive "), true, i, i);
    if (strchr(text, 'a'))
        take_flag(filling, boolean_of(filling, " hidden all "), true, i, i);
    if (strchr(text, 'f'))
        take_flag(filling, boolean_of(filling, " force overwrite "), true, i, i);
    if (!strpbrk(text, "iaf")) {
        lexical_use_up(filling, i, i);
        filling->led[i] = true;
    }
}

void lexical_fill_choices(struct lexical_filling *filling)
{
    fill_case(filling);
    for (size_t i = 0; i < filling->request.n; i++)
        if (!filling->used[i])
            fill_option(filling, i);
    for (size_t i = 0; i < filling->n; i++) {
        struct parameter *parameter = &filling->parameters[i];
        if (json_is_array(json_object_get(parameter->schema, "enum")))
            fill_choice(filling, parameter);
        else if (parameter->type == PARAMETER_BOOLEAN && !parameter->value)
            fill_switch(filling, parameter);
        if (parameter->type == PARAMETER_BOOLEAN && !parameter->value)
            fill_boolean(filling, parameter);
    }
}
