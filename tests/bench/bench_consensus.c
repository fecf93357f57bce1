/* How runs of two agents end, by who they are, and how fast the controller plays them. Exits with
 * 1 when a game breaks a rule that holds for all of them (tests/support/consensus_pairs.h).
 *   bench_consensus [PAIRS [SEED]] */
#include "infrastructure/runtime/system_ports.h"
#include "tests/support/consensus_pairs.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAIRS 100000
#define SHOWN_VIOLATIONS 10

struct row {
    uint64_t games, ends[CONSENSUS_AGENTS_LOST + 1], rounds, turns, promoted;
    uint64_t flips, adoptions, coercions, refused, unreadable;
};

static struct row rows[PAIR_CHARACTER_COUNT][PAIR_CHARACTER_COUNT];
static uint64_t n_violations;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void add(struct row *row, const struct pair_result *result)
{
    row->games++;
    row->ends[result->end]++;
    row->rounds += result->rounds;
    row->turns += result->turns;
    row->promoted += result->promoted;
    row->flips += result->tally.flips;
    row->adoptions += result->tally.adoptions;
    row->coercions += result->tally.coercions;
    row->refused += result->tally.refused;
    row->unreadable += result->tally.unreadable;
}

static void add_row(struct row *sum, const struct row *row)
{
    for (size_t end = 0; end <= CONSENSUS_AGENTS_LOST; end++)
        sum->ends[end] += row->ends[end];
    sum->games += row->games;
    sum->rounds += row->rounds;
    sum->turns += row->turns;
    sum->promoted += row->promoted;
    sum->flips += row->flips;
    sum->adoptions += row->adoptions;
    sum->coercions += row->coercions;
    sum->refused += row->refused;
    sum->unreadable += row->unreadable;
}

/* Who speaks first matters little: both orders are one row. */
static void play(uint64_t seed)
{
    struct pair_result result;
    pair_play(seed, system_digest(), &result);
    size_t a = result.agents[0], b = result.agents[1];
    add(a <= b ? &rows[a][b] : &rows[b][a], &result);
    if (result.violation && n_violations++ < SHOWN_VIOLATIONS)
        fprintf(stderr, "seed %llu, %s and %s: %s\n", (unsigned long long)seed,
                pair_character_name(result.agents[0]), pair_character_name(result.agents[1]),
                result.violation);
}

static double share(uint64_t n, uint64_t of)
{
    return of ? 100.0 * (double)n / (double)of : 0;
}

static double mean(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

static void print_row(const char *a, const char *b, const struct row *row)
{
    printf("%-11s %-11s %7llu %6.1f %6.1f %6.1f %6.1f %6.1f %6.2f %6.1f %6.2f %6.2f %6.2f %6.2f "
           "%6.2f\n",
           a, b, (unsigned long long)row->games, share(row->ends[CONSENSUS_CONSENSUS], row->games),
           share(row->ends[CONSENSUS_LOOP], row->games),
           share(row->ends[CONSENSUS_MAX_ROUNDS], row->games),
           share(row->ends[CONSENSUS_UNREADABLE], row->games),
           share(row->ends[CONSENSUS_AGENTS_LOST], row->games), mean(row->rounds, row->games),
           share(row->promoted, row->games), mean(row->flips, row->games),
           mean(row->adoptions, row->games), mean(row->coercions, row->games),
           mean(row->refused, row->games), mean(row->unreadable, row->games));
}

static struct row print_table(void)
{
    struct row sum = { 0 };
    printf("%-11s %-11s %7s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s %6s\n", "one", "other",
           "pairs", "agree%", "loop%", "max%", "mute%", "lost%", "rounds", "promo%", "flips",
           "adopt", "coerce", "refuse", "unread");
    for (size_t a = 0; a < PAIR_CHARACTER_COUNT; a++)
        for (size_t b = a; b < PAIR_CHARACTER_COUNT; b++) {
            print_row(pair_character_name((enum pair_character)a),
                      pair_character_name((enum pair_character)b), &rows[a][b]);
            add_row(&sum, &rows[a][b]);
        }
    print_row("all", "", &sum);
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : PAIRS;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    double begin = seconds();
    for (uint64_t i = 0; i < n; i++)
        play(seed + i);
    double took = seconds() - begin;
    struct row sum = print_table();
    printf("\n%llu pairs, %llu turns, each played twice: %.2f s, %.0f pairs/s, %.1f µs per turn\n",
           (unsigned long long)n, (unsigned long long)sum.turns, took, (double)n / took,
           1e6 * took / (2.0 * (double)sum.turns));
    printf("rules broken: %llu\n", (unsigned long long)n_violations);
    return n_violations ? 1 : 0;
}
