/* Pairs of texts by somebody who did not write the rules: what two agents may say that is the same,
 * almost the same, or no answer at all. */
#include "domain/base/json.h"
#include "domain/consensus/candidate.h"
#include "domain/consensus/canonical_text.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS SOURCE_DIR "/tests/data/consensus/pairs.jsonl"
#define LEAST_FOUND 95 /* per cent of the pairs that are the same, in each kind */
/* Of 405 pairs without an answer so many agree all the same: sentences that are new, and say
 * nothing ("After careful consideration we have arrived at a recommendation"). It may only fall. */
#define MOST_EMPTY 29

struct tally {
    unsigned n, n_same, n_found, n_false, n_empty;
};

/* The text that would be compared; NULL: it does not count. */
static const char *counted(struct arena *arena, enum canonical_kind kind, const char *text,
                           const char *task)
{
    const char *canonical;
    if (canonical_text(arena, kind, text, &canonical, NULL) != ERR_NONE)
        return NULL;
    return candidate_fault(kind, canonical, task) ? NULL : canonical;
}

static void try_pair(const json_t *pair, enum canonical_kind kind, struct tally *tally)
{
    AUTO(arena) arena = { 0 };
    const char *task = json_get_string(pair, "task"), *expect = json_get_string(pair, "expect");
    const char *a = counted(&arena, kind, json_get_string(pair, "a"), task);
    const char *b = counted(&arena, kind, json_get_string(pair, "b"), task);
    bool agree = a && b && strcmp(a, b) == 0, are_same = strcmp(expect, "same") == 0;
    tally->n++;
    tally->n_same += are_same;
    tally->n_found += are_same && agree;
    tally->n_false += agree && strcmp(expect, "different") == 0;
    tally->n_empty += agree && strcmp(expect, "no_answer") == 0;
    if (agree != are_same && getenv("CONSENSUS_CORPUS"))
        fprintf(stderr, "%s: %s\n", agree ? "false agreement" : "not found",
                json_print_in(&arena, pair));
}

static void pairs_agree_where_they_are_the_same_and_nowhere_else(void **state)
{
    (void)state;
    struct tally tallies[CANONICAL_SQL + 1] = { 0 };
    static char line[16384];
    unsigned n_empty = 0;
    FILE *file = fopen(PAIRS, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        json_auto_t *pair = json_loads(line, 0, NULL);
        enum canonical_kind kind = CANONICAL_TEXT;
        assert_true(pair && canonical_kind_parse(json_get_string(pair, "kind"), &kind));
        try_pair(pair, kind, &tallies[kind]);
    }
    fclose(file);
    for (size_t i = 0; i < ARRAY_LENGTH(tallies); i++) {
        const struct tally *tally = &tallies[i];
        print_message("%s: %u pairs, %u of %u found, %u false, %u empty\n",
                      canonical_kind_name((enum canonical_kind)i), tally->n, tally->n_found,
                      tally->n_same, tally->n_false, tally->n_empty);
        assert_true(tally->n >= 200);
        assert_int_equal(tally->n_false, 0);
        assert_true(100 * tally->n_found >= LEAST_FOUND * tally->n_same);
        n_empty += tally->n_empty;
    }
    assert_in_range(n_empty, 0, MOST_EMPTY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_agree_where_they_are_the_same_and_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
