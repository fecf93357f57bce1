/* A date is found with the words that belong to it: "next Friday", "in 3 days", "le 5 mai 2022". */
#include "application/orchestrators/lexical/lexical_finder.h"
#include "domain/base/rfc3339.h"
#include "domain/base/text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DAY_MS INT64_C(86400000)
#define DAYS_PER_WEEK 7
#define ISO_LENGTH 10

static const char *const months[] = { "january",   "february", "march",    "april",
                                      "may",       "june",     "july",     "august",
                                      "september", "october",  "november", "december" };
/* The first of January 1970 was a Thursday. */
static const char *const weekdays[] = { "thursday", "friday",  "saturday", "sunday",
                                        "monday",   "tuesday", "wednesday" };

static const struct lexical_token *token_at(const struct lexical_finder *finder, size_t i)
{
    return lexical_token_at(finder->words, i);
}

static bool is_word(const struct lexical_finder *finder, size_t i, const char *english)
{
    return strcmp(token_at(finder, i)->english, english) == 0;
}

static const char *iso_of_day(struct arena *arena, int64_t day)
{
    char text[RFC3339_SIZE];
    return arena_strndup(arena, rfc3339_print(day * DAY_MS, text), ISO_LENGTH);
}

static void add_date(struct lexical_finder *finder, size_t first, size_t last, const char *iso)
{
    lexical_add_mention(finder, MENTION_DATE, first, last)->iso = iso;
}

static void add_day(struct lexical_finder *finder, size_t first, size_t last, int64_t day)
{
    struct mention *date = lexical_add_mention(finder, MENTION_DATE, first, last);
    date->iso = iso_of_day(finder->arena, day);
    date->is_relative = true;
}

static size_t month_of(const struct lexical_token *token)
{
    for (size_t i = 0; i < ARRAY_LENGTH(months); i++)
        if (token->kind == LEXICAL_WORD && (strcmp(token->english, months[i]) == 0 ||
                                            (token->is_capital && strlen(token->english) == 3 &&
                                             strncmp(token->english, months[i], 3) == 0)))
            return i + 1;
    return 0;
}

static long leading_number(const struct lexical_token *token)
{
    return isdigit((unsigned char)token->text[0]) ? strtol(token->text, NULL, 10) : 0;
}

/* The next such day, counted from today; NULL when today is not known. */
static const char *iso_without_year(const struct lexical_finder *finder, size_t month, long day)
{
    if (!finder->today)
        return NULL;
    const char *today = iso_of_day(finder->arena, finder->today);
    long year = strtol(today, NULL, 10);
    const char *iso = arena_printf(finder->arena, "%04ld-%02zu-%02ld", year, month, day);
    return strcmp(iso, today) >= 0
               ? iso
               : arena_printf(finder->arena, "%04ld-%02zu-%02ld", year + 1, month, day);
}

static void add_day_of_month(struct lexical_finder *finder, size_t first, size_t last,
                             const long date[static 3])
{
    add_date(finder, first, last,
             date[0] ? arena_printf(finder->arena, "%04ld-%02ld-%02ld", date[0], date[1], date[2])
                     : iso_without_year(finder, (size_t)date[1], date[2]));
}

/* The first day of "3. bis 7. Dezember" has its month at the end. */
static void find_day_before(struct lexical_finder *finder, size_t i, const long date[static 3])
{
    long day = i > 1 ? leading_number(token_at(finder, i - 2)) : 0;
    if (day >= 1 && day <= 31 && lexical_listed(" to until and ", token_at(finder, i - 1)->english))
        add_day_of_month(finder, i - 2, i - 2, (const long[]){ date[0], date[1], day });
}

/* "May 5, 2022", "May 5th", "5 May 2022", "5 de mayo de 2022". */
static void find_written_date(struct lexical_finder *finder, size_t i)
{
    static const char joints[] = " of from ";
    size_t last = i + 1, first = i;
    long month = (long)month_of(token_at(finder, i)), day = leading_number(token_at(finder, i + 1));
    if (month && (day < 1 || day > 31) && i) {
        first = i - 1 - (i > 1 && lexical_listed(joints, token_at(finder, i - 1)->english));
        day = leading_number(token_at(finder, first));
        last = i;
    }
    if (!month || day < 1 || day > 31)
        return;
    size_t at = last + 1 + lexical_listed(joints, token_at(finder, last + 1)->english);
    long year = leading_number(token_at(finder, at));
    bool has_year = year >= 1000 && year <= 9999;
    const long date[] = { has_year ? year : 0, month, day };
    add_day_of_month(finder, first, has_year ? at : last, date);
    if (first < i)
        find_day_before(finder, first, date);
}

static bool is_iso_date(const char *text)
{
    static const char shape[] = "dddd-dd-dd";
    for (size_t i = 0; i < sizeof shape; i++)
        if (shape[i] == 'd' ? !isdigit((unsigned char)text[i]) : shape[i] != text[i])
            return false;
    return true;
}

/* "24.12.2025"; of "24/12/2025" and "12/24/2025" the number above 12 is the day. */
static bool find_numeric_date(struct lexical_finder *finder, size_t i)
{
    unsigned day, month, year;
    char sign, other, more;
    const char *text = token_at(finder, i)->text;
    if (sscanf(text, "%2u%c%2u%c%4u%c", &day, &sign, &month, &other, &year, &more) != 5 ||
        sign != other || !strchr("./", sign) || year < 1000)
        return false;
    bool month_first = sign == '/' && month > 12;
    unsigned swapped = month_first ? day : month;
    day = month_first ? month : day;
    bool is_clear = sign == '.' || day > 12;
    if (day < 1 || day > 31 || swapped < 1 || swapped > 12)
        return false;
    add_date(finder, i, i,
             is_clear ? arena_printf(finder->arena, "%04u-%02u-%02u", year, swapped, day) : NULL);
    return true;
}

/* "next Friday" and "on Friday" are the one to come, "last Friday" is the one before today. */
static bool find_weekday(struct lexical_finder *finder, size_t i)
{
    int day = text_find(token_at(finder, i)->english, weekdays, DAYS_PER_WEEK);
    bool is_last = i && is_word(finder, i - 1, "last");
    bool is_next = i && (is_word(finder, i - 1, "next") || is_word(finder, i - 1, "this"));
    if (day < 0)
        return false;
    int64_t ahead = (day - finder->today % DAYS_PER_WEEK + DAYS_PER_WEEK) % DAYS_PER_WEEK;
    int64_t days = is_last ? ahead - DAYS_PER_WEEK : ahead ? ahead : DAYS_PER_WEEK;
    add_day(finder, i - (is_last || is_next), i, finder->today + days);
    return true;
}

/* "in 3 days", "3 days ago", "vor 3 Tagen", "il y a 3 jours". */
static bool find_distance(struct lexical_finder *finder, size_t i)
{
    static const char ahead_words[] = " in within between ";
    static const char back[] = " before hace ";
    const char *unit = token_at(finder, i + 1)->stem;
    double days = strcmp(unit, "day") == 0 || strcmp(unit, "d") == 0 ? 1
                  : strcmp(unit, "week") == 0                        ? DAYS_PER_WEEK
                                                                     : 0;
    const char *behind = token_at(finder, i + 2)->english;
    const char *lead = i ? token_at(finder, i - 1)->english : "";
    bool is_ahead = lexical_listed(ahead_words, lead);
    bool is_ago = strcmp(behind, "ago") == 0 || strcmp(behind, "fa") == 0;
    bool il_y_a = i > 2 && is_word(finder, i - 2, "y");
    days *= token_at(finder, i)->number;
    if (!token_at(finder, i)->is_number || days < 1 || days > 100000 ||
        !(is_ahead || is_ago || il_y_a || lexical_listed(back, lead)))
        return false;
    add_day(finder, is_ago ? i : i - 1 - 2 * (size_t)il_y_a, i + 1 + is_ago,
            finder->today + (int64_t)(is_ahead ? days : -days));
    return true;
}

static bool find_relative_date(struct lexical_finder *finder, size_t i)
{
    static const char *const words[] = { "yesterday", "today", "tomorrow", "overmorrow" };
    int word = text_find(token_at(finder, i)->english, words, ARRAY_LENGTH(words));
    if (!finder->today)
        return false;
    if (word < 0)
        return find_weekday(finder, i) || find_distance(finder, i);
    bool is_day_after =
        word == 2 && i > 1 && is_word(finder, i - 1, "after") && is_word(finder, i - 2, "day");
    add_day(finder, is_day_after ? i - 2 : i, i, finder->today + word - 1 + is_day_after);
    return true;
}

/* "15:30", "3 pm", "8 Uhr", "18h30"; iso is the time as HH:MM. */
static void find_time(struct lexical_finder *finder, size_t i)
{
    const struct lexical_token *token = token_at(finder, i), *next = token_at(finder, i + 1);
    bool is_pm = strcmp(next->english, "pm") == 0, is_am = strcmp(next->english, "am") == 0;
    bool has_unit = (is_pm || is_am || strcmp(next->english, "oclock") == 0 ||
                     strcmp(next->english, "h") == 0) &&
                    !next->before;
    unsigned hour = 24, minute = 0;
    char sign = 0, more;
    int n = sscanf(token->text, "%2u%c%2u%c", &hour, &sign, &minute, &more);
    bool is_clock = n == 3 && strchr(":h", sign);
    if ((!is_clock && !(n == 1 && token->is_number && has_unit)) || hour > 23 || minute > 59)
        return;
    hour = is_pm && hour < 12 ? hour + 12 : is_am && hour == 12 ? 0 : hour;
    lexical_add_mention(finder, MENTION_TIME, i, i + has_unit)->iso =
        arena_printf(finder->arena, "%02u:%02u", hour, minute);
}

void lexical_find_dates(struct lexical_finder *finder)
{
    for (size_t i = 0; i < finder->words->n; i++) {
        const struct lexical_token *token = &finder->words->tokens[i];
        if (is_iso_date(token->text))
            add_date(finder, i, i, token->text);
        else if (!find_numeric_date(finder, i) && !find_relative_date(finder, i))
            find_written_date(finder, i);
        find_time(finder, i);
    }
}
