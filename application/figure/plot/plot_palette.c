#include "application/figure/plot/plot_palette.h"
#include "domain/base/attributes.h"
#include "domain/figure/color_contrast.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS 24         /* from a line's colour to the background, and half of them away from it */
#define APART 0.06       /* of two series, for every kind of sight; less where there are many */
#define LEAST_APART 0.01 /* below, the farthest is taken */
#define SHRINKS 0.8
#define OWN 1.6 /* how much the style's lines are preferred to shades of them */
enum { MAX_LINES = FIGURE_ROLE_NOTE + 1, MAX_SHADES = MAX_LINES * (STEPS + STEPS / 2) };

struct shade {
    struct figure_color color;
    bool is_own;
    double apart,
        seen; /* distance to the nearest that was taken: at worst, and with normal sight */
};

struct shades {
    const struct figure_style *style;
    struct shade list[MAX_SHADES];
    size_t n;
};

static void print(struct figure_color color, char out[static PLOT_COLOR_SIZE])
{
    snprintf(out, PLOT_COLOR_SIZE, "#%02x%02x%02x", color.red, color.green, color.blue);
}

static uint8_t between(uint8_t a, uint8_t b, int step)
{
    return (uint8_t)((a * (STEPS - step) + b * step) / STEPS);
}

static struct figure_color mix(struct figure_color a, struct figure_color b, int step)
{
    return (struct figure_color){ between(a.red, b.red, step), between(a.green, b.green, step),
                                  between(a.blue, b.blue, step) };
}

static void add(struct shades *shades, struct figure_color color, bool is_own)
{
    if (!is_own && color_contrast(color, shades->style->background) < COLOR_LINE_CONTRAST)
        return;
    for (size_t i = 0; i < shades->n; i++)
        if (memcmp(&shades->list[i].color, &color, sizeof color) == 0)
            return;
    if (shades->n < MAX_SHADES)
        shades->list[shades->n++] =
            (struct shade){ .color = color, .is_own = is_own, .apart = 2, .seen = 2 };
}

/* Black on a light background, white on a dark one. */
static struct figure_color opposite(struct figure_color background)
{
    static const struct figure_color black = { 0, 0, 0 }, white = { 255, 255, 255 };
    bool is_light = color_contrast(background, black) > color_contrast(background, white);
    return is_light ? black : white;
}

/* The different lines of the roles, those of the strongest colours first, and then shades of each
 * that stand out from the background as well. */
static void gather(struct shades *shades)
{
    static const enum figure_role order[] = { FIGURE_ROLE_PROCESS, FIGURE_ROLE_DECISION,
                                              FIGURE_ROLE_STORE,   FIGURE_ROLE_ACTOR,
                                              FIGURE_ROLE_DATA,    FIGURE_ROLE_NOTE };
    const struct figure_style *style = shades->style;
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++)
        add(shades, style->roles[order[i]].stroke, true);
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
        struct figure_color line = style->roles[order[i]].stroke;
        for (int step = 1; step < STEPS; step++)
            add(shades, mix(line, style->background, step), false);
        for (int step = 1; step <= STEPS / 2; step++)
            add(shades, mix(line, opposite(style->background), step), false);
    }
}

/* Each shade is as far from what was taken as from the nearest of it. */
static void measure(struct shades *shades, struct figure_color taken)
{
    for (size_t i = 0; i < shades->n; i++) {
        struct shade *shade = &shades->list[i];
        enum color_vision whose;
        shade->apart = fmin(shade->apart, color_smallest_distance(shade->color, taken, &whose));
        shade->seen = fmin(shade->seen, color_distance(shade->color, taken, COLOR_NORMAL));
    }
}

static double worth(const struct shade *shade)
{
    return shade->is_own ? shade->seen * OWN : shade->seen;
}

static const struct shade *pick_apart(const struct shades *shades, double apart)
{
    const struct shade *best = NULL;
    for (size_t i = 0; i < shades->n; i++) {
        const struct shade *shade = &shades->list[i];
        if (shade->apart >= apart && (!best || worth(shade) > worth(best)))
            best = shade;
    }
    return best;
}

/* The most different one for normal sight, of those that everyone can tell from the others. */
static struct figure_color pick(const struct shades *shades)
{
    const struct shade *best = NULL;
    for (double apart = APART; !best && apart > LEAST_APART; apart *= SHRINKS)
        best = pick_apart(shades, apart);
    if (best)
        return best->color;
    best = &shades->list[0];
    for (size_t i = 1; i < shades->n; i++)
        if (shades->list[i].apart > best->apart)
            best = &shades->list[i];
    return best->color;
}

void plot_palette_init(struct plot_palette *palette, const struct figure_style *style)
{
    struct shades shades = { .style = style };
    gather(&shades);
    struct figure_color color = shades.list[0].color;
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++) {
        print(color, palette->series[i]);
        measure(&shades, color);
        color = pick(&shades);
    }
    print(style->background, palette->background);
    print(style->edge_text, palette->text);
    print(style->edge, palette->line);
}
