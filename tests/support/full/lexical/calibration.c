#include "tests/support/full/lexical/calibration.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 100 };
#define SCORE_LEAST 1e-6
#define PENALTY 1e-3 /* on the distance from the mapping that changes nothing */
#define CLOSE 1e-10

void calibration_add(struct calibration *calibration, double score, bool is_right)
{
    if (calibration->n == calibration->capacity) {
        calibration->capacity = calibration->capacity ? 2 * calibration->capacity : 256;
        calibration->cases =
            realloc(calibration->cases, calibration->capacity * sizeof *calibration->cases);
        if (!calibration->cases)
            abort();
    }
    calibration->cases[calibration->n++] = (struct calibration_case){ score, is_right };
}

void calibration_finish(struct calibration *calibration)
{
    free(calibration->cases);
    *calibration = (struct calibration){ 0 };
}

static double logit(double score)
{
    double p = fmin(fmax(score, SCORE_LEAST), 1 - SCORE_LEAST);
    return log(p / (1 - p));
}

double calibration_mapped(struct calibration_map map, double score)
{
    return 1 / (1 + exp(-(map.slope * logit(score) + map.offset)));
}

static void count(struct calibration_bin *bins, double score, bool is_right)
{
    size_t bin = (size_t)(fmin(fmax(score, 0), 1) * CALIBRATION_BINS);
    bin = bin < CALIBRATION_BINS ? bin : CALIBRATION_BINS - 1;
    bins[bin].n++;
    bins[bin].score += score;
    bins[bin].right += is_right;
}

static double error_of(const struct calibration_bin *bins, size_t n)
{
    double distance = 0;
    for (size_t i = 0; i < CALIBRATION_BINS; i++)
        distance += fabs(bins[i].score - bins[i].right);
    return n ? distance / (double)n : 0;
}

double calibration_error(const struct calibration *calibration,
                         struct calibration_bin out_bins[CALIBRATION_BINS])
{
    memset(out_bins, 0, CALIBRATION_BINS * sizeof *out_bins);
    for (size_t i = 0; i < calibration->n; i++)
        count(out_bins, calibration->cases[i].score, calibration->cases[i].is_right);
    return error_of(out_bins, calibration->n);
}

/* One step of Newton's method. */
static struct calibration_map step(const struct calibration *calibration, size_t left_out,
                                   struct calibration_map at)
{
    double slope = PENALTY * (at.slope - 1), offset = PENALTY * at.offset;
    double h00 = PENALTY, h01 = 0, h11 = PENALTY;
    for (size_t i = 0; i < calibration->n; i++) {
        if (i % CALIBRATION_FOLDS == left_out)
            continue;
        double x = logit(calibration->cases[i].score);
        double p = calibration_mapped(at, calibration->cases[i].score), weight = p * (1 - p);
        slope += (p - calibration->cases[i].is_right) * x;
        offset += p - calibration->cases[i].is_right;
        h00 += weight * x * x;
        h01 += weight * x;
        h11 += weight;
    }
    double determinant = h00 * h11 - h01 * h01;
    return (struct calibration_map){ (h11 * slope - h01 * offset) / determinant,
                                     (h00 * offset - h01 * slope) / determinant };
}

struct calibration_map calibration_fit(const struct calibration *calibration, size_t left_out)
{
    struct calibration_map map = { .slope = 1 };
    for (size_t i = 0; i < MAX_STEPS; i++) {
        struct calibration_map by = step(calibration, left_out, map);
        double size = fmax(fabs(by.slope), fabs(by.offset));
        double share = size > 1 ? 1 / size : 1;
        map.slope -= share * by.slope;
        map.offset -= share * by.offset;
        if (size < CLOSE)
            break;
    }
    return map;
}

double calibration_cross_validated(const struct calibration *calibration)
{
    struct calibration_bin bins[CALIBRATION_BINS] = { 0 };
    for (size_t fold = 0; fold < CALIBRATION_FOLDS; fold++) {
        struct calibration_map map = calibration_fit(calibration, fold);
        for (size_t i = fold; i < calibration->n; i += CALIBRATION_FOLDS)
            count(bins, calibration_mapped(map, calibration->cases[i].score),
                  calibration->cases[i].is_right);
    }
    return error_of(bins, calibration->n);
}
