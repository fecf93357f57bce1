#include "domain/figure/figure_style_check.h"
#include "domain/figure/color_contrast.h"
#include "domain/figure/figure_names.h"
#include <string.h>

struct checking {
    const struct figure_style *style;
    struct problems *problems;
};

static void want_contrast(struct checking *checking, const char *path, struct figure_color color,
                          struct figure_color ground, const char *what, double wanted)
{
    double contrast = color_contrast(color, ground);
    if (contrast < wanted)
        problems_add(checking->problems, NULL, path, "contrast to %s is %.2f, less than %.1f", what,
                     contrast, wanted)
            ->fix = "choose a colour that is darker or lighter";
}

/* What is drawn on the background may come to lie in a group as well. */
static void want_on_grounds(struct checking *checking, const char *path, struct figure_color color,
                            double wanted)
{
    const struct figure_style *style = checking->style;
    want_contrast(checking, path, color, style->background, "the background", wanted);
    want_contrast(checking, path, color, style->group_fill, "a group", wanted);
}

static void check_look(struct checking *checking, const char *path, const struct figure_look *look)
{
    struct arena *arena = checking->problems->arena;
    want_contrast(checking, arena_printf(arena, "%s/text", path), look->text, look->fill,
                  "its fill", COLOR_TEXT_CONTRAST);
    want_on_grounds(checking, arena_printf(arena, "%s/stroke", path), look->stroke,
                    COLOR_LINE_CONTRAST);
}

static bool is_same(struct figure_color a, struct figure_color b)
{
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* The same fill says that the two differ by shape; another one has to be seen as another one. */
static void check_two_roles(struct checking *checking, size_t i, size_t other)
{
    const struct figure_look *a = &checking->style->roles[i];
    const struct figure_look *b = &checking->style->roles[other];
    const char *path =
        arena_printf(checking->problems->arena, "/roles/%s/fill", figure_role_names.list[other]);
    enum color_vision vision;
    double distance = color_smallest_distance(a->fill, b->fill, &vision);
    if (is_same(a->fill, b->fill)) {
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

void figure_style_check(const struct figure_style *style, struct problems *problems)
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
    want_on_grounds(&checking, "/edge", style->edge, COLOR_LINE_CONTRAST);
    want_on_grounds(&checking, "/edge_text", style->edge_text, COLOR_TEXT_CONTRAST);
    want_contrast(&checking, "/group_stroke", style->group_stroke, style->background,
                  "the background", COLOR_LINE_CONTRAST);
    want_contrast(&checking, "/group_text", style->group_text, style->group_fill, "a group",
                  COLOR_TEXT_CONTRAST);
}
