/* A style from its document, and then the check of its colours: what is drawn on each other needs
 * contrast, what means different things has to look different for every kind of sight. The colours
 * are only compared when every one of them could be read. */
#include "domain/figure/figure_style.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/color_contrast.h"
#include "domain/figure/figure_reading.h"
#include <string.h>

#define NAMES(list) ((struct figure_names){ list, ARRAY_LENGTH(list) })

static const char *const shapes[] = { FIGURE_SHAPES };
static const char *const fonts[] = { FIGURE_FONTS };

static const char *read_text(const struct figure_reading *reading, const char *key)
{
    const json_t *value = json_object_get(reading->object, key);
    size_t length = json_string_length(value);
    if (json_is_string(value) && !json_string_has_nul(value) && length > 0 &&
        length <= FIGURE_MAX_GUIDE_BYTES)
        return json_string_value(value);
    figure_complain(reading, key, NULL, value ? "must be text of 1 to %d bytes" : "is missing",
                    FIGURE_MAX_GUIDE_BYTES);
    return "";
}

static const char *read_word(const struct figure_reading *reading, const char *key,
                             struct figure_names words)
{
    int word = figure_read_word(reading, key, words);
    return words.list[word < 0 ? 0 : word];
}

static double read_number(const struct figure_reading *reading, const char *key, double low,
                          double high)
{
    const json_t *value = json_object_get(reading->object, key);
    double number = json_number_value(value);
    if (json_is_number(value) && number >= low && number <= high)
        return number;
    figure_complain(reading, key, NULL, "must be a number from %g to %g", low, high);
    return low;
}

/* "#rrggbb" and nothing else: names differ between programs, and nothing is transparent. */
static bool parse_color(const char *text, struct figure_color *out)
{
    int digits[6];
    if (!text || text[0] != '#' || strlen(text) != 7)
        return false;
    for (int i = 0; i < 6; i++)
        if ((digits[i] = text_hex_digit(text[i + 1])) < 0)
            return false;
    out->red = (uint8_t)(digits[0] * 16 + digits[1]);
    out->green = (uint8_t)(digits[2] * 16 + digits[3]);
    out->blue = (uint8_t)(digits[4] * 16 + digits[5]);
    return true;
}

static struct figure_color read_color(const struct figure_reading *reading, const char *key)
{
    struct figure_color color = { 0 };
    if (!parse_color(json_get_string(reading->object, key), &color))
        figure_complain(reading, key, "write it as \"#rrggbb\"", "must be a colour");
    return color;
}

static struct figure_reading member_of(const struct figure_reading *outer, const char *key)
{
    return (struct figure_reading){ outer->arena, outer->problems,
                                    json_object_get(outer->object, key),
                                    json_path_member(outer->arena, outer->path, key) };
}

/* has_shape: accent and muted have none of their own, they keep that of the role. */
static struct figure_look read_look(const struct figure_reading *outer, const char *key,
                                    bool has_shape)
{
    static const char *const members[] = { "fill", "stroke", "text", "shape" };
    struct figure_reading reading = member_of(outer, key);
    struct figure_look look = { 0 };
    if (!json_is_object(reading.object)) {
        figure_complain(outer, key, NULL, reading.object ? "must be an object" : "is missing");
        return look;
    }
    figure_refuse_unknown(&reading,
                          (struct figure_names){ members, ARRAY_LENGTH(members) - !has_shape });
    if (has_shape)
        look.shape = read_word(&reading, "shape", NAMES(shapes));
    look.fill = read_color(&reading, "fill");
    look.stroke = read_color(&reading, "stroke");
    look.text = read_color(&reading, "text");
    return look;
}

static void read_measures(const struct figure_reading *reading, struct figure_style *out)
{
    out->font = read_word(reading, "font", NAMES(fonts));
    out->font_size = read_number(reading, "font_size", 6, 48);
    out->edge_font_size = read_number(reading, "edge_font_size", 6, 48);
    out->node_gap = read_number(reading, "node_gap", 0.1, 3);
    out->rank_gap = read_number(reading, "rank_gap", 0.1, 3);
    out->line_width = read_number(reading, "line_width", 0.5, 6);
    out->wrap = (unsigned)read_number(reading, "wrap", 8, 80);
    out->dpi = (unsigned)read_number(reading, "dpi", 48, 300);
}

static void read_colors(const struct figure_reading *reading, struct figure_style *out)
{
    struct figure_reading roles = member_of(reading, "roles");
    out->background = read_color(reading, "background");
    out->edge = read_color(reading, "edge");
    out->edge_text = read_color(reading, "edge_text");
    out->group_fill = read_color(reading, "group_fill");
    out->group_stroke = read_color(reading, "group_stroke");
    out->group_text = read_color(reading, "group_text");
    figure_refuse_unknown(&roles, figure_role_names);
    for (size_t i = 0; i < figure_role_names.n; i++)
        out->roles[i] = read_look(&roles, figure_role_names.list[i], true);
    out->accent = read_look(reading, "accent", false);
    out->muted = read_look(reading, "muted", false);
}

struct checking {
    const struct figure_style *style;
    struct problems *problems;
};

static void check_contrast(struct checking *checking, const char *path, struct figure_color color,
                           struct figure_color ground, const char *what, double wanted)
{
    double contrast = color_contrast(color, ground);
    if (contrast < wanted)
        problems_add(checking->problems, NULL, path, "contrast to %s is %.2f, less than %.1f", what,
                     contrast, wanted)
            ->fix = "choose a colour that is darker or lighter";
}

/* What is drawn on the background may lie in a group as well. */
static void check_on_grounds(struct checking *checking, const char *path, struct figure_color color,
                             double wanted)
{
    const struct figure_style *style = checking->style;
    check_contrast(checking, path, color, style->background, "the background", wanted);
    check_contrast(checking, path, color, style->group_fill, "a group", wanted);
}

static void check_look(struct checking *checking, const char *path, const struct figure_look *look)
{
    struct arena *arena = checking->problems->arena;
    check_contrast(checking, arena_printf(arena, "%s/text", path), look->text, look->fill,
                   "its fill", COLOR_TEXT_CONTRAST);
    check_on_grounds(checking, arena_printf(arena, "%s/stroke", path), look->stroke,
                     COLOR_LINE_CONTRAST);
}

/* Two roles with the same fill differ by shape; different fills have to be seen as different. */
static void check_two_roles(struct checking *checking, size_t i, size_t other)
{
    const struct figure_look *a = &checking->style->roles[i];
    const struct figure_look *b = &checking->style->roles[other];
    const char *path =
        arena_printf(checking->problems->arena, "/roles/%s/fill", figure_role_names.list[other]);
    enum color_vision vision;
    double distance = color_smallest_distance(a->fill, b->fill, &vision);
    if (memcmp(&a->fill, &b->fill, sizeof a->fill) == 0) {
        if (strcmp(a->shape, b->shape) == 0)
            problems_add(checking->problems, NULL, path, "the fill and the shape are those of %s",
                         figure_role_names.list[i]);
    } else if (distance < COLOR_APART) {
        problems_add(checking->problems, NULL, path, "is too near to that of %s for %s (%.3f)",
                     figure_role_names.list[i], color_vision_name(vision), distance)
            ->fix = "make one of them lighter, or give both the same and different shapes";
    }
}

/* An emphasis keeps the shape of the role, so it has to show in the fill or in the line. */
static void check_emphasis(struct checking *checking, const char *path,
                           const struct figure_look *look)
{
    for (size_t i = 0; i < figure_role_names.n; i++) {
        const struct figure_look *role = &checking->style->roles[i];
        enum color_vision vision, ignored;
        if (color_smallest_distance(look->fill, role->fill, &vision) < COLOR_APART &&
            color_smallest_distance(look->stroke, role->stroke, &ignored) < COLOR_APART)
            problems_add(checking->problems, NULL, path, "looks like a plain %s for %s",
                         figure_role_names.list[i], color_vision_name(vision));
    }
}

static void check_colors(const struct figure_style *style, struct problems *problems)
{
    struct checking checking = { style, problems };
    for (size_t i = 0; i < figure_role_names.n; i++) {
        check_look(&checking, arena_printf(problems->arena, "/roles/%s", figure_role_names.list[i]),
                   &style->roles[i]);
        for (size_t other = i + 1; other < figure_role_names.n; other++)
            check_two_roles(&checking, i, other);
    }
    check_look(&checking, "/accent", &style->accent);
    check_look(&checking, "/muted", &style->muted);
    check_emphasis(&checking, "/accent", &style->accent);
    check_emphasis(&checking, "/muted", &style->muted);
    check_on_grounds(&checking, "/edge", style->edge, COLOR_LINE_CONTRAST);
    check_on_grounds(&checking, "/edge_text", style->edge_text, COLOR_TEXT_CONTRAST);
    check_contrast(&checking, "/group_stroke", style->group_stroke, style->background,
                   "the background", COLOR_LINE_CONTRAST);
    check_contrast(&checking, "/group_text", style->group_text, style->group_fill, "a group",
                   COLOR_TEXT_CONTRAST);
}

bool figure_style_from_json(struct arena *arena, const char *name, const json_t *value,
                            struct figure_style *out, struct problems *problems)
{
    static const char *const members[] = {
        "description", "guide",    "font",       "font_size",  "edge_font_size",
        "node_gap",    "rank_gap", "line_width", "wrap",       "dpi",
        "background",  "edge",     "edge_text",  "group_fill", "group_stroke",
        "group_text",  "roles",    "accent",     "muted",
    };
    struct figure_reading reading = { arena, problems, value, "" };
    struct figure_style style = { .name = arena_strdup(arena, name) };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "a style must be an object");
        return false;
    }
    arena_keep_json(arena, json_share(value));
    figure_refuse_unknown(&reading, NAMES(members));
    style.description = read_text(&reading, "description");
    style.guide = read_text(&reading, "guide");
    read_measures(&reading, &style);
    read_colors(&reading, &style);
    if (problems->n + problems->dropped == before)
        check_colors(&style, problems);
    if (problems->n + problems->dropped > before)
        return false;
    *out = style;
    return true;
}
