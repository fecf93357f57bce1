#include "tests/unit/application/orchestrators/lexical/slot_rows.h"

#define DUE "{\"due\":{\"type\":\"string\",\"format\":\"date\"}}"
#define LEAVE                                                                                      \
    "{\"from\":{\"type\":\"string\",\"format\":\"date\"},"                                         \
    "\"to\":{\"type\":\"string\",\"format\":\"date\"}}"

static void reads_dates_as_seen_from_today_in_five_languages(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { DUE, "[\"due\"]", "it is due today", "{\"due\":\"2026-11-23\"}" },
        { DUE, "[\"due\"]", "due tomorrow", "{\"due\":\"2026-11-24\"}" },
        { DUE, "[\"due\"]", "the day after tomorrow", "{\"due\":\"2026-11-25\"}" },
        { DUE, "[\"due\"]", "due next Friday", "{\"due\":\"2026-11-27\"}" },
        { DUE, "[\"due\"]", "due on Monday", "{\"due\":\"2026-11-30\"}" },
        { DUE, "[\"due\"]", "in 3 days", "{\"due\":\"2026-11-26\"}" },
        { DUE, "[\"due\"]", "2 weeks ago", "{\"due\":\"2026-11-09\"}" },
        { DUE, "[\"due\"]", "on December 24", "{\"due\":\"2026-12-24\"}" },
        { DUE, "[\"due\"]", "fällig am nächsten Freitag", "{\"due\":\"2026-11-27\"}" },
        { DUE, "[\"due\"]", "bis zum 24.12.2026 bitte", "{\"due\":\"2026-12-24\"}" },
        { DUE, "[\"due\"]", "fällig in drei Tagen", "{\"due\":\"2026-11-26\"}" },
        { DUE, "[\"due\"]", "le 5 mai 2022 pour moi", "{\"due\":\"2022-05-05\"}" },
        { DUE, "[\"due\"]", "pour demain", "{\"due\":\"2026-11-24\"}" },
        { DUE, "[\"due\"]", "para el 5 de mayo de 2027", "{\"due\":\"2027-05-05\"}" },
        { DUE, "[\"due\"]", "per il prossimo venerdì", "{\"due\":\"2026-11-27\"}" },
        { LEAVE, "[\"from\",\"to\"]", "Urlaub vom 3. bis 7. Dezember",
          "{\"from\":\"2026-12-03\",\"to\":\"2026-12-07\"}" },
        { LEAVE, "[\"from\",\"to\"]", "congé du 3 décembre au 7 décembre",
          "{\"from\":\"2026-12-03\",\"to\":\"2026-12-07\"}" },
        { AT, "[\"start\"]", "an event tomorrow", "{}" },
        { AT, "[\"start\"]", "tomorrow at 3 pm", "{\"start\":\"2026-11-24T15:00:00\"}" },
        { AT, "[\"start\"]", "morgen um 8 Uhr mit mir", "{\"start\":\"2026-11-24T08:00:00\"}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define HEAD_AND_TAIL "{\"head\":{\"type\":\"integer\"},\"tail\":{\"type\":\"integer\"}}"

static void reads_ranges_by_the_part_that_a_parameter_plays(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { LINES, "[]", "read the first 3 lines of sales.csv", "{\"end_line\":3}" },
        { LINES, "[]", "read lines 10-20", "{\"end_line\":20,\"start_line\":10}" },
        { LINES, "[]", "read lines 2 to 4", "{\"end_line\":4,\"start_line\":2}" },
        { LINES, "[]", "from line 2 to line 4", "{\"end_line\":4,\"start_line\":2}" },
        { LINES, "[]", "lines 2–4 please", "{\"end_line\":4,\"start_line\":2}" },
        { LINES, "[]", "what is on line 12", "{\"end_line\":12,\"start_line\":12}" },
        { LINES, "[]", "read it from line 7", "{\"start_line\":7}" },
        { LINES, "[]", "the last line of it", "{}" },
        { LINES, "[]", "the last 5 lines", "{}" },
        { LINES, "[]", "die ersten 3 Zeilen von a.csv", "{\"end_line\":3}" },
        { LINES, "[]", "lies die Zeilen 2 bis 4", "{\"end_line\":4,\"start_line\":2}" },
        { LINES, "[]", "les trois premières lignes", "{\"end_line\":3}" },
        { LINES, "[]", "de la ligne 2 à la 4, merci", "{\"end_line\":4,\"start_line\":2}" },
        { LINES, "[]", "las 3 primeras líneas", "{\"end_line\":3}" },
        { LINES, "[]", "leggi le righe da 2 a 4", "{\"end_line\":4,\"start_line\":2}" },
        { HEAD_AND_TAIL, "[]", "the first 3 lines", "{\"head\":3}" },
        { HEAD_AND_TAIL, "[]", "the last line", "{\"tail\":1}" },
        { HEAD_AND_TAIL, "[]", "head -n 5 a.csv", "{\"head\":5}" },
        { HEAD_AND_TAIL, "[]", "tail -5 a.csv", "{\"tail\":5}" },
        { START_AND_COUNT, "[]", "the first 3 lines", "{\"max_lines\":3}" },
        { START_AND_COUNT, "[]", "the last line", "{}" },
        { START_AND_COUNT, "[]", "lines 3 to 5", "{\"max_lines\":3,\"start_line\":3}" },
        { LIMIT, "[]", "the last 5 orders", "{\"limit\":5}" },
        { LIMIT, "[]", "the top 5 results", "{\"limit\":5}" },
        { LINES, "[]", "read from line 20 and ending at line 30",
          "{\"end_line\":30,\"start_line\":20}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

#define EXCHANGE                                                                                   \
    "{\"amount\":{\"type\":\"number\"},\"from_currency\":" STRING ",\"to_currency\":" STRING "}"
#define PRICES "{\"min_price\":{\"type\":\"number\"},\"max_price\":{\"type\":\"number\"}}"

static void reads_units_directions_and_bounds(void **state)
{
    (void)state;
    static const struct slot_row rows[] = {
        { EXCHANGE, "[\"amount\",\"from_currency\",\"to_currency\"]", "250 CHF in EUR",
          "{\"amount\":250,\"from_currency\":\"CHF\",\"to_currency\":\"EUR\"}" },
        { EXCHANGE, "[\"amount\",\"from_currency\",\"to_currency\"]",
          "convert 12,50 euros to dollars",
          "{\"amount\":12.5,\"from_currency\":\"EUR\",\"to_currency\":\"USD\"}" },
        { EXCHANGE, "[\"amount\",\"from_currency\",\"to_currency\"]",
          "rechne 250 Franken in Euro um",
          "{\"amount\":250,\"from_currency\":\"CHF\",\"to_currency\":\"EUR\"}" },
        { PRICES, "[]", "boots up to 120 EUR", "{\"max_price\":120}" },
        { PRICES, "[]", "at least 50 francs", "{\"min_price\":50}" },
        { PRICES, "[]", "botas hasta 90 euros", "{\"max_price\":90}" },
    };
    slot_rows_check(rows, ARRAY_LENGTH(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_dates_as_seen_from_today_in_five_languages),
        cmocka_unit_test(reads_ranges_by_the_part_that_a_parameter_plays),
        cmocka_unit_test(reads_units_directions_and_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
