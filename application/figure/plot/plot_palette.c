#include "application/figure/plot/plot_palette.h"
#include "domain/base/attributes.h"
#include "domain/figure/color_contrast.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST 0.28 /* lightness at which a colour is still one */
#define MOST 0.9
#define STEP 0.2  /* from one series to the next, where there is room for it */
#define SAME 1e-6 /* of what is computed twice */

static void print(struct figure_color color, char out[static PLOT_COLOR_SIZE])
{
    snprintf(out, PLOT_COLOR_SIZE, "#%02x%02x%02x", color.red, color.green, color.blue);
}

static uint8_t between(uint8_t a, uint8_t b, int part)
{
    return (uint8_t)((a * (255 - part) + b * part) / 255);
}

/* The colour with black or white in it, as much as makes it of that lightness. */
static struct figure_color of_lightness(struct figure_color color, double lightness)
{
    bool is_darker = color_lightness(color) > lightness;
    uint8_t with = is_darker ? 0 : 255;
    struct figure_color mixed = color;
    for (int part = 1; part <= 255; part++) {
        double left = color_lightness(mixed) - lightness;
        if ((is_darker ? left : -left) < SAME)
            break;
        mixed =
            (struct figure_color){ between(color.red, with, part), between(color.green, with, part),
                                   between(color.blue, with, part) };
    }
    return mixed;
}

/* The different lines of the roles, those of the strongest colours first. */
static size_t gather(const struct figure_style *style, struct figure_color *out)
{
    static const enum figure_role order[] = { FIGURE_ROLE_PROCESS, FIGURE_ROLE_DECISION,
                                              FIGURE_ROLE_STORE,   FIGURE_ROLE_ACTOR,
                                              FIGURE_ROLE_DATA,    FIGURE_ROLE_NOTE };
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
        struct figure_color line = style->roles[order[i]].stroke;
        size_t known = 0;
        while (known < n && memcmp(&out[known], &line, sizeof line) != 0)
            known++;
        out[known] = line;
        n += known == n;
    }
    return n;
}

/* The lightness that the mark may have: see plot_palette_init. */
static void find_bounds(const struct figure_style *style, enum plot_mark mark, double *out_least,
                        double *out_most)
{
    bool has_median = mark == PLOT_BOX;
    double ground = color_lightness(has_median ? style->edge_text : style->background);
    double light = ground * ground * ground + 0.05; /* as WCAG's contrast has it */
    bool is_light = light * light > 0.05 * 1.05;
    *out_least = LEAST;
    *out_most = MOST;
    if (!has_median && mark != PLOT_LINE && mark != PLOT_POINT)
        return;
    if (is_light)
        *out_most = pow(light / COLOR_LINE_CONTRAST - 0.05, 1 / 3.0) - SAME;
    else
        *out_least = pow(light * COLOR_LINE_CONTRAST - 0.05, 1 / 3.0) + SAME;
}

/* As many levels as there are series, one of them the colour that the first has anyway, if it can
 * be. */
static double find_levels(double least, double most, double own, size_t n, double *out_step)
{
    double last = (double)n - 1, step = n > 1 ? fmin(STEP, (most - least) / last) : STEP;
    double below = floor((own - least) / step + SAME), above = floor((most - own) / step + SAME);
    *out_step = step;
    if (own < least || own > most || below + above < last)
        return fmax(least, fmin(own, most - last * step));
    return own - step * fmin(below, fmax(floor(last / 2), last - above));
}

/* The level that is not taken yet and farthest from the one before: neighbours differ most. */
static size_t next_level(const bool *is_taken, size_t n, size_t before)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        size_t far = i > before ? i - before : before - i;
        if (!is_taken[i] && (best == n || far > (best > before ? best - before : before - best)))
            best = i;
    }
    return best;
}

void plot_palette_init(struct plot_palette *palette, const struct figure_style *style,
                       enum plot_mark mark, size_t n_series)
{
    struct figure_color lines[FIGURE_ROLE_NOTE + 1];
    bool is_taken[PLOT_MAX_SERIES] = { false };
    double least, most, step, own;
    size_t n_lines = gather(style, lines),
           n = n_series < PLOT_MAX_SERIES ? n_series : PLOT_MAX_SERIES;
    find_bounds(style, mark, &least, &most);
    own = color_lightness(lines[0]);
    double lowest = find_levels(least, most, own, n, &step);
    size_t level = 0;
    while (level + 1 < n && lowest + ((double)level + 0.5) * step < own)
        level++;
    for (size_t i = 0; i < n; i++) {
        print(of_lightness(lines[i % n_lines], lowest + (double)level * step), palette->series[i]);
        palette->colors[i] = palette->series[i];
        is_taken[level] = true;
        level = next_level(is_taken, n, level);
    }
    print(style->background, palette->background);
    print(style->edge_text, palette->text);
    print(style->edge, palette->line);
}
