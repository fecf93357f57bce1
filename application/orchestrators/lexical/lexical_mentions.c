#include "application/orchestrators/lexical/lexical_finder.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const prepositions[] = { "in",   "at",     "for",    "from",  "to",   "of",
                                            "by",   "with",   "on",     "about", "near", "between",
                                            "into", "during", "called", "named", "as",   "using" };
static const char *const months[] = { "january",   "february", "march",    "april",
                                      "may",       "june",     "july",     "august",
                                      "september", "october",  "november", "december" };
static const char *const name_joints[] = { "of", "the", "de", "la", "von", "van" };
static const char *const phrase_ends[] = { "that",  "which", "where", "when",  "if",   "is",
                                           "are",   "was",   "were",  "and",   "or",   "has",
                                           "have",  "given", "using", "per",   "what", "whose",
                                           "under", "over",  "after", "before" };
static const char *const articles[] = { "a", "an", "the", "my", "our", "this", "your", "me" };

static const char *lead_of(const struct finder *finder, size_t first)
{
    while (first && LEXICAL_ONE_OF(finder->words->tokens[first - 1].lower, articles))
        first--;
    if (!first || !LEXICAL_ONE_OF(finder->words->tokens[first - 1].lower, prepositions))
        return "";
    return finder->words->tokens[first - 1].lower;
}

struct mention *finder_add(struct finder *finder, enum mention_kind kind, size_t first, size_t last)
{
    const struct lexical_token *from = &finder->words->tokens[first];
    const struct lexical_token *to = &finder->words->tokens[last];
    struct mention *mention =
        arena_push(finder->arena, finder->found.list, finder->found.n, finder->capacity);
    *mention = (struct mention){ .kind = kind, .first = first, .last = last };
    mention->lead = lead_of(finder, first);
    mention->text = from == to ? from->text
                               : arena_strndup(finder->arena, finder->request + from->offset,
                                               to->offset + strlen(to->text) - from->offset);
    return mention;
}

static size_t month_of(const struct lexical_token *token)
{
    for (size_t i = 0; i < ARRAY_LENGTH(months); i++)
        if (token->kind == LEXICAL_WORD && (strcmp(token->lower, months[i]) == 0 ||
                                            (token->is_capital && strlen(token->lower) == 3 &&
                                             strncmp(token->lower, months[i], 3) == 0)))
            return i + 1;
    return 0;
}

static long leading_number(const struct lexical_token *token)
{
    return isdigit((unsigned char)token->text[0]) ? strtol(token->text, NULL, 10) : 0;
}

const struct lexical_token *finder_token_at(const struct finder *finder, size_t i)
{
    static const struct lexical_token none = { .text = "", .lower = "", .stem = "" };
    return i < finder->words->n ? &finder->words->tokens[i] : &none;
}

/* "May 5, 2022", "May 5th", "5 May 2022". */
static void find_written_date(struct finder *finder, size_t i)
{
    size_t month = month_of(finder_token_at(finder, i)), last = i + 1, first = i;
    long day = leading_number(finder_token_at(finder, i + 1));
    if (month && (day < 1 || day > 31) && i) {
        day = leading_number(finder_token_at(finder, i - 1));
        first = i - 1;
        last = i;
    }
    long year = leading_number(finder_token_at(finder, last + 1));
    if (!month || day < 1 || day > 31)
        return;
    bool has_year = year >= 1000 && year <= 9999;
    struct mention *date = finder_add(finder, MENTION_DATE, first, last + has_year);
    if (has_year)
        date->iso = arena_printf(finder->arena, "%04ld-%02zu-%02ld", year, month, day);
}

static bool is_iso_date(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof shape; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)text[i]) : shape[i] != text[i])
            return false;
    return true;
}

static void find_dates(struct finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        const struct lexical_token *token = &finder->words->tokens[i];
        if (is_iso_date(token->text))
            finder_add(finder, MENTION_DATE, i, i)->iso = token->text;
        else
            find_written_date(finder, i);
    }
}

static bool is_and(const struct lexical_token *token)
{
    return strcmp(token->lower, "and") == 0;
}

/* The last number of the list that starts at `first`; `first` when it is alone. */
static size_t list_end(const struct finder *finder, size_t first)
{
    size_t last = first;
    for (;;) {
        size_t next = last + 1;
        bool joined = is_and(finder_token_at(finder, next));
        next += joined;
        const struct lexical_token *token = finder_token_at(finder, next);
        if (!token->is_number || (!joined && token->before != ','))
            return last;
        last = next;
    }
}

static void find_numbers(struct finder *finder)
{
    size_t list_last = 0;
    for (size_t i = 0; i < finder->words->n; i++) {
        if (!finder->words->tokens[i].is_number)
            continue;
        finder_add(finder, MENTION_NUMBER, i, i);
        size_t last = list_end(finder, i);
        bool in_brackets = finder->words->tokens[i].before == '[';
        if ((last > i || in_brackets) && (i > list_last || !i))
            finder_add(finder, MENTION_NUMBERS, i, last);
        list_last = last > list_last ? last : list_last;
    }
}

bool lexical_is_path(const char *text)
{
    if (strchr(text, '*'))
        return false;
    const char *dot = strrchr(text, '.');
    bool has_extension = dot && dot != text && isalpha((unsigned char)dot[1]) && strlen(dot) <= 6;
    return strchr(text, '/') || has_extension;
}

/* "topic=cats": whoever writes that means the word as it stands. */
static bool is_assigned(const struct lexical_token *token)
{
    return token->kind == LEXICAL_WORD && !token->is_number && token->before == '=';
}

static void find_quoted_and_paths(struct finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        const struct lexical_token *token = &finder->words->tokens[i];
        if (token->kind == LEXICAL_QUOTED || is_assigned(token))
            finder_add(finder, MENTION_QUOTED, i, i);
        else if (token->kind == LEXICAL_WORD && lexical_is_path(token->text))
            finder_add(finder, MENTION_PATH, i, i);
        else if (token->kind == LEXICAL_WORD && strchr(token->text, '*'))
            finder_add(finder, MENTION_GLOB, i, i);
    }
}

static bool is_name_part(const struct finder *finder, size_t i)
{
    const struct lexical_token *token = finder_token_at(finder, i);
    return token->kind == LEXICAL_WORD && token->is_capital && !lexical_is_path(token->text) &&
           strcmp(token->text, "I") != 0;
}

static bool continues_name(const struct finder *finder, size_t i)
{
    bool stops = strchr(".,;:?!()", finder_token_at(finder, i)->before) &&
                 finder_token_at(finder, i)->before;
    return is_name_part(finder, i) && !stops;
}

static size_t name_end(const struct finder *finder, size_t first)
{
    size_t last = first;
    for (;;) {
        if (continues_name(finder, last + 1))
            last += 1;
        else if (LEXICAL_ONE_OF(finder_token_at(finder, last + 1)->lower, name_joints) &&
                 !finder_token_at(finder, last + 1)->before && continues_name(finder, last + 2))
            last += 2;
        else
            return last;
    }
}

static bool starts_sentence(const struct finder *finder, size_t i)
{
    char before = finder->words->tokens[i].before;
    return i == 0 || before == '.' || before == '?' || before == '!';
}

/* "Paris, France" is one place and two names; both are mentioned. */
static void add_name(struct finder *finder, size_t first, size_t last)
{
    size_t next = last + 1;
    if (is_name_part(finder, next) && finder_token_at(finder, next)->before == ',')
        finder_add(finder, MENTION_NAME, first, name_end(finder, next));
    finder_add(finder, MENTION_NAME, first, last);
}

static void find_names(struct finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        bool is_sentence_word = starts_sentence(finder, i) && !continues_name(finder, i + 1);
        const struct lexical_token *token = &finder->words->tokens[i];
        if (!is_name_part(finder, i) || is_sentence_word ||
            (starts_sentence(finder, i) && token->is_function))
            continue;
        size_t last = name_end(finder, i);
        add_name(finder, i, last);
        i = last;
    }
}

bool finder_is_article(const struct lexical_token *token)
{
    return LEXICAL_ONE_OF(token->lower, articles);
}

bool finder_is_preposition(const struct lexical_token *token)
{
    return LEXICAL_ONE_OF(token->lower, prepositions);
}

bool finder_ends_phrase(const struct lexical_token *token)
{
    return token->kind != LEXICAL_WORD || token->is_number || token->before ||
           LEXICAL_ONE_OF(token->lower, prepositions) || LEXICAL_ONE_OF(token->lower, phrase_ends);
}

static void find_phrases(struct finder *finder)
{
    for (size_t i = 0; i + 1 < finder->words->n; i++) {
        if (!LEXICAL_ONE_OF(finder->words->tokens[i].lower, prepositions))
            continue;
        size_t first = i + 1;
        while (LEXICAL_ONE_OF(finder_token_at(finder, first)->lower, articles))
            first++;
        size_t behind = first;
        while (behind < finder->words->n && !finder_ends_phrase(&finder->words->tokens[behind]))
            behind++;
        if (behind > first)
            finder_add(finder, MENTION_PHRASE, first, behind - 1);
    }
}

struct mentions lexical_mentions(struct arena *arena, const char *request,
                                 const struct lexical_text *words)
{
    struct finder finder = { .arena = arena, .request = request, .words = words };
    find_dates(&finder);
    find_quoted_and_paths(&finder);
    find_numbers(&finder);
    find_names(&finder);
    find_phrases(&finder);
    finder_find_terms(&finder);
    return finder.found;
}
