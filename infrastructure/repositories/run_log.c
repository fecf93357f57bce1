/* What logs in any database have in common: how a group of events is read, and which run is meant.
 */
#include "infrastructure/repositories/run_log.h"
#include <stdlib.h>
#include <string.h>

enum err_code run_log_pick(const char *id, struct run_row *rows, size_t n, struct run_row *out,
                           struct err *err)
{
    if (!n && strcmp(id, RUN_LATEST) == 0) {
        err_set(err, ERR_NOT_FOUND, 0, "there is no run yet");
        return err_about(err, ERR_NOT_FOUND, "run");
    }
    if (!n) {
        err_set(err, ERR_NOT_FOUND, 0, "no run \"%.60s\"", id);
        err_about(err, ERR_NOT_FOUND, "run");
        return err_hint(err, ERR_NOT_FOUND, "mistro runs list shows them");
    }
    if (n > 1 && strcmp(rows[0].run.id, id) != 0) {
        const char *ids[RUN_LOG_CANDIDATES];
        for (size_t i = 0; i < n; i++)
            ids[i] = rows[i].run.id;
        return err_ambiguous(err, "runs", id, ids, n);
    }
    *out = rows[0];
    return ERR_NONE;
}

/* The word that begins at *at; *at moves behind the character that ends it. NULL: there is none. */
static const char *take_word(char **at, char end)
{
    char *word = *at, *stop = strchr(word, end);
    if (!stop)
        return NULL;
    *stop = '\0';
    *at = stop + 1;
    return word;
}

static bool take_event(char **at, struct event_row *out)
{
    const char *number = take_word(at, ' ');
    const char *time_ms = number ? take_word(at, ' ') : NULL;
    const char *kind = time_ms ? take_word(at, ' ') : NULL;
    const char *data = kind ? take_word(at, '\n') : NULL;
    if (!data)
        return false;
    *out = (struct event_row){ .number = strtoull(number, NULL, 10),
                               .time_ms = strtoll(time_ms, NULL, 10),
                               .kind = kind,
                               .data = data };
    return true;
}

static bool is_in_range(const struct event_range *range, const struct event_row *row)
{
    bool is_of_kind = range->n_kinds == 0;
    for (size_t i = 0; i < range->n_kinds && !is_of_kind; i++)
        is_of_kind = strcmp(event_kind_name(range->kinds[i]), row->kind) == 0;
    return is_of_kind && row->number > range->after;
}

enum err_code run_log_add_group(struct arena *arena, char *lines, const struct event_range *range,
                                struct event_rows *rows, struct err *err)
{
    struct event_row row;
    for (char *at = lines; *at && rows->n < range->max;) {
        if (!take_event(&at, &row))
            return err_set(err, ERR_INVALID, 0, "run log: a group of events is damaged");
        if (is_in_range(range, &row))
            *arena_push(arena, rows->list, rows->n, rows->capacity) = row;
    }
    return ERR_NONE;
}

void run_durations_add(struct run_durations *durations, const char *numbers)
{
    const char *at = numbers + strlen(numbers);
    while (at > numbers && durations->n < RUN_MEDIAN_CALLS) {
        at--;
        if (at == numbers || at[-1] == ' ')
            durations->list[durations->n++] = strtoll(at, NULL, 10);
    }
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

int64_t run_durations_median(struct run_durations *durations)
{
    qsort(durations->list, durations->n, sizeof *durations->list, by_value);
    return durations->n ? durations->list[durations->n / 2] : -1;
}
