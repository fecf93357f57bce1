/* Which lines, pages or results are wanted. A parameter plays one part in that: it takes the start,
 * the end, or how many there are, counted from the start or from the end. Words that no parameter
 * of the tool can take stay unused, and their numbers serve nothing else: "the last line" is not
 * line 1. */
#include "application/orchestrators/lexical/lexical_filling.h"
#include "domain/base/text.h"
#include <stdio.h>
#include <string.h>

enum part { PART_NONE, PART_START, PART_END, PART_HEAD, PART_TAIL, PART_COUNT };

struct range {
    const struct lexical_token *unit;
    size_t first, last; /* tokens */
    long from, to;      /* 0 when open */
    long count;         /* 0 when it is from one to another */
    bool is_last;
    bool is_command; /* "tail -n 5": of lines, which it does not say */
};

static const char start_words[] = " start first from begin ";
static const char end_words[] = " end last to until stop ";
static const char count_words[] =
    " limit max count n num number top k size maximum per of items page results entries ";
static const char first_words[] = " first top head ";
static const char last_words[] = " last latest newest recent tail ";
/* What is counted along a text or a table: "the last 5" of these are at its end. */
static const char positional[] =
    " line lines row rows byte bytes page pages words word characters records paragraph "
    "paragraphs ";
static const char joints[] = " to through until till and ";

static bool speaks_of(const struct parameter *parameter, const struct lexical_token *unit)
{
    return lexical_holds(&parameter->name_words, SIZE_MAX, unit) ||
           lexical_holds(&parameter->about_words, SIZE_MAX, unit);
}

/* "limit", "max_results", and with lines "max_lines", but not "max_bytes". */
static bool is_count(const struct parameter *parameter, const struct lexical_token *unit)
{
    size_t plain = 0;
    const struct lexical_text *name = &parameter->name_words;
    for (size_t i = 0; i < name->n; i++)
        plain += lexical_listed(count_words, name->tokens[i].lower) ||
                 lexical_same_word(&name->tokens[i], unit);
    return name->n && plain == name->n;
}

static enum part part_of(const struct parameter *parameter, const struct lexical_token *unit)
{
    bool is_number = parameter->type == PARAMETER_INTEGER || parameter->type == PARAMETER_NUMBER;
    const struct lexical_text *name = &parameter->name_words;
    const char *only = name->n == 1 ? name->tokens[0].lower : "";
    if (!is_number || parameter->value)
        return PART_NONE;
    if (lexical_listed(first_words, only))
        return PART_HEAD;
    if (lexical_listed(last_words, only))
        return PART_TAIL;
    if (is_count(parameter, unit))
        return PART_COUNT;
    if (!speaks_of(parameter, unit))
        return PART_NONE;
    return lexical_is_called(parameter, start_words) ? PART_START
           : lexical_is_called(parameter, end_words) ? PART_END
                                                     : PART_NONE;
}

static struct parameter *with_part(const struct lexical_filling *filling, enum part part,
                                   const struct range *range)
{
    for (size_t i = 0; i < filling->n; i++)
        if (part_of(&filling->parameters[i], range->unit) == part)
            return &filling->parameters[i];
    return NULL;
}

static bool give(struct lexical_filling *filling, const struct range *range,
                 struct parameter *parameter, long value)
{
    if (!parameter || !value)
        return false;
    lexical_fill(filling, parameter, json_integer(value), range->first, range->last, "range", 1);
    return true;
}

static bool fill_counted(struct lexical_filling *filling, const struct range *range)
{
    struct parameter *start = with_part(filling, PART_START, range);
    struct parameter *end = with_part(filling, PART_END, range);
    struct parameter *counts = with_part(filling, PART_COUNT, range);
    enum part part = range->is_last ? PART_TAIL : PART_HEAD;
    if (give(filling, range, with_part(filling, part, range), range->count))
        return true;
    bool from_end =
        range->is_last && (start || end || lexical_listed(positional, range->unit->english));
    if (!from_end && !range->is_last && start && give(filling, range, end, range->count))
        return true;
    return !from_end && give(filling, range, counts, range->count);
}

static bool fill_bounds(struct lexical_filling *filling, const struct range *range)
{
    struct parameter *start = with_part(filling, PART_START, range);
    struct parameter *end = with_part(filling, PART_END, range);
    struct parameter *counts = with_part(filling, PART_COUNT, range);
    long count = range->to && range->from ? range->to - range->from + 1 : 0;
    bool can = (!range->from || start) && (!range->to || end || (range->from && counts));
    if (!can || (!start && !end))
        return false;
    give(filling, range, start, range->from);
    return end ? give(filling, range, end, range->to) || true
               : give(filling, range, counts, count) || true;
}

static long whole_number(const struct lexical_token *token)
{
    double number = token->number < 0 ? -token->number : token->number;
    return token->is_number && token->is_whole && number >= 1 && number < 1e9 ? (long)number : 0;
}

/* "10-20" is one token. */
static bool is_hyphenated(const struct lexical_token *token, struct range *range)
{
    char more;
    return sscanf(token->text, "%9ld-%9ld%c", &range->from, &range->to, &more) == 2;
}

/* What follows the unit: "lines 10 to 20", "line 10 to line 20", "line 12". */
static void read_bounds(const struct lexical_filling *filling, struct range *range)
{
    size_t i = range->last + 1;
    if (is_hyphenated(lexical_word(filling, i), range)) {
        range->last = i;
        return;
    }
    range->from = whole_number(lexical_word(filling, i));
    if (!range->from)
        return;
    range->last = i++;
    bool is_joined = lexical_listed(joints, lexical_word(filling, i)->english);
    i += is_joined;
    i += is_joined && lexical_says(filling, i, "the");
    i += is_joined && lexical_same_word(lexical_word(filling, i), range->unit);
    long to = whole_number(lexical_word(filling, i));
    if (!to || (!is_joined && lexical_word(filling, i)->before != '-'))
        return;
    range->to = to;
    range->last = i;
}

/* Takes the words of a range, and notes what no parameter can take. */
static void take(struct lexical_filling *filling, const struct range *range, bool is_filled)
{
    const struct lexical_token *from = lexical_word(filling, range->first);
    const struct lexical_token *to = lexical_word(filling, range->last);
    lexical_use_up(filling, range->first, range->last);
    filling->out->n_suited += is_filled;
    if (!is_filled)
        filling->out->unmet = arena_strndup(filling->arena, filling->text + from->offset,
                                            to->offset + to->length - from->offset);
}

static void find_bounds(struct lexical_filling *filling, size_t i)
{
    struct range range = { .unit = lexical_word(filling, i), .first = i, .last = i };
    if (!lexical_listed(positional, range.unit->english))
        return;
    read_bounds(filling, &range);
    if (!range.from)
        return;
    static const char opening[] = " from after starting beginning start begin ";
    static const char limiting[] = " to until ending end stop ";
    size_t before = i ? i - 1 : 0;
    before -= before && lexical_listed(" at with in ", lexical_word(filling, before)->english);
    bool is_open = i && lexical_listed(opening, lexical_word(filling, before)->english);
    bool is_limit = i && lexical_listed(limiting, lexical_word(filling, before)->english);
    if (!range.to && is_limit) {
        range.to = range.from;
        range.from = 0;
    } else if (!range.to && !is_open) {
        range.to = range.from;
    }
    bool is_filled = fill_bounds(filling, &range);
    if (is_filled || with_part(filling, PART_START, &range))
        take(filling, &range, is_filled);
}

/* The unit behind the count: "first 3 lines", "les 3 premières lignes", "the last line", and what
 * "head -n 5" and "tail -5" mean. */
static bool read_count(const struct lexical_filling *filling, size_t i, struct range *range)
{
    static const struct lexical_token lines = {
        .english = "lines", .lower = "lines", .text = "lines", .stem = "lin"
    };
    bool is_command =
        i == 0 && (lexical_says(filling, 0, "head") || lexical_says(filling, 0, "tail"));
    long before = i ? whole_number(lexical_word(filling, i - 1)) : 0;
    size_t at = i + 1 + (is_command && lexical_says(filling, i + 1, "-n"));
    long behind = whole_number(lexical_word(filling, at));
    *range = (struct range){ .first = i - (before && !behind),
                             .last = i,
                             .count = behind ? behind : before,
                             .is_command = is_command };
    range->is_last = lexical_listed(last_words, lexical_word(filling, i)->english);
    at = behind ? at + 1 : i + 1;
    range->unit = is_command ? &lines : lexical_word(filling, at);
    bool is_one = !range->count && lexical_listed(positional, range->unit->english);
    range->count = is_one ? 1 : range->count;
    range->last = is_command ? at - 1 : at;
    return range->count && (range->unit->kind == LEXICAL_WORD) && *range->unit->text &&
           !range->unit->is_function;
}

static void find_count(struct lexical_filling *filling, size_t i)
{
    struct range range;
    const char *word = lexical_word(filling, i)->english;
    if (!lexical_listed(first_words, word) && !lexical_listed(last_words, word))
        return;
    if (!read_count(filling, i, &range))
        return;
    bool is_filled = fill_counted(filling, &range);
    range.last -= range.last > i && !range.is_command;
    if (is_filled || lexical_listed(positional, range.unit->english))
        take(filling, &range, is_filled);
}

void lexical_find_order(struct lexical_filling *filling)
{
    static const char sorting[] = " sorted sort ordered alphabetically ";
    static const char extremes[] = " newest oldest latest largest biggest smallest ";
    for (size_t i = 0; i < filling->n; i++)
        if (filling->parameters[i].value &&
            lexical_is_called(&filling->parameters[i], " sort order "))
            return;
    for (size_t i = 0; i < filling->request.n; i++) {
        const struct lexical_token *word = lexical_word(filling, i);
        bool is_order =
            (i && lexical_listed(sorting, word->english)) ||
            (lexical_listed(extremes, word->english) && lexical_says(filling, i + 1, "first"));
        if (is_order && !filling->led[i] && !filling->used[i] &&
            !lexical_holds(&filling->tool_words, SIZE_MAX, word))
            filling->out->unmet = word->text;
    }
}

void lexical_fill_ranges(struct lexical_filling *filling)
{
    for (size_t i = 0; i < filling->request.n; i++) {
        if (!filling->used[i])
            find_count(filling, i);
        if (!filling->used[i])
            find_bounds(filling, i);
    }
}
