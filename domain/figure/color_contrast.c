#include "domain/figure/color_contrast.h"
#include "domain/base/attributes.h"
#include <math.h>

/* Linear light, 0 to 1. */
struct light {
    double red, green, blue;
};

/* A row of a matrix for each of the three results. */
typedef const double matrix[3][3];

static matrix sights[] = {
    [COLOR_NORMAL] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
    [COLOR_PROTANOPIA] = { { 0.152286, 1.052583, -0.204868 },
                           { 0.114503, 0.786281, 0.099216 },
                           { -0.003882, -0.048116, 1.051998 } },
    [COLOR_DEUTERANOPIA] = { { 0.367322, 0.860646, -0.227968 },
                             { 0.280085, 0.672501, 0.047413 },
                             { -0.011820, 0.042940, 0.968881 } },
    [COLOR_TRITANOPIA] = { { 1.255528, -0.076749, -0.178779 },
                           { -0.078411, 0.930809, 0.147602 },
                           { 0.004733, 0.691367, 0.303900 } },
};

/* Linear sRGB to the cones of OKLab, and their cube roots to its axes. */
static matrix cones = { { 0.4122214708, 0.5363325363, 0.0514459929 },
                        { 0.2119034982, 0.6806995451, 0.1073969566 },
                        { 0.0883024619, 0.2817188376, 0.6299787005 } };
static matrix axes = { { 0.2104542553, 0.7936177850, -0.0040720468 },
                       { 1.9779984951, -2.4285922050, 0.4505937099 },
                       { 0.0259040371, 0.7827717662, -0.8086757660 } };

static double linear(uint8_t channel)
{
    double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static struct light light_of(struct figure_color color)
{
    return (struct light){ linear(color.red), linear(color.green), linear(color.blue) };
}

static struct light multiply(matrix m, struct light x)
{
    return (struct light){ m[0][0] * x.red + m[0][1] * x.green + m[0][2] * x.blue,
                           m[1][0] * x.red + m[1][1] * x.green + m[1][2] * x.blue,
                           m[2][0] * x.red + m[2][1] * x.green + m[2][2] * x.blue };
}

static double clamp(double value)
{
    return fmin(fmax(value, 0), 1);
}

static struct light seen_as(struct light light, enum color_vision vision)
{
    struct light seen = multiply(sights[vision], light);
    return (struct light){ clamp(seen.red), clamp(seen.green), clamp(seen.blue) };
}

static struct light perceived(struct light light)
{
    struct light c = multiply(cones, light);
    struct light roots = { pow(c.red, 1 / 3.0), pow(c.green, 1 / 3.0), pow(c.blue, 1 / 3.0) };
    return multiply(axes, roots);
}

static double luminance(struct figure_color color)
{
    struct light light = light_of(color);
    return 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue;
}

double color_lightness(struct figure_color color)
{
    return pow(luminance(color), 1 / 3.0);
}

double color_contrast(struct figure_color a, struct figure_color b)
{
    double first = luminance(a), second = luminance(b);
    return (fmax(first, second) + 0.05) / (fmin(first, second) + 0.05);
}

double color_distance(struct figure_color a, struct figure_color b, enum color_vision vision)
{
    struct light first = perceived(seen_as(light_of(a), vision));
    struct light second = perceived(seen_as(light_of(b), vision));
    double x = first.red - second.red, y = first.green - second.green, z = first.blue - second.blue;
    return sqrt(x * x + y * y + z * z);
}

double color_smallest_distance(struct figure_color a, struct figure_color b,
                               enum color_vision *out_vision)
{
    double smallest = color_distance(a, b, COLOR_NORMAL);
    *out_vision = COLOR_NORMAL;
    for (unsigned vision = COLOR_PROTANOPIA; vision <= COLOR_TRITANOPIA; vision++) {
        double distance = color_distance(a, b, vision);
        if (distance >= smallest)
            continue;
        smallest = distance;
        *out_vision = vision;
    }
    return smallest;
}

const char *color_vision_name(enum color_vision vision)
{
    static const char *const names[] = {
#define X(vision, name) name,
        COLOR_VISIONS(X)
#undef X
    };
    return names[vision];
}
