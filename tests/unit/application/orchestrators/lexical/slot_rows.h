/* Tables of requests, each with the schema of a tool and the arguments that lexical_slots_fill must
 * read for it. Schemas that several of the tables need are here too. */
#ifndef TESTS_UNIT_LEXICAL_SLOT_ROWS_H
#define TESTS_UNIT_LEXICAL_SLOT_ROWS_H

#include "application/orchestrators/lexical/lexical_slots.h"
#include "domain/base/json.h"
#include "tests/support/cmocka.h"
#include <string.h>

#define TODAY 20780 /* 2026-11-23, a Monday */

#define STRING "{\"type\":\"string\"}"
#define AT "{\"start\":{\"type\":\"string\",\"format\":\"date-time\"}}"
#define LINES                                                                                      \
    "{\"start_line\":{\"type\":\"integer\",\"description\":\"first line to read, from 1\"},"       \
    "\"end_line\":{\"type\":\"integer\",\"description\":\"last line to read, inclusive\"},"        \
    "\"max_bytes\":{\"type\":\"integer\",\"description\":\"cut the answer after so many bytes\"}}"
#define START_AND_COUNT                                                                            \
    "{\"start_line\":{\"type\":\"integer\"},\"max_lines\":{\"type\":\"integer\"}}"
#define LIMIT                                                                                      \
    "{\"limit\":{\"type\":\"integer\",\"description\":\"most results to return\"},"                \
    "\"offset\":{\"type\":\"integer\",\"description\":\"results to skip\"}}"

/* properties and required are JSON text; args is what is wanted, printed with sorted keys. */
struct slot_row {
    const char *properties, *required, *request, *args;
};

/* JSON text as a value that the caller owns; fails the test where it is damaged. */
static inline json_t *slot_rows_parse(const char *text)
{
    json_t *value = NULL;
    struct err err;
    if (json_parse(text, strlen(text), JSON_OURS, &value, &err))
        fail_msg("%s in %s", err.message, text);
    return value;
}

static inline void slot_rows_fill(struct arena *arena, const struct slot_row *row,
                                  struct lexical_slots *out)
{
    json_t *schema =
        json_pack("{s:s, s:o, s:o}", "type", "object", "properties",
                  slot_rows_parse(row->properties), "required", slot_rows_parse(row->required));
    struct tool tool = { .name = "tool", .input_schema = arena_keep_json(arena, schema) };
    lexical_slots_fill(arena, &tool, row->request, TODAY, out);
}

/* Prints each request whose arguments are others than wanted and fails if there are any. */
static inline void slot_rows_check(const struct slot_row *rows, size_t n)
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) arena = { 0 };
        struct lexical_slots slots;
        slot_rows_fill(&arena, &rows[i], &slots);
        auto_str got = json_print_sorted(slots.args);
        if (strcmp(got, rows[i].args) == 0)
            continue;
        print_error("%s: wanted %s, got %s\n", rows[i].request, rows[i].args, got);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#endif
