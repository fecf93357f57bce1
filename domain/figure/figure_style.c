#include "domain/figure/figure_style.h"
#include "domain/base/json.h"
#include "domain/base/text.h"
#include "domain/figure/figure_names.h"
#include "domain/figure/figure_style_check.h"
#include <string.h>

enum { SHOWN = 40 };

struct reading {
    struct arena *arena;
    struct problems *problems;
    const char *path; /* of the object that is read */
};

static const char *const shapes[] = { FIGURE_SHAPES };
static const char *const fonts[] = { FIGURE_FONTS };

static const char *below(const struct reading *reading, const char *key)
{
    return json_path_member(reading->arena, reading->path, key);
}

static const char *list_words(struct arena *arena, const char *const *words, size_t n)
{
    const char *all = words[0];
    for (size_t i = 1; i < n; i++)
        all = arena_printf(arena, "%s, %s", all, words[i]);
    return all;
}

static void refuse_unknown(const struct reading *reading, const json_t *object,
                           const char *const *names, size_t n)
{
    problems_refuse_unknown(reading->problems, NULL, reading->path, object, names, n);
}

static const char *read_text(const struct reading *reading, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value) && !json_string_has_nul(value) && json_string_length(value) > 0 &&
        json_string_length(value) <= FIGURE_MAX_GUIDE_BYTES)
        return json_string_value(value);
    problems_add(reading->problems, NULL, below(reading, key),
                 value ? "must be text of 1 to %d bytes" : "is missing", FIGURE_MAX_GUIDE_BYTES);
    return "";
}

static const char *read_word(const struct reading *reading, const json_t *object, const char *key,
                             const char *const *words, size_t n)
{
    const char *word = json_get_string(object, key);
    for (size_t i = 0; word && i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return words[i];
    problems_add(reading->problems, NULL, below(reading, key), "\"%s\" is none of its words",
                 word ? text_one_line(reading->arena, word, strlen(word), SHOWN) : "")
        ->fix = arena_printf(reading->arena, "use one of %s", list_words(reading->arena, words, n));
    return words[0];
}

static double read_number(const struct reading *reading, const json_t *object, const char *key,
                          double low, double high)
{
    const json_t *value = json_object_get(object, key);
    double number = json_number_value(value);
    if (json_is_number(value) && number >= low && number <= high)
        return number;
    problems_add(reading->problems, NULL, below(reading, key), "must be a number from %g to %g",
                 low, high);
    return low;
}

/* "#rrggbb" and nothing else: no names, which differ between programs, and nothing seen through. */
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

static struct figure_color read_color(const struct reading *reading, const json_t *object,
                                      const char *key)
{
    struct figure_color color = { 0 };
    if (!parse_color(json_get_string(object, key), &color))
        problems_add(reading->problems, NULL, below(reading, key), "must be a colour")->fix =
            "write it as \"#rrggbb\"";
    return color;
}

/* shape: whether the look has one; accent and muted keep that of the role. */
static struct figure_look read_look(const struct reading *outer, const json_t *object,
                                    const char *key, bool has_shape)
{
    static const char *const members[] = { "fill", "stroke", "text", "shape" };
    struct reading reading = { outer->arena, outer->problems, below(outer, key) };
    const json_t *value = json_object_get(object, key);
    struct figure_look look = { 0 };
    if (!json_is_object(value)) {
        problems_add(reading.problems, NULL, reading.path,
                     value ? "must be an object" : "is missing");
        return look;
    }
    refuse_unknown(&reading, value, members, ARRAY_LENGTH(members) - (has_shape ? 0 : 1));
    if (has_shape)
        look.shape = read_word(&reading, value, "shape", shapes, ARRAY_LENGTH(shapes));
    look.fill = read_color(&reading, value, "fill");
    look.stroke = read_color(&reading, value, "stroke");
    look.text = read_color(&reading, value, "text");
    return look;
}

static void read_roles(const struct reading *outer, const json_t *value, struct figure_style *out)
{
    struct reading reading = { outer->arena, outer->problems, below(outer, "roles") };
    const json_t *roles = json_object_get(value, "roles");
    refuse_unknown(&reading, roles, figure_role_names.list, figure_role_names.n);
    for (size_t i = 0; i < figure_role_names.n; i++)
        out->roles[i] = read_look(&reading, roles, figure_role_names.list[i], true);
}

static void read_measures(const struct reading *reading, const json_t *value,
                          struct figure_style *out)
{
    out->font = read_word(reading, value, "font", fonts, ARRAY_LENGTH(fonts));
    out->font_size = read_number(reading, value, "font_size", 6, 48);
    out->edge_font_size = read_number(reading, value, "edge_font_size", 6, 48);
    out->node_gap = read_number(reading, value, "node_gap", 0.1, 3);
    out->rank_gap = read_number(reading, value, "rank_gap", 0.1, 3);
    out->line_width = read_number(reading, value, "line_width", 0.5, 6);
    out->wrap = (unsigned)read_number(reading, value, "wrap", 8, 80);
    out->dpi = (unsigned)read_number(reading, value, "dpi", 48, 300);
}

static void read_colors(const struct reading *reading, const json_t *value,
                        struct figure_style *out)
{
    out->background = read_color(reading, value, "background");
    out->edge = read_color(reading, value, "edge");
    out->edge_text = read_color(reading, value, "edge_text");
    out->group_fill = read_color(reading, value, "group_fill");
    out->group_stroke = read_color(reading, value, "group_stroke");
    out->group_text = read_color(reading, value, "group_text");
    read_roles(reading, value, out);
    out->accent = read_look(reading, value, "accent", false);
    out->muted = read_look(reading, value, "muted", false);
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
    struct reading reading = { arena, problems, "" };
    struct figure_style style = { .name = arena_strdup(arena, name) };
    size_t before = problems->n + problems->dropped;
    if (!json_is_object(value)) {
        problems_add(problems, NULL, "", "a style must be an object");
        return false;
    }
    arena_keep_json(arena, json_share(value));
    refuse_unknown(&reading, value, members, ARRAY_LENGTH(members));
    style.description = read_text(&reading, value, "description");
    style.guide = read_text(&reading, value, "guide");
    read_measures(&reading, value, &style);
    read_colors(&reading, value, &style);
    if (problems->n + problems->dropped == before)
        figure_style_check(&style, problems);
    if (problems->n + problems->dropped > before)
        return false;
    *out = style;
    return true;
}
