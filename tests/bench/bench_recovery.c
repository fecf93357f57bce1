/* How dependable answers of an undependable model are: conversations of ten turns in which a share
 * of the answers is damaged. Prints, per kind of damage, how often it happened and which rung of
 * the ladder then gave the answer.
 *   bench_recovery [CONVERSATIONS [DAMAGE]] */
#include "tests/support/recovery.h"
#include <stdio.h>
#include <stdlib.h>

static void print_row(const struct recovery *recovery, size_t kind)
{
    printf("%-32s %8llu", noise_kind_name((enum noise_kind)kind),
           (unsigned long long)recovery->damaged[kind]);
    for (size_t rung = 0; rung < RECOVERY_RUNGS; rung++)
        printf(" %10llu", (unsigned long long)recovery->saved[kind][rung]);
    printf(" %6llu\n", (unsigned long long)recovery->lost[kind]);
}

static void print_table(const struct recovery *recovery)
{
    printf("%-32s %8s", "damage", "answers");
    for (size_t rung = 0; rung < RECOVERY_RUNGS; rung++)
        printf(" %10s", engine_rung_name((enum engine_rung)rung));
    printf(" %6s\n", "lost");
    for (size_t kind = 0; kind < NOISE_KIND_COUNT; kind++)
        print_row(recovery, kind);
}

static void print_share(const char *what, uint64_t n, uint64_t of)
{
    printf("%-32s %8llu  %.3f %%\n", what, (unsigned long long)n,
           of ? 100.0 * (double)n / (double)of : 0);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    double damage = argc > 2 ? atof(argv[2]) : 0.3;
    static struct recovery recovery;
    recovery_run(&recovery, SOURCE_DIR, 1, n, damage);
    printf("%llu conversations of %d turns, %.0f %% of the answers damaged\n\n",
           (unsigned long long)n, RECOVERY_TURNS, damage * 100);
    print_table(&recovery);
    printf("\n");
    print_share("turns as they should be", recovery.right, recovery.turns);
    print_share("turns that ended otherwise", recovery.other, recovery.turns);
    print_share("turns the person saw fail", recovery.failed, recovery.turns);
    print_share("JSON or delimiter shown", recovery.leaks, recovery.turns);
    print_share("calls nobody asked for", recovery.strays, recovery.turns);
    print_share("askings over their rungs", recovery.overrun, recovery.turns);
    printf("%-32s %8.3f\n", "requests per turn",
           (double)recovery.requests / (double)recovery.turns);
    return 0;
}
