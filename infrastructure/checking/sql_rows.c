#include "infrastructure/checking/sql_rows.h"
#include "domain/base/json.h"
#include <math.h>
#include <string.h>

#define PRECISION 1e-9

static bool same_number(double a, double b)
{
    return a == b || fabs(a - b) <= PRECISION * fmax(fabs(a), fabs(b));
}

/* SQLite has no truth values: true is 1. */
static bool is_numeric(const json_t *value)
{
    return json_is_number(value) || json_is_boolean(value);
}

static double number_of(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
}

static bool same_value(const json_t *a, const json_t *b)
{
    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    if (is_numeric(a) && is_numeric(b))
        return same_number(number_of(a), number_of(b));
    return json_equal(a, b);
}

static bool same_row(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!same_value(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static void compare_in_order(struct candidate_check *check, const json_t *rows,
                             const json_t *wanted)
{
    for (size_t i = 0; i < json_array_size(wanted) && !check->failure; i++) {
        const json_t *row = json_array_get(rows, i), *other = json_array_get(wanted, i);
        if (!row)
            check_fails(check, "row %zu must be %s and there is none", i + 1,
                        check_shown(check, other));
        else if (!same_row(row, other))
            check_fails(check, "row %zu must be %s and is %s", i + 1, check_shown(check, other),
                        check_shown(check, row));
    }
    if (json_array_size(rows) > json_array_size(wanted))
        check_fails(check, "it must give %zu rows and gives %zu", json_array_size(wanted),
                    json_array_size(rows));
}

/* The first row like this one that has no partner yet; n: there is none. */
static size_t find_partner(const json_t *rows, const bool *taken, const json_t *row)
{
    size_t i = 0, n = json_array_size(rows);
    while (i < n && (taken[i] || !same_row(json_array_get(rows, i), row)))
        i++;
    return i;
}

static void compare_as_often(struct candidate_check *check, const json_t *rows,
                             const json_t *wanted)
{
    size_t n = json_array_size(rows);
    bool *taken = arena_array(&check->arena, bool, n + 1);
    for (size_t i = 0; i < json_array_size(wanted) && !check->failure; i++) {
        size_t partner = find_partner(rows, taken, json_array_get(wanted, i));
        if (partner == n)
            check_fails(check, "it must give the row %s and does not",
                        check_shown(check, json_array_get(wanted, i)));
        else
            taken[partner] = true;
    }
    for (size_t i = 0; i < n && !check->failure; i++)
        if (!taken[i])
            check_fails(check, "it gives the row %s, which is one too many",
                        check_shown(check, json_array_get(rows, i)));
}

void sql_rows_compare(struct candidate_check *check, const json_t *rows)
{
    const json_t *wanted = json_object_get(check->examples, "rows");
    if (!wanted)
        return;
    if (json_get_bool(check->examples, "ordered", false))
        compare_in_order(check, rows, wanted);
    else
        compare_as_often(check, rows, wanted);
}
