#include "application/figure/plot_palette.h"
#include "domain/base/attributes.h"
#include <stdio.h>
#include <string.h>

static void print(struct figure_color color, char out[static PLOT_COLOR_SIZE])
{
    snprintf(out, PLOT_COLOR_SIZE, "#%02x%02x%02x", color.red, color.green, color.blue);
}

static uint8_t middle(uint8_t a, uint8_t b)
{
    return (uint8_t)((a + b) / 2);
}

static struct figure_color mix(struct figure_color a, struct figure_color b)
{
    return (struct figure_color){ middle(a.red, b.red), middle(a.green, b.green),
                                  middle(a.blue, b.blue) };
}

static bool is_known(const struct figure_color *colors, size_t n, struct figure_color color)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&colors[i], &color, sizeof color) == 0)
            return true;
    return false;
}

/* The different lines of the roles, those of the strongest colours first. */
static size_t strokes_of(const struct figure_style *style, struct figure_color *out)
{
    static const enum figure_role order[] = { FIGURE_ROLE_PROCESS, FIGURE_ROLE_DECISION,
                                              FIGURE_ROLE_STORE,   FIGURE_ROLE_ACTOR,
                                              FIGURE_ROLE_DATA,    FIGURE_ROLE_NOTE };
    size_t n = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++)
        if (!is_known(out, n, style->roles[order[i]].stroke))
            out[n++] = style->roles[order[i]].stroke;
    return n;
}

/* Once through the lines, then the same half way to the background, and then to the text. */
void plot_palette_init(struct plot_palette *palette, const struct figure_style *style)
{
    struct figure_color strokes[FIGURE_ROLE_NOTE + 1];
    size_t n = strokes_of(style, strokes);
    for (size_t i = 0; i < PLOT_MAX_SERIES; i++) {
        struct figure_color color = strokes[i % n];
        if (i / n % 3 == 1)
            color = mix(color, style->background);
        else if (i / n % 3 == 2)
            color = mix(color, style->edge_text);
        print(color, palette->series[i]);
    }
    print(style->background, palette->background);
    print(style->edge_text, palette->text);
    print(style->edge, palette->line);
}
