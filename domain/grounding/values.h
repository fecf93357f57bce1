/* What a text says that can be right or wrong: its numbers, dates, times, names of files and quoted
 * texts, as English, German, French, Italian and Spanish write them, with the words of
 * config/words/values.json. A numeral that reads in several ways (1.234; 5m) has all of these
 * readings. Pure. */
#ifndef DOMAIN_GROUNDING_VALUES_H
#define DOMAIN_GROUNDING_VALUES_H

#include "domain/base/arena.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A text in small letters with one spelling for everything: of blanks, dashes, quotation marks and
 * signs of money one each, none of the marks of Markdown. */
struct folded {
    char *text;
    size_t length;
    size_t *origins; /* of every byte, and of the end: where it stands in the text as it was */
};

struct folded value_fold(struct arena *arena, const char *text);

enum value_kind { VALUE_NUMBER, VALUE_DATE, VALUE_TIME, VALUE_NAME, VALUE_QUOTE };

struct value {
    enum value_kind kind;
    size_t at, length; /* of the folded text; of a quote what stands between the marks */
    /* Of a number; none where it is only text (1.2.3). The slack is half of the last digit shown.
     */
    double readings[4], slack[4];
    size_t n_readings;
    const char *dimension; /* "time", "share", "ordinal", …; NULL without a unit */
    const json_t *units;   /* those of the dimension, each with its factor */
    double factor;
    bool is_whole;    /* digits alone: no decimals, no word of scale */
    bool is_word;     /* "seven" */
    bool is_embedded; /* part of a longer name: r2d2, COVID-19 */
    bool is_hedged;   /* "about", "nearly", ~ */
    /* Year, month and day, or hour, minute and second; -1 where it is not said. */
    int parts[3];
    /* 2:35 without am or pm; 03/04/2026, which may be a day of March or April. */
    bool is_half_known;
};

struct value_reader {
    const struct folded *folded;
    const json_t *words;
    size_t at;
    bool is_answer; /* names and quotes are read as well, and 12 345 is one number */
    bool is_csv;    /* commas separate */
};

/* The next value; false at the end. */
bool value_next(struct value_reader *reader, struct value *out);

bool value_is_between(double number, double least, double most);
bool value_is_of(const struct value *v, const char *dimension);
/* Whether a number between these follows from a and b. Sums and differences must be spoken of, or
 * be those of a column, as there is one of any two numbers; products and quotients are told by what
 * they show, a unit or decimals, as well. Degrees are only compared and averaged. */
bool value_follows_from(const struct value *v, double a, double b, bool may_add, double least,
                        double most);

#endif
